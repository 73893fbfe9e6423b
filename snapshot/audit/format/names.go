package format

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"slices"
	"strings"
)

func SortedKeys[V any](m map[int]V) []int { return slices.Sorted(maps.Keys(m)) }

func Share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// MaxRows bounds what a count field may expand to.
const MaxRows = 1 << 28

// Fit gives s the length n, keeping what is there and zeroing what is new.
func Fit[T any](s []T, n int) []T {
	if n <= len(s) {
		return s[:n]
	}
	return append(s, make([]T, n-len(s))...)
}

// ListReleases gives the numbers of the release directories, ascending.
// Unfinished ones (.tmp-...) are not releases.
func ListReleases(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &UnreadableError{File: dir, Reason: "cannot be listed", Err: err}
	}
	var numbers []int
	for _, e := range entries {
		if n := ParseDirName(e.Name()); n > 0 && e.IsDir() {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) == 0 {
		return nil, Unreadable(dir, 0, "holds no release")
	}
	slices.Sort(numbers)
	return numbers, nil
}

// A release may have been pruned: its directory is gone, and its manifest is kept as it
// was, as pruned/000003.json. The manifests are chained by their hashes as ever, and each
// names the hashes of the files that its release had.
//
// Guarantee: a file of a pruned release is taken for seen only if its bytes were put
// together from those of a release that has its directory, and have the hash that its
// manifest names. Then the release is audited as if it lay there. Where one file of one
// pruned release cannot be had so, none of them counts as seen, the report says so, and
// nothing is certified.
//
// Method: no row ever leaves (rule N), also those of classes that were regrouped since. So
// every part that was ever published stands in the oldest release that has its directory,
// as it was or in a compaction. A compaction holds the rows of the parts it replaces one
// after another, with numbers of classes and buckets shifted: undo.go shifts them back.
const PrunedDir = "pruned"

func HexSHA(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// DirName is the directory of a release.
func DirName(release int) string {
	digits := []byte("000000")
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = byte('0' + release%10)
		release /= 10
	}
	return string(digits)
}

// ParseDirName reads six digits; zero means not a release directory.
func ParseDirName(name string) int {
	if len(name) != 6 || strings.Trim(name, "0123456789") != "" {
		return 0
	}
	n := 0
	for _, c := range []byte(name) {
		n = n*10 + int(c-'0')
	}
	return n
}
