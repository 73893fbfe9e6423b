package figures

// All returns every figure, paper by paper, in the order of their numbers.
func All() []Figure {
	var all []Figure
	for _, paper := range [][]Figure{wang(), zhu(), sun(), lgb(), permutation()} {
		all = append(all, paper...)
	}
	return all
}

// Find returns the figure of an ID.
func Find(id string) (Figure, bool) {
	for _, f := range All() {
		if f.ID == id {
			return f, true
		}
	}
	return Figure{}, false
}
