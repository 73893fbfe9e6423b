package journal

import (
	"anond/incremental/state"
	"cmp"
	"context"
	"slices"

	"anond/incremental"
	"anond/ingest"
)

// Entries are read and written: a *Journal.
type Entries interface {
	Read(ctx context.Context) (*Entry, state.JournalMark, error)
	Append(ctx context.Context, e *Entry) (state.JournalMark, error)
}

// steps writes what a host tells of its steps into a journal. The state has with each step up to where it follows the journal,
// so that two states that follow it hold the same.
type steps struct {
	entries  Entries
	settings [32]byte

	source string
	runs   []Run // in order; the last one is still open
	open   state.Partition
	cut    state.JournalMark // of a cut that is not decided yet
}

var _ ingest.Steps = (*steps)(nil)

// NewSteps returns those of a host that decides under settings (ingest.Host.Policy).
func NewSteps(entries Entries, settings [32]byte) *steps {
	return &steps{entries: entries, settings: settings}
}

// mostRuns bounds the entry that a commit writes.
const mostRuns = 10000

// Moves notes the order of arrivals. Records come in chunks of one partition and arrive at few times, so that there are few
// runs.
func (s *steps) Moves(m *incremental.Machine, p state.Partition) {
	now := m.Ticked()
	if n := len(s.runs); n > 0 && s.open == p && s.runs[n-1].Tick == now {
		return
	}
	s.closeRun(m)
	s.source, s.open = p.Source, p
	s.runs = append(s.runs, Run{Partition: p.ID, Tick: now})
}

// Idles implements ingest.Steps.
func (s *steps) Idles(m *incremental.Machine, p state.Partition, at int64) {
	s.closeRun(m)
	s.source, s.open = p.Source, p
	s.runs = append(s.runs, Run{Partition: p.ID, Tick: m.Ticked(), Idle: at})
}

// Full implements ingest.Steps.
func (s *steps) Full() bool { return len(s.runs) >= mostRuns }

// closeRun notes how far the newest run went.
func (s *steps) closeRun(m *incremental.Machine) {
	if n := len(s.runs); n > 0 {
		s.runs[n-1].Next, _ = m.Intake().Next(s.open)
	}
}

// write writes an entry; the next commit holds that the state follows it.
func (s *steps) write(m *incremental.Machine, e *Entry) ingest.Telling {
	return func(ctx context.Context) error {
		mark, err := s.entries.Append(ctx, e)
		if err == nil {
			m.Follow(mark)
		}
		return err
	}
}

// BeforeReading implements ingest.Steps.
func (s *steps) BeforeReading(m *incremental.Machine, ends map[state.Partition]int64) ingest.Telling {
	x := &Ends{}
	for p, end := range ends {
		x.Source = p.Source
		x.Ends = append(x.Ends, [2]int64{int64(p.ID), end})
	}
	slices.SortFunc(x.Ends, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	return s.write(m, &Entry{Ends: x})
}

// BeforeCommit writes in which order came what is staged.
func (s *steps) BeforeCommit(m *incremental.Machine) ingest.Telling {
	if len(s.runs) == 0 {
		return nil
	}
	s.closeRun(m)
	e := &Entry{Runs: &Runs{Source: s.source, Runs: s.runs, Records: m.Arrived(), Sent: m.Intake().Sent()}}
	s.runs = nil
	return s.write(m, e)
}

// BeforeCut writes what a cut is given.
func (s *steps) BeforeCut(m *incremental.Machine, by state.Occasion, createdAt int64) ingest.Telling {
	e := &Entry{Cut: &Cut{Now: m.Ticked(), CreatedAt: createdAt, Occasion: by, Settings: s.settings, Records: m.Arrived()}}
	return func(ctx context.Context) (err error) {
		s.cut, err = s.entries.Append(ctx, e)
		return err
	}
}

// AfterCut notes that the state follows the entry of the cut: not before, since what the decision itself commits must not say
// that the cut is done.
func (s *steps) AfterCut(m *incremental.Machine) { m.Follow(s.cut) }

// BeforePublish writes what the newest release is. A retry writes it again.
func (s *steps) BeforePublish(m *incremental.Machine, i *state.Intent) ingest.Telling {
	return s.write(m, &Entry{Intent: intentEntry(m, i)})
}

// BeforeRemoval writes that the state is about to lose those who have left: how many records it has follows from when.
func (s *steps) BeforeRemoval(m *incremental.Machine) ingest.Telling {
	return s.write(m, &Entry{Remove: &struct{}{}})
}

func intentEntry(m *incremental.Machine, i *state.Intent) *Intent {
	return &Intent{Release: i.Release, CreatedAt: i.CreatedAt, Decided: m.Releases().Decided(i.Release)}
}

// BeforePublished writes that a release is public.
func (s *steps) BeforePublished(m *incremental.Machine, release uint32, manifest [32]byte) ingest.Telling {
	return s.write(m, &Entry{Published: &Published{Release: release, Manifest: manifest}})
}

// BeforeErasure writes that the state is about to forget.
func (s *steps) BeforeErasure(m *incremental.Machine, subject []byte) ingest.Telling {
	x := &Erase{}
	if subject != nil {
		d, _ := m.Forgetting().DigestOf(subject)
		x.People = append(x.People, d)
	}
	return s.write(m, &Entry{Erase: x})
}
