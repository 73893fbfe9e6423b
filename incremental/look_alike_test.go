package incremental_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental/withdraw"
	"anond/snapshot/audit"
	"anond/snapshot/render"
)

// TestBucketsThatLookAlikeKeepTheirNumbers: buckets of a part have the same cells, and many the same bag, so that draws number them.
// People who leave the state with an older part move the numbers of records, and must not move these: what releases say of a bucket,
// that it has left or how many of its people are stale, would be said of another one from then on, and the gate would refuse every
// later release.
func TestBucketsThatLookAlikeKeepTheirNumbers(t *testing.T) {
	const day = 86400
	for _, c := range []struct {
		name  string
		rule  withdraw.Rule
		stale bool
	}{{"withdrawn", withdraw.Rule{Every: day, Count: 1}, false}, {"stale", withdraw.Rule{}, true}} {
		t.Run(c.name, func(t *testing.T) {
			w := newLosing(t, "8d", c.rule, render.Buckets())
			removed, lost := 0, 0
			for range 30 {
				w.now += day
				for range 60 {
					w.person++
					w.apply(source, w.offset, equivclass.Row{fmt.Append(nil, "p", w.person), []byte("1"), {byte('a' + w.person%4)}})
					w.offset++
				}
				w.m.Tick(w.now)
				if old := w.person - 180; old > 0 && c.stale {
					w.m.Outdate(fmt.Append(nil, "p", old))
				} else if old > 0 {
					w.asked(old)
				}
				if w.cut() != nil && w.removed() {
					removed++
				}
				s := w.m.Status()
				lost = max(lost, s.Withdrawn, s.Stale)
				require.Equal(t, s.Sent, s.Accounted())
			}
			require.Greater(t, removed, 5)
			require.Greater(t, lost, 5)
			report, err := audit.Dir(w.exports(w.m, w.store))
			require.NoError(t, err)
			require.Empty(t, report.Violations)
		})
	}
}

// TestABucketWithStalePeopleLeaves: what a release said of its stale people leaves with it.
func TestABucketWithStalePeopleLeaves(t *testing.T) {
	const day = 86400
	w := newLosing(t, "", withdraw.Rule{Every: day, Count: 1}, render.Buckets())
	for range 8 {
		w.now += day
		w.come(60)
		require.NotNil(t, w.cut())
		w.m.Outdate(fmt.Append(nil, "p", w.person-50))
		w.m.Outdate(fmt.Append(nil, "p", w.person-40))
		w.now += day
		w.come(60)
		require.NotNil(t, w.cut())
		w.asked(w.person - 110)
	}
	require.Positive(t, w.m.Status().Withdrawn)
	require.Positive(t, w.m.Status().Stale)
	w.certify()
}
