// Package chaos lets seeded plans of faults happen to anond, and judges what is left
// after each of them (make sim, make chaos, rig/docs/CHAOS.md).
//
// A Plan is text: a setting and steps, such as records, faults and runs. generate draws
// it from a seed and a number. There are two kinds. play has the daemon in a bubble of virtual time
// (inside.go), on an injected file system, clock, source and sink, with the real state
// file, publisher and gate; armed.go lets each fault take effect at its moment. playReal
// has the program as processes (outside.go), against kfake behind a proxy, on small disks
// where those can be mounted; strike.go harms them.
//
// Guarantee: a plan that holds has shown that every record sent is published, pending or
// refused, once; that nobody is published twice; that the auditor certifies the chain;
// that a release has the same bytes whenever it is made; that each fault which took effect
// is named by the log; and that anond went on by itself or after the documented command.
// The judgement (oracle.go, archive.go) shares formats with the publisher, and no code.
// A fault that had no effect is not counted.
//
// Limit: what the operating system chooses, such as the moment of a kill of a process, differs when a
// plan with processes is played again.
package chaos

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"anond/config"
	"anond/internal/testkit/programtest"
	"anond/snapshot/audit"
)

func (r *result) take(p *played, err error) { r.Faults, r.Err = append(r.Faults, p.took()...), err }

// playReal plays a plan with processes of the program at the given path.
func playReal(p *chaosPlan, dir, program string) (out result) {
	out.Plan = p
	own, err := os.MkdirTemp(dir, "plan-")
	if err != nil {
		out.Err = err
		return out
	}
	defer os.RemoveAll(own)
	w, err := newOutside(p, own, program, rand.New(rand.NewPCG(seedOf(p), 1)))
	if w != nil {
		defer w.close()
	}
	if err != nil {
		out.Err = err
		return out
	}
	out.take(w.play())
	if out.Err != nil {
		out.Log = w.since(0)
	}
	return out
}

// seedOf is what a plan's random choices depend on: its text.
func seedOf(p *chaosPlan) (h uint64) {
	h = 14695981039346656037
	for _, b := range []byte(p.String()) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

// site is a directory with a configuration, what was sent to it, and what is known of
// what it has published.
type site struct {
	dir     string
	config  *config.Config
	feed    *feed
	archive *archive
	view    *archive // of the view; nil: there is none
	log     *programtest.Text
	source  string                           // its name in exports
	put     func(path, content string) error // writes a published file anew, so that its other names stay as they are
	damaged bool                             // files of releases are known to be damaged
	moved   []string                         // dead-letter files that were moved away
	topic   func() ([][]byte, error)         // reads the topic of dead letters; nil: they go to a file

	people   map[int]bool      // who is published, and the exports: of the verdict
	lived    map[int][]message // where people settle: who is published, with which records
	expired  map[int]bool      // who has left the releases and the state, with a window
	windowed bool              // there is one
	erasing  bool              // buckets leave on request
	least    int               // so many requests a bucket leaves for
	exports  audit.Exports
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

// archives are those of all that is published.
func (s *site) archives() []*archive {
	if s.view == nil {
		return []*archive{s.archive}
	}
	return []*archive{s.archive, s.view}
}

// see copies what is new.
func (s *site) see(damaged bool) (err error) {
	for _, a := range s.archives() {
		err = errors.Join(err, a.see(damaged))
	}
	return err
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

// configure writes and loads the configuration.
func (s *site) configure(text string) (err error) {
	if err := os.WriteFile(s.path("anond.yaml"), []byte(text), 0o600); err != nil {
		return err
	}
	if s.config, _, err = config.Load(s.path("anond.yaml"), os.LookupEnv, os.ReadFile); err == nil {
		s.archive.ledger = s.config.Release.Ledger
	}
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
