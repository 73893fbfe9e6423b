package readback

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/snapshot"
)

// Release is a published release, read back from its files: what an analyst has.
type Release struct {
	Manifest *snapshot.Manifest
	Schema   *equivclass.Schema
	// Dicts of the quasi-identifiers in order, then of the sensitive attribute.
	Dicts []*equivclass.Dictionary
	Start []int32           // first row of each class, and behind the last
	SA    []equivclass.Code // by row
	// QI is by quasi-identifier, then row, where cells are exact; nil under
	// generalization. Rows of permutation are no records.
	QI [][]equivclass.Code
	// Cells is by class, then column; nil where cells are exact.
	Cells [][]query.Cell
	// Buckets is the first row of each bucket of level L2, and behind the last; nil at
	// level L1. Rows stand bucket by bucket; a bucket's values are in SA at the places of
	// its rows, and whose row which of them is, nobody is told.
	Buckets []int32

	// Others are the sensitive attributes behind the first, at level L2.
	Others []SensitiveValues

	dir     string                   // of the release itself
	further []*equivclass.Dictionary // of Others
	poolsOf []int32
	tables  []query.PairTable
	form    form // once loaded
}

// Open reads the manifest of a release: of the current one of a releases
// directory, or of the release whose directory is named itself.
func Open(dir string) (*Release, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	top, number := dir, uint32(0)
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err == nil {
		n, err := strconv.ParseUint(filepath.Base(dir), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s holds a manifest, but is not named by the number of its release: "+
				"give the copy its name back, such as 000001", dir)
		}
		top, number = filepath.Dir(dir), uint32(n)
	} else if n, err := strconv.ParseUint(filepath.Base(dir), 10, 32); err == nil {
		if err := snapshot.NotPruned(snapshot.OS(), filepath.Dir(dir), uint32(n)); errors.Is(err, snapshot.ErrPruned) {
			return nil, err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "CURRENT")); number == 0 && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no release and no directory of releases: it has neither manifest.json nor CURRENT", dir)
	}
	return OpenNumber(top, number)
}

// OpenNumber reads the manifest of a release of a releases directory; 0 asks for
// the current one. The files of a pruned one cannot be read (snapshot.ErrPruned).
func OpenNumber(top string, number uint32) (*Release, error) {
	m, err := snapshot.Show(snapshot.OS(), top, number)
	if err != nil {
		return nil, err
	}
	if err := snapshot.NotPruned(snapshot.OS(), top, m.Release); err != nil {
		return nil, err
	}
	r := &Release{Manifest: m, dir: filepath.Join(top, fmt.Sprintf("%06d", m.Release))}
	r.Schema, err = schemaOf(m, top)
	return r, err
}

// Top is the directory of the releases.
func (r *Release) Top() string { return filepath.Dir(r.dir) }

// Load reads the data files. dicts, if not nil, are those of the records that
// the release is compared with: of the quasi-identifiers and then the sensitive attributes. They grow by what is new.
func (r *Release) Load(dicts []*equivclass.Dictionary) error {
	if dicts == nil {
		for _, i := range slices.Concat(r.Schema.Quasi(), r.Schema.Sensitive()) {
			dicts = append(dicts, r.dictionary(i))
		}
	}
	all := len(r.Schema.Quasi()) + 1
	if d := dicts[all-1]; d.Records() != r.Manifest.Privacy.MaxRecords {
		return fmt.Errorf("release %d has histories of people: no file says which records of a table came while they were observed, so that it "+
			"cannot be compared with one; anond-lab query answers from the release alone",
			r.Manifest.Release)
	}
	r.Dicts, r.further = dicts[:all:all], dicts[all:]
	f, ok := formOf(r.Manifest)
	if !ok {
		return fmt.Errorf("recoding %q of the release cannot be read by this version", r.Manifest.Recoding)
	}
	r.form = f
	return f.load(r)
}

// dictionary is a new one of an attribute, which takes texts as they are.
func (r *Release) dictionary(i int) *equivclass.Dictionary {
	a := r.Schema.Attributes()[i]
	a.Text = equivclass.Text{Exact: true, Folded: a.Text.Folded, MaxLength: written.MaxLength}
	if most := r.Manifest.Privacy.MaxRecords; most > 0 && a.Role == equivclass.Sensitive {
		return equivclass.NewSequences(a, most)
	}
	return equivclass.NewDictionary(a)
}

// Estimator answers queries from the release, once it is loaded.
func (r *Release) Estimator() query.Estimator { return r.form.estimator(r) }

// Ask answers a query in the language of query.Parse, and names the
// values asked for that the release shows nowhere.
func (r *Release) Ask(text string) (query.Answer, []query.AbsentValue, error) {
	about, err := r.About(text)
	if err != nil {
		return query.Answer{}, nil, err
	}
	bound, err := about.Bind(text)
	if err != nil {
		return query.Answer{}, nil, err
	}
	return about.Estimator().Estimate(bound), bound.Absent, nil
}

// CheckSchema tells whether records of a schema may be held against the
// release: the same attributes are published, in the same order.
func (r *Release) CheckSchema(s *equivclass.Schema) error {
	want, have := publishedOf(r.Schema), publishedOf(s)
	if !slices.Equal(want, have) {
		return fmt.Errorf("the configuration publishes other attributes than the release, or in another order: the release has %s",
			strings.Join(want, ", "))
	}
	return nil
}

func publishedOf(s *equivclass.Schema) []string {
	var out []string
	for _, i := range s.Quasi() {
		out = append(out, fmt.Sprintf("%q", s.Attributes()[i].Name))
	}
	for _, i := range s.Sensitive() {
		out = append(out, fmt.Sprintf("%q", s.Attributes()[i].Name))
	}
	return out
}

// Sizes are those of the classes.
func (r *Release) Sizes() []int {
	out := make([]int, len(r.Start)-1)
	for i := range out {
		out[i] = int(r.Start[i+1] - r.Start[i])
	}
	return out
}

// Bags are those of which l speaks: of the classes, or of the buckets of level L2.
func (r *Release) Bags() (out []equivclass.Bag) {
	groups := r.ValueGroups()
	for i := range len(groups) - 1 {
		out = append(out, equivclass.BagOfCodes(slices.Clone(r.SA[groups[i]:groups[i+1]])))
	}
	return out
}

// ValueGroups are the first rows of the groups inside which nobody is told whose value
// is whose, and behind the last: classes, or the buckets of level L2.
func (r *Release) ValueGroups() []int32 {
	if r.Buckets != nil {
		return r.Buckets
	}
	return r.Start
}

// Bag is the sensitive values of a class, at level L1.
func (r *Release) Bag(class int) equivclass.Bag {
	return equivclass.BagOfCodes(slices.Clone(r.SA[r.Start[class]:r.Start[class+1]]))
}
