package frontier

import (
	"anond/incremental/state"
	"context"
	"fmt"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
)

// streamRun sends the stream of the measure through the state machine.
type streamRun struct {
	shape  shape
	data   *table
	policy state.Policy
	row    frontierRow
	// cutEvery is the number of records after the first load between two cuts.
	cutEvery int
}

// streamState is what one run records.
type streamState struct {
	machine   *incremental.Machine
	published []int  // by record: batch of first release, -1 before
	regrouped []bool // by record
	releases  int
}

// source names the one partition of the stream.
var source = state.Partition{Source: "experiment"}

// maxEmptyTicks bounds the empty ticks at the end.
const maxEmptyTicks = 1000

func (s streamRun) do(ctx context.Context) (frontierRow, *published, error) {
	st, err := s.open()
	if err != nil {
		return s.row, nil, err
	}
	for i := range s.shape.total() {
		if out, err := st.machine.Apply(source, int64(i), s.data.rows[i]); err != nil || out != (incremental.Outcome{}) {
			return s.row, nil, fmt.Errorf("record %d was not taken in: %w (reason %q)", i, err, out.Reason)
		}
		done := i + 1
		if done < s.shape.load || (done-s.shape.load)%s.cutEvery != 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return s.row, nil, err
		}
		if _, err := st.cut(s.shape.batchOf(i)); err != nil {
			return s.row, nil, err
		}
	}
	if err := st.drain(ctx, s.shape.batches, s.policy.MaxHold); err != nil {
		return s.row, nil, err
	}
	return s.measure(st)
}

func (s streamRun) open() (*streamState, error) {
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: s.data.schema, Policy: s.policy, Seeded: true})
	if err != nil {
		return nil, err
	}
	st := &streamState{machine: m, published: make([]int, s.shape.total()), regrouped: make([]bool, s.shape.total())}
	for i := range st.published {
		st.published[i] = -1
	}
	return st, nil
}

// cut makes a release in a batch and notes who is in it for the first time.
func (st *streamState) cut(batch int) (published bool, err error) {
	intent, err := st.machine.Cut(int64(batch), [32]byte{})
	if err != nil || intent == nil {
		return false, err
	}
	view, err := st.machine.Releases().View(intent.Release)
	if err != nil {
		return false, err
	}
	for _, c := range view.Classes {
		if c.Born != intent.Release {
			continue
		}
		for _, r := range c.Members {
			if st.published[r] < 0 {
				st.published[r] = batch
			} else {
				st.regrouped[r] = true
			}
		}
	}
	st.releases++
	return true, st.machine.Published(intent.Release, [32]byte{})
}

// drain lets empty ticks pass until nothing more is publishable: until every
// waiting record has been overdue at a cut that published nothing.
func (st *streamState) drain(ctx context.Context, last int, maxHold int64) error {
	for idle, tick := int64(0), 1; idle <= maxHold+1 && tick <= maxEmptyTicks; tick++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		published, err := st.cut(last + tick)
		if err != nil {
			return err
		}
		if idle++; published {
			idle = 0
		}
	}
	return nil
}

// measure fills the row from the newest release and from the notes.
func (s streamRun) measure(st *streamState) (frontierRow, *published, error) {
	for _, fault := range st.machine.CheckInvariants() {
		return s.row, nil, fault
	}
	row, shown := s.row, &published{}
	row.Releases, row.Level = st.releases, levelName(s.policy.Level)
	if st.releases > 0 {
		view, err := st.machine.Releases().View(st.machine.Releases().Latest().Release)
		if err != nil {
			return row, nil, err
		}
		row.NCPInterval, row.NCPEngine = s.losses(view)
		shown = publishedIn(view)
	}
	row.MedianBucket = shown.medianBucket()
	s.holds(st, &row)
	row.NCPInterval += row.Never
	return row, shown, nil
}

func levelName(l state.Level) string {
	if l == state.L2 {
		return "L2"
	}
	return "L1"
}

// losses returns the sum of the measure over the published records by all
// arrived ones, and the engine's own mean over the published ones.
func (s streamRun) losses(view *incremental.View) (interval, engine float64) {
	space := equivclass.NewSpace(viewDictionaries(view))
	published := 0
	for _, c := range view.Classes {
		members := make([]int, len(c.Members))
		for i, r := range c.Members {
			members[i] = int(r)
		}
		n := float64(len(members))
		interval += n * s.data.intervalLoss(members)
		engine += n * engineLoss(space, view, c.Members)
		published += len(members)
	}
	return interval / float64(s.shape.total()), engine / float64(published)
}

func viewDictionaries(v *incremental.View) []*equivclass.Dictionary {
	var out []*equivclass.Dictionary
	for _, i := range v.Schema.Quasi() {
		out = append(out, v.Dictionaries[i])
	}
	return out
}

// engineLoss is Pool.Loss of one class of a view.
func engineLoss(space *equivclass.Space, v *incremental.View, members []state.RecordID) float64 {
	dicts := viewDictionaries(v)
	p := &equivclass.Pool{Space: space, SA: make([]equivclass.Code, len(members))}
	rows := make([]int32, len(members))
	for i, r := range members {
		rows[i] = int32(i)
		for j := range v.QI {
			p.X = append(p.X, space.Coord(j, dicts[j], v.QI[j].At(int(r))))
		}
	}
	return p.Loss(rows)
}

// holds fills the columns about waiting.
func (s streamRun) holds(st *streamState, row *frontierRow) {
	sum, sumStreamed, n, streamed, regrouped := 0, 0, 0, 0, 0
	for r, batch := range st.published {
		if batch < 0 {
			continue
		}
		hold := batch - s.shape.batchOf(r)
		row.LongestHold = max(row.LongestHold, hold)
		sum, n = sum+hold, n+1
		if r >= s.shape.load {
			sumStreamed, streamed = sumStreamed+hold, streamed+1
		}
		if st.regrouped[r] {
			regrouped++
		}
	}
	row.Never = 1 - float64(n)/float64(s.shape.total())
	row.MeanHold = float64(sum) / float64(max(1, n))
	row.MeanHoldStreamed = float64(sumStreamed) / float64(max(1, streamed))
	row.Regrouped = float64(regrouped) / float64(max(1, n))
}
