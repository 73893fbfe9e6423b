package replay

import (
	"anond/equivclass/merge"
	"anond/incremental/state"
)

// Result is what a replay found.
type Result struct {
	Obstacle    string      // why the state cannot be replayed; empty: it was
	Parts       []part      // of all releases, as they are rendered of the records as they are
	Foreign     Extent      // up to the last cut that another program decided
	Others      string      // what other programs decided, which is not replayable; empty: nothing
	Ownerless   []uint32    // releases whose parts were not rendered: they have rows of people who were forgotten
	Difference  *difference // the first one; nil: none
	Worlds      int         // that were replayed to their end
	Releases    int
	Cuts        int // tried, skipped ones included
	Skipped     int
	Quarantined int // pools
}

// Extent is how far decisions go.
type Extent struct {
	Cuts     int // tried
	Releases int
}

// Run replays a recording as it is, and in so many worlds.
// progress may be nil; it is called with the world, 0 for the records as they are, and
// how many of the records of it have been applied.
func (r *Recording) Run(worlds int, progress func(world, records int)) (*Result, error) {
	out := r.counts()
	out.Others = r.others()
	if err := r.render(worlds, out); err != nil || out.Difference != nil {
		return out, err
	}
	if out.Obstacle = r.obstacle(); out.Obstacle != "" {
		return out, nil
	}
	lost := r.forgotten()
	drawn := &orders{at: map[merge.Key][]int32{}}
	due, d, err := r.play(world{}, nil, drawn.note, seen(progress, 0))
	if err != nil || d != nil {
		out.Difference = d
		return out, err
	}
	for n := 1; n <= worlds; n++ {
		for _, w := range append(r.columnWorlds(n), r.newWorld(n, drawn)) {
			_, d, err := r.play(*w, due, w.order, seen(progress, n))
			if err != nil {
				return nil, err
			}
			if d != nil {
				d.World = n
				out.Difference = d
				return out, nil
			}
		}
		out.Worlds = n
	}
	if out.Obstacle = lost; lost == "" {
		out.Obstacle = out.Others
	}
	return out, nil
}

// Whole reports whether everything that this program decided was made again, and did not differ.
func (r *Result) Whole() bool { return r.Difference == nil && r.Obstacle == r.Others }

// Records is how many records one run applies.
func (r *Recording) Records() int { return len(r.rows) }

func (r *Recording) counts() *Result {
	out := &Result{Releases: len(r.intents), Quarantined: len(r.pools)}
	foreign, _ := r.foreign()
	releases := 0
	for i, a := range r.attempts {
		if a.Outcome != state.Fixed {
			out.Cuts += int(a.Cuts)
		}
		if a.Outcome == state.Released {
			releases++
		}
		if foreign[i] {
			out.Foreign = Extent{out.Cuts, releases}
			if a.Outcome == state.Fixed { // the cut that decides the pool will be counted
				out.Foreign.Cuts++
			}
		}
		if a.Outcome == state.Skipped {
			out.Skipped += int(a.Cuts)
		}
	}
	return out
}

func seen(progress func(world, records int), world int) func(int) {
	if progress == nil {
		return nil
	}
	return func(records int) { progress(world, records) }
}
