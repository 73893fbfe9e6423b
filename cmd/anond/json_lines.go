package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// jsonLines turns CSV that is written to it into one JSON object per row, whose keys are
// those of the header, in its order.
type jsonLines struct {
	to      io.Writer
	numbers []int // columns of numbers, from the front or, negative, from the end
	lacking []int // columns of texts, from the front, whose empty fields are null
	keys    [][]byte
	rest    []byte // a row whose end has not come yet
	quoted  bool   // rest ends inside quotes
	out     bytes.Buffer
}

// Write implements io.Writer.
func (n *jsonLines) Write(text []byte) (int, error) {
	for at, b := range text {
		if b == '"' {
			n.quoted = !n.quoted
		}
		n.rest = append(n.rest, b)
		if b != '\n' || n.quoted {
			continue
		}
		if err := n.row(n.rest[:len(n.rest)-1]); err != nil {
			return at, err
		}
		n.rest = n.rest[:0]
	}
	return len(text), nil
}

// row writes a row; the first is the header.
func (n *jsonLines) row(record []byte) error {
	fields := splitCSV(record)
	if n.keys == nil {
		for _, f := range fields {
			key, err := quotedJSON(f)
			if err != nil {
				return err
			}
			n.keys = append(n.keys, key)
		}
		return nil
	}
	n.out.Reset()
	for i, f := range fields[:min(len(fields), len(n.keys))] {
		n.out.WriteByte("{,"[min(i, 1)])
		n.out.Write(n.keys[i])
		n.out.WriteByte(':')
		if slices.Contains(n.numbers, i) || slices.Contains(n.numbers, i-len(n.keys)) {
			n.out.WriteString(cmp.Or(f, "null"))
			continue
		}
		if f == "" && slices.Contains(n.lacking, i) {
			n.out.WriteString("null")
			continue
		}
		value, err := quotedJSON(f)
		if err != nil {
			return err
		}
		n.out.Write(value)
	}
	n.out.WriteString("}\n")
	_, err := n.to.Write(n.out.Bytes())
	return err
}

// quotedJSON writes a text as JSON, without escapes for HTML.
func quotedJSON(text string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(text)
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), err
}

// splitCSV cuts a row into its fields.
func splitCSV(record []byte) (out []string) {
	from, quoted := 0, false
	cut := func(field string) {
		if strings.HasPrefix(field, `"`) {
			field = strings.ReplaceAll(field[1:len(field)-1], `""`, `"`)
		}
		out = append(out, field)
	}
	for i, b := range record {
		switch {
		case b == '"':
			quoted = !quoted
		case b == ',' && !quoted:
			cut(string(record[from:i]))
			from = i + 1
		}
	}
	cut(string(record[from:]))
	return out
}
