package state

import (
	"errors"
	"iter"
	"slices"

	"anond/equivclass"
)

// Epochs of the sensitive attributes.
//
// When the hierarchy of one grows, values become valid that no record could have before.
// Adversaries know when each record arrived and see the published hierarchies. In a
// class with a new value they would rule that value out for everyone who arrived
// before it, and the share of the others would rise above 1/l. So a class that holds
// a value holds only records that arrived after the value became valid. Then every
// assignment of a class's bag to its members is possible, as before.
//
// Of histories the same holds at each place: all records of a person are judged by one version (package settle), so a history is as young
// as the youngest of its values.

// errEpoch: a class would show who cannot have one of its values.
var errEpoch = errors.New("it holds a value that was not valid yet when a member arrived (epochs of a hierarchy)")

// FindEpochs notes, by sensitive attribute and leaf, before which record it was not valid; nil
// if all were valid from the beginning.
func (c *Records) FindEpochs(versions map[int][]HierarchyVersion) {
	c.Since = nil
	for i, attribute := range c.Schema.Sensitive() {
		l, known := c.LeavesOf(attribute), versions[attribute]
		if l == nil || len(known) < 2 {
			continue
		}
		if c.Since == nil {
			c.Since = make([][]RecordID, len(c.Schema.Sensitive()))
		}
		c.Since[i] = make([]RecordID, len(l.Stored))
		for leaf, code := range l.Stored {
			for _, v := range known {
				if code < equivclass.Code(v.Leaves) {
					c.Since[i][leaf] = v.Records
					break
				}
			}
		}
	}
}

// validSince returns the first record that may have the values of r.
func (c *Records) validSince(r RecordID) (first RecordID) {
	for i, since := range c.Since {
		if since == nil {
			continue
		}
		attribute := c.Schema.Sensitive()[i]
		code, dict := c.Columns[attribute].At(int(r)), c.Dicts[attribute]
		if dict.Records() == 0 {
			first = max(first, since[code])
			continue
		}
		for _, value := range equivclass.Ever(dict.Text(code)) {
			if leaf, found := dict.Attribute().Hierarchy.Leaf([]byte(value)); found {
				first = max(first, since[leaf])
			}
		}
	}
	return first
}

// OneEpoch reports whether records may share a class: each arrived when the values
// of all were valid.
func (c *Records) OneEpoch(members []RecordID) error {
	if c.Since == nil || len(members) == 0 {
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

// MayHave reports whether a record may share a class with the values of a signature, at level L1.
func (c *Records) MayHave(r RecordID, signature []equivclass.Code) bool {
	return c.Since == nil || !slices.ContainsFunc(signature, func(v equivclass.Code) bool { return c.Since[0][v] > r })
}

// Epochs divides records, in order of arrival, into pools that may each be
// partitioned as a whole. The first pool holds those whose values were valid when the
// oldest of them arrived. later takes those that found no class in it, and returns
// the second pool: the other records and all that may share a class with them. left
// is too old for it. The first pool is soon published, so nobody waits for long.
func (c *Records) Epochs(records []RecordID) (first []RecordID, later func(rest []RecordID) (second, left []RecordID)) {
	if c.Since == nil || len(records) == 0 {
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

// Versions divides records, in order of arrival, by the versions of the sensitive attributes' hierarchies under
// which they arrived, oldest first. At level L2 each part makes pools of its own (package pools).
func (c *Records) Versions(h *Head, records []RecordID) iter.Seq[[]RecordID] {
	var begins []RecordID
	for i, since := range c.Since {
		if since != nil {
			for _, v := range h.Hierarchies[c.Schema.Sensitive()[i]][1:] {
				begins = append(begins, v.Records)
			}
		}
	}
	slices.Sort(begins)
	return func(yield func([]RecordID) bool) {
		for _, at := range begins {
			n, _ := slices.BinarySearch(records, at)
			if !yield(records[:n]) {
				return
			}
			records = records[n:]
		}
		yield(records)
	}
}
