package plan

import (
	"cmp"
	"slices"
	"sort"

	"anond/incremental/state"
)

// holdTail is the ratio of the longest to the mean waiting time under admit:
// measured on Adult, the times have a tail of about four means.
const holdTail = 4

// Admission chooses which planned classes a cut publishes.
//
// Method: by Little's law the mean waiting time is the number waiting over the
// rate of arrival. So classes are published in ascending order of
// loss / (1 + mean age / mean hold) until only rate x mean hold planned records
// would remain, with mean hold = max_hold/4; a class with a member that has
// waited max_hold is always published. So planned classes compete by loss, classes
// that waited longer may lose more, and no constant is tuned to a data set. Records
// in no plan do not count as waiting here: otherwise a surplus that cannot be
// published would leave no room for the classes that gain by waiting.
//
// Any choice is safe by rule A (frozen classes): its proof at levels L0 and L1 does
// not depend on which classes are chosen.
type Admission struct {
	records *state.Records
	MaxHold int64
	Now     int64
	Rate    float64 // arrivals per tick
}

func NewAdmission(c *state.Records, h *state.History, maxHold, now int64) Admission {
	a := Admission{records: c, MaxHold: maxHold, Now: now}
	if len(h.Intents) > 0 {
		a.Rate = arrivalRate(c, h.Intents[0].Cut, now, maxHold)
	}
	return a
}

// Admit returns the planned classes that are published now.
func (a Admission) Admit(plans []Plan) []Plan {
	chosen, _ := a.Split(plans, holdTail)
	return chosen
}

// Keep is how many planned records wait, by Little's law, if the mean waiting time is max_hold/tail.
func (a Admission) Keep(tail float64) float64 { return a.Rate * (float64(a.MaxHold) / tail) }

// Waited is for how long a record has, in ticks.
func (a Admission) Waited(r state.RecordID) int64 { return a.Now - a.records.Arrived(r) }

// Split returns the planned classes that are published now, and the others, in the order
// in which they come next.
func (a Admission) Split(plans []Plan, tail float64) (chosen, others []Plan) {
	mean, keep := float64(a.MaxHold)/tail, a.Keep(tail)
	type candidate struct {
		Plan
		score float64
	}
	order, left := make([]candidate, len(plans)), 0.0
	for i, p := range plans {
		left += float64(len(p.Members))
		age, oldest := a.Ages(p.Members)
		order[i] = candidate{p, p.Loss}
		if mean > 0 {
			order[i].score /= 1 + age/mean
		}
		if oldest >= a.MaxHold {
			order[i].score = -1
		}
	}
	slices.SortFunc(order, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(x.score, y.score), cmp.Compare(x.Members[0], y.Members[0]))
	})
	n := 0
	for ; n < len(order); n++ {
		if left -= float64(len(order[n].Members)); order[n].score >= 0 && left < keep {
			break
		}
	}
	all := make([]Plan, len(order))
	for i, c := range order {
		all[i] = c.Plan
	}
	return all[:n:n], all[n:]
}

// Ages returns the mean and the longest waiting time of records, in ticks.
func (a Admission) Ages(members []state.RecordID) (mean float64, oldest int64) {
	for _, r := range members {
		age := a.Waited(r)
		mean += float64(age)
		oldest = max(oldest, age)
	}
	return mean / float64(len(members)), oldest
}

// arrivalRate returns the number of arrivals per tick over the last window of
// ticks, or since the record at which streaming began where that is less. It is a
// function of the durable arrivals and the present tick, so that a restarted machine
// computes the same; when arrivals stop it falls to 0 within the window, and
// admission publishes what is left.
func arrivalRate(c *state.Records, began state.RecordID, now, window int64) float64 {
	streamed := c.Arrivals
	streamed = streamed[sort.Search(len(streamed), func(i int) bool { return streamed[i].First >= began }):]
	if len(streamed) == 0 || window == 0 {
		return 0
	}
	window = min(window, now-streamed[0].Tick+1)
	recent := streamed[sort.Search(len(streamed), func(i int) bool { return streamed[i].Tick > now-window }):]
	if len(recent) == 0 {
		return 0
	}
	return float64(c.Len()-recent[0].First) / float64(window)
}
