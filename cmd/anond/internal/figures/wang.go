package figures

func wang() []Figure { return nil }
