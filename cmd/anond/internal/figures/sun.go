package figures

func sun() []Figure { return nil }
