package attacker

import (
	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/lab/topdown"
)

// Program is what everybody can read: how a publisher forms classes and buckets.
type Program interface {
	Name() string
	// run returns the classes, and the classes of each bucket (nil: each class is
	// one). d are the publisher's secret draws.
	run(p *equivclass.Pool, want equivclass.Requirement, d draws) (classes, parts [][]int32)
	// again is run for a world that has the same points as a release, if what the
	// program does with points alone need not be repeated.
	again(p *publicView, w world, d draws) (classes, parts [][]int32)
	// conclude returns the conditions that a release tells without running the
	// program.
	conclude(p *publicView) func() rules
}

// Programs are those of the figure: the default of level L1, Mondrian, and level L2.
func Programs() []Program { return []Program{Extract(), mondrian(), Buckets()} }

// Extract is the default of level L1.
func Extract() Program { return partition{extract.Extract{Workers: workers}, exchangeRules} }

// mondrian is the common method that cuts from the top.
func mondrian() Program { return partition{topdown.Mondrian{}, cutRules} }

// workers is how many goroutines a program may use.
const workers = 2

// partition is a program of one partitioner whose classes show their values.
type partition struct {
	equivclass.Partitioner
	rules func(p *publicView) func() rules
}

func (m partition) run(p *equivclass.Pool, want equivclass.Requirement, _ draws) (classes, parts [][]int32) {
	classes, _ = m.Partition(p, want)
	return classes, nil
}

func (m partition) again(p *publicView, w world, d draws) (classes, parts [][]int32) {
	return m.run(w.pool(p.points), p.want, d)
}

func (m partition) conclude(p *publicView) func() rules { return m.rules(p) }

// Release is a release, with what its publisher knows.
type Release struct {
	*publicView
	program Program
	truth   world
	draws   draws
}

// Publish runs a program over a pool; the seed fixes its draws.
func Publish(by Program, p *equivclass.Pool, want equivclass.Requirement, seed uint64) *Release {
	truth, values := numbered(p.SA)
	d := draws{seed: seed}
	classes, parts := by.run(truth.pool(p.Points()), want, d)
	return &Release{publish(p.Points(), want, truth, values, classes, parts), by, truth, d}
}

// Records is the number of people in the release.
func (r *Release) Records() int { return len(r.rows()) }
