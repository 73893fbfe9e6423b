package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Column is a column of a table.
type Column struct {
	title string
	width int // least width; the last column may be 0
	right bool
}

// Left is a column of texts.
func Left(title string, width int) Column { return Column{title, width, false} }

// Right is a column of numbers.
func Right(title string, width int) Column { return Column{title, width, true} }

// Table prints rows at once, so that the first is visible before the last is
// known. So widths are given, not measured.
type Table struct {
	w       io.Writer
	columns []Column
	Err     error // the first error of writing; later rows are left out
}

// NewTable is a table with these columns.
func NewTable(w io.Writer, columns ...Column) *Table {
	for i, c := range columns {
		columns[i].width = max(c.width, utf8.RuneCountInString(c.title))
	}
	return &Table{w: w, columns: columns}
}

// Header prints the titles.
func (t *Table) Header() {
	titles := make([]string, len(t.columns))
	for i, c := range t.columns {
		titles[i] = c.title
	}
	t.Row(titles...)
}

// Row prints one row; missing cells are empty.
func (t *Table) Row(cells ...string) {
	if t.Err != nil {
		return
	}
	var b strings.Builder
	for i, c := range t.columns {
		if i > 0 {
			b.WriteString("  ")
		}
		cell := ""
		if i < len(cells) {
			cell = cells[i]
		}
		pad := strings.Repeat(" ", max(0, c.width-utf8.RuneCountInString(cell)))
		if c.right {
			b.WriteString(pad + cell)
		} else {
			b.WriteString(cell + pad)
		}
	}
	_, t.Err = fmt.Fprintln(t.w, strings.TrimRight(b.String(), " "))
}

// WriteJSON writes a value as indented JSON, the form of every --json with a single
// result.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
