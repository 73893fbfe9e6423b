package subjectledger

import (
	"errors"
	"fmt"

	"anond/incremental/state"
)

// reading is one reading of the file, from wherever the ledger has seen it.
type reading struct {
	*Ledger
	given map[uint16]int64 // behind which byte the claims of a member count
	list  []state.Known
	old   bool // what the state has seen is there
	again bool // claims that were read are given back
}

// all reads up to a size. Where claims that were read before were given back, everything is read again.
func (r *reading) all(size int64) error {
	for {
		from := r.seen
		mark, err := scan(r.file, from, size, r.take)
		if errors.Is(err, errTorn) && r.writes {
			if err = r.file.Truncate(mark.Size); err == nil {
				size = mark.Size
			}
		} else if errors.Is(err, errTorn) {
			err, size = nil, mark.Size // somebody else cuts it off
		}
		if err != nil {
			return err
		}
		if r.seen = mark; r.again {
			r.seen, r.member, r.members, r.list, r.people, r.again = state.LedgerMark{}, 0, nil, nil, state.People{}, false
			continue
		}
		if from.Size == 0 {
			r.people = state.NewPeople(r.list)
		} else {
			for _, k := range r.list {
				r.people.Add(k)
			}
		}
		r.unsynced = r.unsynced || r.seen.Size > from.Size
		return nil
	}
}

// take takes in one frame.
func (r *reading) take(f frame, behind state.LedgerMark) error {
	r.old = r.old || behind == r.o.Seen
	if of := f.kind == claims || f.kind == givesAll; of && (f.member == 0 || int(f.member) > len(r.members)) {
		return damagedAt(behind.Size)
	}
	switch f.kind {
	case begins:
		id, key, err := opening(f)
		if err != nil {
			return err
		}
		if r.id, r.key = id, key; r.o.KeyName != "" && key != r.o.KeyName {
			return ErrOtherKey
		}
	case joins:
		if len(f.content) < 32 {
			return damagedAt(behind.Size)
		}
		r.members = append(r.members, Member{Dataset: string(f.content[32:]), State: [32]byte(f.content[:32])})
		if m := &r.members[len(r.members)-1]; m.Dataset == r.o.Dataset {
			if m.State != r.o.State {
				return fmt.Errorf("%w: %s", ErrOtherState, m.Dataset)
			}
			r.member = uint16(len(r.members))
		}
	case claims:
		whether := whose
		if f.member == r.member {
			whether = why
		}
		if m := &r.members[f.member-1]; behind.Size > r.given[f.member] {
			m.Claimed += len(f.content) / digestBytes
			f.people(func(p state.Person) { r.list = append(r.list, state.Know(p, whether)) })
		}
	case givesAll:
		m := &r.members[f.member-1]
		m.GivenBack = behind.Size
		r.again = r.again || behind.Size > r.given[f.member] && m.Claimed > 0
		r.given[f.member] = max(r.given[f.member], behind.Size)
	default:
		return damagedAt(behind.Size)
	}
	return nil
}
