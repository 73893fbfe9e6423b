// Package beliefs counts whom a model that is trained on a release believes to have a value, with how much certainty.
//
// Guarantee: Public needs public files alone and counts beliefs, never whether they are right. Private counts right ones, too, and
// the same of people on whom the model was not trained; a count of right guesses is the truth about people (in a bucket of four
// different values, "one of four is right" tells the values to whoever has the guesses), so it is for the owner's eyes.
//
// Method: estimate.Relation. What the promise bounds is the belief of somebody whose prior does not depend on quasi-identifiers
// (docs/THREAT_MODEL.md). Somebody who trains a model has one that does, and believes more, of other people too. Of people with
// histories it counts what is promised of them: the belief that a value occurs anywhere in the history.
package beliefs

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/lab/estimate"
	"anond/snapshot"
	"anond/snapshot/readback"
)

// Thresholds are the certainties that are counted.
var Thresholds = []float64{.3, .5, .7}

// folds is how many parts the buckets are divided into for the control group: each person's value is told by a model that is
// trained on the others.
const folds = 5

// Report is what a model believes about the people of a release.
type Report struct {
	Private   bool        `json:"private"`
	Dataset   string      `json:"dataset"`
	Release   uint32      `json:"release"`
	Manifest  string      `json:"manifest_sha256"`
	Attribute []Attribute `json:"attributes"`
}

// Attribute is what is believed of a sensitive attribute.
type Attribute struct {
	Name    string `json:"attribute"`
	Beliefs        // about those who are published, given their class or (private) their quasi-identifiers, and their bucket
	// Control is the same of people on whom the model was not trained, and of whom it has no bucket (private).
	Control *Beliefs `json:"control,omitempty"`
}

// Beliefs count people by the certainty of the likeliest value.
type Beliefs struct {
	People int     `json:"people"`
	Right  *int    `json:"right,omitempty"` // of all best guesses (private)
	Above  []Above `json:"above"`
}

// Above counts the people of whom a value is believed with more than some certainty.
type Above struct {
	Belief float64 `json:"belief"`
	People int     `json:"people"`
	Right  *int    `json:"right,omitempty"` // of these (private)
}

// counted are, by code of a dictionary, the numbers of the values that are counted of it, as the promise counts them: values with the same
// label, such as exact numbers of an interval, are one, and of a history each value that it has anywhere counts once.
func counted(d *equivclass.Dictionary) [][]int {
	numbers, out := map[string]int{}, make([][]int, d.Len())
	for code := range out {
		for _, text := range equivclass.Ever(d.Label(equivclass.Code(code))) {
			if _, known := numbers[text]; !known {
				numbers[text] = len(numbers)
			}
			out[code] = append(out[code], numbers[text])
		}
	}
	return out
}

// add counts people of whom the same is believed, by code.
func (b *Beliefs) add(believed []float64, values [][]int, people int, truth equivclass.Code, known bool) {
	var shares []float64
	for code, s := range believed {
		for _, v := range values[code] {
			shares = append(shares, make([]float64, max(0, v+1-len(shares)))...)
			shares[v] += s
		}
	}
	if b.Above == nil {
		for _, t := range Thresholds {
			b.Above = append(b.Above, Above{Belief: t})
		}
	}
	best := 0
	for v, s := range shares {
		if s > shares[best] {
			best = v
		}
	}
	hit := 0 // people about whom the best guess is right
	if known && slices.Contains(values[truth], best) {
		hit = people
	}
	count := func(to **int) {
		if known && *to == nil {
			*to = new(int)
		}
		if known {
			**to += hit
		}
	}
	b.People += people
	count(&b.Right)
	for i := range b.Above {
		a := &b.Above[i]
		if shares[best] > a.Belief {
			a.People += people
			count(&a.Right)
		} else if known && a.Right == nil {
			a.Right = new(int)
		}
	}
}

// errRecoding: no model reads such a release.
var errRecoding = errors.New("no model reads a release of this recoding: generalization, buckets, anatomy and permutation are read")

func open(dir string) (*Report, *readback.Release, error) {
	r, err := readback.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	if err := r.Load(nil); err != nil {
		return nil, nil, err
	}
	out := &Report{Dataset: r.Manifest.Dataset, Release: r.Manifest.Release}
	list, err := snapshot.List(snapshot.OS(), r.Top())
	for _, i := range list {
		if i.Release == out.Release {
			out.Manifest = i.SHA256
		}
	}
	return out, r, err
}

// Public counts the beliefs that the files of a release give about a member of each class.
func Public(dir string) (*Report, error) {
	out, r, err := open(dir)
	if err != nil {
		return nil, err
	}
	for _, one := range r.Each() {
		buckets, ok := one.AsBuckets()
		if !ok {
			return nil, errRecoding
		}
		a := Attribute{Name: buckets.Dicts[buckets.Sensitive].Attribute().Name}
		model, values := estimate.Relate(buckets, nil), counted(buckets.Dicts[buckets.Sensitive])
		for b := range buckets.Bags {
			beliefs := model.OfClasses(b)
			for at, i := range model.Classes(b) {
				a.add(beliefs[at], values, int(buckets.Size[i]), 0, false)
			}
		}
		out.Attribute = append(out.Attribute, a)
	}
	return out, nil
}

// person is somebody who is published, by the exports.
type person struct {
	bucket int
	cells  estimate.Person
	values []equivclass.Code // by sensitive attribute
}

// Private counts also how many beliefs are right, for somebody who knows everybody's quasi-identifiers and bucket, and the same
// of people of whom the model has seen neither.
func Private(dir, members, records string) (*Report, error) {
	out, r, err := open(dir)
	if err != nil {
		return nil, err
	}
	if r.Buckets == nil {
		return nil, errors.New("the release has level L1, where values stand in the rows of classes: --public counts what its files say")
	}
	out.Private = true
	each := r.Each()
	people, err := read(r, each, members, records)
	if err != nil {
		return nil, err
	}
	for s, one := range each {
		buckets, ok := one.AsBuckets()
		if !ok {
			return nil, errRecoding
		}
		out.Attribute = append(out.Attribute, attack(buckets, people, s))
	}
	return out, nil
}

func attack(buckets *query.BucketRelease, people [][]person, s int) Attribute {
	a := Attribute{Name: buckets.Dicts[buckets.Sensitive].Attribute().Name, Control: &Beliefs{}}
	model, values := estimate.Relate(buckets, nil), counted(buckets.Dicts[buckets.Sensitive])
	for b, all := range people {
		var cells []estimate.Person
		for _, p := range all {
			cells = append(cells, p.cells)
		}
		for i, shares := range model.OfPeople(b, cells) {
			a.add(shares, values, 1, all[i].values[s], true)
		}
	}
	for f := range folds {
		others := estimate.Relate(buckets, func(b int) bool { return b%folds == f })
		for b := f; b < len(people); b += folds {
			for _, p := range people[b] {
				a.Control.add(ofLength(others.Of(p.cells), buckets.Dicts[buckets.Sensitive], p.values[s]), values, 1, p.values[s], true)
			}
		}
	}
	return a
}

// ofLength is what is believed of somebody of whom it is known how many records they have: as many as a history has.
func ofLength(believed []float64, d *equivclass.Dictionary, as equivclass.Code) []float64 {
	if d.Records() == 0 {
		return believed
	}
	length := func(c equivclass.Code) int { return len(equivclass.Parts(d.Text(c))) }
	sum := 0.0
	for c := range believed {
		if length(equivclass.Code(c)) != length(as) {
			believed[c] = 0
		}
		sum += believed[c]
	}
	for c := range believed {
		believed[c] /= max(sum, 1e-300)
	}
	return believed
}

// read reads the exports: the people of each bucket.
func read(r *readback.Release, each []*readback.Release, members, records string) ([][]person, error) {
	where, err := bucketOf(members, r.Manifest.Release)
	if err != nil {
		return nil, err
	}
	out := make([][]person, len(r.Buckets)-1)
	attributes := slices.Concat(r.Schema.Quasi(), r.Schema.Sensitive())
	var readers []*query.CellReader
	for j := range r.Schema.Quasi() {
		readers = append(readers, query.NewCellReader(r.Dicts[j]))
	}
	var columns []int
	err = rows(records, func(header []string) error {
		for _, i := range append([]int{-1}, attributes...) {
			name := "record"
			if i >= 0 {
				name = r.Schema.Attributes()[i].Name
			}
			columns = append(columns, slices.Index(header, name))
		}
		if slices.Contains(columns, -1) {
			return errExports
		}
		return nil
	}, func(row []string) error {
		b, ok := where[row[columns[0]]]
		if !ok {
			return nil
		}
		if b >= len(out) {
			return errExports
		}
		p := person{bucket: b, cells: make(estimate.Person, len(readers)+1)}
		for j, c := range columns[1:] {
			why, text := equivclass.Accepted, row[c]
			if j < len(readers) {
				p.cells[j], why = readers[j].Read(text)
			} else {
				d := each[j-len(readers)].Dicts[len(readers)]
				var code equivclass.Code
				switch {
				case d.Records() > 0:
					history, ok := snapshot.Sequence(row[c:min(len(row), c+d.Records())])
					if !ok {
						return errExports
					}
					if code, ok = d.Named(history); !ok {
						return errExports
					}
				case d.Bucketed():
					code, why = d.Encode([]byte(text))
				default:
					code, why = d.EncodeLabel(text)
				}
				p.values = append(p.values, code)
			}
			if why != equivclass.Accepted {
				return errExports
			}
		}
		out[b] = append(out[b], p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for s, one := range each { // the exports are of this release: bucket by bucket the same values
		for b, bag := range one.Bags() {
			var codes []equivclass.Code
			for _, p := range out[b] {
				codes = append(codes, p.values[s])
			}
			if !slices.Equal(equivclass.BagOfCodes(codes).Counts, bag.Counts) {
				return nil, errExports
			}
		}
	}
	return out, nil
}

// errExports: the exports are of another release or state.
var errExports = errors.New("the exports are not of this release: anond state members --out FILE and anond state records --out FILE " +
	"write them")

// bucketOf is the bucket of each record of a release, numbered over all parts.
func bucketOf(members string, release uint32) (map[string]int, error) {
	type place struct{ part, bucket int }
	at, seen := map[string]place{}, map[place]int{}
	var columns []int
	err := rows(members, func(header []string) error {
		for _, name := range []string{"release", "record", "part", "bucket"} {
			columns = append(columns, slices.Index(header, name))
		}
		if slices.Contains(columns, -1) {
			return errExports
		}
		return nil
	}, func(row []string) error {
		if row[columns[0]] != strconv.Itoa(int(release)) {
			return nil
		}
		part, err := strconv.Atoi(strings.TrimPrefix(row[columns[2]], "part-"))
		bucket, err2 := strconv.Atoi(row[columns[3]])
		if errors.Join(err, err2) != nil || bucket < 1 {
			return errExports
		}
		at[row[columns[1]]] = place{part, bucket}
		seen[place{part, bucket}] = 0
		return nil
	})
	order := slices.SortedFunc(maps.Keys(seen), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.bucket, b.bucket))
	})
	for i, p := range order { // every bucket has people, so that this is the order in which the release is read
		seen[p] = i
	}
	out := make(map[string]int, len(at))
	for record, p := range at {
		out[record] = seen[p]
	}
	return out, err
}

// rows visits the rows of a CSV file.
func rows(path string, header, row func([]string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := csv.NewReader(f)
	for visit := header; ; visit = row {
		fields, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = visit(fields)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
	}
}
