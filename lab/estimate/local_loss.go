package estimate

import (
	"anond/equivclass"
	"anond/equivclass/cut"
	"anond/equivclass/flagged"
	"anond/lab/lgb"
)

// LocalNCP is the NCP of the generalized values of a table cut by LGB, summed
// over records and attributes (Li, He and Sun, section 3.2.2), with the number
// of values that are QI. Bucketed values are exact and cost nothing; withheld
// records cost 1 for each QI value.
//
// Difference from the paper: it divides by the number of values, not by one
// less, which charges an exact category too. Here, as in all of this package,
// an exact value costs 0 and the whole domain 1.
func LocalNCP(t *flagged.Table, result *lgb.Result) (sum float64, values int) {
	space := equivclass.NewSpace(t.Dicts)
	for g, rows := range result.Groups {
		quasi := t.QuasiOf(result.Flags[g])
		if len(quasi) == 0 {
			continue
		}
		p := t.PoolOf(space, rows, quasi, -1)
		sum += p.Loss(cut.Identity(p.Len())) * float64(len(quasi)*len(rows))
		values += len(quasi) * len(rows)
	}
	for _, r := range result.Rest {
		n := len(t.QuasiOf(t.Flags[r]))
		sum, values = sum+float64(n), values+n
	}
	return sum, values
}

// BucketWidth is the mean, over the sensitive values of an attribute, of the
// NCP of their local bucket: how far apart the values are that a row may have.
// Algorithm 2 keeps it small.
func BucketWidth(t *flagged.Table, result *lgb.Result, attribute int) float64 {
	space, sum, n := equivclass.NewSpace(t.Dicts), 0.0, 0
	for _, rows := range result.Buckets[attribute] {
		p := t.PoolOf(space, rows, []int{attribute}, -1)
		sum += p.Loss(cut.Identity(p.Len())) * float64(len(rows))
		n += len(rows)
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
