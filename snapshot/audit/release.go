package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// release is one parsed release.
type release struct {
	num   int
	man   *Manifest
	tab   *table
	parts *parted
}

func hexSHA(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// loadManifest reads manifest.json of a release directory.
func loadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, "manifest.json")
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return parseManifest(path, data)
}

// checkFiles compares file entries with the files read: their hashes, bytes and
// rows.
func checkFiles(entries []File, names, sha []string, data [][]byte, rows map[string]int, release int, f *faults) {
	listed := map[string]File{}
	for _, e := range entries {
		listed[e.Name] = e
	}
	for i, name := range names {
		e, ok := listed[name]
		if !ok || e.SHA256 != sha[i] {
			f.add("files", kindHashMismatch, release, 0, name, "the file is not the one the manifest names")
		}
		if e.Bytes != int64(len(data[i])) {
			f.add("files", kindSizeMismatch, release, 0, name, "the file's length differs from the manifest")
		}
		if e.Rows != rows[name] {
			f.add("files", kindRowsMismatch, release, 0, name, "the file's number of rows differs from the manifest")
		}
	}
}

// checkNames finds files nobody announced: a side channel, or a second
// rendering (rule F, forbidden operations).
func checkNames(dir string, names []string, entries []File, release int, f *faults) error {
	for _, e := range entries {
		if !slices.Contains(names, e.Name) {
			f.add("claim", kindClaimFalse, release, 0, "files", "the manifest names a file that the recoding does not have")
		}
	}
	return unnamed(dir, func(e os.DirEntry) bool { return slices.Contains(names, e.Name()) }, release, f)
}

// checkCounts compares the manifest's numbers with the table.
func checkCounts(man *Manifest, t *table, f *faults) {
	kMin, freq := 0, 0.0
	for c := range t.m {
		if size := t.size(c); kMin == 0 || size < kMin {
			kMin = size
		}
		if t.ownBags() {
			freq = max(freq, float64(t.top[c])/float64(t.size(c)))
		}
	}
	if !t.ownBags() {
		freq = t.shared.mostShare()
	}
	checkNumbers(man, t.rows(), t.m, t.buckets(), kMin, freq, f)
}

func checkNumbers(man *Manifest, records, classes, buckets, kMin int, freq float64, f *faults) {
	if !man.atL2() {
		buckets = 0 // checkLevel
	}
	const detail = "the manifest's number differs from the files"
	for _, n := range []struct {
		name       string
		want, have int
	}{{"records", man.Records, records}, {"classes", man.Classes, classes}, {"privacy.k_min", man.Privacy.KMin, kMin},
		{"buckets", man.Buckets, buckets}} {
		if n.want != n.have {
			f.add("files", kindCountMismatch, man.Release, 0, n.name, detail)
		}
	}
	if math.Abs(man.Privacy.MaxFrequency-freq) > 1e-6 {
		f.add("files", kindCountMismatch, man.Release, 0, "privacy.max_frequency", detail)
	}
}

// checkClaims tests declarations that follow from other declarations.
func checkClaims(man *Manifest, f *faults) {
	checkLevel(man, f)
	checkPool(man, f)
	if man.Privacy.K1 != man.wantK1() {
		f.add("claim", kindClaimFalse, man.Release, 0, "privacy.k1", "the claim does not fit the recoding")
	}
	if man.Privacy.Level != man.levelClaim() {
		f.add("claim", kindClaimFalse, man.Release, 0, "privacy.level", "the release claims another level than it can have")
	}
}

// checkPrinciples tests k, frequency l, and the declared extra principles on
// every class.
func checkPrinciples(man *Manifest, s *schema, t *table, f *faults) {
	extra, _ := man.Policy.principles()
	var counts []int
	var bag scratchBag
	for c := range t.m {
		size := t.size(c)
		if size < man.Policy.K {
			f.add("K", kindClassBelowK, man.Release, c+1, "", "a class has fewer than k records")
		}
		if size > man.Policy.K && man.atL2() {
			f.add("B", kindClassAboveK, man.Release, c+1, "", "a class has more than k records, and at level L2 it has exactly k")
		}
		if !t.ownBags() {
			continue // checkBuckets
		}
		if int(t.top[c])*man.Policy.L > size {
			f.add("L", kindValueAboveL, man.Release, c+1, "", "one value has more than 1/l of a class")
		}
		if len(extra) == 0 {
			continue
		}
		counts = bagCounts(t.bag(c), counts[:0])
		for _, p := range extra {
			if p.Close == nil && !p.holds(counts, size) {
				f.add("L", kindPrinciple, man.Release, c+1, p.Kind, "a declared diversity principle does not hold")
			}
		}
		for _, p := range s.close {
			if !p.holds(bag.of(t.bag(c))) {
				f.add("T", kindPrinciple, man.Release, c+1, "t", "a declared diversity principle does not hold")
			}
		}
	}
}

// scratchBag turns bags into distinct values and counts.
type scratchBag struct{ values, counts []uint32 }

func (s *scratchBag) of(bag []uint32) (values, counts []uint32) {
	s.values, s.counts = s.values[:0], s.counts[:0]
	for i, v := range bag {
		if i == 0 || v != bag[i-1] {
			s.values, s.counts = append(s.values, v), append(s.counts, 0)
		}
		s.counts[len(s.counts)-1]++
	}
	return s.values, s.counts
}

// bagCounts appends the multiplicities of a bag sorted by id.
func bagCounts(bag []uint32, counts []int) []int {
	for i, v := range bag {
		if i == 0 || v != bag[i-1] {
			counts = append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return counts
}

// dirName is the directory of a release.
func dirName(release int) string {
	digits := []byte("000000")
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = byte('0' + release%10)
		release /= 10
	}
	return string(digits)
}

// parseDirName reads six digits; zero means not a release directory.
func parseDirName(name string) int {
	if len(name) != 6 || strings.Trim(name, "0123456789") != "" {
		return 0
	}
	n := 0
	for _, c := range []byte(name) {
		n = n*10 + int(c-'0')
	}
	return n
}
