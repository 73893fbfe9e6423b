package figures

func zhu() []Figure { return nil }
