package chaos

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"anond/config"
	"anond/internal/testkit/programtest"
	"anond/snapshot/audit"
)

// site is a directory with a configuration, what was sent to it, and what is known of
// what it has published.
type site struct {
	dir     string
	config  *config.Config
	feed    *feed
	archive *archive
	log     *programtest.Text
	source  string                   // its name in exports
	damaged bool                     // files of releases are known to be damaged
	moved   []string                 // dead-letter files that were moved away
	topic   func() ([][]byte, error) // reads the topic of dead letters; nil: they go to a file

	people  map[int]bool // who is published, and the exports: of the verdict
	exports audit.Exports
}

func newSite(dir string, random *rand.Rand, partitions int) (*site, error) {
	for _, name := range []string{"disk", "state"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	return &site{dir: dir, feed: newFeed(random, partitions), archive: newArchive(filepath.Join(dir, "disk", "releases")),
		log: &programtest.Text{}, source: sourceName}, nil
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

// configure writes and loads the configuration.
func (s *site) configure(text string) (err error) {
	if err := os.WriteFile(s.path("anond.yaml"), []byte(text), 0o600); err != nil {
		return err
	}
	s.config, _, err = config.Load(s.path("anond.yaml"), os.LookupEnv, os.ReadFile)
	return err
}

// letters is the dead-letter file.
func (s *site) letters() string { return s.path("dead-letter/dead-letter.ndjson") }

// moveLetters moves the dead-letter file away, as the message says.
func (s *site) moveLetters() error {
	to := s.path(fmt.Sprintf("dead-letter/moved-%d.ndjson", len(s.moved)))
	s.moved = append(s.moved, to)
	return os.Rename(s.letters(), to)
}
