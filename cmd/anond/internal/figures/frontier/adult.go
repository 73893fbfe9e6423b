package frontier

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anond/cmd/anond/internal/figures/dataset"
	"anond/equivclass"
	"anond/testdata"
)

// trainRows is the number of rows of UCI Adult's training part, which come first.
const trainRows = 30162

// quasi are the quasi-identifiers of the measure, sensitive its
// sensitive attribute.
var quasi = []string{"age", "workclass", "education-num", "marital-status", "race", "sex", "native-country"}

const sensitive = "occupation"

// order gives a category its number by position; other categories are
// numbered by first appearance. Part of the measure's definition.
var order = map[string][]string{
	"workclass": {"Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay", "Never-worked"},
	"marital-status": {"Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent", "Divorced", "Separated", "Widowed",
		"Never-married"},
	"race": {"White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"},
	"sex":  {"Female", "Male"},
}

// table is a dataset as numbers: what the measure is defined on.
type table struct {
	quasi     []string
	sensitive string
	values    [][]float64 // by record, then quasi-identifier
	secret    []string
	lo, width []float64 // domain by quasi-identifier
}

// loadAdult reads the training part of Adult from a CSV file with a header,
// gzipped if its name ends in .gz; from the program itself if no file is named.
func loadAdult(path string) (*table, error) {
	files, name := fs.FS(testdata.Files), testdata.Adult
	if path != "" {
		files, name = os.DirFS(filepath.Dir(path)), filepath.Base(path)
	}
	var t *table
	err := dataset.ReadCSV(files, name, func(r *csv.Reader) (err error) {
		t, err = readAdult(r)
		return err
	})
	return t, err
}

func readAdult(r *csv.Reader) (*table, error) {
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	columns, err := findColumns(header)
	if err != nil {
		return nil, err
	}
	t := &table{quasi: quasi, sensitive: sensitive}
	codes := newCoder()
	for len(t.secret) < trainRows {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		row := make([]float64, len(t.quasi))
		for j, name := range t.quasi {
			row[j] = codes.number(name, record[columns[j]])
		}
		t.values = append(t.values, row)
		t.secret = append(t.secret, strings.Clone(record[columns[len(t.quasi)]]))
	}
	if len(t.secret) < trainRows {
		return nil, fmt.Errorf("%d rows, Adult's training part has %d", len(t.secret), trainRows)
	}
	t.measureDomain()
	return t, nil
}

// findColumns returns where the quasi-identifiers and the sensitive attribute are.
func findColumns(header []string) ([]int, error) {
	var columns []int
	for _, name := range append(slices.Clone(quasi), sensitive) {
		i := slices.Index(header, name)
		if i < 0 {
			return nil, fmt.Errorf("no column %q: this is not the Adult dataset", name)
		}
		columns = append(columns, i)
	}
	return columns, nil
}

// coder numbers categories.
type coder map[string]map[string]float64

func newCoder() coder {
	c := coder{}
	for name, order := range order {
		c[name] = map[string]float64{}
		for i, v := range order {
			c[name][v] = float64(i)
		}
	}
	return c
}

func (c coder) number(attribute, value string) float64 {
	if _, categorical := order[attribute]; !categorical {
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			return v
		}
	}
	if c[attribute] == nil {
		c[attribute] = map[string]float64{}
	}
	n, ok := c[attribute][value]
	if !ok {
		n = float64(len(c[attribute]))
		c[attribute][strings.Clone(value)] = n
	}
	return n
}

func (t *table) measureDomain() {
	t.lo, t.width = slices.Clone(t.values[0]), make([]float64, len(t.quasi))
	hi := slices.Clone(t.values[0])
	for _, row := range t.values {
		for j, v := range row {
			t.lo[j], hi[j] = min(t.lo[j], v), max(hi[j], v)
		}
	}
	for j := range hi {
		t.width[j] = hi[j] - t.lo[j]
	}
}

// shuffled returns the table in a random order that the seed fixes.
func (t *table) shuffled(seed uint64) *table {
	s := *t
	s.values, s.secret = slices.Clone(t.values), slices.Clone(t.secret)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(s.values), func(i, j int) {
		s.values[i], s.values[j] = s.values[j], s.values[i]
		s.secret[i], s.secret[j] = s.secret[j], s.secret[i]
	})
	return &s
}

// schema declares the quasi-identifiers as integers, so that the engine judges
// cells as the measure does, by their intervals.
func (t *table) schema() (*equivclass.Schema, error) {
	var attributes []equivclass.Attribute
	for _, name := range t.quasi {
		attributes = append(attributes, equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: equivclass.Integer})
	}
	attributes = append(attributes, equivclass.Attribute{Name: t.sensitive, Role: equivclass.Sensitive, Type: equivclass.Categorical})
	return equivclass.NewSchema(attributes, equivclass.RefuseMissing)
}

// row returns a record as the machine reads it.
func (t *table) row(i int) equivclass.Row {
	r := make(equivclass.Row, 0, len(t.quasi)+1)
	for _, v := range t.values[i] {
		r = append(r, strconv.AppendFloat(nil, v, 'f', -1, 64))
	}
	return append(r, []byte(t.secret[i]))
}

// pool returns the first n records as points.
func (t *table) pool(n int) *equivclass.Pool {
	d := len(t.quasi)
	p := &equivclass.Pool{Space: &equivclass.Space{Dims: make([]equivclass.Dim, d)}, X: make([]float32, 0, n*d),
		SA: make([]equivclass.Code, n)}
	for j := range p.Space.Dims {
		p.Space.Dims[j] = equivclass.Dim{Kind: equivclass.Number, Lo: t.lo[j], Width: t.width[j]}
	}
	codes := map[string]equivclass.Code{}
	for i := range n {
		for j, v := range t.values[i] {
			p.X = append(p.X, float32((v-t.lo[j])/t.width[j]))
		}
		c, ok := codes[t.secret[i]]
		if !ok {
			c = equivclass.Code(len(codes))
			codes[t.secret[i]] = c
		}
		p.SA[i] = c
	}
	return p
}

// intervalLoss is the measure of one class: the mean over quasi-identifiers of
// (hi-lo)/(max-min).
func (t *table) intervalLoss(members []int) float64 {
	sum := 0.0
	for j, width := range t.width {
		lo, hi := t.values[members[0]][j], t.values[members[0]][j]
		for _, r := range members[1:] {
			lo, hi = min(lo, t.values[r][j]), max(hi, t.values[r][j])
		}
		if width > 0 {
			sum += (hi - lo) / width
		}
	}
	return sum / float64(len(t.width))
}
