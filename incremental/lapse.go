package incremental

import (
	"sort"

	"anond/incremental/state"
)

// lapse ends the wait of people who have waited longer than Policy.MaxWait and are in no fixed pool: none of them is ever published,
// and what they send later is beyond. It comes before a pool is fixed, and never while one is open: who is in a fixed pool stays in
// it (fixed_pool.go). Before the first pool is decided nobody lapses.
//
// Claim. Rules B (buckets) and S (subjects): every posterior of Theorem E stays. Proof. Who has lapsed is a function of the order and
// ticks of arrivals (of somebody who settles: the end of the window), of who was in an earlier pool, and of the ticks of cuts, all of
// which the proof of Theorem E holds fixed (package pools); no value is read. So a pool's candidates are still a function of arrivals
// and of earlier pools, and exchanging values inside the bucket of a published person changes nobody's lapse. Nobody has a second
// start: a digest of the person stays (state.People), as of one who is barred, so that whether somebody comes again, which may follow
// from the value, decides about no bucket. QED  In all worlds of a small stream: TestLapsedPeople, with the twins of TestBrokenLapses.
//
// A cut that is repeated, after a stop or an older copy of the state, lapses everybody whom the lost one did: they have waited longer.
func (m *Machine) lapse() {
	c := &m.s.Records
	if m.s.Policy.MaxWait == 0 || !m.s.Head.InitialDone || c.Firsts == nil {
		return
	}
	for _, r := range m.s.Pending.Lapse(c, func(waiting []state.RecordID) int {
		return sort.Search(len(waiting), func(i int) bool { return m.s.Now-c.Arrived(waiting[i]) <= m.s.Policy.MaxWait })
	}) {
		m.seen.add(state.Lapsed, m.s.Secrets.Person(c.Subject[r]))
	}
}
