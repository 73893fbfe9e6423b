package render

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"anond/equivclass/equivtest/tier"
)

// TestFewParts: whatever the number of releases, there are fewer than a hundred, which cover every release once; a
// row is rewritten once a level; and what is listed is what standing parts and the
// newest release say.
func TestFewParts(t *testing.T) {
	tier.NotShort(t, "it counts the parts of many releases")
	names := func(release uint32) (out []string) {
		for _, p := range (spanning{&Input{Release: release}, &Settings{}}).of(release) {
			out = append(out, p.name())
		}
		return out
	}
	assert.Equal(t, []string{"part-000001"}, names(1))
	assert.Equal(t, []string{"part-000001-000010", "part-000011"}, names(11))
	assert.Equal(t, []string{"part-000001-000100", "part-000101"}, names(101))
	assert.Len(t, names(100), 19)
	most := 0
	for _, release := range []uint32{999, 1001, 12345, 99999} {
		most = max(most, len(names(release)))
	}
	assert.Less(t, most, 60)
	assert.Greater(t, most, 40)
}
