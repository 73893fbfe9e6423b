package table

// Told counts for how many people the pair tables of their pools tell one attribute to somebody who knows their value of another
// one. That is not promised against.
type Told struct {
	One     string `json:"one"`     // known
	Other   string `json:"other"`   // told
	People  int    `json:"people"`  // of pools that have a table
	Certain int    `json:"certain"` // the table has one value of the other attribute with theirs
	Likely  int    `json:"likely"`  // it has one value of it with more than .8 of those who have theirs; these too
}

// add counts the people of a pool who have some value of the known attribute; most of them have the same value of the other.
func (t *Told) add(people, most uint32) {
	t.People += int(people)
	if most == people {
		t.Certain += int(people)
	}
	if 5*uint64(most) > 4*uint64(people) {
		t.Likely += int(people)
	}
}

// joinTold adds up what two tables of the same pairs tell; the first may be empty.
func joinTold(a, b []Told) []Told {
	out := make([]Told, len(b))
	for i := range b {
		if out[i] = b[i]; i < len(a) {
			out[i].People, out[i].Certain, out[i].Likely = a[i].People+b[i].People, a[i].Certain+b[i].Certain, a[i].Likely+b[i].Likely
		}
	}
	return out
}
