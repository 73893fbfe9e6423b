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
	"anond/incremental/sealed"
	"anond/ingest"
	"anond/snapshot"
)

// Readmitted counts the results of a readmission.
type Readmitted struct {
	Letters  int  `json:"letters"`  // candidates
	Admitted int  `json:"admitted"` // now pending
	Refused  int  `json:"refused"`  // still, or for another reason now
	Changed  int  `json:"changed"`  // the source has another record at this place
	Gone     int  `json:"gone"`     // no longer in the source
	More     bool `json:"more"`     // there are more: run it again
}

// Readmit accepts records that were refused because the hierarchy of a
// quasi-identifier lacked a leaf that it has now. It reads them again from the
// source, compares them with the refused ones by their digests, and moves them from
// the dead letters to the pending records, a few thousand per transaction. Each
// record is accepted once, also after crashes: the state knows the place of each of
// its records.
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
	options, err := StateOptions(ctx, c)
	if err != nil {
		return out, err
	}
	store, err := openForgetful(ctx, c, o, options, lease{})
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
	r := &readmission{machine: machine, letters: l, key: options.Key, schema: c.Schema(), out: Readmitted{Letters: len(l.open), More: l.more}}
	if r.decoder, err = decoderOf(c)(); err != nil {
		return out, err
	}
	machine.Tick(o.Clock.Now().Truncate(time.Second).UnixMilli())
	reread, err := rereadOf(c, machine, o)
	if err == nil && reread != nil && len(l.open) > 0 {
		err = reread(ctx, l.wanted(), r.take)
	}
	if err == nil && hasNoHeader(c) { // the source no longer has the record, or never had it
		err = l.eachLetter(path, r.payload)
	}
	r.out.Gone = len(l.open)
	return r.out, errors.Join(err, machine.Commit())
}

// hasNoHeader reports whether a message alone is a record: the columns of a CSV
// file are named in its header, which a dead letter lacks.
func hasNoHeader(c *config.Config) bool {
	return c.Source.Format != config.CSV || c.Source.Type == config.FromKafka
}

// payload judges the record in a dead letter's payload, if there is one.
func (r *readmission) payload(d incremental.DeadLetter) error {
	if open, wanted := r.letters.open[place{d.Partition, d.Offset}]; !wanted || open.Seq != d.Seq || d.Payload == nil {
		return nil
	}
	d, err := ingest.OpenPayload(d, r.key)
	if err != nil {
		return fmt.Errorf("dead letter %d: %w", d.Seq, err)
	}
	return r.take(d.Partition, d.Offset, d.Payload, nil)
}

// wanted lists the places of the dead letters by partition, ascending.
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
	key     sealed.Key
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
