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
	CurrentName = "CURRENT"
	Temporary   = ".tmp-" // prefix of what is not yet, or never was, published
	// HierarchyDir holds the copies of hierarchies and of declared references.
	HierarchyDir = "hierarchies"
	// IntentsDir holds what was decided of releases of a union.
	IntentsDir = "intents"
)

// DirName is the directory of a release: six digits, more from a million on.
func DirName(release uint32) string { return fmt.Sprintf("%06d", release) }

// DirOf is the path of a release.
func DirOf(dir string, release uint32) string { return filepath.Join(dir, DirName(release)) }

// ParseDirName is the inverse of dirName; 0 and false for any other name.
func ParseDirName(name string) (uint32, bool) {
	n, err := strconv.ParseUint(name, 10, 32)
	if err != nil || n == 0 || DirName(uint32(n)) != name {
		return 0, false
	}
	return uint32(n), true
}

func IsTemporary(name string) bool { return strings.HasPrefix(name, Temporary) }

// ValuesDrawn is Manifest.Values of a release whose rows have values by draws.
const ValuesDrawn = "drawn"

// ValuesExact is SchemaEntry.Values of numbers that are shown as they are.
const ValuesExact = "exact"

// ManifestName is the file that speaks for a release.
const ManifestName = "manifest.json"

// partMode is the mode of files in parts, as manifests write it.
const (
	partMode   = 0o444
	PartMode   = "0444"
	partPrefix = "part-"
)

// PartName names a part after the releases whose births it holds: part-000007,
// part-000001-000010.
func PartName(first, last uint32) string {
	if first == last {
		return partPrefix + DirName(first)
	}
	return partPrefix + DirName(first) + "-" + DirName(last)
}

// parsePartName is the inverse of partName; false for any other name.
func parsePartName(name string) (first, last uint32, ok bool) {
	text, ok := strings.CutPrefix(name, partPrefix)
	if !ok {
		return 0, 0, false
	}
	from, to, ranged := strings.Cut(text, "-")
	first, ok = ParseDirName(from)
	if last = first; ranged && ok {
		last, ok = ParseDirName(to)
	}
	return first, last, ok && first <= last && PartName(first, last) == name
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
const PrunedDir = "pruned"

// PrunedName is the name of the manifest of a pruned release, below the releases directory.
func PrunedName(release uint32) string { return PrunedDir + "/" + DirName(release) + ".json" }

func PrunedPath(dir string, release uint32) string {
	return filepath.Join(dir, filepath.FromSlash(PrunedName(release)))
}

// ParsePrunedName is the inverse of the last element of prunedName.
func ParsePrunedName(name string) (uint32, bool) {
	number, ok := strings.CutSuffix(name, ".json")
	if !ok {
		return 0, false
	}
	return ParseDirName(number)
}

// ErrPruned: the files of the release were pruned, its manifest is there.
var ErrPruned = errors.New("its files were pruned (release.keep)")

// prunedError says that the files of a release are gone on purpose.
func prunedError(dir string, release uint32) error {
	return fmt.Errorf("release %d: %w; its manifest is %s, and its hash is in the ledger", release, ErrPruned, PrunedPath(dir, release))
}

// NotPruned returns an error that is ErrPruned if the files of a release were pruned.
func NotPruned(files FS, dir string, release uint32) error {
	on, err := Scan(files, dir)
	if err == nil && on.IsPruned(release) {
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

// Documents are the names of the files next to the manifest.
func Documents() []string { return []string{"datapackage.json", "receiver.md"} }

// Data files of level L2.
const (
	DataName    = "data.csv"    // a row a record: cells, class, bucket
	ValuesName  = "values.csv"  // how often each value of each sensitive attribute is in each bucket
	PoolsName   = "pools.csv"   // the same of each pool, when it was born
	BucketsName = "buckets.csv" // of each bucket its pool and how many people are in it
	TablesName  = "tables.csv"  // of each pool how often two values are one person's, for pairs of attributes that are asked for
)
