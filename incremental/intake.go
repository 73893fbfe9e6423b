package incremental

import (
	"maps"

	"anond/equivclass"
)

// intake keeps the books of what was read: how far each partition is, what became
// of every position that held a record, and the dead letters that have not
// reached their sink. Each position is counted once, whatever is read again, so
// that sent = published + pending + dead_letter + forgotten + beyond holds at every moment.
type intake struct {
	offsets  offsets
	counters Counters
	last     uint64 // newest Seq given to a dead letter
	waiting  int    // dead letters not delivered

	counted   bool // the counters changed since the last commit
	letters   []DeadLetter
	delivered uint64
}

func newIntake() intake {
	return intake{offsets: newOffsets(), counters: Counters{}.complete()}
}

// complete gives counters the maps that a store may have left out.
func (c Counters) complete() Counters {
	if c.Refused == nil {
		c.Refused = map[equivclass.Reason]uint64{}
	}
	if c.Ignored == nil {
		c.Ignored = map[equivclass.Reason]uint64{}
	}
	return c
}

// accept passes a record and returns the number of its partition.
func (k *intake) accept(p Partition, offset int64) uint16 {
	k.counters.Sent++
	k.counters.Read++
	k.counted = true
	return k.offsets.advance(p, offset)
}

// refuse passes a record that becomes a dead letter.
func (k *intake) refuse(d DeadLetter) error {
	if k.offsets.applied(d.Partition, d.Offset) {
		return nil
	}
	if err := k.offsets.numbered(d.Partition); err != nil {
		return err
	}
	k.accept(d.Partition, d.Offset)
	k.post(d)
	return nil
}

// post puts a dead letter into the outbox and counts it by its reason.
func (k *intake) post(d DeadLetter) {
	k.last++
	k.waiting++
	d.Seq = k.last
	k.letters = append(k.letters, d)
	k.counters.Refused[d.Reason]++
	k.counted = true
}

// readmitted takes a record that is judged again from the count of its reason. It stays
// in the count of those that were replayed, so that refusals ever made never decrease.
func (k *intake) readmitted(why equivclass.Reason) {
	if k.counters.Replayed == nil {
		k.counters.Replayed = map[equivclass.Reason]uint64{}
	}
	k.counters.Replayed[why]++
	if k.counters.Refused[why]--; k.counters.Refused[why] == 0 {
		delete(k.counters.Refused, why)
	}
	k.counted = true
}

// ignore passes a record that the configuration leaves out.
func (k *intake) ignore(p Partition, offset int64, why equivclass.Reason) error {
	if k.offsets.applied(p, offset) {
		return nil
	}
	if err := k.offsets.numbered(p); err != nil {
		return err
	}
	k.offsets.advance(p, offset)
	k.counters.Read++
	k.count(why, 1)
	return nil
}

// passLine passes a line that holds no record, from offset up to next.
func (k *intake) passLine(p Partition, offset, next int64, why equivclass.Reason) error {
	if k.offsets.applied(p, offset) {
		return nil
	}
	if err := k.offsets.numbered(p); err != nil {
		return err
	}
	k.count(why, 1)
	k.offsets.pass(p, next)
	return nil
}

// miss passes the offsets from one up to below, which were given up for a reason.
func (k *intake) miss(p Partition, from, below int64, why equivclass.Reason) {
	if from = max(from, k.offsets.next(p)); from >= below {
		return
	}
	k.offsets.pass(p, below)
	k.count(why, uint64(below-from))
}

// block passes a record of a person who was forgotten.
func (k *intake) block(p Partition, offset int64) {
	k.accept(p, offset)
	k.counters.Blocked++
}

// beyond passes a record of a person who may not be published any more.
func (k *intake) beyond(p Partition, offset int64) {
	k.accept(p, offset)
	k.counters.Beyond++
}

func (k *intake) count(why equivclass.Reason, n uint64) {
	k.counters.Ignored[why] += n
	k.counted = true
}

// deliver notes that dead letters up to seq have reached their sink.
func (k *intake) deliver(seq uint64, letters int) {
	k.delivered = max(k.delivered, seq)
	k.waiting -= letters
}

// into enters what changed since the last commit into a delta.
func (k *intake) into(d *Delta) {
	d.Positions, d.DeadLetters, d.Delivered = k.offsets.changes(), k.letters, k.delivered
	if k.counted {
		c := k.counters
		d.Counters = &c
	}
}

// committed forgets what changed: the store has it.
func (k *intake) committed() {
	k.counted, k.letters, k.delivered = false, nil, 0
	k.offsets.committed()
}

// refused returns the number of dead letters by reason, and in all.
func (k *intake) refused() (by map[equivclass.Reason]uint64, total uint64) {
	for _, n := range k.counters.Refused {
		total += n
	}
	return maps.Clone(k.counters.Refused), total
}
