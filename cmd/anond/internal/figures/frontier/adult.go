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

// table is a dataset in order of arrival, encoded, and as the machine reads it.
// All quasi-identifiers are integers, so that the engine judges cells as the
// measure does, by their intervals.
type table struct {
	*equivclass.Table
	schema *equivclass.Schema
	rows   []equivclass.Row
	points *equivclass.Pool // over the domain of the whole table
}

// newTable encodes rows of quasi-identifiers and the sensitive value.
func newTable(quasi []string, sensitive string, rows []equivclass.Row) (*table, error) {
	var attributes []equivclass.Attribute
	for _, name := range quasi {
		attributes = append(attributes, equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: equivclass.Integer})
	}
	attributes = append(attributes, equivclass.Attribute{Name: sensitive, Role: equivclass.Sensitive, Type: equivclass.Categorical})
	schema, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	if err != nil {
		return nil, err
	}
	t := &table{Table: equivclass.NewTable(attributes, equivclass.RefuseMissing), schema: schema, rows: rows}
	for i, row := range rows {
		if why, attribute := t.Append(row); why != equivclass.Accepted {
			return nil, fmt.Errorf("row %d, column %q: %s", i+1, attribute, why)
		}
	}
	t.points = t.Pool(schema.Quasi(), schema.SensitiveIndex())
	return t, nil
}

// loadAdult reads the training part of Adult, in a random order that the seed
// fixes, from a CSV file with a header, gzipped if its name ends in .gz; from the
// program itself if no file is named.
func loadAdult(path string, seed uint64) (*table, error) {
	files, name := fs.FS(testdata.Files), testdata.Adult
	if path != "" {
		files, name = os.DirFS(filepath.Dir(path)), filepath.Base(path)
	}
	var rows []equivclass.Row
	err := dataset.ReadCSV(files, name, func(r *csv.Reader) (err error) {
		rows, err = readAdult(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return newTable(quasi, sensitive, rows)
}

// readAdult reads the quasi-identifiers as numbers, then the sensitive value.
func readAdult(r *csv.Reader) ([]equivclass.Row, error) {
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	columns, err := findColumns(header)
	if err != nil {
		return nil, err
	}
	var rows []equivclass.Row
	codes := newCoder()
	for len(rows) < trainRows {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		var row equivclass.Row
		for j, name := range quasi {
			row = append(row, strconv.AppendFloat(nil, codes.number(name, record[columns[j]]), 'f', -1, 64))
		}
		rows = append(rows, append(row, []byte(record[columns[len(quasi)]])))
	}
	if len(rows) < trainRows {
		return nil, fmt.Errorf("%d rows, Adult's training part has %d", len(rows), trainRows)
	}
	return rows, nil
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

// pool returns the first n records as points.
func (t *table) pool(n int) *equivclass.Pool {
	return &equivclass.Pool{Space: t.points.Space, X: slices.Clone(t.points.X[:n*t.points.D()]), SA: slices.Clone(t.points.SA[:n])}
}

// intervalLoss is the measure of one class: the mean over quasi-identifiers of
// (hi-lo)/(max-min).
func (t *table) intervalLoss(members []int) float64 {
	sum := 0.0
	for j := range t.points.Space.Dims {
		number := func(r int) float64 { return t.Dicts[j].Number(t.Codes[j][r]) }
		lo, hi := number(members[0]), number(members[0])
		for _, r := range members[1:] {
			lo, hi = min(lo, number(r)), max(hi, number(r))
		}
		if width := t.points.Space.Dims[j].Width; width > 0 {
			sum += (hi - lo) / width
		}
	}
	return sum / float64(t.points.D())
}
