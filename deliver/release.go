package deliver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"anond/snapshot"
)

// Release is what a sink gets: a release, and what it changed. Where a sink is behind, what has left by the newest release is
// not sent any more: a copy of an older one lacks it. Whoever reads the copy meanwhile knows less than the releases show.
type Release struct {
	*Published
	Step
	Absent      Pieces // births that are not sent: they have left since
	Deaths      []Died
	Hierarchies []hierarchyCopy // those that no earlier release named
	history     *history
	paced       func(io.Writer) io.Writer // holds up what is sent
	passed      func()                    // is called for each row that a sink has taken
}

// open reads what a release changed, given the newest one.
func open(h *history, number, newest uint32) (*Release, error) {
	p, err := h.Published(number)
	if err != nil {
		return nil, err
	}
	r := &Release{Published: p, history: h}
	if r.Step, err = h.Step(number); err != nil {
		return nil, err
	}
	stay, err := h.Pieces(newest)
	if err != nil {
		return nil, err
	}
	births := r.Births
	r.Births = nil
	for _, b := range births {
		if stay.has(&b) {
			r.Births = append(r.Births, b)
		} else {
			r.Absent = append(r.Absent, b)
		}
	}
	if r.Deaths, err = h.Deaths(p.Manifest); err != nil {
		return nil, err
	}
	r.Hierarchies, err = h.Hierarchies(p.Manifest)
	return r, err
}

// Rows reads a file of a part that the release gave birth to: the header, then each row,
// as cells, at the pace of the limit. The file was compared with its hash before do is called.
func (r *Release) Rows(b *snapshot.PartEntry, f snapshot.FileEntry, do func(cells []string) error) error {
	if err := r.history.CopyBirth(b, f, io.Discard); err != nil {
		return err
	}
	in, out := io.Pipe()
	copied := make(chan error, 1)
	go func() {
		err := r.history.CopyBirth(b, f, r.paced(out))
		_ = out.CloseWithError(err) // never fails
		copied <- err
	}()
	header := true
	err := eachRow(in, func(cells []string) error {
		err := do(cells)
		if err == nil && !header {
			r.passed()
		}
		header = false
		return err
	})
	_ = in.Close()
	if failed := <-copied; err == nil && !errors.Is(failed, io.ErrClosedPipe) {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("%s of %s: %w", f.Name, b.Part, err)
	}
	return nil
}

func eachRow(from io.Reader, do func(cells []string) error) error {
	rows := bufio.NewReaderSize(from, 1<<16)
	var line []byte
	var fields [][]byte
	for n := 0; ; n++ {
		var err error
		if line, err = snapshot.ReadRecord(rows, line[:0]); errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !utf8.Valid(line) {
			return fmt.Errorf("%w: row %d is not in UTF-8", snapshot.ErrDamaged, n)
		}
		fields = splitRecord(fields, line)
		cells := make([]string, len(fields))
		for i, f := range fields {
			cells[i] = unquotedField(string(f))
		}
		if err := do(cells); err != nil {
			return err
		}
	}
}

// unquotedField is the inverse of snapshot.AppendField.
func unquotedField(field string) string {
	if len(field) < 2 || field[0] != '"' {
		return field
	}
	return strings.ReplaceAll(field[1:len(field)-1], `""`, `"`)
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
