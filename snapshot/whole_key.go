package snapshot

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"anond/equivclass"
)

// key is the content of a class by which canonical order goes (table.compare), as
// the files show it: cells, sensitive values, and where these are exact the rows.
type key struct {
	cells     []cell
	bag, rows []shown // rows: value by value, row by row
}

// shown is a value: a number or date, or a text.
type shown struct {
	number float64
	text   string
}

func compareShown(a, b shown) int {
	return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text))
}

// compareKeys is table.compare without the draws.
func (w *WholeTable) compareKeys(a, b *key) int {
	for j := range a.cells {
		if c := compareCells(w.cols[j].number(), &a.cells[j], &b.cells[j]); c != 0 {
			return c
		}
	}
	return cmp.Or(slices.CompareFunc(a.bag, b.bag, compareShown), slices.CompareFunc(a.rows, b.rows, compareShown))
}

// key reads the key of the class that a run is at.
func (w *WholeTable) key(r *runReader) error {
	k := &r.key
	k.cells, k.bag, k.rows = k.cells[:0], k.bag[:0], k.rows[:0]
	var err error
	switch w.manifest.Recoding {
	case NameGeneralization:
		err = w.cellKey(k, r.files[0])
	case NameAnatomy, NamePermutation:
		if err = w.rowKey(k, r.files[0], w.cols); err == nil {
			err = w.groupKey(k, r.files[1])
		}
	default:
		err = w.rowKey(k, r.files[0], w.all)
	}
	if err != nil {
		return fmt.Errorf("%w: %s: class %d %w", ErrDamaged, r.part.entry.Dir(), r.number, err)
	}
	return nil
}

type keyError string

func (e keyError) Error() string { return string(e) }

const (
	errColumns keyError = "has a row with other columns than the schema"
	errShown   keyError = "shows what is no value of its attribute"
)

// cellKey reads rows of cells, which all are those of the class.
func (w *WholeTable) cellKey(k *key, f *fileReader) error {
	var fields [][]byte
	from := 0
	for i, end := range f.ends {
		fields = splitRecord(fields, f.rows[from:end])
		if from = end; len(fields) != len(w.cols)+2 {
			return errColumns
		}
		v, err := w.sa().shown(fields[len(w.cols)])
		if err != nil {
			return err
		}
		k.bag = append(k.bag, v)
		for j := 0; i == 0 && j < len(w.cols); j++ {
			c, err := w.cols[j].shownCell(fields[j])
			if err != nil {
				return err
			}
			k.cells = append(k.cells, c)
		}
	}
	return nil
}

// rowKey reads rows of exact values of some columns, and finds the cells that
// they span; the values of a column behind the cells are the bag.
func (w *WholeTable) rowKey(k *key, f *fileReader, cols []wholeColumn) error {
	var fields [][]byte
	from := 0
	for _, end := range f.ends {
		fields = splitRecord(fields, f.rows[from:end])
		if from = end; len(fields) != len(cols)+1 {
			return errColumns
		}
		for j := range cols {
			v, err := cols[j].shown(fields[j])
			if err != nil {
				return err
			}
			k.rows = append(k.rows, v)
		}
	}
	column := make([]shown, len(f.ends))
	for j := range cols {
		for i := range column {
			column[i] = k.rows[i*len(cols)+j]
		}
		slices.SortFunc(column, compareShown)
		if j == len(w.cols) {
			k.bag = append(k.bag, column...)
			continue
		}
		c, err := cols[j].spanned(column)
		if err != nil {
			return err
		}
		k.cells = append(k.cells, c)
	}
	return nil
}

// groupKey reads the sensitive values of a group, each in a row of its own or
// with its count.
func (w *WholeTable) groupKey(k *key, f *fileReader) error {
	var fields [][]byte
	from := 0
	for _, end := range f.ends {
		fields = splitRecord(fields, f.rows[from:end])
		if from = end; len(fields) != 2 && len(fields) != 3 {
			return errColumns
		}
		v, err := w.sa().shown(fields[1])
		if err != nil {
			return err
		}
		n := uint64(1)
		if len(fields) == 3 {
			n, err = strconv.ParseUint(string(fields[2]), 10, 31)
		}
		if err != nil || n < 1 || n > uint64(w.manifest.Records) {
			return errShown
		}
		for range n {
			k.bag = append(k.bag, v)
		}
	}
	return nil
}

// wholeColumn is a column that is read.
type wholeColumn struct {
	column
	texts map[string]string // seen so far, up to some
}

// shown reads a single value.
func (c *wholeColumn) shown(field []byte) (shown, error) {
	if !c.number() {
		return shown{text: c.intern(field)}, nil
	}
	v, why := equivclass.ParseNumber(c.typ, field)
	if why != equivclass.Accepted {
		return shown{}, errShown
	}
	return shown{number: v}, nil
}

// shownCell reads a generalized cell.
func (c *wholeColumn) shownCell(field []byte) (cell, error) {
	text := unquoted(field)
	if !c.number() {
		return cell{text: c.intern(field)}, nil
	}
	lo, hi := text, text
	if inner, ok := bytes.CutPrefix(text, []byte{'['}); ok {
		inner = bytes.TrimSuffix(inner, []byte{']'})
		if lo, hi, ok = bytes.Cut(inner, []byte{','}); !ok {
			return cell{}, errShown
		}
	}
	from, err := c.shown(lo)
	if err != nil {
		return cell{}, err
	}
	to, err := c.shown(hi)
	return cell{lo: from.number, hi: to.number}, err
}

// spanned is the cell of values that are shown one by one, which ascend
// (boxer.cell).
func (c *wholeColumn) spanned(values []shown) (cell, error) {
	switch c.kind {
	case equivclass.Number:
		return cell{lo: values[0].number, hi: values[len(values)-1].number}, nil
	case equivclass.Tree:
		var lo, hi equivclass.Code
		for i, v := range values {
			leaf, ok := c.tree.Leaf([]byte(v.text))
			if !ok {
				return cell{}, errShown
			}
			if i == 0 {
				lo, hi = leaf, leaf
			}
			lo, hi = min(lo, leaf), max(hi, leaf)
		}
		return cell{text: c.tree.Label(c.tree.LCA(lo, hi))}, nil
	}
	values = slices.Compact(slices.Clone(values))
	if len(values) == 1 {
		return cell{text: values[0].text}, nil
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.text
	}
	return cell{text: "{" + strings.Join(texts, "|") + "}"}, nil
}

// intern is the text of a field; equal ones are one string.
func (c *wholeColumn) intern(field []byte) string {
	text := unquoted(field)
	if s, ok := c.texts[string(text)]; ok {
		return s
	}
	if c.texts == nil || len(c.texts) > 1<<16 {
		c.texts = make(map[string]string)
	}
	s := string(text)
	c.texts[s] = s
	return s
}

// unquoted is the content of a field.
func unquoted(field []byte) []byte {
	if len(field) < 2 || field[0] != '"' {
		return field
	}
	return bytes.ReplaceAll(field[1:len(field)-1], []byte(`""`), []byte{'"'})
}

// splitRecord cuts a record into its fields, quotes kept.
func splitRecord(fields [][]byte, record []byte) [][]byte {
	body := bytes.TrimSuffix(record, []byte{'\n'})
	fields = fields[:0]
	from, quoted := 0, false
	for i, b := range body {
		switch {
		case b == '"':
			quoted = !quoted
		case b == ',' && !quoted:
			fields = append(fields, body[from:i])
			from = i + 1
		}
	}
	return append(fields, body[from:])
}
