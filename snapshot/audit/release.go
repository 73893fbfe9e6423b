package audit

import (
	"math"
	"path/filepath"
)

// release is one parsed release.
type release struct {
	num   int
	man   *Manifest
	tab   *table
	parts *parted
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
