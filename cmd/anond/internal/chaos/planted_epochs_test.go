package chaos

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"anond/cmd/anond/internal/daemon"
	"anond/config"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/snapshot"
)

// epochBugs are those of plans of epochs.
var epochBugs = map[string]planted{
	"a closed epoch has no public mark": {epoch: atStep("releases", func(c *config.Config) error {
		return errors.Join(gone(daemon.ClosedPath(c)), gone(filepath.Join(c.Release.Dir, snapshot.ClosedName)))
	})},
	"an epoch begins without its mark": {epoch: atStep("ledger", func(c *config.Config) error {
		return gone(daemon.EpochPath(c))
	})},
	"an epoch does not know a person of the others": {store: func(s incremental.Store) incremental.Store { return oblivious{s} }},
}

// atStep does something behind a step of the end or the beginning of an epoch.
func atStep(at string, do func(*config.Config) error) func(string, *config.Config) error {
	return func(step string, c *config.Config) error {
		if step != at {
			return nil
		}
		return do(c)
	}
}

func gone(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// TestPlantedBugsOfEpochsAreFound: as TestPlantedBugsAreFound, by plans of epochs alone.
func TestPlantedBugsOfEpochsAreFound(t *testing.T) {
	tier.NotShort(t, "it plays many plans")
	for name, bug := range epochBugs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found(t, bug, 7, 10)
		})
	}
}

// oblivious loses every other person of earlier epochs when it loads them.
type oblivious struct{ incremental.Store }

func (s oblivious) Load(v incremental.Visitor) error {
	earlier := v.Earlier
	v.Earlier = func(people []incremental.EarlierPerson) error {
		var kept []incremental.EarlierPerson
		for i, p := range people {
			if i%2 == 0 {
				kept = append(kept, p)
			}
		}
		return earlier(kept)
	}
	return s.Store.Load(v)
}
