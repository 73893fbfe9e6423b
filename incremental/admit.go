package incremental

import (
	"cmp"
	"slices"
	"sort"
)

// holdTail is the ratio of the longest to the mean waiting time under admit:
// measured on Adult, the times have a tail of about four means.
const holdTail = 4

// admit chooses which planned classes a cut publishes.
//
// Law. By Little's law the mean waiting time is the number waiting over the
// rate of arrival. So classes are published in ascending order of
// loss / (1 + mean age / mean hold) until only rate x mean hold planned records
// would remain, with mean hold = max_hold/4; a class with a member that has
// waited max_hold always goes. Losses thus compete within the plan, what has
// waited longer may lose more, and no constant is tuned to a data set. Records
// in no plan do not count as waiting here: a surplus that cannot be published
// would else drive out everything that could gain by waiting.
//
// Safe by rule A whichever are chosen: L0 and L1 do not look at who is chosen.
func (m *Machine) admit(plans []plan) []plan {
	if m.flushing {
		return plans
	}
	mean := float64(m.policy.MaxHold) / holdTail
	keep := m.rate() * mean
	type candidate struct {
		plan
		score float64
	}
	order, left := make([]candidate, len(plans)), 0.0
	for i, p := range plans {
		left += float64(len(p.members))
		age, oldest := m.ages(p.members)
		order[i] = candidate{p, p.loss}
		if mean > 0 {
			order[i].score /= 1 + age/mean
		}
		if oldest >= m.policy.MaxHold {
			order[i].score = -1
		}
	}
	slices.SortStableFunc(order, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.members[0], b.members[0]))
	})
	var chosen []plan
	for _, c := range order {
		left -= float64(len(c.members))
		if c.score >= 0 && left < keep {
			break
		}
		chosen = append(chosen, c.plan)
	}
	return chosen
}

// ages returns the mean and the longest waiting time of records, in ticks.
func (m *Machine) ages(members []RecordID) (mean float64, oldest int64) {
	for _, r := range members {
		age := m.now - m.records.arrived(r)
		mean += float64(age)
		oldest = max(oldest, age)
	}
	return mean / float64(len(members)), oldest
}

// rate returns the number of arrivals per tick over the last max_hold ticks, or
// since the first load where that is less. It is a function of the durable
// arrivals and the present tick, so that a restart goes on alike; when arrivals
// stop it falls to 0 within max_hold, and admission publishes what is left.
func (m *Machine) rate() float64 {
	if len(m.intents) == 0 {
		return 0
	}
	streamed := m.records.arrivals
	streamed = streamed[sort.Search(len(streamed), func(i int) bool { return streamed[i].first >= m.intents[0].Cut }):]
	if len(streamed) == 0 || m.policy.MaxHold == 0 {
		return 0
	}
	window := min(m.policy.MaxHold, m.now-streamed[0].tick+1)
	recent := streamed[sort.Search(len(streamed), func(i int) bool { return streamed[i].tick > m.now-window }):]
	if len(recent) == 0 {
		return 0
	}
	return float64(m.records.len()-recent[0].first) / float64(window)
}
