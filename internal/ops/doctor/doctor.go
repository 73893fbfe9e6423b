// Package doctor examines whether a dataset can run here, as `anond doctor` shows it.
//
// Guarantee: it leaves everything as it was. What it says about reachable k and l comes from what is
// published or from records of other people, never from those who wait or from the source:
// at level L2 nobody may choose a pool by the values of those who will be in it (rule B,
// buckets). Each finding that is not good comes with a remedy, and none has a person's value.
package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"anond/config"
	"anond/internal/dataset"
	"anond/internal/profile"
)

// Grade says how a finding is.
type Grade string

// The grades.
const (
	OK      Grade = "ok"
	Note    Grade = "note" // it could not be examined, or is worth knowing
	Warning Grade = "warning"
	Failed  Grade = "failed" // anond cannot run, or not for long
)

// Finding is one line of the doctor.
type Finding struct {
	Check  string `json:"check"`
	Grade  Grade  `json:"grade"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

// Patient is what is examined.
type Patient struct {
	Config *config.Config
	// Status is the newest status of a daemon, Live whether it comes from a running one;
	// nil: there is none.
	Status *dataset.Status
	Live   bool
	// Pools are those that records of other people need (--data); nil: none were given.
	Pools *profile.Pools
	Now   time.Time
	// Sample is how many records of the source are read.
	Sample int
}

// examination gathers findings.
type examination struct {
	*Patient
	out  []Finding
	show func(Finding)
}

func (e *examination) add(g Grade, check, remedy, format string, args ...any) {
	f := Finding{check, g, fmt.Sprintf(format, args...), remedy}
	e.out = append(e.out, f)
	e.show(f)
}

// Examine goes through all checks and shows each finding at once.
func Examine(ctx context.Context, p *Patient, show func(Finding)) []Finding {
	e := &examination{Patient: p, show: show}
	e.process()
	e.files()
	e.views()
	e.ledger(ctx)
	e.disks()
	e.clock()
	e.certificates()
	e.token(ctx)
	reached := e.connections(ctx)
	e.schema(ctx, reached)
	e.promise()
	return e.out
}

// Sick reports whether anything has failed.
func Sick(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.Grade == Failed })
}
