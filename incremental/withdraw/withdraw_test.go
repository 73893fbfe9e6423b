package withdraw

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRule: a release withdraws if it is the first of a period, buckets leave by the number of requests alone, and a clock leaps if it lies
// three periods and a month ahead of the newest release and of when it was seen last.
func TestRule(t *testing.T) {
	const day = 86400
	r := Rule{Every: 30 * day, Count: 2}
	assert.False(t, r.Due(0, 30*day-1))
	assert.True(t, r.Due(30*day-1, 30*day))
	assert.False(t, r.Due(30*day, 60*day-1))
	assert.EqualValues(t, 60*day, r.Next(30*day))
	assert.Equal(t, []uint32{2, 9}, r.Leave(map[uint32]int{9: 2, 5: 1, 2: 7, 3: 0}))

	assert.False(t, r.Leaps(0, 0, 90*day))
	assert.True(t, r.Leaps(0, 0, 90*day+1))
	assert.False(t, r.Leaps(0, 90*day, 91*day), "somebody looked at it yesterday")
	assert.False(t, Rule{Every: 1, Count: 1}.Leaps(0, 0, 30*day), "a daemon may be stopped for a month")
	assert.True(t, Rule{Every: 1, Count: 1}.Leaps(0, 0, 30*day+1))

	assert.True(t, Rule{}.Keeps())
	assert.False(t, Rule{}.Due(0, 1<<40))
	assert.False(t, Rule{}.Leaps(0, 0, 1<<40))
}
