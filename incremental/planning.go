package incremental

import "anond/incremental/state"

// planning decides what a release publishes. It is made for one cut, of what the
// cut may look at: the records, the published classes, what waits and how it is
// positioned. It changes none of it, and does not know the store or what is
// staged, so a decision that is thrown away leaves no trace.
type planning struct {
	policy    *state.Policy
	records   *state.Records
	classes   []*state.Class
	pending   *state.PendingSet
	place     *counter
	secrets   *state.Secrets
	admission admission
	release   uint32 // the one to be decided
	flushing  bool   // it is the last of its source: no record waits for a better class
	head      *state.Head
	fresh     int            // records since the newest cut tried
	bucket    state.BucketID // the newest one
	// progress is told how far the partitioning is
	progress state.Progress
	made     *Updates
}

// planner plans and decides the cuts of one level. It changes nothing of what a cut may look at.
type planner interface {
	// FirstNeed is how many records the first load has at least.
	FirstNeed(policy *state.Policy) int
	// Need is what the next pool needs, and Published takes in what was published: both at level L2.
	Need() PoolNeed
	Published(s *state.State, classes []*state.Class)
	// Fix plans the pool that is committed before anything of it is decided; nil: there is none.
	Fix(p *planning) *state.Pool
	// Preview is who would share a class if the cut came now, as far as that may be told (Outlook).
	Preview(p *planning) (classes [][]state.RecordID, err error)
	// Decide chooses what is published.
	Decide(p *planning) (state.Decision, error)
}

func (p *planning) sensitive() string {
	s := p.records.Schema
	return s.Attributes()[s.SensitiveIndex()].Name
}

// Updates counts the local updates that were carried out since the machine was opened.
type Updates struct {
	Updates uint64 `json:"updates"` // local updates
	Classes uint64 `json:"classes"` // published classes next to which they planned new ones
}
