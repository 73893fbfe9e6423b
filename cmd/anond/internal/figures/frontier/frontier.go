package frontier

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/incremental"
)

// shape is how a stream arrives: a first load, then batches, then empty ticks.
type shape struct{ load, batch, batches int }

// fullShape is the measure's.
var fullShape = shape{load: 15000, batch: 500, batches: 30}

// shape is the measure's, or a share of it.
func (o Options) shape() shape {
	s := fullShape
	s.load, s.batch = o.scaled(s.load), o.scaled(s.batch)
	return s
}

// scaled is a number of records at the scale, but enough for a class.
func (o Options) scaled(n int) int {
	if o.Scale == 0 {
		return n
	}
	return max(o.K, int(float64(n)*o.Scale))
}

func (s shape) total() int { return s.load + s.batch*s.batches }

// batchOf returns the batch in which a record arrives; the first load is batch 0.
func (s shape) batchOf(record int) int {
	if record < s.load {
		return 0
	}
	return 1 + (record-s.load)/s.batch
}

// Options say what is measured.
type Options struct {
	Data string // CSV file of UCI Adult, header first, may be gzipped; empty: the one in the program
	K, L int
	Seed uint64 // of the shuffle
	// Scale is the share of the measure's records, in (0,1]; 0 is 1. What is
	// compared with docs/BENCHMARKS.md has all of them.
	Scale float64
	// MaxHolds are the values of max_hold, in batches; nil: 0, 1, 2, 3, 4, 6, 8.
	MaxHolds []int64
	// Policies by name; nil: all of policyNames.
	Policies []string
	// Queries is the number of count queries of each kind; 0: none are asked.
	Queries int
	// Bare leaves out the references: Mondrian and one-shot.
	Bare bool
	// Progress, if set, is told the name of each run that ends.
	Progress func(done, all int, name string)
}

// Row is one point of the frontier.
type Row struct {
	Policy  string `json:"policy"`
	Level   string `json:"level,omitempty"`
	MaxHold int64  `json:"max_hold"`
	// MeanHold is the mean, over the published records, of the batch of first
	// release less the batch of arrival; MeanHoldStreamed leaves out the first load.
	MeanHold         float64 `json:"mean_hold"`
	MeanHoldStreamed float64 `json:"mean_hold_streamed"`
	LongestHold      int     `json:"longest_hold"`
	// NCPInterval is the mean over all arrived records and quasi-identifiers of
	// (hi-lo)/(max-min); a record never published counts 1.
	NCPInterval float64 `json:"ncp_interval"`
	// NCPEngine is the loss as the manifest states it: of the published records.
	NCPEngine float64 `json:"ncp_engine"`
	Never     float64 `json:"never_published"` // share of the arrived records
	Releases  int     `json:"releases"`
	Regrouped float64 `json:"regrouped"` // share of the published records that were ever regrouped
	// MedianBucket is the number of people who share their bucket, or else their
	// class, with the median person.
	MedianBucket int `json:"median_bucket"`
	// Median relative errors of count queries over the published records, if any were
	// asked, with uniform spread: of those with a condition on the sensitive attribute
	// that match 1 to 5 % and .2 to 1 % of the records, and of those on
	// quasi-identifiers only. Then the same with a model (query.Model).
	QueryLarge      float64 `json:"query_large,omitempty"`
	QuerySmall      float64 `json:"query_small,omitempty"`
	QueryQI         float64 `json:"query_qi,omitempty"`
	QueryLargeModel float64 `json:"query_large_model,omitempty"`
	QuerySmallModel float64 `json:"query_small_model,omitempty"`
	QueryQIModel    float64 `json:"query_qi_model,omitempty"`
	// Seconds is the time of the run, without the queries.
	Seconds float64 `json:"seconds"`
	// Unsafe marks what must not be published: it breaks the promise across releases.
	Unsafe bool `json:"unsafe,omitempty"`
}

// Result is the whole experiment.
type Result struct {
	Dataset string `json:"dataset"`
	Records int    `json:"records"`
	K       int    `json:"k"`
	L       int    `json:"l"`
	Seed    uint64 `json:"seed"`
	Rows    []Row  `json:"rows"`

	batch int // records
}

// policyNames are the policies that are measured at each max_hold.
var policyNames = []string{"L2", "append", "regroup x0", "regroup x1", "regroup x2", "regroup unlimited"}

var maxHolds = []int64{0, 1, 2, 3, 4, 6, 8}

// Measure measures utility against holding time on Adult: docs/BENCHMARKS.md,
// "Utility frontier". Each point is one run of the daemon's state machine over
// the store in memory. The runs share the processors, so Seconds is wall time
// while others run.
func Measure(ctx context.Context, o Options) (*Result, error) {
	data, err := loadAdult(o.Data, o.Seed)
	if err != nil {
		return nil, err
	}
	runs, err := o.runs(data)
	if err != nil {
		return nil, err
	}
	asked := newWorkload(data, o.shape().total(), o.Queries, o.Seed)
	result := &Result{Dataset: "adult", Records: o.shape().total(), K: o.K, L: o.L, Seed: o.Seed, batch: o.shape().batch,
		Rows: make([]Row, len(runs))}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	ended := make(chan string, len(runs))
	for i, r := range runs {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			begun := time.Now()
			row, shown, err := r.do(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			row.Seconds = time.Since(begun).Seconds()
			shown.ask(data, &asked, &row)
			result.Rows[i] = row
			ended <- r.name
			return nil
		})
	}
	go func() { _ = group.Wait(); close(ended) }()
	done := 0
	for name := range ended {
		if done++; o.Progress != nil {
			o.Progress(done, len(runs), name)
		}
	}
	return result, group.Wait()
}

// run is one row to be measured.
type run struct {
	name string
	do   func(context.Context) (Row, *published, error)
}

func (o Options) runs(data *table) ([]run, error) {
	policies := o.Policies
	if policies == nil {
		policies = policyNames
	}
	var runs []run
	for _, name := range policies {
		p, err := o.policy(name)
		if err != nil {
			return nil, err
		}
		for _, hold := range o.holds(p.Level) {
			p.MaxHold = hold
			row := Row{Policy: name, MaxHold: hold}
			stream := streamRun{shape: o.shape(), data: data, policy: p, row: row, cutEvery: o.shape().batch}
			runs = append(runs, run{fmt.Sprintf("%s, max_hold %d", name, hold), stream.do})
		}
	}
	if !o.Bare {
		runs = append(runs, o.references(data)...)
	}
	return runs, nil
}

// holds are the values of max_hold of a level. The mean waiting time is a quarter of
// max_hold at level L1, and 1/5.6 of it at level L2.
func (o Options) holds(level incremental.Level) []int64 {
	switch {
	case o.MaxHolds != nil:
		return o.MaxHolds
	case level == incremental.L2:
		return []int64{0, 1, 2, 3, 5, 8, 10}
	default:
		return maxHolds
	}
}

// policy returns a policy by its name, without max_hold.
func (o Options) policy(name string) (incremental.Policy, error) {
	extract := extract.Extract{Workers: runtime.GOMAXPROCS(0)}
	p := incremental.Policy{
		Requirement: equivclass.Requirement{K: o.K, L: o.L}, Republication: incremental.Regroup, Repeat: incremental.RepeatFirst,
		Threshold: max(1, o.K-1), HoldInCuts: true, Neighbours: 32, Similar: 8, Initial: extract, Local: extract,
	}
	switch name {
	case "append":
		p.Republication = incremental.Append
	case "L2":
		p.Level, p.Republication, p.Workers = incremental.L2, incremental.Append, runtime.GOMAXPROCS(0)
	case "regroup x0":
	case "regroup x1":
		p.MaxRegroups = 1
	case "regroup x2":
		p.MaxRegroups = 2
	case "regroup unlimited":
		p.MaxRegroups = -1
	default:
		return p, fmt.Errorf("no policy %q; there are %q", name, policyNames)
	}
	return p, p.Check()
}
