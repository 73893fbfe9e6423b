package shards

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// point is one measurement: people of a dataset in so many shards.
type point struct {
	data   string
	people int
	setting
	shards int
	every  int // a release is tried at each every-th moment
	// loss is the mean over all people who arrived of (hi-lo)/(max-min); one who is never
	// published counts 1. whole is that of one shard.
	loss, whole  float64
	medianBucket int     // people in the bucket of the median published person
	never        float64 // share of those who arrived
	releases     int     // of the shard that has the most
	quarantined  int     // people in pools that are never published
}

// relative is what hashing costs, as a multiple of the loss of one shard; difference is the
// same as a share of the width of the domain.
func (p point) relative() float64   { return p.loss / p.whole }
func (p point) difference() float64 { return p.loss - p.whole }

// each is how many people a shard has, on average.
func (p point) each() float64 { return float64(p.people) / float64(p.shards) }

// divide measures one number of shards. Shards run at once and share nothing.
func divide(ctx context.Context, p *people, s setting, of, every int) (point, error) {
	out := make([]*outcome, of)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range of {
		group.Go(func() error {
			shard, err := openShard(p, s, i)
			if err == nil {
				out[i], err = shard.run(ctx, of, every)
			}
			if err != nil {
				return fmt.Errorf("shard %d of %d: %w", i, of, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return point{}, err
	}
	whole, err := sum(p, s, out)
	whole.every = every
	return whole, err
}

// sum puts the shards together, in their order, so that the sum has one value.
func sum(p *people, s setting, shards []*outcome) (point, error) {
	whole, published, loss := point{data: p.name, setting: s, shards: len(shards)}, 0, 0.0
	var buckets []int
	for _, o := range shards {
		whole.people, published, loss = whole.people+o.people, published+o.published, loss+o.loss
		whole.releases, whole.quarantined = max(whole.releases, o.releases), whole.quarantined+o.quarantined
		buckets = append(buckets, o.buckets...)
	}
	if want := shapeOf(p.len()).total(); whole.people != want {
		return whole, fmt.Errorf("%d people are in the shards, and %d arrived", whole.people, want)
	}
	whole.never = 1 - float64(published)/float64(whole.people)
	whole.loss = loss/float64(whole.people) + whole.never
	whole.medianBucket = medianOf(buckets, published)
	return whole, nil
}

// medianOf is the size of the bucket of the median person.
func medianOf(buckets []int, people int) int {
	slices.Sort(buckets)
	below := 0
	for _, n := range buckets {
		if below += n; 2*below >= people {
			return n
		}
	}
	return 0
}
