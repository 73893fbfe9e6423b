package split

// Tally counts small numbers and forgets them at the cost of those it saw.
type Tally struct {
	N    []int32
	Seen []int32
}

// NewTally returns a tally of numbers below size.
func NewTally(size int) *Tally { return &Tally{N: make([]int32, size)} }

// Add counts c.
func (t *Tally) Add(c int32) {
	if t.N[c] == 0 {
		t.Seen = append(t.Seen, c)
	}
	t.N[c]++
}

// Clear forgets everything.
func (t *Tally) Clear() {
	for _, c := range t.Seen {
		t.N[c] = 0
	}
	t.Seen = t.Seen[:0]
}
