package anonymize

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
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
	"anond/lab/estimate"
	"anond/snapshot"
	"anond/snapshot/readback"
)

// opened is what is evaluated: a release of anond, or plain files.
type opened struct {
	Release *readback.Release
	About   *about // of plain files: then Release has nothing but what Load puts there
	dir     string
	data    map[string][]byte
	local   *estimate.LocalRelease
}

// Open opens a release, or a directory of plain files, whose hashes must be right.
func Open(dir string) (*opened, error) {
	text, err := os.ReadFile(filepath.Join(dir, aboutFile))
	if errors.Is(err, fs.ErrNotExist) {
		r, err := readback.Open(dir)
		return &opened{Release: r}, err
	}
	o := &opened{About: &about{}, dir: dir, data: map[string][]byte{}}
	if err != nil {
		return nil, err
	}
	if json.Unmarshal(text, o.About) != nil {
		return nil, fmt.Errorf("%s describes no table", filepath.Join(dir, aboutFile))
	}
	for _, f := range o.About.Files {
		path := filepath.Join(dir, filepath.Base(f.Name))
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 {
			return nil, fmt.Errorf("%s is not the file that %s describes", path, aboutFile)
		}
		o.data[f.Name] = data
	}
	a := o.About
	o.Release = &readback.Release{Manifest: &snapshot.Manifest{Dataset: a.Dataset, Recoding: a.Recoding,
		Records: a.Records, Classes: a.Classes,
		Policy: snapshot.Policy{K: a.K, L: a.L, Diversity: []snapshot.Diversity{{Kind: "recursive", C: a.C}}}}}
	return o, nil
}

// Load reads the data. The dictionaries are those of the table that it came from, and grow.
func (o *opened) Load(t *inputTable) error {
	if o.About == nil {
		return o.Release.Load(t.about(t.Schema.Sensitive()...).Dicts)
	}
	o.Release.Dicts = t.published().Dicts
	switch {
	case o.About.Recoding == recodingLGB:
		return o.loadLocal()
	case o.About.Method == methodRings:
		return o.loadRows("data.csv", "class")
	case o.About.Recoding == recodingSlicing:
		return o.loadRows("sliced.csv", "group")
	}
	return o.loadRows("randomized.csv", "group")
}

// rows reads a data file, whose columns must have these names.
func (o *opened) rows(name string, header ...string) ([][]string, error) {
	rows, err := csv.NewReader(bytes.NewReader(o.data[name])).ReadAll()
	if err != nil || len(rows) == 0 || !slices.Equal(rows[0], header) {
		return nil, fmt.Errorf("%s does not have the columns %s", filepath.Join(o.dir, name), strings.Join(header, ", "))
	}
	return rows[1:], nil
}

func (o *opened) names() (out []string) {
	for _, d := range o.Release.Dicts {
		out = append(out, d.Attribute().Name)
	}
	return out
}

// damaged names a row of a file, and quotes nothing of it.
func (o *opened) damaged(name string, row int) error {
	return fmt.Errorf("%s:%d: the row does not fit the attributes of the table", filepath.Join(o.dir, name), row+2)
}

// class adds a row to the classes of a release, which are numbered through.
func class(r *readback.Release, text string) bool {
	n, err := strconv.Atoi(text)
	if len(r.Start) == 0 {
		r.Start = []int32{0}
	}
	last := len(r.Start) - 1
	if err != nil || n != last && n != last+1 || n < 1 {
		return false
	}
	if n > last {
		r.Start = append(r.Start, r.Start[last])
	}
	r.Start[n]++
	return true
}

// loadRows reads rows that have a sensitive value each, with exact cells or, of rings,
// cells of their own.
func (o *opened) loadRows(name, number string) error {
	r, d := o.Release, len(o.Release.Dicts)-1
	rows, err := o.rows(name, append(o.names(), number)...)
	if err != nil {
		return err
	}
	readers := make([]*query.CellReader, d)
	for j := range readers {
		readers[j] = query.NewCellReader(r.Dicts[j])
	}
	rings := o.About.Method == methodRings
	if !rings {
		r.QI = make([][]equivclass.Code, d)
	}
	for i, row := range rows {
		sa, ok := codeOf(r.Dicts[d], row[d])
		ok = ok && class(r, row[d+1])
		cells := make([]query.Cell, d+1)
		for j := 0; j < d && ok; j++ {
			var code equivclass.Code
			if rings {
				why := equivclass.Accepted
				cells[j], why = readers[j].Read(row[j])
				ok = why == equivclass.Accepted
			} else if code, ok = codeOf(r.Dicts[j], row[j]); ok {
				r.QI[j] = append(r.QI[j], code)
			}
		}
		if !ok {
			return o.damaged(name, i)
		}
		if r.SA = append(r.SA, sa); rings {
			r.Cells = append(r.Cells, cells)
		}
	}
	return nil
}

// codeOf is the code of a value as tables write it.
func codeOf(d *equivclass.Dictionary, text string) (equivclass.Code, bool) {
	if len(d.Attribute().Buckets) > 0 {
		for code := range equivclass.Code(d.Len()) {
			if d.Text(code) == text {
				return code, true
			}
		}
		return 0, false
	}
	code, why := d.EncodeLabel(text)
	return code, why == equivclass.Accepted
}

// loadLocal reads lgb.csv and buckets.csv. SA gets the values of the sensitive attribute
// bucket by bucket: whose row which of them is, nobody is told.
func (o *opened) loadLocal() error {
	r, names := o.Release, o.names()
	l := &estimate.LocalRelease{Dicts: r.Dicts, Bucket: make([][]int32, len(names)), Values: make([][][]equivclass.Code, len(names)),
		Grain: query.Grains(r.Dicts)}
	bags, err := o.rows("buckets.csv", "attribute", "bucket", "value", "count")
	if err != nil {
		return err
	}
	for i, row := range bags {
		j := slices.Index(names, row[0])
		number, err := strconv.Atoi(row[1])
		count, err2 := strconv.Atoi(row[3])
		if j < 0 || errors.Join(err, err2) != nil || count < 1 || count > o.About.Records || number < 1 ||
			number != len(l.Values[j]) && number != len(l.Values[j])+1 {
			return o.damaged("buckets.csv", i)
		}
		code, ok := codeOf(r.Dicts[j], row[2])
		if !ok {
			return o.damaged("buckets.csv", i)
		}
		if number > len(l.Values[j]) {
			l.Values[j] = append(l.Values[j], nil)
		}
		l.Values[j][number-1] = append(l.Values[j][number-1], slices.Repeat([]equivclass.Code{code}, count)...)
	}
	if err := o.loadLocalRows(l); err != nil {
		return err
	}
	for _, values := range l.Values[len(names)-1] {
		r.SA = append(r.SA, values...)
	}
	o.local = l
	return nil
}

func (o *opened) loadLocalRows(l *estimate.LocalRelease) error {
	r, names := o.Release, o.names()
	rows, err := o.rows("lgb.csv", append(names, "class")...)
	if err != nil {
		return err
	}
	readers := make([]*query.CellReader, len(names))
	for j := range readers {
		readers[j] = query.NewCellReader(r.Dicts[j])
	}
	for i, row := range rows {
		if !class(r, row[len(names)]) {
			return o.damaged("lgb.csv", i)
		}
		if c := len(r.Start) - 2; c == len(l.Cells) {
			l.Cells = append(l.Cells, make([]query.Cell, len(names)))
		}
		c := len(l.Cells) - 1
		for j := range names {
			bucket := -1
			if digits, ok := strings.CutPrefix(row[j], "*"); ok && digits != "" {
				n, err := strconv.Atoi(digits)
				if bucket = n - 1; err != nil || bucket < 0 || bucket >= len(l.Values[j]) {
					return o.damaged("lgb.csv", i)
				}
			} else {
				why := equivclass.Accepted
				if l.Cells[c][j], why = readers[j].Read(row[j]); why != equivclass.Accepted {
					return o.damaged("lgb.csv", i)
				}
			}
			l.Bucket[j] = append(l.Bucket[j], int32(bucket))
		}
		l.Group = append(l.Group, int32(c))
	}
	for j, column := range l.Bucket {
		sizes := make([]int, len(l.Values[j]))
		for _, b := range column {
			if b >= 0 {
				sizes[b]++
			} else if j == len(names)-1 {
				return fmt.Errorf("%s: a row is in no bucket of attribute %q", filepath.Join(o.dir, "lgb.csv"), names[j])
			}
		}
		for b, values := range l.Values[j] {
			if sizes[b] != len(values) {
				return fmt.Errorf("%s: lgb.csv and buckets.csv disagree on the size of a bucket of attribute %q", o.dir, names[j])
			}
		}
	}
	return nil
}

// Estimator answers queries from what was loaded; of a release, about the one attribute that r has.
func (o *opened) Estimator(r *readback.Release) query.Estimator {
	switch {
	case o.About == nil:
		return r.Estimator()
	case o.local != nil:
		return o.local
	case o.ownCells():
		bags := make([]equivclass.Bag, len(r.Cells)) // the value of a row is that of a record that it covers
		for i := range bags {
			bags[i].Add(r.SA[i], 1)
		}
		return &query.CellRelease{Dicts: r.Dicts, Sensitive: len(r.Dicts) - 1, Cells: r.Cells, Bags: bags, Grain: query.Grains(r.Dicts)}
	case o.About.Recoding == recodingSlicing:
		return &query.BlockRelease{Dicts: r.Dicts, Codes: append(slices.Clip(r.QI), r.SA), Start: r.Start,
			Blocks: o.slices()}
	}
	return &randomized{r, o.About.Retention}
}

// ownCells reports whether each row has cells of its own.
func (o *opened) ownCells() bool { return o.About != nil && o.About.Method == methodRings }

// slices are those of recoding slicing, as columns.
func (o *opened) slices() [][]int {
	if o.About == nil || o.About.Recoding != recodingSlicing {
		return nil
	}
	return slicedColumns(o.About.Slices, o.names())
}

// recoding is how the table is written.
func (o *opened) recoding() string { return o.Release.Manifest.Recoding }

// CheckSchema tells whether records of a schema may be held against the release. The
// attributes of plain files are compared with their header when they are read.
func (o *opened) CheckSchema(s *equivclass.Schema) error {
	if o.About != nil {
		return nil
	}
	return o.Release.CheckSchema(s)
}
