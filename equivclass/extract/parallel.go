package extract

import (
	"sync"
	"sync/atomic"

	"anond/equivclass"
)

// each calls do once for every i below n, on as many goroutines as there are
// workers, each with scratch space of its own. The order is not defined: calls
// must not touch what others use, so that the result does not depend on it. If
// the work is to end (Stoppable), the remaining calls are left out.
func (x *extraction) each(n int, do func(w *extraction, i int)) {
	workers := min(x.workers, n)
	x.steps.stage()
	if workers < 2 {
		w := x.worker()
		for i := 0; i < n && !x.stopped(); i++ {
			do(w, i)
			x.steps.did(n)
		}
		return
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			w := x.worker()
			for i := int(next.Add(1)) - 1; i < n && !x.stopped(); i = int(next.Add(1)) - 1 {
				do(w, i)
				x.steps.did(n)
			}
		})
	}
	all.Wait()
}

// WithStop implements Stoppable.
func (m Extract) WithStop(stop func() bool) equivclass.Partitioner { m.stop = stop; return m }

// stopped reports whether the work is to end.
func (x *extraction) stopped() bool { return x.stop != nil && x.stop() }
