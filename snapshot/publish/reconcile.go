package publish

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/verify"
)

// Reconcile holds what was published against state, at start and before
// anything is published: the releases directory, CURRENT and the ledger are
// witnesses, and none of them may know more than state does. A state restored
// from an old copy would publish a second, different history of the same
// records, which rule F (forbidden) rules out.
//
// It returns an error that is ErrBehind (exit 5) if a witness is ahead, or has
// another content under a number that state has published. A newest manifest that
// differs while the ledger agrees with state is a damaged file (ErrDamaged): the
// history is one. Lines that the
// ledger lacks are written from state's copy, and so is a CURRENT that names an earlier
// release. Restoring state, releases and
// ledger together to the same old moment cannot be detected.
//
// So it does if the ledger has counted more people than state knows (CountError). intents are all of state's, in order of
// release; digests is how many people it knows by a digest (incremental.Machine.Digests).
func Reconcile(files snapshot.FS, dir, ledgerPath string, intents []state.Intent, digests int) error {
	p := Publisher{FS: files, Dir: dir, Ledger: ledgerPath}
	return p.Reconcile(intents, digests)
}

// Reconcile is the function of that name, for a process next to which others may publish.
func (p *Publisher) Reconcile(intents []state.Intent, digests int) error {
	files, dir, ledgerPath := p.FS, p.Dir, p.Ledger
	on, err := snapshot.Scan(files, dir)
	if err != nil {
		return fmt.Errorf("read the releases directory: %w", err)
	}
	l, err := snapshot.ReadLedger(files, ledgerPath)
	if err != nil {
		return err
	}
	var known uint32
	if len(intents) > 0 {
		known = intents[len(intents)-1].Release
	}
	if newest := max(on.Newest(), on.Current); newest > known {
		return &BehindError{State: known, Witness: "the releases directory", Release: newest}
	}
	if newest := l.Newest().Release; newest > known {
		return &BehindError{State: known, Witness: "the ledger", Release: newest}
	}
	if err := prunedBefore(on, intents); err != nil {
		return err
	}
	if err := sameHistory(files, dir, on, l, intents); err != nil {
		return err
	}
	if sealed := l.Newest(); sealed.Digests > digests {
		return &CountError{sealed.Release, "people by a digest", sealed.Digests, digests}
	}
	if err := appendLedger(files, ledgerPath, p.unwritten(on, l, intents), p.directory().fence); err != nil {
		return fmt.Errorf("repair the ledger: %w", err)
	}
	if err := p.nameNewest(on, intents); err != nil {
		return fmt.Errorf("repair %s: %w", snapshot.CurrentName, err)
	}
	return nil
}

// CatchUp writes into the ledger what it lacks of the releases that state has published, where state
// is behind what was published and follows a journal that has the rest (Reconcile then refuses, and has
// written nothing). Without these lines no release could be repeated: the ledger would have a gap. If
// state has another history than its witnesses, nothing is written.
func CatchUp(files snapshot.FS, dir, ledgerPath string, intents []state.Intent) error {
	on, err := snapshot.Scan(files, dir)
	if err != nil {
		return fmt.Errorf("read the releases directory: %w", err)
	}
	l, err := snapshot.ReadLedger(files, ledgerPath)
	if err != nil {
		return err
	}
	if err := sameHistory(files, dir, on, l, intents); err != nil {
		return err
	}
	p := Publisher{FS: files, Dir: dir}
	if err := appendLedger(files, ledgerPath, p.unwritten(on, l, intents), nil); err != nil {
		return fmt.Errorf("repair the ledger: %w", err)
	}
	return nil
}

// prunedBefore finds releases that were pruned although state has not marked a later one as
// published: pruning comes behind the mark, so state has lost that. It could not go on: a
// release that it takes for unfinished is made of the files of the one before.
func prunedBefore(on *snapshot.Contents, intents []state.Intent) error {
	var marked uint32
	for i := range intents {
		if intents[i].Published {
			marked = intents[i].Release
		}
	}
	if n := len(on.Pruned); n > 0 && on.Pruned[n-1] >= marked {
		return &BehindError{State: marked, Witness: "the directory of pruned manifests", Release: on.Pruned[n-1] + 1}
	}
	return nil
}

// nameNewest makes CURRENT name the newest release again that state has published. It
// was written before that; a disk that lies, or a copy that was put back, may have
// lost it.
func (p *Publisher) nameNewest(on *snapshot.Contents, intents []state.Intent) error {
	for i := len(intents) - 1; i >= 0; i-- {
		n := intents[i].Release
		if !intents[i].Published {
			continue
		}
		if !on.Has(n) || on.Current >= n {
			return nil
		}
		return p.directory().nameCurrent(n)
	}
	return nil
}

// sameHistory compares what state has of releases with the ledger's lines, and the newest manifest with
// the releases directory's.
func sameHistory(files snapshot.FS, dir string, on *snapshot.Contents, l *snapshot.Ledger, intents []state.Intent) error {
	var last *state.Intent
	people := 0
	for i := range intents {
		people += intents[i].Newcomers
		if !intents[i].Published {
			continue
		}
		last = &intents[i]
		if err := sameLine(l, entryOf(last, people)); err != nil {
			return err
		}
	}
	if last == nil || !on.Has(last.Release) {
		return nil
	}
	data, err := files.ReadFile(filepath.Join(snapshot.DirOf(dir, last.Release), snapshot.ManifestName))
	if err == nil && sha256.Sum256(data) == last.Manifest {
		return nil
	}
	if sum, ok := l.Find(last.Release); err == nil && !(ok && sum == last.Manifest) && whole(data) {
		return &BehindError{State: last.Release, Witness: "the releases directory", Release: last.Release, Forked: true}
	}
	// The ledger is on the state's side, or there is no manifest to speak of: the
	// file was changed, there is no other history.
	return verify.Release(files, dir, snapshot.LedgerEntry{Release: last.Release, SHA256: last.Manifest})
}

// sameLine compares what state has of a release with the ledger's line, if there is one.
func sameLine(l *snapshot.Ledger, own snapshot.LedgerEntry) error {
	line, ok := l.Line(own.Release)
	switch own.Parts = line.Parts; {
	case !ok || own == line:
		return nil
	case own.SHA256 != line.SHA256:
		return &BehindError{State: own.Release, Witness: "the ledger", Release: own.Release, Forked: true}
	case line.People > own.People:
		return &CountError{own.Release, "published people", line.People, own.People}
	case line.Digests > own.Digests:
		return &CountError{own.Release, "people by a digest", line.Digests, own.Digests}
	}
	return fmt.Errorf("%w: what the ledger says of release %d is not what the state has", snapshot.ErrDamaged, own.Release)
}

// entryOf is the ledger's line of a published release, without the hash of its parts. people were ever published by then: with a
// window more than the release shows.
func entryOf(i *state.Intent, people int) snapshot.LedgerEntry {
	return snapshot.LedgerEntry{Release: i.Release, SHA256: i.Manifest,
		Seal: snapshot.Seal{Algorithm: i.Algorithm, People: max(people, i.Records), Digests: i.Digests}}
}

// whole reports whether data are a manifest, of whatever release.
func whole(data []byte) bool {
	_, err := snapshot.DecodeManifest(data)
	return err == nil
}

// unwritten returns lines of the published releases that the ledger does not name yet. Parts are those that the manifest
// names; a manifest that is damaged or gone names none.
func (p *Publisher) unwritten(on *snapshot.Contents, l *snapshot.Ledger, intents []state.Intent) []snapshot.LedgerEntry {
	var out []snapshot.LedgerEntry
	people := 0
	for i := range intents {
		people += intents[i].Newcomers
		if !intents[i].Published || intents[i].Release <= l.Newest().Release {
			continue
		}
		e := entryOf(&intents[i], people)
		if m, sum, err := on.ManifestOf(p.FS, p.Dir, e.Release); err == nil && sum == e.SHA256 {
			e.Parts = m.PartsSHA256()
		}
		out = append(out, e)
	}
	return out
}
