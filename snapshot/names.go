package snapshot

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Names in a releases directory.
const (
	currentName = "CURRENT"
	temporary   = ".tmp-" // prefix of what is not yet, or never was, published
	// hierarchyDir holds the copies of hierarchy files.
	hierarchyDir = "hierarchies"
	// intentsDir holds what was decided of releases of a union.
	intentsDir = "intents"
)

// dirName is the directory of a release: six digits, more from a million on.
func dirName(release uint32) string { return fmt.Sprintf("%06d", release) }

// dirOf is the path of a release.
func dirOf(dir string, release uint32) string { return filepath.Join(dir, dirName(release)) }

// parseDirName is the inverse of dirName; 0 and false for any other name.
func parseDirName(name string) (uint32, bool) {
	n, err := strconv.ParseUint(name, 10, 32)
	if err != nil || n == 0 || dirName(uint32(n)) != name {
		return 0, false
	}
	return uint32(n), true
}

func isTemporary(name string) bool { return strings.HasPrefix(name, temporary) }

// valuesDrawn is Manifest.Values of a release whose rows have values by draws.
const valuesDrawn = "drawn"

// manifestName is the file that speaks for a release.
const manifestName = "manifest.json"

// partMode is the mode of files in parts, as manifests write it.
const (
	partMode   = 0o444
	PartMode   = "0444"
	partPrefix = "part-"
)

// partName names a part after the releases whose births it holds: part-000007,
// part-000001-000010.
func partName(first, last uint32) string {
	if first == last {
		return partPrefix + dirName(first)
	}
	return partPrefix + dirName(first) + "-" + dirName(last)
}

// parsePartName is the inverse of partName; false for any other name.
func parsePartName(name string) (first, last uint32, ok bool) {
	text, ok := strings.CutPrefix(name, partPrefix)
	if !ok {
		return 0, 0, false
	}
	from, to, ranged := strings.Cut(text, "-")
	first, ok = parseDirName(from)
	if last = first; ranged && ok {
		last, ok = parseDirName(to)
	}
	return first, last, ok && first <= last && partName(first, last) == name
}

// A pruned release has no directory any more. Its manifest remains in prunedDir, as it
// was published.
//
// Rule N (insert-only) and rule A (frozen) make that harmless for what can be checked: no
// row ever leaves, so the parts of the newest release hold all rows of all releases in
// parts, those of classes that were regrouped since too, and the manifests, which are
// chained by their hashes, name the hash of each file that a pruned release had. An auditor
// finds the same bytes in later releases. Pruning publishes nothing and takes nothing back:
// whoever has a copy of a pruned release still has it, and the promise covers all releases.
const prunedDir = "pruned"

// prunedName is the name of the manifest of a pruned release, below the releases directory.
func prunedName(release uint32) string { return prunedDir + "/" + dirName(release) + ".json" }

func prunedPath(dir string, release uint32) string {
	return filepath.Join(dir, filepath.FromSlash(prunedName(release)))
}

// parsePrunedName is the inverse of the last element of prunedName.
func parsePrunedName(name string) (uint32, bool) {
	number, ok := strings.CutSuffix(name, ".json")
	if !ok {
		return 0, false
	}
	return parseDirName(number)
}

// ErrPruned: the files of the release were pruned, its manifest is there.
var ErrPruned = errors.New("its files were pruned (release.keep)")

// prunedError says that the files of a release are gone on purpose.
func prunedError(dir string, release uint32) error {
	return fmt.Errorf("release %d: %w; its manifest is %s, and its hash is in the ledger", release, ErrPruned, prunedPath(dir, release))
}

// NotPruned returns an error that is ErrPruned if the files of a release were pruned.
func NotPruned(files FS, dir string, release uint32) error {
	on, err := scan(files, dir)
	if err == nil && on.isPruned(release) {
		err = prunedError(dir, release)
	}
	return err
}

// Names of the recodings, as the format has them.
const (
	NameGeneralization = "generalization"
	NameBuckets        = "buckets"
	NameAnatomy        = "anatomy"
	NamePermutation    = "permutation"
)

// bucketsName is the file of what is in buckets.
const bucketsName = "buckets.csv"
