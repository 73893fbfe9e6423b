// Package place says where waiting records lie among the published classes, and how many updates have gathered there: landmarks are an
// index of the classes (package nearest), neighbourhoods are what updates are counted by, and Counter counts them for trigger `update`.
//
// Guarantee: what it says is a function of quasi-identifiers, of the order of arrival and of the published classes; no sensitive value
// is read (rule B, buckets), and a restarted machine finds the same. Method: Wang et al., section IV.B. Cost: one search a record, one
// insertion a class.
package place

import (
	"slices"

	"anond/incremental/state"
)

// Counter counts the updates that gather around published classes. Its content is a function of
// the published classes and of the waiting records in order of arrival.
//
// Records are positioned when something needs it: when the trigger `update` asks whether a
// local update is due, when more wait than a cut partitions anew, and when classes are
// regrouped. A local update that is due is carried out when a cut asks for plans. An
// earlier plan would not be visible to anyone. A plan made once, over all that has
// gathered, loses less and costs less than plans made anew after every k records.
//
// Rule B (buckets): what it counts by are quasi-identifiers, arrivals and published classes.
type Counter struct {
	policy *state.Policy
	landmarks
	near  neighbourhoods
	fresh []int32        // by neighbourhood: updates that have gathered since the newest cut tried
	since state.RecordID // records from there on are updates that are not counted yet
	ready int            // neighbourhoods in which more than the threshold have gathered
	loose int            // updates since the newest cut tried while there is no class yet
}

// NewCounter returns a counter that counts records from since on as updates.
func NewCounter(policy *state.Policy, c *state.Records, h *state.History, since state.RecordID) Counter {
	return Counter{policy: policy, since: since, landmarks: landmarks{records: c, History: h}}
}

// countEvery is how many records arrive before they are counted although nobody asks: so
// that the one who asks does not wait for long.
const countEvery = 8192

// Behind reports whether so many records arrived that they should be counted.
func (p *Counter) Behind() bool { return p.policy.OnUpdate && p.records.Len()-p.since >= countEvery }

// Count positions the waiting records that arrived since the last count. A local update is
// due in a neighbourhood once more than the threshold have gathered. Cost: one search for
// each of them.
func (p *Counter) Count(waiting []state.RecordID) {
	from, _ := slices.BinarySearch(waiting, p.since)
	p.since = p.records.Len()
	if waiting = waiting[from:]; len(waiting) == 0 {
		return
	}
	at := p.Positions(waiting, p.policy.Workers)
	if p.index.Len() == 0 {
		p.loose += len(at)
		return
	}
	p.near.follow(p.records, p.History)
	p.fresh = append(p.fresh, make([]int32, int(p.near.count)-len(p.fresh))...)
	for _, class := range at {
		n := p.near.of[class]
		if p.fresh[n]++; int(p.fresh[n]) == p.policy.Threshold+1 {
			p.ready++
		}
	}
}

// Due reports whether updates have gathered such that a local update is due, and
// a release may have something to publish (trigger `update`).
func (p *Counter) Due(waiting []state.RecordID) bool {
	p.Count(waiting)
	return p.ready > 0 || p.loose > p.policy.Threshold
}

// Released begins anew after a release.
func (p *Counter) Released(cut state.RecordID) {
	p.measure()
	p.Tried(cut)
}

// Tried starts the counts anew after a cut: what arrived before it counts no longer.
func (p *Counter) Tried(since state.RecordID) {
	clear(p.fresh)
	p.ready, p.loose, p.since = 0, 0, since
}
