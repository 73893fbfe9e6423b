package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"anond/config"
	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/snapshot"
)

// Readmitted tells what became of the dead letters whose records may be taken in
// later, in counts.
type Readmitted struct {
	Letters  int  `json:"letters"`  // that might be taken in
	Admitted int  `json:"admitted"` // now pending
	Refused  int  `json:"refused"`  // still, or for another reason now
	Changed  int  `json:"changed"`  // another record stands there than was refused
	Gone     int  `json:"gone"`     // the source holds them no longer
	More     bool `json:"more"`     // there are more: run it again
}

// Readmit takes in records that were refused since a quasi-identifier had no leaf
// in its hierarchy, and has one now. It reads them again from the source, compares
// them with what was refused by their digest, and moves them from the dead letters
// to the pending records in one transaction each few thousand. A record comes in
// once, also over crashes: state knows where each of its records stood.
func Readmit(ctx context.Context, c *config.Config, o Options, attribute, file string) (out Readmitted, err error) {
	if o.Clock == nil {
		o.Clock = systemClock{}
	}
	path, err := letterFile(c, file)
	if err != nil {
		return out, err
	}
	if _, err := os.Stat(c.State.Path); err != nil {
		return out, err
	}
	store, err := boltstore.Open(c.State.Path, boltstore.Options{MaxBytes: c.State.MaxBytes})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	machine, err := openMachine(ctx, store, c, o)
	if err != nil {
		return out, err
	}
	if err := snapshot.Reconcile(snapshot.OS(), c.Release.Dir, c.Release.Ledger, machine.Intents()); err != nil {
		return out, err
	}
	l := &letters{machine: machine, attribute: attribute, open: map[place]incremental.DeadLetter{}}
	if err := l.gather(path, store); err != nil {
		return out, err
	}
	r := &readmission{machine: machine, letters: l, schema: c.Schema(), out: Readmitted{Letters: len(l.open), More: l.more}}
	if r.decoder, err = decoderOf(c)(); err != nil {
		return out, err
	}
	machine.Tick(o.Clock.Now().Truncate(time.Second).UnixMilli())
	reread, err := rereadOf(c, machine, o)
	if err == nil && reread != nil && len(l.open) > 0 {
		err = reread(ctx, l.wanted(), r.take)
	}
	if err == nil && hasNoHeader(c) { // what the source no longer holds, or never did
		err = l.eachLetter(path, r.payload)
	}
	r.out.Gone = len(l.open)
	return r.out, errors.Join(err, machine.Commit())
}

// hasNoHeader tells whether a message alone is a record: the columns of a CSV file
// stand in its header, which a dead letter does not have.
func hasNoHeader(c *config.Config) bool {
	return c.Source.Format != config.CSV || c.Source.Type == config.FromKafka
}

// payload judges the record that a letter carries itself, if it does.
func (r *readmission) payload(d incremental.DeadLetter) error {
	if open, wanted := r.letters.open[place{d.Partition, d.Offset}]; !wanted || open.Seq != d.Seq || d.Payload == nil {
		return nil
	}
	return r.take(d.Partition, d.Offset, d.Payload, nil)
}

// wanted lists the places of the letters by partition, ascending.
func (l *letters) wanted() map[incremental.Partition][]int64 {
	out := map[incremental.Partition][]int64{}
	for at := range l.open {
		out[at.partition] = append(out[at.partition], at.offset)
	}
	for _, offsets := range out {
		slices.Sort(offsets)
	}
	return out
}

type readmission struct {
	machine *incremental.Machine
	letters *letters
	schema  *equivclass.Schema
	decoder ingest.Decoder
	staged  int
	out     Readmitted
}

// readmitCommit is the number of records in one transaction.
const readmitCommit = 5000

// take judges one record that was read again.
func (r *readmission) take(p incremental.Partition, offset int64, value []byte, header []string) error {
	at := place{p, offset}
	letter, wanted := r.letters.open[at]
	if !wanted {
		return nil
	}
	delete(r.letters.open, at)
	if r.machine.Digest(value) != letter.Digest {
		r.out.Changed++
		return nil
	}
	row := make(equivclass.Row, len(r.schema.Attributes()))
	if o := r.decoder.Decode(value, header, row); !o.Accepted() {
		r.out.Refused++
		return nil
	}
	outcome, err := r.machine.Readmit(letter, row)
	if err != nil {
		return fmt.Errorf("dead letter %d: %w", letter.Seq, err)
	}
	if outcome.Reason != equivclass.Accepted {
		r.out.Refused++
		return nil
	}
	r.out.Admitted++
	if r.staged++; r.staged >= readmitCommit {
		r.staged = 0
		return r.machine.Commit()
	}
	return nil
}
