package shards

import (
	"anond/incremental/state"
	"context"
	"fmt"
	"runtime"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/shards/keying"
)

// partitions is how many the topic has: enough for the largest number of shards, as
// shards/SCALING.md advises.
const partitions = 64

// shape is how people arrive: a first load, then batches, then empty ticks.
type shape struct{ load, batch, batches int }

// shapeOf is that of the figure frontier: half at once, then 30 batches.
func shapeOf(people int) shape { return shape{people / 2, max(1, people/60), 30} }

func (s shape) total() int { return s.load + s.batch*s.batches }

// ends reports whether a moment of cuts follows the n-th person, counted from 1.
func (s shape) ends(n int) bool { return n >= s.load && (n-s.load)%s.batch == 0 }

// maxHold is in cuts tried: the default of policy.max_hold with trigger `records`.
const maxHold = 2

// setting is a promise.
type setting struct{ k, l int }

// policyOf is what a shard at level L2 has by default.
func policyOf(s setting) state.Policy {
	return state.Policy{
		Requirement: equivclass.Requirement{K: s.k, L: s.l}, Level: state.L2, Republication: state.Append,
		Threshold: max(1, s.k-1), MaxHold: maxHold, HoldInCuts: true, Neighbours: 32, Similar: 8,
		OnRefusal: state.QuarantineRefused, Workers: runtime.GOMAXPROCS(0),
	}
}

// shard is one of several processes: its machine, and who is which record.
type shard struct {
	people  *people
	index   int
	machine *incremental.Machine
	next    [partitions]int64
	person  []int32 // by record
	row     equivclass.Row
}

// source names the topic.
const source = "experiment"

// openShard opens an empty shard with a seed of its own. That of shard 0 is the one of the
// figure frontier.
func openShard(p *people, s setting, index int) (*shard, error) {
	var seed [32]byte
	seed[0] = byte(index)
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: p.schema, Policy: policyOf(s), Seed: seed, Seeded: true})
	return &shard{people: p, index: index, machine: m, row: make(equivclass.Row, len(p.points)+1)}, err
}

// run sends a shard its people, of all who arrive, and measures what it publishes. It tries a
// release at each every-th moment.
func (s *shard) run(ctx context.Context, of, every int) (*outcome, error) {
	shape, moments := shapeOf(s.people.len()), 0
	for i := range shape.total() {
		partition := keying.PartitionOf([]byte(s.people.keys[i]), partitions)
		if int(partition)%of == s.index {
			if err := s.take(partition, i); err != nil {
				return nil, err
			}
		}
		if !shape.ends(i + 1) {
			continue
		}
		if moments%every == 0 {
			if _, err := s.cut(ctx); err != nil {
				return nil, err
			}
		}
		moments++
	}
	if err := s.drain(ctx); err != nil {
		return nil, err
	}
	return s.measure()
}

// take gives a person to the machine.
func (s *shard) take(partition int32, person int) error {
	at := state.Partition{Source: source, ID: partition}
	out, err := s.machine.Apply(at, s.next[partition], s.people.write(s.row, person))
	if err != nil || out != (incremental.Outcome{}) {
		return fmt.Errorf("person %d was not taken in: %w (reason %q)", person, err, out.Reason)
	}
	s.next[partition]++
	s.person = append(s.person, int32(person))
	return nil
}

// cut tries a release.
func (s *shard) cut(ctx context.Context) (published bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	intent, err := s.machine.Cut(0, [32]byte{})
	if err != nil || intent == nil {
		return false, err
	}
	return true, s.machine.Published(intent.Release, [32]byte{})
}

// maxEmptyTicks bounds the empty ticks at the end.
const maxEmptyTicks = 1000

// drain lets empty ticks pass until every waiting record has been overdue at a cut that
// published nothing.
func (s *shard) drain(ctx context.Context) error {
	for idle, tick := 0, 0; idle <= maxHold+1 && tick < maxEmptyTicks; tick++ {
		published, err := s.cut(ctx)
		if err != nil {
			return err
		}
		if idle++; published {
			idle = 0
		}
	}
	return nil
}

// outcome is what a shard has published.
type outcome struct {
	people, published int
	loss              float64 // summed over the published people
	buckets           []int   // how many people share each bucket
	releases          int
	quarantined       int
}

func (s *shard) measure() (*outcome, error) {
	for _, fault := range s.machine.CheckInvariants() {
		return nil, fault
	}
	out := &outcome{people: len(s.person), quarantined: s.machine.Status().Pending.Quarantined}
	latest := s.machine.Releases().Latest()
	if latest == nil {
		return out, nil
	}
	view, err := s.machine.Releases().View(latest.Release)
	if err != nil {
		return nil, err
	}
	out.releases = int(latest.Release)
	buckets := map[state.BucketID]int{}
	var members []int32
	for _, c := range view.Classes {
		members = members[:0]
		for _, r := range c.Members {
			members = append(members, s.person[r])
		}
		out.loss += float64(len(members)) * s.people.loss(members)
		out.published += len(members)
		buckets[c.Bucket] += len(members)
	}
	for _, n := range buckets {
		out.buckets = append(out.buckets, n)
	}
	return out, nil
}
