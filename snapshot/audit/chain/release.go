package chain

import (
	"math"
	"path/filepath"
	"slices"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// Release is one parsed release.
type Release struct {
	Num   int
	Man   *format.Manifest
	Tab   *table.Table
	Parts *Parted
}

// Withdraws reports that buckets leave with the release.
func (rel *Release) Withdraws() bool { return rel.Parts.withdraws }

// Left reports whether a class of the release before has left with its bucket, by its number in the layout.
func (p *Parted) Left(id uint32) bool {
	_, stays := slices.BinarySearch(p.Ids, id)
	return p.withdraws && !stays
}

// Base is the histogram of what the release has of the one before, whose histogram is given.
func (rel *Release) Base(before []int, values int) []int {
	if !rel.Parts.withdraws {
		return before
	}
	base := rel.Tab.Histogram(values)
	if born := rel.Parts.born; born != nil {
		for v, n := range born.Histogram(values) {
			base[v] -= n
		}
	}
	return base
}

// LoadManifest reads manifest.json of a release directory.
func LoadManifest(dir string) (*format.Manifest, error) {
	path := filepath.Join(dir, "manifest.json")
	data, err := format.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return format.ParseManifest(path, data)
}

// CheckCounts compares the manifest's numbers with the table.
func CheckCounts(man *format.Manifest, s *format.Schema, t *table.Table, f *format.Faults) {
	kMin, freq := 0, 0.0
	for c := range t.M {
		if size := t.Size(c); kMin == 0 || size < kMin {
			kMin = size
		}
		if t.OwnBags() {
			freq = max(freq, float64(t.Top[c])/float64(t.Size(c)))
		}
	}
	var reach table.Reach
	if !t.OwnBags() {
		freq, reach = t.Shared.MostShare(), table.Judge(man, s, t.Shared, nil)
	}
	CheckNumbers(man, t.Rows(), t.M, t.Buckets(), kMin, freq, reach, f)
}

func CheckNumbers(man *format.Manifest, records, classes, buckets, kMin int, freq float64,
	reach table.Reach, f *format.Faults) {
	if !man.AtL2() {
		buckets = 0 // checkLevel
	}
	const detail = "the manifest's number differs from the files"
	for _, n := range []struct {
		name       string
		want, have int
	}{{"records", man.Records, records}, {"classes", man.Classes, classes}, {"privacy.k_min", man.Privacy.KMin, kMin},
		{"buckets", man.Buckets, buckets}} {
		if n.want != n.have {
			f.Add("files", format.KindCountMismatch, man.Release, 0, n.name, detail)
		}
	}
	if math.Abs(man.Privacy.MaxFrequency-freq) > 1e-6 {
		f.Add("files", format.KindCountMismatch, man.Release, 0, "privacy.max_frequency", detail)
	}
	if man.Withdraws() && len(man.Privacy.Attributes) == len(reach) { // the worst of all that were ever there
		reach = reach.Worse(man.Privacy.Attributes)
	}
	if !slices.Equal(man.Privacy.Attributes, reach) {
		f.Add("files", format.KindCountMismatch, man.Release, 0, "privacy.attributes", detail)
	}
}

// CheckClaims tests declarations that follow from other declarations.
func CheckClaims(man *format.Manifest, f *format.Faults) {
	format.CheckLevel(man, f)
	format.CheckPool(man, f)
	if man.Privacy.K1 != man.WantK1() {
		f.Add("claim", format.KindClaimFalse, man.Release, 0, "privacy.k1", "the claim does not fit the recoding")
	}
	if man.Privacy.Level != man.LevelClaim() {
		f.Add("claim", format.KindClaimFalse, man.Release, 0, "privacy.level", "the release claims another level than it can have")
	}
}
