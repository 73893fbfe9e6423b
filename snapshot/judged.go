package snapshot

import (
	"fmt"
	"path/filepath"

	"anond/incremental"
	"anond/incremental/durabledir"
)

// The file of judged pools lies next to the ledger and is a witness like it: of pools at level
// L2 that were quarantined or refused. These leave nothing in the releases, so that the ledger
// does not tell whether a state that was restored knows of them (rule B, buckets).
//
// Format (version 1), text of one line, made only once there is such a pool:
//
//	anond pools 1 quarantined N refused true|false

const judgedFormat = "anond pools 1 quarantined %d refused %t\n"

// judgedPath is where the file of a ledger lies.
func judgedPath(ledger string) string { return ledger + ".pools" }

// JudgedError is ErrBehind of a state that does not know of a pool that was judged.
type JudgedError struct {
	Path          string
	Witness, Have incremental.Judged
}

func (e *JudgedError) Error() string {
	what := fmt.Sprintf("%d pools were quarantined, and the state knows of %d", e.Witness.Quarantined, e.Have.Quarantined)
	if e.Witness.Quarantined <= e.Have.Quarantined {
		what = "the first pool was refused, and the state does not know that"
	}
	return fmt.Sprintf("%v: %s has that %s: a pool of some of these people and others would tell about them; restore the newest state, "+
		"or start a new dataset of other records with a new release.dir and a new release.ledger", ErrBehind, e.Path, what)
}

// Is makes errors.Is(err, ErrBehind) true.
func (e *JudgedError) Is(target error) bool { return target == ErrBehind }

// CheckJudged refuses a state that does not know of each pool that was judged.
func CheckJudged(files FS, ledger string, known incremental.Judged) error {
	_, err := checkJudged(files, ledger, known)
	return err
}

func checkJudged(files FS, ledger string, known incremental.Judged) (noted incremental.Judged, err error) {
	path := judgedPath(ledger)
	data, err := files.ReadFile(path)
	if notExist(err) {
		return noted, nil
	}
	if err != nil {
		return noted, fmt.Errorf("read which pools were judged: %w", err)
	}
	if _, err := fmt.Sscanf(string(data), judgedFormat, &noted.Quarantined, &noted.Refused); err != nil ||
		string(data) != fmt.Sprintf(judgedFormat, noted.Quarantined, noted.Refused) {
		return noted, fmt.Errorf("%w: %s does not say which pools were judged", ErrDamaged, path)
	}
	if noted.Ahead(known) {
		return noted, &JudgedError{Path: path, Witness: noted, Have: known}
	}
	return noted, nil
}

// KeepJudged makes what a state knows of judged pools durable next to the ledger. It is called
// when the state has it and before anybody is told, and at each start: a crash may come
// between. A state that knows less than the file is refused.
func (p *Publisher) KeepJudged(known incremental.Judged) error {
	noted, err := checkJudged(p.FS, p.Ledger, known)
	if err != nil || !known.Ahead(noted) {
		return err
	}
	if err := durabledir.Make(p.FS, filepath.Dir(p.Ledger)); err != nil {
		return err
	}
	if err := p.replace(judgedPath(p.Ledger), fmt.Appendf(nil, judgedFormat, known.Quarantined, known.Refused)); err != nil {
		return fmt.Errorf("note which pools were judged: %w", err)
	}
	return nil
}
