package frontier

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
	"anond/lab/figures/dataset"
)

// load reads the people of a dataset, in a random order that the seed fixes, from a CSV
// file with a header, gzipped if its name ends in .gz.
func (d *dataSet) load(path string, seed uint64) (*table, error) {
	files, name, err := d.place(path)
	if err != nil {
		return nil, err
	}
	var rows []equivclass.Row
	err = dataset.ReadCSV(files, name, func(r *csv.Reader) (err error) {
		rows, err = d.read(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	t, err := newTable(d.quasi, d.sensitive, rows)
	if err != nil {
		return nil, err
	}
	t.scales = d.scales
	return t, nil
}

// read reads the quasi-identifiers as numbers, then the sensitive value. Rows without a
// sensitive value are left out.
func (d *dataSet) read(r *csv.Reader) ([]equivclass.Row, error) {
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	at, err := d.columns(header)
	if err != nil {
		return nil, err
	}
	var rows []equivclass.Row
	codes, seen := newCoder(d.order), map[string]bool{}
	for d.rows == 0 || len(rows) < d.rows {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if d.repeated(record, at, seen) || record[at[len(d.quasi)]] == "" {
			continue
		}
		var row equivclass.Row
		for j, name := range d.quasi {
			row = append(row, strconv.AppendFloat(nil, codes.number(name, record[at[j]]), 'f', -1, 64))
		}
		rows = append(rows, append(row, []byte(record[at[len(d.quasi)]])))
	}
	if len(rows) < d.rows {
		return nil, fmt.Errorf("%d rows instead of %d", len(rows), d.rows)
	}
	return rows, nil
}

// repeated reports whether a row is a further one of a person.
func (d *dataSet) repeated(record []string, at []int, seen map[string]bool) bool {
	if d.person == "" {
		return false
	}
	who := record[at[len(d.quasi)+1]]
	if seen[who] {
		return true
	}
	seen[strings.Clone(who)] = true
	return false
}

// columns returns where the quasi-identifiers, the sensitive attribute and the column of
// persons are.
func (d *dataSet) columns(header []string) ([]int, error) {
	names := append(slices.Clone(d.quasi), d.sensitive)
	if d.person != "" {
		names = append(names, d.person)
	}
	var at []int
	for _, name := range names {
		i := slices.Index(header, name)
		if i < 0 {
			return nil, fmt.Errorf("no column %q: this is not the dataset %s", name, d.name)
		}
		at = append(at, i)
	}
	return at, nil
}

// coder numbers categories.
type coder struct {
	order map[string][]string
	codes map[string]map[string]float64
}

func newCoder(order map[string][]string) coder {
	c := coder{order, map[string]map[string]float64{}}
	for name, values := range order {
		c.codes[name] = map[string]float64{}
		for i, v := range values {
			c.codes[name][v] = float64(i)
		}
	}
	return c
}

func (c coder) number(attribute, value string) float64 {
	if _, ordered := c.order[attribute]; !ordered {
		if v, err := strconv.ParseFloat(value, 64); err == nil {
			return v
		}
	}
	if c.codes[attribute] == nil {
		c.codes[attribute] = map[string]float64{}
	}
	n, ok := c.codes[attribute][value]
	if !ok {
		n = float64(len(c.codes[attribute]))
		c.codes[attribute][strings.Clone(value)] = n
	}
	return n
}
