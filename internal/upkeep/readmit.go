package upkeep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"anond/config"
	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/deadletter"
	"anond/ingest/decode"
	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/internal/sealed"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// Readmission says which dead letters are judged again. All of a reason and attribute are,
// and never single ones: who has seen payloads, and could choose by record, would choose by
// value who is published late (rule B, buckets).
type Readmission struct {
	Reason    string // empty: all that may be replayed
	Attribute string // empty: all
	File      string // of dead letters; empty: where the configuration has them
	// Try says to look only what there is. No value is judged then: who knew the outcome
	// beforehand could wait with all of them for the sake of one value.
	Try bool
}

// Readmitted counts the results of a readmission.
type Readmitted struct {
	Letters  int  `json:"letters"`           // candidates
	Admitted int  `json:"admitted"`          // now pending
	Refused  int  `json:"refused"`           // still, or for another reason now
	Changed  int  `json:"changed"`           // the source has another record at this place
	Gone     int  `json:"gone"`              // no longer in the source
	More     bool `json:"more"`              // there are more: run it again
	Found    int  `json:"found,omitempty"`   // Try: records that would be judged
	Try      bool `json:"dry_run,omitempty"` // nothing was judged
}

// Readmit judges the records of dead letters again whose fault was one of a quasi-identifier
// or the subject that the configuration may have repaired since (decode.ReplayRules): a
// hierarchy has the leaf now, or a longer text is accepted. It reads them again from the
// source, compares them with the refused ones by their digests, and moves them from
// the dead letters to the pending records, a few thousand per transaction.
//
// Each record is accepted once, however often this runs and also after crashes: the state
// knows the place of each of its records. Its place stays that of the first reading, so
// positions, gaps and repeats of a subject are what they would be without the replay.
func Readmit(ctx context.Context, c *config.Config, o dataset.Options, which Readmission) (out Readmitted, err error) {
	if err := dataset.NotJournaled(c); err != nil {
		return out, err
	}
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	if err := dataset.StateExists(c); err != nil {
		return out, err
	}
	options, err := dataset.StateOptions(ctx, c)
	if err != nil {
		return out, err
	}
	store, err := OpenForgetful(ctx, c, o, options, dataset.Lease{})
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	machine, err := dataset.OpenMachine(ctx, store, c, o)
	if err != nil {
		return out, err
	}
	if err := publish.Reconcile(snapshot.OS(), c.Release.Dir, c.Release.Ledger, machine.Releases().Intents(), machine.Digests()); err != nil {
		return out, err
	}
	owners, closing, err := dataset.OpenOwners(ctx, c, machine, o)
	if err != nil {
		return out, err
	}
	if owners != nil {
		defer func() { err = errors.Join(err, closing()) }()
	}
	machine.Tick(o.Clock.Now().Truncate(time.Second).UnixMilli())
	out, failed, broken := ReadmitOpen(ctx, c, o, which, machine, owners, store, options.Key)
	if broken == nil && !which.Try {
		broken = noter(c).KeepJudged(machine.Judged())
	}
	return out, errors.Join(failed, broken)
}

// ReadmitOpen is Readmit on a state that is open. broken says that it cannot be used any more; failed, that not all was judged.
func ReadmitOpen(ctx context.Context, c *config.Config, o dataset.Options, which Readmission, m *incremental.Machine,
	owners ingest.Owners, store state.Store,
	key sealed.Key) (out Readmitted, failed, broken error) {
	sink, err := openLetterSink(ctx, c, which.File)
	if err != nil {
		return out, err, nil
	}
	schema := c.Schema()
	l := &letters{machine: m, reason: which.Reason, attribute: which.Attribute, open: map[place]state.DeadLetter{},
		may: func(d *state.DeadLetter) bool {
			return decode.RuleOf(schema, d.Reason, d.Attribute).Replay == decode.ReplayKnown
		}}
	if err := l.gather(ctx, sink, store); err != nil {
		return out, err, nil
	}
	r := &readmission{machine: m, letters: l, key: key, schema: schema, keep: c.DeadLetter.Payload,
		out: Readmitted{Letters: len(l.open), More: l.more, Try: which.Try}}
	r.ctx, r.owners = ctx, owners
	r.keys = dataset.KeyingOf(c, m.Source().Partitions())
	if r.decoder, err = dataset.DecoderOf(c, nil)(); err != nil {
		return out, err, nil
	}
	if o.Brokers == nil {
		o.Brokers, err = dataset.ReachBrokers(ctx, c, o.Log)
	}
	if err == nil {
		err = r.readAgain(ctx, c, o, sink)
	}
	r.out.Gone = len(l.open)
	if r.broken == nil && !which.Try {
		r.broken = r.commit()
	}
	return r.out, err, r.broken
}

// readAgain takes the records from the source, and those that it no longer has, or never
// had, from the payloads.
func (r *readmission) readAgain(ctx context.Context, c *config.Config, o dataset.Options, sink *letterSink) error {
	reread, err := dataset.RereadOf(c, r.machine, o)
	if err == nil && reread != nil && len(r.letters.open) > 0 {
		err = reread(ctx, r.letters.wanted(), r.take)
	}
	if err == nil && hasNoHeader(c) && r.keys == nil && len(r.letters.open) > 0 { // a payload has no key
		err = sink.all(ctx, true, r.payload)
	}
	return err
}

// hasNoHeader reports whether a message alone is a record: the columns of a CSV
// file are named in its header, which a dead letter lacks.
func hasNoHeader(c *config.Config) bool {
	return c.Source.Format != config.CSV || c.Source.Type == config.FromKafka
}

// payload judges the record in a dead letter's payload, if there is one.
func (r *readmission) payload(d deadletter.Delivered) error {
	if open, wanted := r.letters.open[place{d.Partition, d.Offset}]; !wanted || open.Seq != d.Seq || d.Payload == nil {
		return nil
	}
	d, err := deadletter.OpenPayload(d, r.key)
	if err != nil {
		return fmt.Errorf("dead letter %d: %w", d.Seq, err)
	}
	return r.take(d.Partition, d.Offset, nil, d.Payload, nil)
}

// wanted lists the places of the dead letters by partition, ascending.
func (l *letters) wanted() map[state.Partition][]int64 {
	out := map[state.Partition][]int64{}
	for at := range l.open {
		out[at.partition] = append(out[at.partition], at.offset)
	}
	for _, offsets := range out {
		slices.Sort(offsets)
	}
	return out
}

type readmission struct {
	ctx     context.Context
	owners  ingest.Owners // nil: the dataset shares its people with no other
	machine *incremental.Machine
	letters *letters
	key     sealed.Key
	schema  *equivclass.Schema
	decoder decode.Decoder
	keys    dataset.Keys // of a shard
	keep    bool         // payloads, in dead letters that are made anew
	staged  int          // records since the last commit
	bytes   int          // of their messages
	broken  error        // the machine cannot be used any more
	out     Readmitted
}

// What one transaction holds: records, and bytes of their messages, which may be kept as
// payloads of dead letters that are made anew.
const (
	readmitCommit = 5000
	readmitBytes  = 16 << 20
)

// take judges one record that was read again.
func (r *readmission) take(p state.Partition, offset int64, key, value []byte, header []string) error {
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
	if r.out.Try {
		r.out.Found++
		return nil
	}
	if r.keep {
		letter.Payload = bytes.Clone(value)
	}
	accepted, err := r.judge(letter, key, value, header)
	if err != nil {
		r.broken = fmt.Errorf("dead letter %d: %w", letter.Seq, err)
		return r.broken
	}
	if accepted {
		r.out.Admitted++
	} else {
		r.out.Refused++
	}
	r.staged, r.bytes = r.staged+1, r.bytes+len(value)
	if r.staged < readmitCommit && r.bytes < readmitBytes {
		return nil
	}
	r.staged, r.bytes = 0, 0
	r.broken = r.commit()
	return r.broken
}

// commit keeps what was judged, and before that whom it claimed.
func (r *readmission) commit() error {
	if r.owners != nil {
		if err := r.owners.BeforeCommit(r.machine); err != nil {
			return err
		}
	}
	return r.machine.Commit()
}

// elsewhere reports whether the person of a record belongs to another dataset. Who was refused for the subject had no owner before.
func (r *readmission) elsewhere(row equivclass.Row) (bool, error) {
	i := r.schema.SubjectIndex()
	if r.owners == nil || i < 0 {
		return false, nil
	}
	elsewhere, err := r.owners.Claim(r.ctx, []state.Person{r.owners.Person(row[i])})
	return err == nil && elsewhere != nil && elsewhere[0], err
}

func (r *readmission) judge(letter state.DeadLetter, key, value []byte, header []string) (accepted bool, err error) {
	row := make(equivclass.Row, len(r.schema.Attributes()))
	o := r.decoder.Decode(value, header, row)
	if elsewhere, err := r.elsewhere(row); err != nil || elsewhere {
		return false, err // it stays the dead letter that it is
	}
	if o.Kind == decode.Updates || !o.Accepted() && !r.machine.Readmission().Looks(row) {
		return false, nil // a correction comes while its person is observed, or not at all
	}
	if !o.Accepted() {
		return false, errors.Join(ingest.Bar(r.machine, r.schema, o, row), r.machine.Readmission().Rejudged(letter, o.Reason, o.Attribute))
	}
	if r.keys != nil {
		again := ingest.Record{Offset: letter.Offset, Key: key, Value: value}
		if r.keys.Recheck(letter.Partition, &again, o, row) != nil {
			return false, nil // it stays what it is: its person may be in another shard
		}
	}
	outcome, err := r.machine.Readmission().Take(letter, row)
	if err == nil {
		err = ingest.Bar(r.machine, r.schema, decode.Outcome{Reason: outcome.Reason, Attribute: outcome.Attribute}, row)
	}
	return outcome.Reason == equivclass.Accepted, err
}
