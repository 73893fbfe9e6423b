package publish_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// TestMembershipOfEarlierReleases: numbers follow from the birth of a class, so
// the newest history tells of an earlier release what that release's own history
// told: with dead classes, and joined parts.
// Mutations under which it was seen to fail: a class that dies later counts as
// dead; the units of a joined part are not shifted.
func TestMembershipOfEarlierReleases(t *testing.T) {
	const releases = 13
	for _, c := range growingChains(5) {
		t.Run(c.name, func(t *testing.T) {
			var want [][]render.Placement
			var newest *render.Membership
			for release := 1; release <= releases; release++ {
				v := c.next(t, release)
				newest = render.NewMembership(publish.Of(v), c.settings)
				placed, err := newest.Of(uint32(release))
				require.NoError(t, err)
				require.Equal(t, len(v.Classes), addresses(placed))
				want = append(want, placed)
			}
			for _, release := range []int{7, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13} {
				placed, err := newest.Of(uint32(release))
				require.NoError(t, err)
				require.Equal(t, want[release-1], placed, release)
			}
		})
	}
}

// addresses counts the classes by part and number.
func addresses(placed []render.Placement) int {
	seen := map[string]bool{}
	for _, p := range placed {
		for _, n := range p.Classes {
			seen[fmt.Sprint(p.Part, " ", n)] = true
		}
	}
	return len(seen)
}
