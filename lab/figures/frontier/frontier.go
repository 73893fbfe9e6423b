package frontier

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"
)

// shape is how a stream arrives: a first load, then batches, then empty ticks.
type shape struct{ load, batch, batches int }

// fullShape is the measure's.
var fullShape = shape{load: 15000, batch: 500, batches: 30}

// shape is the measure's, or a share of it, or as many batches of it as a dataset has
// people for.
func (o Options) shape(data *table) shape {
	s := fullShape
	s.load, s.batch = o.scaled(s.load), o.scaled(s.batch)
	s.batches = min(s.batches, max(0, data.Len()-s.load)/s.batch)
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
	Dataset string // one of DatasetNames; empty: Adult
	// Data is a CSV file of the dataset, header first, may be gzipped; empty: the one in
	// the program, or below the directory that the environment variable Elsewhere names.
	Data string
	K, L int
	Seed uint64 // of the shuffle
	// Seeds is the number of seeds that are measured, from Seed on; 0 is 1.
	Seeds int
	// Scale is the share of the measure's records, in (0,1]; 0 is 1. What is
	// compared with lab/docs/BENCHMARKS.md has all of them.
	Scale float64
	// MaxHolds are the values of max_hold, in batches; nil: those of each level.
	MaxHolds []int64
	// Policies by name; nil: all of PolicyNames.
	Policies []string
	// Queries is the number of count queries of each kind; 0: none are asked.
	Queries int
	// Bare leaves out the references: Mondrian and one-shot.
	Bare bool
	// Progress, if set, is told the name of each run that ends.
	Progress func(done, all int, name string)
}

// Measure measures utility against holding time: lab/docs/FRONTIER.md, "Utility
// frontier". Each point is one run of the daemon's state machine over the store in
// memory. The runs share the processors, so Seconds is wall time while others run.
func Measure(ctx context.Context, o Options) (*Result, error) {
	set, err := named(o.Dataset)
	if err != nil {
		return nil, err
	}
	result := &Result{Dataset: set.name, K: o.K, L: o.L, Seed: o.Seed, title: set.title}
	for i := range max(1, o.Seeds) {
		data, err := set.load(o.Data, o.Seed+uint64(i))
		if err != nil {
			return nil, err
		}
		s := o.shape(data)
		result.Records, result.batch = s.total(), s.batch
		rows, err := o.measure(ctx, data, i)
		if err != nil {
			return nil, err
		}
		result.Rows = append(result.Rows, rows...)
	}
	result.Comparison = compare(result.Rows)
	return result, nil
}

// measure makes all runs of one seed, the seed-th of those that are asked for.
func (o Options) measure(ctx context.Context, data *table, seed int) ([]frontierRow, error) {
	runs, err := o.runs(data)
	if err != nil {
		return nil, err
	}
	number := o.Seed + uint64(seed)
	asked := newWorkload(data, o.shape(data).total(), o.Queries, number)
	rows := make([]frontierRow, len(runs))
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
			row.Seed, row.Seconds = number, time.Since(begun).Seconds()
			shown.ask(data, &asked, &row)
			rows[i] = row
			ended <- r.name
			return nil
		})
	}
	go func() { _ = group.Wait(); close(ended) }()
	done := seed * len(runs)
	for name := range ended {
		if done++; o.Progress != nil {
			o.Progress(done, len(runs)*max(1, o.Seeds), name)
		}
	}
	return rows, group.Wait()
}

// run is one row to be measured.
type run struct {
	name string
	do   func(context.Context) (frontierRow, *published, error)
}

func (o Options) runs(data *table) ([]run, error) {
	if o.K < o.L {
		return nil, fmt.Errorf("k %d is below l %d", o.K, o.L)
	}
	policies := o.Policies
	if policies == nil {
		policies = PolicyNames
	}
	var runs []run
	for _, name := range policies {
		p, err := o.policy(name)
		if err != nil {
			return nil, err
		}
		for _, hold := range o.holds(p.Level) {
			p.MaxHold = hold
			row, s := frontierRow{Policy: name, MaxHold: hold}, o.shape(data)
			stream := streamRun{shape: s, data: data, policy: p, row: row, cutEvery: s.batch}
			runs = append(runs, run{fmt.Sprintf("%s, max_hold %d", name, hold), stream.do})
		}
	}
	if !o.Bare {
		runs = append(runs, o.references(data)...)
	}
	return runs, nil
}
