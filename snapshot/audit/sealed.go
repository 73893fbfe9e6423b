package audit

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
)

// A release is sealed when it is made: once the gate has passed it, a line of the ledger has the hashes of its manifest and
// of its data files, by which algorithm it was decided, and how many people were published and known. A replay that finds no
// difference is noted next to the ledger. So an audit can go on when files are gone, or when a later program cannot
// make the decisions of an earlier one again.
//
// Guarantee: "sealed" is returned only if everything that is there was checked with both exports and is as "certified" asks,
// and of everything else the ledger says that it passed when it was made: each release without files has a line, from the
// first one up to the oldest that has files, whose manifest is chained to the last of these lines; and a replay that was
// noted covers what other programs decided. So it is with level L2 where people were forgotten, whose values a replay would
// need, and a replay was noted before. Who can write to the ledger can make it say so: it is the publisher's word, as
// the exports are.
//
// Level L2 alone: there a class never changes, so those who were published in a release that is gone are in the same
// class of the oldest one that is there (rule A, frozen classes). At level L1 a class that died may be missing.

// seals are what lies apart from the releases and says what passed when it was made.
type seals struct {
	lines map[int]format.Seal // of the ledger; nil: none was given
	torn  bool                // its last line is
	noted []chain.Noted       // replays
	first int                 // release of the chain, of a view that began later; 0: 1
}

// readSeals reads a ledger, and what is noted of replays next to it.
func readSeals(ledger string) (s seals, err error) {
	if ledger == "" {
		return s, nil
	}
	data, err := format.ReadFile(ledger)
	if err != nil {
		return s, err
	}
	if s.lines, s.torn, err = chain.ParseLedger(ledger, data); err != nil {
		return s, err
	}
	path := ledger + ".replays"
	if data, err = os.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
		return s, nil
	} else if err != nil {
		return s, &format.UnreadableError{File: path, Reason: "cannot be read", Err: err}
	}
	s.noted, err = chain.ParseReplays(path, data)
	return s, err
}

// seal reports that the ledger has sealed all releases before one.
func (s *seals) seal(number int) bool {
	for n := max(1, s.first); n < number; n++ {
		if _, ok := s.lines[n]; !ok {
			return false
		}
	}
	return true
}

// findGone finds releases of which nothing is left, older than any that has files, where the ledger has sealed all of these.
// Without that they are missing, which CheckLink finds.
func (in *input) findGone(o Options) error {
	gone := map[int]string{}
	for n := in.first.First(); n < in.here[0]; n++ {
		if !slices.Contains(in.pruned, n) {
			gone[n] = ""
		}
	}
	if len(gone) == 0 || in.vault != nil || !in.first.AtL2() {
		return nil
	}
	s, err := readSeals(o.Ledger)
	if s.first = in.first.First(); err != nil || !s.seal(in.here[0]) {
		return err
	}
	for n := range gone {
		gone[n] = s.lines[n].Manifest
	}
	in.gone, in.vault = gone, &format.Vault{Lack: "the directories were removed, and not all manifests were kept"}
	return nil
}

// checkGone compares what the ledger has sealed of releases that are gone with the parts of theirs that are left in the oldest
// release that has files. A line of another dataset, or one that was written by hand, is found so, if its parts are.
func (a *auditor) checkGone(s *seals) error {
	if len(a.in.gone) == 0 {
		return nil
	}
	oldest, err := a.in.manifest(a.in.here[0])
	if err != nil {
		return err
	}
	for _, n := range format.SortedKeys(a.in.gone) {
		if is, known := oldest.SealOf(n); known && s.lines[n].Other(is) {
			a.f.Add("chain", format.KindLedgerMismatch, n, 0, "ledger", "the ledger has sealed other data files, or another number of "+
				"people, than a later release has of this one")
		}
	}
	return nil
}

// predecessor is the manifest of the release before, as far as a link needs it.
func (in *input) predecessor(before *format.Manifest, number int) *format.Manifest {
	if sha := in.gone[number-1]; sha != "" {
		return &format.Manifest{Release: number - 1, Sha: sha}
	}
	return before
}

// sealing is what an audit takes from the ledger in place of a check.
type sealing struct {
	Releases []int        `json:"releases,omitempty"` // whose files are gone, and which the ledger has sealed
	Departed int          `json:"departed,omitempty"` // whom releases up to it published first have left (release.window); it has sealed these
	Replay   *chain.Noted `json:"replay,omitempty"`   // the newest that was noted
	Whole    bool         `json:"whole"`              // the ledger has a line for each release
}

// sealedBy notes what the ledger has sealed.
func (a *auditor) sealedBy(s *seals) {
	s.first = a.in.first.First()
	out := &sealing{Whole: !s.torn && s.seal(a.in.newest()+1)}
	if a.unseen && a.in.first.AtL2() && s.seal(a.in.here[0]) {
		for n := s.first; n < a.in.here[0]; n++ {
			out.Releases = append(out.Releases, n)
		}
	}
	if s.seal(a.departed + 1) {
		out.Departed = a.departed
	}
	for i := range s.noted {
		n := &s.noted[i]
		if s.lines[n.Release].Manifest == n.Manifest && (out.Replay == nil || n.Cuts > out.Replay.Cuts) {
			out.Replay = n
		}
	}
	a.report.Sealed = out
}

// judgedNow reports that nothing but this audit has to be believed.
func (a *auditor) judgedNow() bool {
	return !a.unseen && a.departed == 0 && (a.replay == nil || a.replay.Others == "")
}

// passedThen reports that the ledger says of everything else that it passed when it was made.
func (a *auditor) passedThen() bool {
	s := a.report.Sealed
	switch {
	case s == nil, a.unseen && len(s.Releases) == 0, s.Departed < a.departed:
		return false
	case a.replay != nil && a.replay.Others != "":
		return s.covers(a.replay)
	}
	return true
}

// covers reports that a replay that was noted made again what this one did not: what other programs decided, or anything, where
// this one ended early.
func (s *sealing) covers(p *Replay) bool {
	need := Extent{p.Cuts, p.Releases}
	if p.Reason == p.Others { // the rest was made again
		need = p.Foreign
	}
	return s != nil && s.Replay != nil && s.Replay.Cuts >= need.Cuts && s.Replay.Release >= need.Releases
}

// sealed says what was taken from the ledger.
func (t *textWriter) sealed(r *Report) {
	s := r.Sealed
	if s == nil {
		return
	}
	if n := len(s.Releases); n > 0 {
		t.line("")
		t.line("The files of %s are gone. The ledger says that they passed when they were made.", ranges(s.Releases))
	}
	if n := s.Departed; n > 0 {
		t.line("")
		t.line("Whom releases up to %d published first have left, and the state knows their values no more (release.window). The ledger says", n)
		t.line("that these releases passed when they were made.")
	}
	if n := s.Replay; n != nil {
		t.line("")
		t.line("The ledger notes of %s that algorithm %d made all decisions up to release %d again, also in %d worlds.", n.At, n.Algorithm,
			n.Release, n.Worlds)
	}
}

// findGone finds releases of a union of which nothing is left, older than any that has files, where its ledger has sealed all
// of these. At level L2 their people are in the same classes of the oldest one that is there, as in each shard.
func (u *unionAudit) findGone(oldest int) error {
	u.gone = map[int]string{}
	s, err := readSeals(u.o.Ledger)
	if err != nil || !s.seal(oldest) {
		return err
	}
	for n := 1; n < oldest; n++ {
		if !slices.Contains(u.report.Pruned, n) {
			u.gone[n] = s.lines[n].Manifest
		}
	}
	return nil
}

// unsee notes of which shards a pruned release has no manifest any more, because that of the shard is gone, too, and the ledger of
// the shard has sealed the one that the vector names.
func (u *unionAudit) unsee(r *unionRelease) {
	r.gone = map[int]bool{}
	for _, s := range r.man.Union.Shards {
		own := u.chains[s.Shard]
		if r.pruned && s.Release > 0 && r.shards[s.Shard] == nil && own != nil && own.made[s.Release].Manifest == s.SHA256 {
			r.gone[s.Shard] = true
		}
	}
}

// sealedBy notes what the ledger of a union and those of its shards have sealed.
func (u *unionAudit) sealedBy(s *seals) {
	if s.lines == nil {
		return
	}
	out := &sealing{Whole: !s.torn && s.seal(u.newest().number+1), Releases: format.SortedKeys(u.gone)}
	for _, r := range u.releases {
		if len(r.gone) > 0 {
			out.Releases = append(out.Releases, r.number)
		}
	}
	for _, own := range u.chains {
		out.Whole = out.Whole && own.report.Sealed != nil && own.report.Sealed.Whole
	}
	slices.Sort(out.Releases)
	u.report.Sealed = out
}

// isThere reports that something has a name. What cannot be told is read, which says why.
func isThere(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
