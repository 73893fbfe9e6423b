package chaos

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"anond/incremental"
)

// sealed is a line of a ledger.
type sealed struct {
	manifest, parts            string
	algorithm, people, digests int
}

// seals checks the lines of the ledger: none ever changes, also one that was written again after the ledger was lost, and no
// later one counts fewer people. The files of a release may have been gone when its line was written again: then it does not name
// them.
func (a *archive) seals() error {
	text, err := os.ReadFile(a.ledger)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	before := sealed{}
	for line := range strings.Lines(string(text)) {
		var n int
		var is sealed
		if !strings.HasSuffix(line, "\n") {
			break // a crash cut it
		}
		if _, err := fmt.Sscanf(line, "%d %s parts %s algorithm %d people %d digests %d\n", &n, &is.manifest, &is.parts, &is.algorithm,
			&is.people, &is.digests); err != nil {
			return fmt.Errorf("a line of the ledger: %w", err)
		}
		was, known := a.sealed[n]
		if none := strings.Repeat("0", 64); is.parts == none && known {
			is.parts = was.parts
		} else if was.parts == none {
			was.parts = is.parts
		}
		if known && is != was {
			return fmt.Errorf("the ledger sealed release %d as %+v, and as %+v before", n, is, was)
		}
		if is.people < before.people || is.digests < before.digests {
			return fmt.Errorf("the ledger counts fewer people in release %d than in the one before: %+v, %+v", n, is, before)
		}
		a.sealed[n], before = is, is
	}
	return err
}

// counts holds what the ledger counted in a release against those who are in it, and who the state knows.
func (a *archive) counts(release, people, digests int) error {
	is, ok := a.sealed[release]
	if ok && (is.people != people || is.digests > digests || is.digests < people) {
		return fmt.Errorf("the ledger sealed release %d as %+v; it has %d people, and the state knows %d", release, is, people, digests)
	}
	return nil
}

// judgements are what the file next to a ledger says about people who are in no release: how many pools at level L2 were
// quarantined, whether the first one was refused, how many people were in the ones, and how many are barred. The zero value:
// there is no such file.
type judgements struct {
	quarantined    int
	refused        bool
	people, barred int
	fixed          int
}

// beyond says that something was judged here that was not judged there.
func (j judgements) beyond(o judgements) bool {
	return j.quarantined > o.quarantined || j.refused && !o.refused || j.people > o.people || j.barred > o.barred ||
		j.fixed > o.fixed
}

// judged reads the file.
func (s *site) judged() (j judgements, err error) {
	text, err := os.ReadFile(s.judgedPath())
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil
	}
	if err == nil {
		_, err = fmt.Sscanf(string(text), "anond pools 3 fixed %d quarantined %d refused %t people %d barred %d\n",
			&j.fixed, &j.quarantined, &j.refused, &j.people, &j.barred)
	}
	return j, err
}

func (s *site) judgedPath() string { return s.config.Release.Ledger + ".pools" }

// witnessed holds the file against the state at the end of a plan, when both know the same. A shard with a journal
// has none.
func (s *site) witnessed(known incremental.Judged) error {
	if s.config.Shard.Journal.Set() {
		return nil
	}
	j, err := s.judged()
	if err != nil {
		return err
	}
	if j != (judgements{known.Quarantined, known.Refused, known.People, known.Barred, known.Fixed}) {
		return fmt.Errorf("the state knows of judged people: %+v; the file next to the ledger has %+v", known, j)
	}
	return nil
}
