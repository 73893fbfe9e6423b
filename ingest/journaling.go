package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"anond/incremental"
	"anond/shards/journal"
)

// Journal is where a host writes what it decides, before it acts on it: a *journal.Journal.
//
// Order: the order of arrivals is in the journal before the transaction that holds them; a cut before it is
// decided; what it has decided before anything of it is rendered; an erasure before the state forgets.
// So the journal is never behind a state, and two states that follow it hold the same.
type Journal interface {
	Read(ctx context.Context) (*journal.Entry, incremental.JournalMark, error)
	Append(ctx context.Context, e *journal.Entry) (incremental.JournalMark, error)
}

// journaling is what the loop has to write down.
type journaling struct {
	done   bool // what comes has been written down before: it is repeated
	source string
	runs   []journal.Run // in order; the last one is still open
	open   incremental.Partition
}

// mostRuns bounds the entry that a commit writes.
const mostRuns = 10000

// runs notes that a partition is about to move on. Records come in chunks of one partition and arrive at
// few times, so that there are few runs.
func (l *loop) runs(p incremental.Partition) {
	if l.Journal == nil || l.journal.done {
		return
	}
	j, now := &l.journal, l.Machine.Now()
	if n := len(j.runs); n > 0 && j.open == p && j.runs[n-1].Tick == now {
		return
	}
	l.closeRun()
	j.source, j.open = p.Source, p
	j.runs = append(j.runs, journal.Run{Partition: p.ID, Tick: now})
}

// closeRun notes how far the newest run went.
func (l *loop) closeRun() {
	if n := len(l.journal.runs); n > 0 {
		l.journal.runs[n-1].Next, _ = l.Machine.Intake().Next(l.journal.open)
	}
}

// writeRuns writes in which order came what is staged.
func (l *loop) writeRuns(ctx context.Context) error {
	if len(l.journal.runs) == 0 {
		return nil
	}
	l.closeRun()
	err := l.write(ctx, &journal.Entry{Runs: &journal.Runs{Source: l.journal.source, Runs: l.journal.runs, Records: l.Machine.Arrived(),
		Sent: l.Machine.Intake().Sent()}})
	l.journal.runs = nil
	return err
}

// write writes an entry; the next commit holds that the state follows it.
func (l *loop) write(ctx context.Context, e *journal.Entry) error {
	mark, err := l.append(ctx, e)
	if err == nil {
		l.follows(mark)
	}
	return err
}

// follows notes, for the next commit, that the state follows the journal up to an entry.
func (l *loop) follows(mark incremental.JournalMark) {
	if l.Journal != nil {
		l.Machine.Follow(mark)
	}
}

// append writes an entry, and waits for it. After an error nobody knows whether it is there: the
// machine is not used any more, and the next start finds out.
func (l *loop) append(ctx context.Context, e *journal.Entry) (mark incremental.JournalMark, err error) {
	if l.Journal == nil {
		return mark, nil
	}
	if l.stopping || ctx.Err() != nil { // what is staged may still be kept
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), l.DrainFor)
		defer cancel()
	}
	if err := l.Hook("before journal"); err != nil {
		return mark, err
	}
	err = l.work(ctx, DoingJournal, true, func() (err error) { mark, err = l.Journal.Append(ctx, e); return err })
	if err != nil {
		l.working = true
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", errLeft, err)
		}
		return mark, err
	}
	return mark, l.Hook("after journal")
}

// cutEntry is what a cut is given.
func (l *loop) cutEntry(flush bool, createdAt int64) *journal.Entry {
	return &journal.Entry{Cut: &journal.Cut{Now: l.Machine.Now(), CreatedAt: createdAt, Flush: flush, Settings: l.Policy,
		Records: l.Machine.Arrived()}}
}

// writeIntent writes what the newest release is, before it is rendered. A retry writes it again.
func (l *loop) writeIntent(ctx context.Context, i *incremental.Intent) error {
	if l.Journal == nil {
		return nil
	}
	return l.write(ctx, &journal.Entry{Intent: intentEntry(l.Machine, i)})
}

func intentEntry(m *incremental.Machine, i *incremental.Intent) *journal.Intent {
	return &journal.Intent{Release: i.Release, CreatedAt: i.CreatedAt, Decided: m.Releases().Decided(i.Release)}
}

// writePublished writes that a release is public.
func (l *loop) writePublished(ctx context.Context, release uint32, manifest [32]byte) error {
	if l.Journal == nil {
		return nil
	}
	return l.write(ctx, &journal.Entry{Published: &journal.Published{Release: release, Manifest: manifest}})
}

// writeEnds writes where the first load ends.
func (l *loop) writeEnds(ctx context.Context, ends map[incremental.Partition]int64) error {
	if l.Journal == nil {
		return nil
	}
	x := &journal.Ends{}
	for p, end := range ends {
		x.Source = p.Source
		x.Ends = append(x.Ends, [2]int64{int64(p.ID), end})
	}
	slices.SortFunc(x.Ends, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	return l.write(ctx, &journal.Entry{Ends: x})
}

// writeErasure writes that the state is about to forget.
func (l *loop) writeErasure(ctx context.Context, subject []byte) error {
	if l.Journal == nil {
		return nil
	}
	x := &journal.Erase{}
	if subject != nil {
		d, _ := l.Machine.Forgetting().DigestOf(subject)
		x.People = append(x.People, d)
	}
	return l.write(ctx, &journal.Entry{Erase: x})
}

// unfinished reports an error after which nothing more may be committed, while the run itself ends in order.
func unfinished(err error) bool {
	return errors.Is(err, incremental.ErrQuota) || errors.Is(err, errLeft)
}
