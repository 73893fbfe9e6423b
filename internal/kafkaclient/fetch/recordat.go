package fetch

import "errors"

// Held is what an offset holds that held a record. The value is whole, also
// where it was handed out in its beginning only: which of the two was digested
// depends on the settings of that time.
type Held struct {
	Found Finding
	Key   []byte
	Value []byte
	Epoch int32
}

// Finding says what it is.
type Finding int

const (
	LostRecord Finding = iota // nothing: deleted or compacted away
	SameKind                  // a committed record
	OtherThing                // a control record or a record of an aborted transaction
)

// RecordAt finds the record at an offset in an answer. large waits for the right to hold what is larger than usual.
func (r *Response) RecordAt(offset int64, s Sizes, large func() error) (Held, error) {
	tx := newTransactions(r.aborted)
	for data := r.Batches; len(data) > 0; {
		b, rest, err := nextBatch(data)
		if err != nil || b == nil {
			return Held{}, err
		}
		data = rest
		hidden, err := tx.hides(b)
		if err != nil {
			return Held{}, err
		}
		if b.last < offset {
			continue
		}
		key, value, found, err := b.valueAt(offset, s, large)
		switch {
		case err != nil || !found:
			return Held{}, err
		case hidden:
			return Held{Found: OtherThing}, nil
		}
		return Held{SameKind, key, value, b.epoch}, nil
	}
	return Held{}, nil
}

func (b *batch) valueAt(offset int64, s Sizes, large func() error) (key, value []byte, found bool, err error) {
	s.Record = s.Batch
	c, err := b.walk(s)
	if errors.Is(err, errLarge) {
		if err := large(); err != nil {
			return nil, nil, false, err
		}
		c, err = b.walkLarge(s)
	}
	if err != nil {
		return nil, nil, false, err
	}
	defer c.close()
	for {
		r, ok, err := c.cut(func(o int64) bool { return o == offset })
		if err != nil || !ok {
			return key, value, found, err
		}
		if r.Offset == offset {
			key, value, found = r.Key, r.Value, true
		}
	}
}
