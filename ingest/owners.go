package ingest

import (
	"context"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/state"
)

// Owners says which people are this dataset's, where several datasets of one owner share a ledger of subjects (package
// subjectledger).
//
// Order: whoever is in a batch is claimed before the first record of the batch reaches the machine, whether the record can be
// read, fits or is refused; so who owns a person follows from the order of arrivals alone (rule S, subjects). What was claimed, and
// the claims of others by which something was decided, are durable before the transaction that rests on them. After a crash a
// record is decided as before, since a claim that stands is never changed.
type Owners interface {
	// Person is the digest by which the ledger knows a subject; zero: nobody. It is safe for concurrent use.
	Person(subject []byte) state.Person
	// Claim claims people whom nobody has, and reports which belong to another dataset. The answer is valid until the next call.
	Claim(ctx context.Context, people []state.Person) (elsewhere []bool, err error)
	// Owned is whom this dataset has claimed, and how many datasets share the ledger. It is safe for concurrent use.
	Owned() (people, datasets int)
	// BeforeCommit makes durable what the machine's next commit rests on, and tells the machine how far that is.
	BeforeCommit(m *incremental.Machine) error
}

// claim claims the people of a batch. It may wait for another process.
func (l *intake) claim(ctx context.Context, b *batch) error {
	if len(b.people) == 0 {
		return nil
	}
	return l.reporting.work(ctx, DoingClaim, true, func() (err error) {
		b.elsewhere, err = l.Owners.Claim(ctx, b.people)
		return err
	})
}

// elsewhere passes a record of a person who belongs to another dataset: it is counted, and none of its values is looked at. Whoever
// waits here is not dropped for anything that another dataset does: nobody waits in two.
func (l *intake) elsewhere(b *batch, i int) error {
	if !l.foreign {
		l.foreign = true
		l.Log.Info("people arrive who belong to another dataset of the subject ledger: their records are counted (elsewhere), and never "+
			"published here; for another recipient, make a view of that dataset's releases (release.views)", "event", "elsewhere")
	}
	l.refusals.saw(equivclass.Accepted) // it is a share of what is read that may be refused
	return l.Machine.Intake().Elsewhere(b.chunk.Partition, b.chunk.Records[i].Offset)
}
