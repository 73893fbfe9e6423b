package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"anond/equivclass"
)

// Settings is what a release says about how it was made. It must be the same
// for all releases of a chain, but for hierarchies, which may grow.
type Settings struct {
	Dataset     string
	Policy      Policy
	Recoding    Recoding
	Hierarchies []HierarchyFile
	// Seed keys the draws that number classes which look alike (rule R, randomness).
	Seed Secret
	// Progress is told how much of the present part is rendered; may be nil.
	Progress func(done, all int)
	// Workers is how many goroutines render; 0: one a processor. It has no
	// influence on the bytes.
	Workers int
}

// Secret is a seed that formatting does not show.
type Secret [32]byte

// String and GoString keep the seed out of texts.
func (Secret) String() string   { return "secret" }
func (Secret) GoString() string { return "secret" }

// Policy is the manifest's policy block.
type Policy struct {
	K             int         `json:"k"`
	L             int         `json:"l"`
	Diversity     []Diversity `json:"diversity"`
	Republication string      `json:"republication"`
	MaxRegroups   int         `json:"max_regroups"` // negative: no bound
	SubjectRepeat string      `json:"subject_repeat,omitempty"`
	Level         string      `json:"level,omitempty"`    // policyL2, or empty; it is that of the input
	MinPool       int         `json:"min_pool,omitempty"` // level L2: least number of records of a pool, if one is set
}

// policyL2 is how a manifest writes level L2.
const policyL2 = "L2"

// Diversity is a further principle in the manifest, such as
// {"kind":"recursive","l":3,"c":2}. t-closeness names its ground distance and
// the distribution that it compares with: declared, or the values of release 1.
type Diversity struct {
	Kind      string       `json:"kind"`
	L         float64      `json:"l,omitempty"`
	C         float64      `json:"c,omitempty"`
	T         float64      `json:"t,omitempty"`
	Distance  string       `json:"distance,omitempty"`
	Declared  bool         `json:"declared,omitempty"`
	Reference []ValueCount `json:"reference,omitempty"`
}

// ValueCount is a value of a reference distribution, with its weight.
type ValueCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// DiversityOf writes principles as the manifest does. A principle of another
// package is written by its name. The reference of t-closeness is the input's.
func DiversityOf(principles []equivclass.Principle) []Diversity {
	out := make([]Diversity, 0, len(principles))
	for _, p := range principles {
		switch p := p.(type) {
		case equivclass.FrequencyL:
			out = append(out, Diversity{Kind: "frequency", L: float64(p.L)})
		case equivclass.DistinctL:
			out = append(out, Diversity{Kind: "distinct", L: float64(p.L)})
		case equivclass.EntropyL:
			out = append(out, Diversity{Kind: "entropy", L: p.L})
		case equivclass.RecursiveL:
			out = append(out, Diversity{Kind: "recursive", L: float64(p.L), C: p.C})
		case equivclass.TClose:
			out = append(out, Diversity{Kind: "t", T: p.T, Distance: p.Ground.Name(), Declared: p.Declared})
		default:
			out = append(out, Diversity{Kind: p.Name()})
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

// hierarchyDir holds the copies, below the releases directory.
const hierarchyDir = "hierarchies"

func (h *HierarchyFile) copyName() string {
	base := filepath.Base(h.File)
	if h.Grown {
		ext := filepath.Ext(base)
		base = strings.TrimSuffix(base, ext) + "-" + h.sha256()[:16] + ext
	}
	return hierarchyDir + "/" + base
}

func (h *HierarchyFile) sha256() string {
	sum := sha256.Sum256(h.Content)
	return hex.EncodeToString(sum[:])
}
