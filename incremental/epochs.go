package incremental

import (
	"errors"
	"iter"
	"slices"

	"anond/equivclass"
)

// Epochs of the sensitive attribute.
//
// When its hierarchy grows, values become valid that no record could have before.
// Adversaries know when each record arrived and see the published hierarchies. In a
// class with a new value they would rule that value out for everyone who arrived
// before it, and the share of the others would rise above 1/l. So a class that holds
// a value holds only records that arrived after the value became valid. Then every
// assignment of a class's bag to its members is possible, as before.

// errEpoch: a class would show who cannot have one of its values.
var errEpoch = errors.New("it holds a value that was not valid yet when a member arrived (epochs of a hierarchy)")

// findEpochs notes, by value, before which record it was not valid; nil if all
// were valid from the beginning.
func (c *columns) findEpochs(versions []HierarchyVersion) {
	c.since = nil
	l := c.leaves[c.schema.SensitiveIndex()]
	if l == nil || len(versions) < 2 {
		return
	}
	c.since = make([]RecordID, len(l.stored))
	for leaf, code := range l.stored {
		for _, v := range versions {
			if code < equivclass.Code(v.Leaves) {
				c.since[leaf] = v.Records
				break
			}
		}
	}
}

// validSince returns the first record that may have the value of r.
func (c *columns) validSince(r RecordID) RecordID {
	if c.since == nil {
		return 0
	}
	return c.since[c.value(r)]
}

// oneEpoch reports whether records may share a class: each arrived when the values
// of all were valid.
func (c *columns) oneEpoch(members []RecordID) error {
	if c.since == nil || len(members) == 0 {
		return nil
	}
	oldest := slices.Min(members)
	for _, r := range members {
		if c.validSince(r) > oldest {
			return errEpoch
		}
	}
	return nil
}

// mayHave reports whether a record may share a class with the values of a signature.
func (c *columns) mayHave(r RecordID, signature []equivclass.Code) bool {
	return c.since == nil || !slices.ContainsFunc(signature, func(v equivclass.Code) bool { return c.since[v] > r })
}

// epochs divides records, in order of arrival, into pools that may each be
// partitioned as a whole. The first pool holds those whose values were valid when the
// oldest of them arrived. later takes those that found no class in it, and returns
// the second pool: the other records and all that may share a class with them. left
// is too old for it. The first pool is soon published, so nobody waits for long.
func (c *columns) epochs(records []RecordID) (first []RecordID, later func(rest []RecordID) (second, left []RecordID)) {
	if c.since == nil || len(records) == 0 {
		return records, nil
	}
	var young []RecordID
	newest := RecordID(0)
	for _, r := range records {
		if v := c.validSince(r); v > records[0] {
			young, newest = append(young, r), max(newest, v)
		} else {
			first = append(first, r)
		}
	}
	if len(young) == 0 {
		return records, nil
	}
	return first, func(rest []RecordID) (second, left []RecordID) {
		all := slices.Concat(rest, young)
		slices.Sort(all)
		at, _ := slices.BinarySearch(all, newest)
		return all[at:], all[:at]
	}
}

// versions divides records, in order of arrival, by the version of the hierarchy under
// which they arrived, oldest first. At level L2 each part makes pools of its own (pool.go).
func (c *columns) versions(h *head, records []RecordID) iter.Seq[[]RecordID] {
	return func(yield func([]RecordID) bool) {
		if c.since != nil {
			for _, v := range h.Hierarchies[c.schema.SensitiveIndex()][1:] {
				n, _ := slices.BinarySearch(records, v.Records)
				if !yield(records[:n]) {
					return
				}
				records = records[n:]
			}
		}
		yield(records)
	}
}

// outdated counts those who wait under an earlier version and are fewer than a pool needs:
// nobody joins them any more. It is a function of the order of arrival (rule H, held values).
func (m *state) outdated(need int) (n int) {
	newest := 0
	for of := range m.records.versions(&m.head, m.pending.waiting) {
		newest = 0
		if len(of) < need {
			newest = len(of)
		}
		n += newest
	}
	return n - newest // others join those of the newest version
}
