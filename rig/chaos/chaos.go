package chaos

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
)

// Play plays a plan in a directory of its own below dir, which is removed again.
func Play(p *Plan, dir string) Result { return playPlanted(p, dir, planted{}) }

func playPlanted(p *Plan, dir string, bug planted) (out Result) {
	out.Plan = p
	defer func() {
		if fault := recover(); fault != nil {
			out.Err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	own, err := os.MkdirTemp(dir, "plan-")
	if err != nil {
		out.Err = err
		return out
	}
	defer os.RemoveAll(own)
	random := rand.New(rand.NewPCG(seedOf(p), 1))
	if p.World.Shards > 0 {
		out.divided(own, random, bug)
		return out
	}
	w, err := newInside(p, own, random, bug)
	if err != nil {
		out.Err = err
		return out
	}
	out.take(w.play())
	if out.Err != nil {
		out.Log = w.log.String()
	}
	return out
}

func (r *Result) take(p *played, err error) { r.Faults, r.Err = append(r.Faults, p.took()...), err }

// divided plays a plan of shards.
func (r *Result) divided(dir string, random *rand.Rand, bug planted) {
	d, err := newDivision(r.Plan, dir, random, bug)
	if err != nil {
		r.Err = err
		return
	}
	all, err := d.play()
	for _, p := range all {
		r.take(p, err)
	}
	if err != nil {
		r.Log = d.log()
	}
}

// playReal plays a plan with processes of the program at the given path.
func playReal(p *Plan, dir, program string) (out Result) {
	out.Plan = p
	own, err := os.MkdirTemp(dir, "plan-")
	if err != nil {
		out.Err = err
		return out
	}
	defer os.RemoveAll(own)
	w, err := newOutside(p, own, program, rand.New(rand.NewPCG(seedOf(p), 1)))
	if w != nil {
		defer w.close()
	}
	if err != nil {
		out.Err = err
		return out
	}
	out.take(w.play())
	if out.Err != nil {
		out.Log = w.since(0)
	}
	return out
}

// seedOf is what a plan's random choices depend on: its text.
func seedOf(p *Plan) (h uint64) {
	h = 14695981039346656037
	for _, b := range []byte(p.String()) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}
