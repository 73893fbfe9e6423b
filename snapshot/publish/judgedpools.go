package publish

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"

	"anond/incremental"
	"anond/internal/disk"
	"anond/snapshot"
)

// The file of judged people lies next to the ledger and is a witness like it: of pools at level
// L2 that were quarantined or refused, and of people who are barred. These leave nothing in the releases, so that the ledger
// does not tell whether a state that was restored knows of them (rules B, buckets, and S, subjects).
//
// Format (version 3), text of one line, made only once there is somebody:
//
//	anond pools 3 fixed N quarantined N refused true|false people N barred N

const judgedFormat = "anond pools 3 fixed %d quarantined %d refused %t people %d barred %d\n"

func judgedLine(j incremental.Judged) []byte {
	return fmt.Appendf(nil, judgedFormat, j.Fixed, j.Quarantined, j.Refused, j.People, j.Barred)
}

// judgedPath is where the file of a ledger lies.
func judgedPath(ledger string) string { return ledger + ".pools" }

// JudgedError is ErrBehind of a state that does not know of somebody who was judged.
type JudgedError struct {
	Path          string
	Witness, Have incremental.Judged
}

func (e *JudgedError) Error() string {
	w, h := e.Witness, e.Have
	var what string
	switch {
	case w.Quarantined > h.Quarantined:
		what = fmt.Sprintf("%d pools were quarantined, and the state knows of %d", w.Quarantined, h.Quarantined)
	case w.Refused && !h.Refused:
		what = "the first pool was refused, and the state does not know that"
	case w.People > h.People:
		what = fmt.Sprintf("%d people are in pools that were quarantined, and the state knows of %d", w.People, h.People)
	case w.Barred <= h.Barred:
		what = fmt.Sprintf("the people of %d pools were fixed, and the state knows of %d", w.Fixed, h.Fixed)
	default:
		what = fmt.Sprintf("records of %d people were refused for what their value can have caused, and the state knows of %d",
			w.Barred, h.Barred)
	}
	return fmt.Sprintf("%v: %s has that %s: what such a state publishes of them would tell their values; restore the newest state, "+
		"or start a new dataset of other records with a new release.dir and a new release.ledger", ErrBehind, e.Path, what)
}

// Unwrap makes errors.Is(err, ErrBehind) true.
func (e *JudgedError) Unwrap() error { return ErrBehind }

// CheckJudged refuses a state that does not know of all who were judged.
func CheckJudged(files snapshot.FS, ledger string, known incremental.Judged) error {
	_, err := checkJudged(files, ledger, known)
	return err
}

func checkJudged(files snapshot.FS, ledger string, known incremental.Judged) (noted incremental.Judged, err error) {
	path := judgedPath(ledger)
	data, err := files.ReadFile(path)
	if notExist(err) {
		return noted, nil
	}
	if err != nil {
		return noted, fmt.Errorf("read who was judged: %w", err)
	}
	_, err = fmt.Sscanf(string(data), judgedFormat, &noted.Fixed, &noted.Quarantined, &noted.Refused, &noted.People, &noted.Barred)
	if err != nil || !bytes.Equal(data, judgedLine(noted)) {
		return noted, fmt.Errorf("%w: %s does not say who was judged", snapshot.ErrDamaged, path)
	}
	if noted.Ahead(known) {
		return noted, &JudgedError{Path: path, Witness: noted, Have: known}
	}
	return noted, nil
}

// KeepJudged makes what a state knows of who was judged durable next to the ledger. It is called
// when the state has it and before anybody is told, and at each start: a crash may come
// between. A state that knows less than the file is refused.
func (p *Publisher) KeepJudged(known incremental.Judged) error {
	noted, err := checkJudged(p.FS, p.Ledger, known)
	if err != nil || !known.Ahead(noted) {
		return err
	}
	if err := disk.MakeDir(p.FS, filepath.Dir(p.Ledger)); err != nil {
		return notNoted(err)
	}
	return p.noteJudged(known)
}

// Unbar notes that nobody is barred, for a state that is to start over.
func (p *Publisher) Unbar() error {
	noted, err := checkJudged(p.FS, p.Ledger, incremental.Judged{Fixed: math.MaxInt, Quarantined: math.MaxInt, Refused: true,
		People: math.MaxInt, Barred: math.MaxInt})
	if err != nil || noted.Barred == 0 {
		return err
	}
	noted.Barred = 0
	return p.noteJudged(noted)
}

func (p *Publisher) noteJudged(j incremental.Judged) error {
	if err := p.directory().Replace(judgedPath(p.Ledger), judgedLine(j)); err != nil {
		return notNoted(err)
	}
	return nil
}

func notNoted(err error) error { return fmt.Errorf("note next to the ledger who was judged: %w", err) }
