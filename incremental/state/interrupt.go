package state

import (
	"errors"
	"sync/atomic"

	"anond/equivclass"
)

// ErrInterrupted: long work ended because the host asked for it. Nothing of it
// was kept; the machine is in the middle of its work and must be opened again.
var ErrInterrupted = errors.New("the work was interrupted")

// interrupt is how a host ends long work of a machine: opening a large state,
// planning a release. It is asked often. It decides when work ends and nothing else:
// no decision depends on it.
type interrupt func() bool

func (i interrupt) Asked() bool { return i != nil && i() }

func (i interrupt) Err() error {
	if i.Asked() {
		return ErrInterrupted
	}
	return nil
}

// Partitioner passes the interrupt on to a method that supports one.
func (i interrupt) Partitioner(p equivclass.Partitioner) equivclass.Partitioner {
	if s, ok := p.(equivclass.Stoppable); ok && i != nil {
		return s.WithStop(i)
	}
	return p
}

// Progress is told how far the partitioning of a decision is. No decision depends on it.
type Progress func(done, all int)

// Partitioner has a method that can say how far it is tell so of all records, which it may be
// given in several pools, one after the other.
func (p Progress) Partitioner(method equivclass.Partitioner, records int) equivclass.Partitioner {
	r, can := method.(equivclass.Reporting)
	if !can || p == nil {
		return method
	}
	var before atomic.Int64 // records of pools that are done
	return r.WithProgress(func(done, all int) {
		p(min(int(before.Load())+done, records), records)
		if done == all {
			before.Add(int64(all))
		}
	})
}
