package extract

import (
	"anond/equivclass"
)

// WithStop implements Stoppable.
func (m Extract) WithStop(stop func() bool) equivclass.Partitioner { m.stop = stop; return m }

// stopped reports whether the work is to end.
func (x *extraction) stopped() bool { return x.stop != nil && x.stop() }
