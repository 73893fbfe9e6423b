package equivclass

// Stoppable is a partitioner whose work can be ended early. Once stop answers
// true, Partition returns soon; what it returns then means nothing and must be
// thrown away. As long as stop answers false it has no influence on the groups.
type Stoppable interface {
	Partitioner
	WithStop(stop func() bool) Partitioner
}

// WithStop implements Stoppable.
func (m Extract) WithStop(stop func() bool) Partitioner { m.stop = stop; return m }

// stopped reports whether the work is to end.
func (x *extraction) stopped() bool { return x.stop != nil && x.stop() }
