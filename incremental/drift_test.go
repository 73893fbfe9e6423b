package incremental_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest"
	"anond/equivclass/promise"
	"anond/incremental/state"
)

// TestRareValueBecomesFrequent: a yes that 2 % of people have, and in the end 15 %. With gain against each pool's own bag no pool is
// quarantined,
// and nobody's odds are more than twice those of the pool; against a reference that is declared in the beginning, later
// pools are.
func TestRareValueBecomesFrequent(t *testing.T) {
	twice := promise.Promise{Gain: ratioOf("2"), AtMost: map[string]promise.Ratio{"yes": ratioOf("0.5")}}
	declared := twice
	declared.Reference = map[string]int64{"yes": 2, "no": 98}
	run := func(of *promise.Promise) (quarantined, published, refined int) {
		s := newSchema(t, false)
		p := bucketPolicy(5, 0)
		p.Requirement.L, p.Promises = 0, map[int]*promise.Promise{s.SensitiveIndex(): of}
		p.MinPool, p.OnRefusal, p.MaxHold = 300, state.QuarantineRefused, 1
		p.MaxPool = 600
		f := newPoolFeed(t, s, p, 1)
		rng := equivtest.Rand(4)
		for batch := range 40 {
			rows := make([]equivclass.Row, 200)
			for i := range rows {
				value := "no"
				if rng.IntN(1000) < 20+130*batch/39 {
					value = "yes"
				}
				rows[i] = zoned(rng.IntN(1000), value)
			}
			f.apply(rows)
			intent := f.cut()
			if intent == nil {
				continue
			}
			v, err := f.m.Releases().Change(intent.Release)
			require.NoError(t, err)
			yes := func(r state.RecordID) int {
				if v.Dictionaries[s.SensitiveIndex()].Text(v.SA[0].At(int(r))) == "yes" {
					return 1
				}
				return 0
			}
			inBucket, people, inPool, pool := map[state.BucketID]int{}, map[state.BucketID]int{}, 0, 0
			for _, c := range v.Classes {
				if c.Born != intent.Release {
					continue
				}
				for _, r := range c.Members {
					inBucket[c.Bucket], people[c.Bucket] = inBucket[c.Bucket]+yes(r), people[c.Bucket]+1
					inPool, pool = inPool+yes(r), pool+1
				}
			}
			published += pool
			for b, n := range inBucket {
				if of.Reference == nil { // n/(of-n) <= 2 m/(pool-m)
					require.LessOrEqual(t, n*(pool-inPool), 2*inPool*(people[b]-n))
				}
				if 2*people[b] < pool {
					refined++
				}
			}
		}
		return f.m.Judged().Quarantined, published, refined
	}
	quarantined, published, refined := run(&twice)
	assert.Zero(t, quarantined)
	assert.Greater(t, published, 7000)
	assert.Greater(t, refined, 50, "hardly any pool has several buckets: the test shows nothing")
	quarantined, _, _ = run(&declared)
	assert.Greater(t, quarantined, 5)
}
