package incremental

import (
	"maps"

	"anond/equivclass"
	"anond/incremental/state"
)

// intake keeps the books of what was read: how far each partition is, what became
// of every position that held a record, and the dead letters that have not
// reached their sink. Each position is counted once, whatever is read again, so
// that sent = published + expired + pending + dead_letter + forgotten + beyond holds at every moment.
type intake struct {
	offsets  offsets
	counters state.Counters
	last     uint64 // newest Seq given to a dead letter
	waiting  int    // dead letters not delivered

	at        int64 // the time of the record that is placed next (Machine.Stamp)
	failed    bool  // a commit failed: nothing is taken in any more
	counted   bool  // the counters changed since the last commit
	letters   []state.DeadLetter
	delivered uint64
}

func newIntake() intake {
	return intake{offsets: newOffsets(), counters: state.Counters{}.Complete()}
}

// accept passes a record and returns the number of its partition.
func (k *intake) accept(p state.Partition, offset int64) uint16 {
	k.counters.Sent++
	k.counters.Read++
	k.counted = true
	return k.offsets.advance(p, offset)
}

// refuse passes a record that becomes a dead letter.
func (k *intake) refuse(d state.DeadLetter) error {
	if k.failed {
		return ErrBroken
	}
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
func (k *intake) post(d state.DeadLetter) {
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

// Ignore passes a record that the configuration leaves out, and counts it.
func (k *intake) Ignore(p state.Partition, offset int64, why equivclass.Reason) error {
	if k.failed {
		return ErrBroken
	}
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

// PassLine passes a line that holds no record, from offset up to next, and counts
// it once. The last record applied stays what it was.
func (k *intake) PassLine(p state.Partition, offset, next int64, why equivclass.Reason) error {
	if k.failed {
		return ErrBroken
	}
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

// Miss passes the offsets from one up to below, which were given up for a reason,
// and counts those that are not passed yet: once, whatever is read again.
func (k *intake) Miss(p state.Partition, from, below int64, why equivclass.Reason) error {
	if k.failed {
		return ErrBroken
	}
	if from = max(from, k.offsets.next(p)); from < below {
		k.offsets.pass(p, below)
		k.count(why, uint64(below-from))
	}
	return nil
}

// CountLines counts lines that are not records of their own.
func (k *intake) CountLines(why equivclass.Reason, lines int) error {
	if k.failed {
		return ErrBroken
	}
	k.count(why, uint64(lines))
	return nil
}

// Pass moves the position of a partition over offsets that hold no record.
func (k *intake) Pass(p state.Partition, next int64) { k.offsets.pass(p, next) }

// Mark moves the position of a partition that is read through another one.
func (k *intake) Mark(p state.Partition, next int64) error {
	if err := k.offsets.numbered(p); err != nil {
		return err
	}
	k.offsets.pass(p, next)
	return nil
}

// Witness stores the keyed digest of the last record applied in a partition.
func (k *intake) Witness(p state.Partition, d state.Digest) { k.offsets.witness(p, d) }

// Positions returns a copy of the positions of all known partitions.
func (k *intake) Positions() map[state.Partition]state.Position { return k.offsets.positions() }

// Next returns the first offset of a partition that is not applied; known is
// false for a partition that was never read.
func (k *intake) Next(p state.Partition) (next int64, known bool) {
	pos, known := k.offsets.known(p)
	return pos.Next, known
}

// Sent is how many positions held a record.
func (k *intake) Sent() uint64 { return k.counters.Sent }

// block passes a record of a person who was forgotten.
func (k *intake) block(p state.Partition, offset int64) {
	k.accept(p, offset)
	k.counters.Blocked++
}

// beyond passes a record of a person who may not be published any more.
func (k *intake) beyond(p state.Partition, offset int64) {
	k.accept(p, offset)
	k.counters.Beyond++
}

// Elsewhere passes a record of a person who belongs to another dataset of the subject ledger. It counts as beyond: nothing of it is
// kept, and nothing of it was looked at.
func (k *intake) Elsewhere(p state.Partition, offset int64) error {
	if k.failed {
		return ErrBroken
	}
	if k.offsets.applied(p, offset) {
		return nil
	}
	if err := k.offsets.numbered(p); err != nil {
		return err
	}
	k.beyond(p, offset)
	k.counters.Elsewhere++
	return nil
}

func (k *intake) count(why equivclass.Reason, n uint64) {
	k.counters.Ignored[why] += n
	k.counted = true
}

// Delivered notes that dead letters up to seq have reached their sink; they
// leave the outbox with the next commit.
func (k *intake) Delivered(seq uint64, letters int) {
	k.delivered = max(k.delivered, seq)
	k.waiting -= letters
}

// into enters what changed since the last commit into a delta.
func (k *intake) into(d *state.Delta) {
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
