package replay

import (
	"anond/incremental/state"
	"fmt"
	"strings"

	"anond/incremental"
)

// A cut that a program with another algorithm decided (incremental.Algorithm) is not replayable: this
// program may decide otherwise, and that is no fault of the state. Its outcome is adopted as the state has
// it, so that the cuts after it, which this program decided, are made again.

// foreign reports, by cut and by release from 1, whether another program decided it. Who fixed or refused a
// pool decided it, too.
func (r *Recording) foreign() (cuts, releases []bool) {
	cuts, releases = make([]bool, len(r.attempts)), make([]bool, 1)
	open := false
	for i, a := range r.attempts {
		cuts[i] = open || a.Algorithm != incremental.Algorithm
		open = cuts[i] && (a.Outcome == state.Fixed || a.Outcome == state.Refused)
		if a.Outcome == state.Released {
			releases = append(releases, cuts[i])
		}
	}
	return cuts, releases
}

// others says what other programs decided, and by which algorithm; empty: nothing.
func (r *Recording) others() string {
	var out []string
	foreign, _ := r.foreign()
	for i, release := 0, 0; i < len(foreign); {
		first, from := release, i
		for by := r.attempts[from].Algorithm; i < len(foreign) && foreign[i] == foreign[from] && r.attempts[i].Algorithm == by; i++ {
			if r.attempts[i].Outcome == state.Released {
				release++
			}
		}
		if !foreign[from] {
			continue
		}
		what := fmt.Sprintf("releases %d to %d", first+1, release)
		if first == release {
			what = fmt.Sprintf("cuts over up to %d records, without a release,", r.attempts[i-1].Records)
		}
		out = append(out, fmt.Sprintf("%s are not replayable (decided by algorithm %d)", what, r.attempts[from].Algorithm))
	}
	return strings.Join(out, "; ")
}

// adopt takes over what the state says of a run of cuts, and opens the machine behind it.
func (x *run) adopt(a *state.Attempt) error {
	if err := x.m.Commit(); err != nil {
		return err
	}
	meta, attempt := x.tape.meta, *a
	d := &state.Delta{Meta: &meta, Attempt: &attempt}
	p := &meta.Pools
	p.Fixed, p.Open = uint64(x.tape.pools), nil
	for _, i := range x.intents[:x.tape.intent] {
		if i.Newcomers > 0 { // else it was made because a part left
			p.Fixed++
		}
	}
	alone := a.Outcome == state.Released && x.intents[x.tape.intent].Newcomers == 0
	if a.Outcome != state.Skipped && !alone {
		meta.Scale = x.meta.Scale
		if p.Fixed++; x.tape.intent == 0 {
			p.Need = a.Need
		}
	}
	switch a.Outcome {
	case state.Fixed: // the cut that decides the pool is adopted, too
	case state.Refused:
		p.Refused = true
	default:
		meta.Tick, meta.CutTick = meta.Tick+int64(a.Cuts), a.Last
		meta.LastCut, meta.CutRead, meta.InitialDone = a.Records, uint64(x.at), true
	}
	var published *state.Intent
	switch a.Outcome {
	case state.Released:
		intent := x.intents[x.tape.intent]
		d.Births, published = x.births(intent.Release), &intent
		if !alone {
			d.Born = x.m.Born(intent.Release, d.Births)
		}
		decided := intent
		decided.Published, decided.Manifest = false, [32]byte{}
		d.Intent, intent.Published = &decided, true
	case state.Quarantined:
		if d.Quarantined = x.pools[x.tape.pools]; x.tape.intent == 0 {
			p.First = len(d.Quarantined)
		}
	}
	if err := x.tape.Commit(d); err != nil {
		return err
	}
	if published != nil {
		if err := x.tape.Commit(&state.Delta{Intent: published}); err != nil {
			return err
		}
	}
	x.m, x.next = nil, x.next+1
	return x.begin()
}
