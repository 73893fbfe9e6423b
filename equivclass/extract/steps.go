package extract

import (
	"sync/atomic"

	"anond/equivclass"
)

// WithProgress implements Reporting.
func (m Extract) WithProgress(tell func(done, all int)) equivclass.Partitioner {
	m.tell = tell
	return m
}

// WithProgress returns a partitioner that calls tell with the number of records in classes so far, and of all (Reporting).
// Both numbers depend on the points alone.
func (m Blind) WithProgress(tell func(done, all int)) Blind { m.tell = tell; return m }

// steps tells how far a run is, in records. Its stages count alike, although what each takes
// depends on the data. nil tells nobody.
type steps struct {
	tell   func(done, all int)
	rows   int
	stages int64
	begun  int64        // stages; changed between them only
	ended  atomic.Int64 // calls of the present stage
}

func newSteps(tell func(done, all int), rows, stages int) *steps {
	if tell == nil {
		return nil
	}
	return &steps{tell: tell, rows: rows, stages: int64(stages)}
}

// stage begins the next one.
func (s *steps) stage() {
	if s != nil {
		s.begun = min(s.begun+1, s.stages)
		s.ended.Store(0)
	}
}

// did notes that one of the calls of a stage has ended.
func (s *steps) did(calls int) {
	if s != nil {
		done := int64(s.rows) * ((s.begun-1)*int64(calls) + s.ended.Add(1)) / (s.stages * int64(calls))
		s.tell(int(min(done, int64(s.rows)-1)), s.rows)
	}
}

// end tells that all is done, once.
func (s *steps) end() {
	if s != nil {
		s.tell(s.rows, s.rows)
	}
}
