package frontier

import (
	"cmp"
	"math"
	"slices"
)

// comparison holds level L2 against level L1 (append) of the same seed where the streamed
// records wait equally long. It says what the row of level L2 is, and its errors of count
// queries as multiples of those of level L1, between whose rows it interpolates.
type comparison struct {
	Seed uint64 `json:"seed"`
	// HoldAtMost is the longest mean hold of streamed records that was allowed.
	HoldAtMost       float64 `json:"hold_at_most"`
	MaxHold          int64   `json:"max_hold"`
	MeanHoldStreamed float64 `json:"mean_hold_streamed"`
	NCPInterval      float64 `json:"ncp_interval"`
	NCPIntervalL1    float64 `json:"ncp_interval_l1"`
	MedianBucket     int     `json:"median_bucket"`
	Never            float64 `json:"never_published"`
	QueryLarge       float64 `json:"query_large,omitempty"`
	QuerySmall       float64 `json:"query_small,omitempty"`
	QueryQI          float64 `json:"query_qi,omitempty"`
	QueryLargeModel  float64 `json:"query_large_model,omitempty"`
	QuerySmallModel  float64 `json:"query_small_model,omitempty"`
	QueryQIModel     float64 `json:"query_qi_model,omitempty"`
}

// allowed are the mean holds at which levels are compared, in batches.
var allowed = []float64{1, 2}

// compare makes the comparisons of each seed. There is none where level L2 always waits
// longer, or where level L1 was not measured.
func compare(rows []frontierRow) (out []comparison) {
	var seeds []uint64
	for _, r := range rows {
		if !slices.Contains(seeds, r.Seed) {
			seeds = append(seeds, r.Seed)
		}
	}
	for _, seed := range seeds {
		ours, theirs := of(rows, seed, "L2"), of(rows, seed, "append")
		for _, most := range allowed {
			n := len(ours) // the longest hold of those that are allowed
			for n > 0 && ours[n-1].MeanHoldStreamed > most {
				n--
			}
			if n > 0 && len(theirs) > 0 {
				out = append(out, against(most, ours[n-1], between(theirs, ours[n-1].MeanHoldStreamed)))
			}
		}
	}
	return out
}

// of are the rows of a policy, by how long records wait.
func of(rows []frontierRow, seed uint64, policy string) (out []frontierRow) {
	for _, r := range rows {
		if r.Seed == seed && r.Policy == policy {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b frontierRow) int { return cmp.Compare(a.MeanHoldStreamed, b.MeanHoldStreamed) })
	return out
}

// between is what rows say of a mean hold: a mean of its two neighbours by their
// distances, or the nearest row beyond the ends.
func between(rows []frontierRow, hold float64) frontierRow {
	i, _ := slices.BinarySearchFunc(rows, hold, func(r frontierRow, h float64) int { return cmp.Compare(r.MeanHoldStreamed, h) })
	if i == 0 {
		return rows[0]
	}
	if i == len(rows) {
		return rows[i-1]
	}
	a, b := rows[i-1], rows[i]
	share := (hold - a.MeanHoldStreamed) / (b.MeanHoldStreamed - a.MeanHoldStreamed)
	for _, c := range [][2]*float64{{&a.NCPInterval, &b.NCPInterval}, {&a.QueryLarge, &b.QueryLarge}, {&a.QuerySmall, &b.QuerySmall},
		{&a.QueryQI, &b.QueryQI}, {&a.QueryLargeModel, &b.QueryLargeModel}, {&a.QuerySmallModel, &b.QuerySmallModel},
		{&a.QueryQIModel, &b.QueryQIModel}} {
		*c[0] += share * (*c[1] - *c[0])
	}
	return a
}

func against(most float64, l2, l1 frontierRow) comparison {
	times := func(a, b float64) float64 {
		if b == 0 {
			return 0 // not asked
		}
		return a / b
	}
	return comparison{
		Seed: l2.Seed, HoldAtMost: most, MaxHold: l2.MaxHold, MeanHoldStreamed: l2.MeanHoldStreamed, NCPInterval: l2.NCPInterval,
		NCPIntervalL1: l1.NCPInterval, MedianBucket: l2.MedianBucket, Never: l2.Never,
		QueryLarge: times(l2.QueryLarge, l1.QueryLarge), QuerySmall: times(l2.QuerySmall, l1.QuerySmall),
		QueryQI: times(l2.QueryQI, l1.QueryQI), QueryLargeModel: times(l2.QueryLargeModel, l1.QueryLargeModel),
		QuerySmallModel: times(l2.QuerySmallModel, l1.QuerySmallModel), QueryQIModel: times(l2.QueryQIModel, l1.QueryQIModel),
	}
}

// spread is one measure of the comparisons at a hold: its mean over the seeds, and its
// ends.
type spread struct {
	Name            string
	Mean, Low, High float64
}

// Spreads are the measures of the comparisons at most so long a hold.
func (r *Result) Spreads(most float64) (out []spread) {
	for _, m := range []struct {
		name string
		of   func(comparison) float64
	}{
		{"mean hold, streamed", func(c comparison) float64 { return c.MeanHoldStreamed }},
		{"ncp_interval", func(c comparison) float64 { return c.NCPInterval }},
		{"ncp_interval, L1", func(c comparison) float64 { return c.NCPIntervalL1 }},
		{"query_large, x L1", func(c comparison) float64 { return c.QueryLarge }},
		{"query_small, x L1", func(c comparison) float64 { return c.QuerySmall }},
		{"query_qi, x L1", func(c comparison) float64 { return c.QueryQI }},
		{"query_large_model, x L1", func(c comparison) float64 { return c.QueryLargeModel }},
		{"query_small_model, x L1", func(c comparison) float64 { return c.QuerySmallModel }},
		{"query_qi_model, x L1", func(c comparison) float64 { return c.QueryQIModel }},
		{"median_bucket", func(c comparison) float64 { return float64(c.MedianBucket) }},
		{"never_published", func(c comparison) float64 { return c.Never }},
	} {
		s, n := spread{Name: m.name, Low: math.Inf(1), High: math.Inf(-1)}, 0
		for _, c := range r.Comparison {
			if c.HoldAtMost == most {
				v := m.of(c)
				s.Mean, s.Low, s.High, n = s.Mean+v, min(s.Low, v), max(s.High, v), n+1
			}
		}
		if n > 0 {
			s.Mean /= float64(n)
			out = append(out, s)
		}
	}
	return out
}
