package repartition

import (
	"maps"
	"slices"
	"time"

	"anond/equivclass"
)

// Status is what operators see of a run: counts, places and times.
type Status struct {
	Counts
	Read      uint64          // records that the source handed out; those written before are among them
	Retries   uint64          // requests that failed and were sent again
	Failures  map[int32]error // of the newest request to a target partition that is not acknowledged yet
	LastWrite time.Time       // when the target acknowledged last; zero: not yet
	Saved     time.Time       // when the progress was saved last
	Next      map[int32]int64 // source partition -> first offset that is not written
}

// Failure is the error of one request that is sent again; nil: there is none.
func (s *Status) Failure() error {
	if len(s.Failures) == 0 {
		return nil
	}
	return s.Failures[slices.Min(slices.Collect(maps.Keys(s.Failures)))]
}

// Status is how the run stands; safe for concurrent use.
func (w *Work) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.now
	s.Unreadable, s.Failures, s.Next = maps.Clone(s.Unreadable), maps.Clone(s.Failures), maps.Clone(s.Next)
	if s.Next == nil { // it has not begun
		s.Next = map[int32]int64{}
	}
	return s
}

// begun sets the status of a run that begins.
func (w *Work) begun() {
	w.note(func(s *Status) {
		*s = Status{Counts: Counts{Unreadable: map[equivclass.Reason]uint64{}}, Failures: map[int32]error{}, Next: map[int32]int64{}}
		for id, at := range w.Progress.Sources {
			s.Next[id] = at.Next
		}
	})
}

// note changes the status.
func (w *Work) note(how func(*Status)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	how(&w.now)
}

func (w *Work) acknowledged(target int32) {
	w.note(func(s *Status) {
		delete(s.Failures, target)
		s.LastWrite = w.Clock.Now()
	})
}

func (w *Work) refused(target int32, err error) {
	w.note(func(s *Status) {
		s.Failures[target] = err
		s.Retries++
	})
}

// save writes the file of the progress and waits until it is durable.
func (w *Work) save() error {
	w.does("saving the progress", false)
	if err := w.Save(w.Progress); err != nil {
		return err
	}
	w.note(func(s *Status) { s.Saved = w.Clock.Now() })
	return nil
}

func (w *Work) does(what string, waits bool) {
	if w.Does != nil {
		w.Does(what, waits)
	}
}
