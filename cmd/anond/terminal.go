package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"anond/internal/progress"
)

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progressing shows on a terminal how far long work is, and when it will be done; done
// removes that. Elsewhere it shows nothing. show may be called by several goroutines.
func (e *environment) progressing(what string) (show func(done, all int64), done func()) {
	if !isTerminal(e.stderr) {
		return func(int64, int64) {}, func() {}
	}
	var m progress.Meter
	m.Begin(time.Now())
	var mu sync.Mutex
	shown := time.Time{}
	return func(done, all int64) {
		mu.Lock()
		defer mu.Unlock()
		m.Set(done, all)
		now := time.Now()
		if p := m.At(now); p != nil && now.Sub(shown) >= 100*time.Millisecond {
			shown = now
			fmt.Fprintf(e.stderr, "\r%s: %s\033[K", what, p)
		}
	}, func() { fmt.Fprint(e.stderr, clearLine) }
}

// withWork is where a daemon writes its log. On a terminal a last line tells what long work is
// under way; elsewhere working is nil.
func (e *environment) withWork() (out io.Writer, working func(what string)) {
	if !isTerminal(e.stderr) {
		return e.stderr, nil
	}
	l := &liveLine{w: e.stderr}
	return l, l.show
}

// column is a column of a table.
type column struct {
	title string
	width int // least width; the last column may be 0
	right bool
}

// table prints rows at once, so that the first is visible before the last is
// known. So widths are given, not measured.
type table struct {
	w       io.Writer
	columns []column
	err     error // the first error of writing; later rows are left out
}

func newTable(w io.Writer, columns ...column) *table {
	for i, c := range columns {
		columns[i].width = max(c.width, utf8.RuneCountInString(c.title))
	}
	return &table{w: w, columns: columns}
}

// header prints the titles.
func (t *table) header() {
	titles := make([]string, len(t.columns))
	for i, c := range t.columns {
		titles[i] = c.title
	}
	t.row(titles...)
}

// row prints one row; missing cells are empty.
func (t *table) row(cells ...string) {
	if t.err != nil {
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
	_, t.err = fmt.Fprintln(t.w, strings.TrimRight(b.String(), " "))
}

// writeJSON writes a value as indented JSON, the form of every --json with a single
// result.
func writeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
