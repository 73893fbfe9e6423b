package chaos

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// generate makes the plan with a number of a seed. Equal arguments give equal plans.
func generate(seed uint64, number int, real bool) *chaosPlan {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	p := &chaosPlan{Name: fmt.Sprintf("%d/%d", seed, number), Real: real, World: setting(r, real)}
	if !real && number%5 == 4 {
		p.World.divide(r)
		p.add(stepFeed, 60*p.World.Shards, r)
	}
	p.World.Broker = !real && number%5 == 2
	if own := rand.New(rand.NewPCG(seed, 2<<40+uint64(number))); !real {
		if number%4 == 1 {
			p.World.observe(own)
		}
		p.World.share(own)
	}
	p.add(stepFeed, 60+r.IntN(40), r)
	if real {
		p.World.Trigger = []string{"on: records, every: 25", "on: update, min_interval: 1s", "on: interval, every: 1s"}[r.IntN(3)]
		p.World.MaxHold = map[bool]string{true: "1 releases", false: "0s"}[p.World.Trigger == "on: records, every: 25"]
		p.World.Leased = r.IntN(4) == 0
		for i := range 1 + r.IntN(2) {
			p.realRound(r, p.World.Leased && i == 0)
		}
		return p
	}
	if r.IntN(3) == 0 { // else the first start meets the faults, too
		p.add(stepRun, 1, r)
	}
	for range 1 + r.IntN(2) {
		p.round(r)
	}
	return p
}

func (p *chaosPlan) add(do string, n int, r *rand.Rand) {
	s := step{Do: do, N: n, Draw: r.Uint32N(1 << 24)}
	if at := kinds[do].at; len(at) > 0 && r.IntN(3) > 0 {
		s.At, s.N = at[r.IntN(len(at))], 1+r.IntN(2)
	}
	p.Steps = append(p.Steps, s)
}

// setting draws a level, a recoding of it, a trigger, and what else the daemon does.
func setting(r *rand.Rand, real bool) planSetting {
	recodings := map[string][]string{"L1": {"generalization", "anatomy", "permutation"}, "L2": {"buckets", "anatomy", "permutation"}}
	triggers := []string{"on: records, every: 25", "on: update, min_interval: 2s", "on: interval, every: 1h", `on: cron, at: "0 * * * *"`}
	holds := []string{"1 releases", "0s", "30m", "15m"}
	level := []string{"L1", "L2"}[r.IntN(2)]
	t := r.IntN(len(triggers))
	if t == 0 {
		holds = holds[:1]
	} else {
		holds = holds[1:]
	}
	w := planSetting{Level: level, Recoding: recodings[level][r.IntN(3)], Trigger: triggers[t], MaxHold: holds[r.IntN(len(holds))],
		Partitions: 1 + r.IntN(3), Keep: []int{0, 0, 1, 2}[r.IntN(4)]}
	w.Deletes = w.erasable() && r.IntN(2) == 0
	if w.Recoding == "buckets" && r.IntN(2) == 0 {
		w.Window = []string{"1", "2", "4h", "30h", "200h"}[r.IntN(5)]
	}
	if !real && level == "L2" && r.IntN(2) == 0 {
		w.Attributes = 1 + r.IntN(2)
		w.Promise = r.IntN(2) == 0
	}
	switch {
	case !real:
		w.Copies = r.IntN(3) == 0
	case r.IntN(3) == 0:
		w.Delivered = true
	default:
		w.Secured = r.IntN(3) == 0
	}
	return w
}

// divide has several shards share the people.
func (w *planSetting) divide(r *rand.Rand) {
	w.Shards = 2 + r.IntN(2)
	w.Partitions = w.Shards * (1 + r.IntN(2))
	if w.Journal = r.IntN(2) == 0; w.Journal {
		w.Keep = 0 // who takes a shard over needs all releases
	}
}

// round feeds records and runs the daemon with up to three faults.
func (p *chaosPlan) round(r *rand.Rand) {
	p.add(stepFeed, 20+r.IntN(50), r)
	if r.IntN(3) == 0 {
		p.add(stepPass, 1+r.IntN(100), r)
	}
	if w := &p.World; pooled(w) && r.IntN(8) == 0 { // it is rare otherwise: only plans of level L2 have it
		p.unjudged(r)
		p.add("restore-unjudged", 1, r)
	}
	during := "" // a fault of the clock strikes the run that ends the round, and no other
	for range 1 + r.IntN(3) {
		names := p.candidates()
		if during != "" { // one of them hides another
			names = slices.DeleteFunc(names, ofClock)
		}
		name := names[r.IntN(len(names))]
		if ofClock(name) {
			during = name
			continue
		}
		if name == "restore-old" { // a copy, more releases, and the copy comes back
			p.add(stepBackup, 1, r)
			p.add(stepRun, 1, r)
			if p.World.forgets() && r.IntN(2) == 0 { // the copy knows who has been forgotten since
				p.add(stepForget, 1, r)
			}
			if r.IntN(2) == 0 {
				p.add(stepFeed, 20+r.IntN(50), r)
				p.add(stepRun, 1, r)
			}
		}
		if name == "restore-unjudged" {
			p.unjudged(r)
		}
		p.add(name, 1+r.IntN(kinds[name].most), r)
	}
	if p.World.Shards > 0 && r.IntN(2) == 0 {
		p.ofKind(unionKinds, r)
	}
	run := []string{stepRun, stepRun, stepLive}[r.IntN(3)]
	if during != "" {
		p.add(during, 1+r.IntN(kinds[during].most), r)
		run = stepLive // one that goes on, and looks at its clock again
	}
	if run == stepLive && r.IntN(2) == 0 {
		p.add(stepLinger, 1+r.IntN(24*31), r)
	}
	p.add(run, 1, r)
}

// unjudged makes a copy, and has a pool quarantined or refused of which the copy does not know.
func (p *chaosPlan) unjudged(r *rand.Rand) {
	p.add(stepRun, 1, r)
	p.add(stepBackup, 1, r)
	p.add(stepSpell, (150+r.IntN(100))*max(1, p.World.Shards), r)
	p.add(stepRun, 1, r)
}

// ofKind adds one of some faults.
func (p *chaosPlan) ofKind(some map[string]kind, r *rand.Rand) {
	names := slices.Sorted(maps.Keys(some))
	name := names[r.IntN(len(names))]
	p.add(name, 1+r.IntN(kinds[name].most), r)
}

// realRound is round for processes, whose plans are shorter: each start costs a second.
// What happens to a stopped daemon comes first; the rest strikes one that runs. leased: one
// of the faults is one of the lease.
func (p *chaosPlan) realRound(r *rand.Rand, leased bool) {
	var strikes []string
	for i := range 1 + r.IntN(3) {
		names := p.candidates()
		if leased && i == 0 {
			names = []string{"holder-killed", "holder-suspended", "lease-lost"}
		}
		name := names[r.IntN(len(names))]
		if !realKinds[name].stopped {
			strikes = append(strikes, name)
			continue
		}
		p.stopped(name, r)
	}
	for _, name := range strikes {
		p.add(name, 1+r.IntN(kinds[name].most), r)
	}
	p.add(stepFeed, 20+r.IntN(50), r)
	p.add(stepLive, 1, r)
}

// stopped adds a fault that happens while the daemon is stopped, behind what it needs.
func (p *chaosPlan) stopped(name string, r *rand.Rand) {
	p.add(stepRun, 1, r)
	switch name {
	case "old-state": // a copy, more releases, and the copy comes back
		p.add(stepBackup, 1, r)
		p.add(stepFeed, 60+r.IntN(50), r)
		p.add(stepRun, 1, r)
	case "spoil-older": // there must be one
		p.add(stepFeed, 60+r.IntN(50), r)
		p.add(stepRun, 1, r)
	}
	p.add(name, 1+r.IntN(kinds[name].most), r)
}

// candidates are the faults that may be next. What loses state and what loses releases
// do not come together: nobody could tell (docs/RECOVER.md, Backup and restore).
func (p *chaosPlan) candidates() (out []string) {
	losing := []string{"lie-state", "lie-releases", "restore-old", "flip-state", "flip-newest", "flip-older", "cut-effect", "cut-commit",
		"old-state", "spoil-state", "spoil-newest", "spoil-older", "cut-prune", "forget-killed", "restore-copy",
		"restore-unjudged"}
	taken := false
	for i := len(p.Steps) - 1; i >= 0 && p.Steps[i].Do != stepRun && p.Steps[i].Do != stepLive; i-- {
		taken = taken || slices.Contains(losing, p.Steps[i].Do)
	}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if kinds[name].suits(p) && !(taken && slices.Contains(losing, name)) {
			out = append(out, name)
		}
	}
	return out
}
