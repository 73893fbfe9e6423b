// Package plan is what planners of all levels share: Planner, the port behind which they stand; Cut, what a cut may look at; planned
// classes, and which of them are published now (Admission).
//
// Guarantee: nothing here changes a state. A level is a package of its own: local (L1) or pools (L2).
package plan

import (
	"anond/incremental/place"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// Cut decides what a release publishes. It is made for one cut, of what the
// cut may look at: the records, the published classes, what waits and how it is
// positioned. It changes none of it, and does not know the store or what is
// staged, so a decision that is thrown away leaves no trace.
type Cut struct {
	Policy    *state.Policy
	Records   *state.Records
	Classes   []*state.Class
	Pending   *state.PendingSet
	Place     *place.Counter
	Secrets   *state.Secrets
	Admission Admission
	Release   uint32 // the one to be decided
	Occasion  state.Occasion
	Head      *state.Head
	Fresh     int            // records since the newest cut tried
	Since     state.RecordID // records from there on have come since the newest release
	Bucket    state.BucketID // the newest one
	// Progress is told how far the partitioning is
	Progress state.Progress
	Made     *Updates
}

// Planner plans and decides the cuts of one level. It changes nothing of what a cut may look at.
type Planner interface {
	// FirstNeed is how many records the first load has at least.
	FirstNeed(policy *state.Policy) int
	// Need is what the next pool of a stratum needs; nil: the level has no pools. Published is told that more is published, or that a
	// pool was quarantined.
	Need(of settle.Stratum) *PoolNeed
	Published(s *state.State)
	// Missing is how many records have to come before a pool is planned, unless an operator asks or nobody comes: counts and
	// ages say it (level L2).
	Missing(p *Cut, of settle.Stratum) int
	// Due reports whether trigger `update` asks for a cut after the first one.
	Due(p *Cut) bool
	// StrataDue reports whether a stratum other than the plain one has a pool.
	StrataDue(p *Cut) bool
	// Fix plans the pool that is committed before anything of it is decided; nil: there is none.
	Fix(p *Cut) *state.Pool
	// Preview is who would share a class if the cut came now, as far as that may be told (Outlook).
	Preview(p *Cut) (classes [][]state.RecordID, err error)
	// Decide chooses what is published.
	Decide(p *Cut) (state.Decision, error)
}

func (p *Cut) Sensitive() string {
	s := p.Records.Schema
	return s.Attributes()[s.SensitiveIndex()].Name
}

// Updates counts the local updates that were carried out since the machine was opened.
type Updates struct {
	Updates uint64 `json:"updates"` // local updates
	Classes uint64 `json:"classes"` // published classes next to which they planned new ones
}

// PoolNeed is what the next pool at level L2 needs.
type PoolNeed struct {
	Records int `json:"records"` // at least so many
	// Possible is false where the most frequent published value has a share of 1/l: then no pool is large enough to be
	// published next to it, and nothing more can be.
	Possible bool `json:"possible"`
	// Attribute is the one whose published values ask for most, or for more than any pool has.
	Attribute string `json:"attribute,omitempty"`
	// Bounded: the published values ask for more than Records, which is policy.max_pool. Such a pool may be quarantined.
	Bounded bool `json:"bounded,omitempty"`
	// Missing is how many more records have to come before the next pool is planned, unless somebody is overdue by then.
	Missing int `json:"missing"`
}
