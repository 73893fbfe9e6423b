// Package parquetfile writes a part of a table as a Parquet file.
//
// Guarantee: the same part gives the same bytes, whenever and wherever it is written with
// the same version of the program: there is no time, no path and no random number in them,
// and rows have the order of the part.
package parquetfile

import (
	"errors"
	"io"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"anond/lake/internal/source"
)

// Format is written into each file. It changes when columns or their types do.
const Format = 1

const (
	groupRows  = 1 << 17 // rows of a row group: bounds what is held in memory, together with the length of values
	batchRows  = 256
	dictionary = 1 << 20 // bytes: a column of more different values is written plainly
)

// Write writes the living rows of a part, and returns their number. The file is good only
// if the error is nil.
func Write(to io.Writer, t *source.Table, p *source.Part) (rows int64, err error) {
	w := parquet.NewGenericWriter[any](to, options(t, p)...)
	b := batch{to: w, columns: t.Columns}
	rows, err = t.Rows(p, b.add)
	if err = errors.Join(err, b.flush()); err != nil {
		return 0, err
	}
	return rows, w.Close()
}

func options(t *source.Table, p *source.Part) []parquet.WriterOption {
	out := []parquet.WriterOption{
		schema(t.Columns),
		parquet.Compression(&parquet.Zstd),
		parquet.CreatedBy("anond-lake", strconv.Itoa(Format), ""),
		parquet.MaxRowsPerRowGroup(groupRows),
		parquet.DictionaryMaxBytes(dictionary),
	}
	for key, value := range map[string]string{
		"anond.format":   strconv.Itoa(Format),
		"anond.dataset":  t.Dataset(),
		"anond.recoding": t.Recoding(),
		"anond.part":     p.Label,
		"anond.release":  strconv.FormatUint(uint64(p.Release), 10), // that gave birth to the part
		"anond.file":     p.File.Name,
		"anond.sha256":   p.File.SHA256, // of the CSV file that this one was made from
		"anond.dead":     strconv.Itoa(len(p.Dead)),
	} {
		out = append(out, parquet.KeyValueMetadata(key, value))
	}
	return out
}

// schema is that of a file: field n has the field ID n, from 1.
func schema(columns []source.Column) *parquet.Schema {
	root := ordered{Group: parquet.Group{}}
	for i, c := range columns {
		node := parquet.Encoded(nodes[c.Kind](), &parquet.RLEDictionary)
		if c.Optional {
			node = parquet.Optional(node)
		}
		root.fields = append(root.fields, field{parquet.FieldID(node, i+1), c.Name})
	}
	return parquet.NewSchema("release", root)
}

var nodes = map[source.Kind]func() parquet.Node{
	source.Text:   parquet.String,
	source.Long:   func() parquet.Node { return parquet.Leaf(parquet.Int64Type) },
	source.Double: func() parquet.Node { return parquet.Leaf(parquet.DoubleType) },
	source.Date:   parquet.Date,
}

// ordered is a group whose fields keep their order; that of the library sorts them.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

// Fields returns the columns in the order of the table.
func (o ordered) Fields() []parquet.Field { return o.fields }

type field struct {
	parquet.Node
	name string
}

func (f field) Name() string { return f.name }

// Value is for rows that are Go values; these are not.
func (f field) Value(base reflect.Value) reflect.Value { return base }

// batch gathers rows, since the library takes many at a time.
type batch struct {
	to      *parquet.GenericWriter[any]
	columns []source.Column
	rows    []parquet.Row
	used    int
}

func (b *batch) add(values []source.Value) error {
	if b.used == len(b.rows) {
		b.rows = append(b.rows, make(parquet.Row, len(values)))
	}
	for i, v := range values {
		b.rows[b.used][i] = cell(b.columns[i], v, i)
	}
	if b.used++; b.used < batchRows {
		return nil
	}
	return b.flush()
}

func (b *batch) flush() error {
	_, err := b.to.WriteRows(b.rows[:b.used])
	b.used = 0
	return err
}

func cell(c source.Column, v source.Value, column int) parquet.Value {
	level := 0
	if c.Optional {
		level = 1
	}
	switch {
	case v.Null:
		return parquet.NullValue().Level(0, 0, column)
	case c.Kind == source.Long:
		return parquet.Int64Value(v.Int).Level(0, level, column)
	case c.Kind == source.Date:
		return parquet.Int32Value(int32(v.Int)).Level(0, level, column)
	case c.Kind == source.Double:
		return parquet.DoubleValue(v.Float).Level(0, level, column)
	}
	return parquet.ByteArrayValue([]byte(v.Text)).Level(0, level, column)
}
