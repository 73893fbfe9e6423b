package chaos

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"testing"
	"testing/cryptotest"
	"testing/synctest"

	_ "anond/internal/views" // the daemons of this process have them
)

// play plays a plan in a bubble (testing/synctest): time passes when all goroutines wait, so that hours of the daemon
// take as long as its work. Its directory is removed again.
func play(t *testing.T, p *chaosPlan, bug planted) (out result) {
	t.Helper()
	dir, err := os.MkdirTemp("", "plan-")
	if err != nil {
		return result{Plan: p, Err: err}
	}
	defer os.RemoveAll(dir)
	defer func() { // a bubble in which all wait for ever
		if fault := recover(); fault != nil {
			out.Err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	cryptotest.SetGlobalRandom(t, seedOf(p))
	synctest.Test(t, func(*testing.T) { out = playIn(dir, p, bug) })
	return out
}

func playIn(dir string, p *chaosPlan, bug planted) (out result) {
	out.Plan = p
	defer func() {
		if fault := recover(); fault != nil {
			out.Err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	t := newTrace(dir)
	defer func() { out.Log, out.Trace, out.Reach = t.plain(out.Log), t.String(), t.reach }()
	random := rand.New(rand.NewPCG(seedOf(p), 1))
	if p.World.Shards > 0 {
		out.divided(dir, random, bug, t)
		return out
	}
	w, err := newInside(p, dir, random, bug, t)
	if err != nil {
		out.Err = err
		return out
	}
	if w.broker != nil {
		defer w.broker.close()
	}
	out.take(w.play())
	out.Log = w.log.String()
	return out
}

// divided plays a plan of shards.
func (r *result) divided(dir string, random *rand.Rand, bug planted, t *trace) {
	d, err := newDivision(r.Plan, dir, random, bug, t)
	if err != nil {
		r.Err = err
		return
	}
	all, err := d.play()
	for _, p := range all {
		r.take(p, err)
	}
	r.Log = d.log()
}
