package boltstore

import (
	"anond/incremental/state"
)

// turns is what has become of classes since their birth.
type turns struct {
	died     map[state.ClassID]uint32
	declared map[state.ClassID]bool
}

func (t turns) apply(c *state.Class) {
	if t.declared[c.ID] {
		c.Regime = state.Pure
	}
	c.Died = t.died[c.ID]
}

// readTurns reads declarations and deaths. A class turns each way once.
func readTurns(tx *transaction, e ends) (turns, error) {
	t := turns{died: map[state.ClassID]uint32{}, declared: map[state.ClassID]bool{}}
	seen := uint64(0)
	err := scan(tx, inPure, 8, func(n uint64, key, content []byte) error {
		list, err := decodeIDs[state.ClassID](content)
		if err != nil || n != seen {
			return inPure.damaged(key, broken(err))
		}
		seen += uint64(len(list))
		for _, id := range list {
			if uint64(id) >= e.classes || t.declared[id] {
				return inPure.damaged(key, "a class is unknown or declared twice")
			}
			t.declared[id] = true
		}
		return nil
	})
	if err := reached(err, inPure, seen, e.pure); err != nil {
		return t, err
	}
	seen = 0
	err = scan(tx, inDeaths, 8, func(n uint64, key, content []byte) error {
		list, err := decodeDeaths(content)
		if err != nil || n != seen {
			return inDeaths.damaged(key, broken(err))
		}
		seen += uint64(len(list))
		for _, d := range list {
			if uint64(d.ID) >= e.classes || t.died[d.ID] != 0 || d.Release == 0 {
				return inDeaths.damaged(key, "a class is unknown or dies twice")
			}
			t.died[d.ID] = d.Release
		}
		return nil
	})
	return t, reached(err, inDeaths, seen, e.deaths)
}
