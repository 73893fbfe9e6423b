package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/equivclass/promise"
	"anond/snapshot"
)

// Settings is what a release says about how it was made. It must be the same
// for all releases of a chain, but for hierarchies, which may grow.
type Settings struct {
	Dataset  string
	About    *snapshot.About
	Policy   snapshot.Policy
	Recoding Recoding
	// Promises are those of sensitive attributes at level L2, by attribute of the schema; one without has that of Policy.L.
	Promises map[int]*promise.Promise
	// Tables are the pairs of sensitive attributes, by name, of which pair tables are published.
	Tables      [][2]string
	Hierarchies []HierarchyFile
	// Settle is how long people are observed, and Updates what becomes of updates meanwhile, as manifests say it; empty: nobody settles.
	Settle, Updates string
	// MaxRecords is how many records a history has at most (rule U, units); 0: there are no histories. The dictionaries of sensitive
	// attributes then are of sequences.
	MaxRecords int
	// Erasure is when buckets leave whose people asked to be erased; nil: none does.
	Erasure *snapshot.Erasure
	// Window is how the manifest says what leaves, and Granule gives the granule of a release by its number and time: parts are joined
	// inside of one alone (rule W, what may leave). Empty and nil: nothing leaves.
	Window  string
	Granule func(release uint32, created int64) int64
	// Seed keys the draws that number classes which look alike (rule R, randomness).
	Seed Secret
	// Progress is told how much of the present part is rendered; may be nil.
	Progress func(done, all int)
	// Workers is how many goroutines render; 0: one a processor. It has no
	// influence on the bytes.
	Workers int
	// FanIn is how many parts of one level are joined into one of the next; 0: ten. For tests that
	// want many parts of few releases.
	FanIn int
}

// Secret is a seed that formatting does not show.
type Secret [32]byte

// String and GoString keep the seed out of texts.
func (Secret) String() string   { return "secret" }
func (Secret) GoString() string { return "secret" }

// DiversityOf writes principles as the manifest does. A principle of another
// package is written by its name. The reference of t-closeness is the input's.
func DiversityOf(principles []equivclass.Principle) []snapshot.Diversity {
	out := make([]snapshot.Diversity, 0, len(principles))
	for _, p := range principles {
		switch p := p.(type) {
		case equivclass.FrequencyL:
			out = append(out, snapshot.Diversity{Kind: "frequency", L: float64(p.L)})
		case equivclass.DistinctL:
			out = append(out, snapshot.Diversity{Kind: "distinct", L: float64(p.L)})
		case equivclass.EntropyL:
			out = append(out, snapshot.Diversity{Kind: "entropy", L: p.L})
		case equivclass.RecursiveL:
			out = append(out, snapshot.Diversity{Kind: "recursive", L: float64(p.L), C: p.C})
		case equivclass.TClose:
			out = append(out, snapshot.Diversity{Kind: "t", T: p.T, Distance: p.Ground.Name(), Declared: p.Declared})
		default:
			out = append(out, snapshot.Diversity{Kind: p.Name()})
		}
	}
	return out
}

// Copy is a file that stands next to the releases.
type Copy struct {
	snapshot.Copy
	Content []byte
}

// Copies are the files next to the releases that manifests name: hierarchies and declared references.
func (s *Settings) Copies() (out []Copy) {
	for i := range s.Hierarchies {
		h := &s.Hierarchies[i]
		of := snapshot.Copy{Of: fmt.Sprintf("hierarchy of attribute %q", h.Attribute), File: h.CopyName(), SHA256: h.sha256()}
		out = append(out, Copy{of, h.Content})
	}
	for _, i := range slices.Sorted(maps.Keys(s.Promises)) {
		if declared := s.Promises[i].Reference; declared != nil {
			r, content := snapshot.NewReference(declared)
			out = append(out, Copy{snapshot.Copy{Of: "declared reference", File: r.File, SHA256: r.SHA256}, content})
		}
	}
	return out
}

// HierarchyFile is the file that an attribute's hierarchy was read from. A copy
// lies in the releases directory, so that a reader can tell what a label covers.
type HierarchyFile struct {
	Attribute string
	File      string // path or name; the copy has its last element
	Content   []byte
	// Grown: the file is not the one that release 1 was made with. Its copy has a
	// name of its own, since earlier manifests name the copies before it.
	Grown bool
}

func (h *HierarchyFile) CopyName() string {
	base := filepath.Base(h.File)
	if h.Grown {
		ext := filepath.Ext(base)
		base = strings.TrimSuffix(base, ext) + "-" + h.sha256()[:16] + ext
	}
	return snapshot.HierarchyDir + "/" + base
}

func (h *HierarchyFile) sha256() string {
	sum := sha256.Sum256(h.Content)
	return hex.EncodeToString(sum[:])
}
