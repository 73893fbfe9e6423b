package verify

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"anond/snapshot"
)

// Finding is one fault of a releases directory.
type Finding struct {
	Release uint32 `json:"release,omitempty"` // 0: none in particular
	File    string `json:"file"`
	Kind    string `json:"kind"`
	Detail  string `json:"detail"`
}

// Kinds of findings.
const (
	FindUnreadable     = "unreadable"      // a file cannot be read or is no manifest
	FindMissingFile    = "missing_file"    // the manifest names it, it is not there
	FindUnexpectedFile = "unexpected_file" // it is there, nothing names it
	FindHash           = "hash_mismatch"   // other bytes than the manifest says
	FindNumber         = "release_number"  // a gap, or a manifest of another number
	FindChain          = "chain_broken"    // previous is not the manifest before
	FindCurrent        = "current"         // CURRENT is not the newest release
	FindLedger         = "ledger"          // the ledger disagrees
	FindHierarchy      = "hierarchy"       // a copy differs from what a manifest says
)

// verification is what Verify found. No finding: the directory holds what was
// published. It says nothing about privacy; that is the audit's task.
type verification struct {
	Releases int       `json:"releases"`
	Pruned   int       `json:"pruned,omitempty"` // besides: manifests of releases whose files were pruned
	Files    int       `json:"files"`            // data files checked
	Bytes    int64     `json:"bytes"`            // read: links of one file are read once
	Ledger   bool      `json:"ledger"`           // the ledger was compared
	Findings []Finding `json:"findings"`
}

// OK reports that nothing was found.
func (v *verification) OK() bool { return len(v.Findings) == 0 }

// Dir checks hashes, chain, numbering, CURRENT, hierarchy copies and, if
// ledgerPath is not empty, the ledger. It reports every fault; the error says
// that it could not look at all.
func Dir(files snapshot.FS, dir, ledgerPath string) (*verification, error) {
	v := newVerifier(files, dir)
	names, err := files.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	on, err := snapshot.Scan(files, dir)
	if err != nil { // CURRENT: go on without it
		v.find(0, snapshot.CurrentName, FindCurrent, "it is not the number of a release and LF")
		on = &snapshot.Contents{}
		for _, name := range names {
			if n, ok := snapshot.ParseDirName(name); ok {
				on.Releases = append(on.Releases, n)
			}
		}
		slices.Sort(on.Releases)
		on.Current = on.Newest()
		if err := on.FindPruned(files, dir); err != nil {
			v.find(0, snapshot.PrunedDir, FindUnreadable, "%v", err)
		}
	}
	v.top(names, on)
	v.prunedNames(on)
	for _, n := range on.All() {
		v.release(n, on)
	}
	v.prunedMeanwhile(on)
	if ledgerPath != "" {
		v.ledger(ledgerPath, on)
	}
	return &v.out, nil
}

func newVerifier(files snapshot.FS, dir string) *verifier {
	return &verifier{FS: files, dir: dir, out: verification{Findings: []Finding{}}, hierarchies: map[string]string{},
		hashed: map[string][]fs.FileInfo{}}
}

type verifier struct {
	snapshot.FS
	dir         string
	out         verification
	last        uint32                   // newest release seen
	sums        []snapshot.LedgerEntry   // of the manifests read
	hierarchies map[string]string        // copies compared already, with their hash
	hashed      map[string][]fs.FileInfo // files that have a hash; links of one are read once
	found       func(Finding)            // is told each fault at once; may be nil
}

func (v *verifier) find(release uint32, file, kind, format string, args ...any) {
	if kind == FindUnexpectedFile && strings.HasPrefix(path.Base(file), ".") {
		return // the auditor ignores them, too
	}
	f := Finding{Release: release, File: file, Kind: kind, Detail: fmt.Sprintf(format, args...)}
	v.out.Findings = append(v.out.Findings, f)
	if v.found != nil {
		v.found(f)
	}
}

// top looks at the names in the releases directory and at CURRENT.
func (v *verifier) top(names []string, on *snapshot.Contents) {
	v.strays(names)
	// A crash between rename and CURRENT leaves the release before; the next
	// start repairs that, so it is a finding but needs no kind of its own.
	if on.Current != on.Newest() {
		v.find(on.Newest(), snapshot.CurrentName, FindCurrent, "it names release %d, the newest is %d", on.Current, on.Newest())
	}
}

// strays finds what does not belong into a releases directory.
func (v *verifier) strays(names []string) {
	for _, name := range names {
		_, ok := snapshot.ParseDirName(name)
		known := slices.Contains([]string{snapshot.CurrentName, snapshot.HierarchyDir, snapshot.PrunedDir, snapshot.ShardsDir,
			snapshot.IntentsDir}, name)
		if !ok && !known && !snapshot.IsTemporary(name) {
			v.find(0, name, FindUnexpectedFile, "it belongs to no release")
		}
	}
}

// release checks one release and its place in the chain. Of a pruned one the manifest is
// all that there is.
func (v *verifier) release(n uint32, on *snapshot.Contents) {
	path := snapshot.DirName(n) + "/" + snapshot.ManifestName
	if on.IsPruned(n) {
		v.out.Pruned++
		path = snapshot.PrunedName(n)
	} else {
		v.out.Releases++
	}
	m, sum, err := on.ManifestOf(v.FS, v.dir, n)
	first := uint32(1)
	if err == nil {
		first = m.First()
	}
	if n != v.last+1 && (n != first || v.last > 0) {
		v.find(n, snapshot.DirName(n), FindNumber, "it follows release %d", v.last)
	}
	before, whole := v.before(n)
	v.last = n
	if err != nil {
		v.find(n, path, FindUnreadable, "%v", err)
		return
	}
	sealed := snapshot.SealOf(m, sum)
	sealed.Release = n // also where it says otherwise
	v.sums = append(v.sums, sealed)
	if m.Release != n {
		v.find(n, path, FindNumber, "it says release %d", m.Release)
	}
	switch p := m.Previous; {
	case n == first && p != nil:
		v.find(n, path, FindChain, "release %d has a release before it", n)
	case n > first && p == nil:
		v.find(n, path, FindChain, "it names no release before it")
	case n > first && (p.Release != n-1 || whole && p.SHA256 != hex.EncodeToString(before[:])):
		v.find(n, path, FindChain, "previous is not the manifest of release %d", n-1)
	}
	v.copies(n, m)
	if on.IsPruned(n) {
		return
	}
	names, err := v.ReadDir(snapshot.DirOf(v.dir, n))
	if err != nil {
		v.find(n, snapshot.DirName(n), FindUnreadable, "%v", err)
		return
	}
	v.files(n, m, names)
}

// before returns the hash of the manifest before n, if that was read.
func (v *verifier) before(n uint32) ([32]byte, bool) {
	if len(v.sums) == 0 || v.sums[len(v.sums)-1].Release != n-1 {
		return [32]byte{}, false
	}
	return v.sums[len(v.sums)-1].SHA256, true
}

func notExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
