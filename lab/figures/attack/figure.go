// Package attack draws what someone learns who has read the program: the figure
// attack.
//
// Guarantee: the seed fixes all numbers.
//
// Method: package attacker on samples of UCI Adult, for the default of level L1,
// Mondrian and level L2, at k = 10, l = 5 and k = 5, l = 3.
//
// Difference from the papers: none has this figure.
//
// Cost: a few minutes of two processors.
//
// Source: ours (docs/THREAT_MODEL.md, "Knowledge of this program").
package attack

import (
	"context"
	"fmt"
	"slices"

	"anond/equivclass"
	"anond/lab/attacker"
	"anond/lab/figures"
)

const (
	paper = "The engine's own measure (lab/docs/FIGURES.md)"
	about = "UCI Adult's training part, shuffled by the seed: samples of 1,000 to 15,000 records, and pools of 60; sensitive is the " +
		"occupation"
)

// Figures is the one figure.
func Figures() []figures.Figure {
	return []figures.Figure{{ID: "attack", Paper: paper, Title: "What someone learns who reads the program", Data: about, Run: run}}
}

// settings are those of the project's targets.
var settings = []equivclass.Requirement{{K: 10, L: 5}, {K: 5, L: 3}}

// replayed is the setting of the exact replay.
var replayed = equivclass.Requirement{K: 5, L: 3}

// The sizes of samples, as parts of the largest, and of a pool that is replayed.
const (
	largest  = 15000
	least    = 300 // at small scales
	poolSize = 60
)

// figure is one run.
type figure struct {
	figures.Input
	sample  func(n, number int) *equivclass.Pool
	swaps   []swapRow
	optimum []scoreRow
	replay  []scoreRow
	notes   []string
}

// swapRow is how often one exchange leaves an output as it is.
type swapRow struct {
	method   string
	want     equivclass.Requirement
	n        int
	exchange attacker.Exchange
	share    attacker.Estimate
	trials   int
}

// scoreRow is what one attack told.
type scoreRow struct {
	method string
	want   equivclass.Requirement
	n      int
	attacker.Score
}

func run(ctx context.Context, in figures.Input) (*figures.Result, error) {
	data, err := adult(in.Data)
	if err != nil {
		return nil, err
	}
	f := &figure{Input: in, sample: shuffled(data, in.Seed).sample}
	for _, want := range settings {
		for _, by := range attacker.Programs() {
			for _, n := range f.sizes() {
				if err := f.measure(ctx, by, want, n); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, by := range attacker.Programs() {
		if err := f.replays(ctx, by); err != nil {
			return nil, err
		}
	}
	return &figures.Result{Panels: f.panels(), Claims: f.claims(), Notes: append(f.notes, notes...)}, nil
}

// sizes are 1,000, 5,000 and 15,000 records, scaled.
func (f *figure) sizes() []int {
	top := f.Rows(largest, least)
	return slices.Compact([]int{max(min(least, top), top/15), max(min(least, top), top/3), top})
}

// level2 reports whether a program is that of level L2, whose attacks cost more.
func level2(by attacker.Program) bool { return by.Name() == attacker.Buckets().Name() }

// measure makes the first two attacks on samples of one size.
func (f *figure) measure(ctx context.Context, by attacker.Program, want equivclass.Requirement, n int) error {
	f.Step(fmt.Sprintf("%s, k = %d, l = %d, %d records", by.Name(), want.K, want.L, n))
	var scorer attacker.Scorer
	effort := attacker.Effort{Chains: 2, Cycles: 40, Rise: 25, Hold: 10}
	if level2(by) {
		effort = attacker.Effort{Chains: 2, Cycles: 60, Rise: 5, Hold: 5} // worlds are near each other
	}
	for number := range samples {
		r := attacker.Publish(by, f.sample(n, number), want, f.Seed)
		if number == 0 {
			if err := f.exchanges(ctx, r, by, want, n); err != nil {
				return err
			}
		}
		b, err := attacker.LocalOptimum(ctx, r, effort, f.Seed)
		if err != nil {
			return err
		}
		scorer.Add(r, b)
	}
	f.optimum = append(f.optimum, scoreRow{by.Name(), want, n, scorer.Score()})
	return nil
}

// samples is how many disjoint samples of one size are attacked.
const samples = 2

// exchanges measures the single exchanges.
func (f *figure) exchanges(ctx context.Context, r *attacker.Release, by attacker.Program, want equivclass.Requirement, n int) error {
	trials := max(4, int(25*f.Scale))
	if level2(by) {
		trials = max(3, min(trials, int(30000*f.Scale)/n))
	}
	for _, e := range []attacker.Exchange{attacker.InClass, attacker.OfClasses, attacker.InBucket} {
		share, made, err := attacker.Unchanged(ctx, r, e, trials, f.Seed)
		if err != nil {
			return err
		}
		if made > 0 {
			f.swaps = append(f.swaps, swapRow{by.Name(), want, n, e, share, made})
		}
	}
	return nil
}

// replays makes the third attack on some pools.
func (f *figure) replays(ctx context.Context, by attacker.Program) error {
	pools := max(1, int(9*f.Scale))
	effort := attacker.Replaying{Chains: 2, Steps: max(1500, int(25000*f.Scale))}
	if level2(by) {
		effort.Steps = max(8000, effort.Steps*2/3) // each costs a Merge; fewer leave beliefs uncertain
	}
	var scorer attacker.Scorer
	arrived := 0
	for number := range pools {
		f.Step(fmt.Sprintf("%s, replay of pool %d of %d", by.Name(), number+1, pools))
		r := attacker.Publish(by, f.sample(poolSize, number), replayed, f.Seed)
		b, ok, err := attacker.Replay(ctx, r, effort, f.Seed)
		if err != nil {
			return err
		}
		if ok {
			scorer.Add(r, b)
			arrived++
		}
	}
	f.replay = append(f.replay, scoreRow{by.Name(), replayed, poolSize, scorer.Score()})
	f.notes = append(f.notes, fmt.Sprintf("Replay of %s: in %d of %d pools the chains found enough worlds of the observed output; the "+
		"others are left out.", by.Name(), arrived, pools))
	return nil
}
