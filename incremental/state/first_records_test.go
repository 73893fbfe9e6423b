package state

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// The table of first records answers as a map does: while it grows, when it is loaded at
// once, and for subjects whose digests begin alike, which
// crowd at one place.
func TestFirstRecordsAreThoseOfAMap(t *testing.T) {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "x", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "person", Role: equivclass.Subject}, {Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical}},
		equivclass.RefuseMissing)
	require.NoError(t, err)
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		c, first, repeats := NewColumns(schema), map[uint64]RecordID{}, 0
		subjects := 1 + rng.IntN(3000)
		for r := range RecordID(1 + rng.IntN(5000)) {
			subject := (1 + rng.Uint64N(uint64(subjects))) * 0x9e3779b97f4a7c15
			if seed%4 > 1 {
				subject = subject>>40 | 1<<24 // all of them at the beginning of the table; never 0, which stands for nobody
			}
			c.Subject = append(c.Subject, subject)
			c.Columns[2].Append(equivclass.Code(rng.IntN(3)))
			_, seen := first[subject]
			if !seen {
				first[subject] = r
			}
			require.Equal(t, !seen, c.Firsts.Note(&c, r))
			require.Equal(t, seen, c.isBeyond(r))
			if seen {
				repeats++
			}
		}
		loaded := NewColumns(schema)
		loaded.Subject = c.Subject
		loaded.Columns[2] = c.Columns[2]
		loaded.Loaded()
		for r := range c.Len() {
			require.Equal(t, first[c.Subject[r]], c.Firsts.first(&c, r))
			require.Equal(t, first[c.Subject[r]], loaded.Firsts.first(&loaded, r))
		}
		require.Equal(t, len(first), c.Firsts.held)
		require.Equal(t, int(c.Len()), len(first)+repeats)
	}
}
