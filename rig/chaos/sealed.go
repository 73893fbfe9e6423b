package chaos

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
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

// loseLedger puts an older copy of the ledger back, of some of its first lines. The next start writes the others again.
func (w *inside) loseLedger(f *fault) error {
	text, err := os.ReadFile(w.archive.ledger)
	if err != nil {
		return nil // there is none yet
	}
	lines := strings.SplitAfter(string(text), "\n")
	if len(lines) < 2 {
		return nil
	}
	f.take(w.log.Len())
	return w.mirror.Put(w.archive.ledger, []byte(strings.Join(lines[:int(f.Draw)%(len(lines)-1)], "")), false)
}
