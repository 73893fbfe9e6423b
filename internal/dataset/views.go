package dataset

import (
	"time"

	"anond/config"
	"anond/internal/fault"
	"anond/snapshot/publish"
)

// Views is the port of package internal/views: what stands next to the releases and is made of their files. It opens what a
// configuration names; each is brought up to the releases of a directory whenever these have changed, and at a start.
type Views interface {
	Open(c *config.Config) []Follower
}

// Follower brings what it makes up to the release that CURRENT names in a directory. It may be called again after any failure.
type Follower interface {
	Follow(of publish.Directory) error
	// Newest is its newest release and how many it lacks, as the newest call of Follow has left it.
	Newest() (name string, release uint32, created time.Time, behind int)
}

var views Views // nil: this program has no views

// RegisterViews gives the program views. It is called before anything else is.
func RegisterViews(v Views) { views = v }

// FollowersOf opens what stands next to the releases of a configuration.
func FollowersOf(c *config.Config) ([]Follower, error) {
	switch {
	case views != nil:
		return views.Open(c), nil
	case len(c.Release.Views) > 0:
		return nil, fault.Errorf(fault.Config, "remove release.views, or use a program that has views",
			"release.views: this program has no views")
	}
	return nil, nil
}
