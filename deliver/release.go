package deliver

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"anond/snapshot"
)

// Release is what a sink gets: a release, and what it changed.
type Release struct {
	*snapshot.Published
	Births      []snapshot.PartEntry
	Deaths      []snapshot.Died
	Hierarchies []snapshot.Copy // those that no earlier release named
	history     *snapshot.History
	paced       func(io.Writer) io.Writer // holds up what is sent
	passed      func()                    // is called for each row that a sink has taken
}

// open reads what a release changed.
func open(h *snapshot.History, number uint32) (*Release, error) {
	p, err := h.Published(number)
	if err != nil {
		return nil, err
	}
	r := &Release{Published: p, Births: p.Manifest.Births(), history: h}
	if len(r.Births) == 0 {
		return nil, fmt.Errorf("%w: release %d has no part of its own", snapshot.ErrDamaged, number)
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
	rows := snapshot.NewRows(from)
	for n := 0; ; n++ {
		cells, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, c := range cells {
			if !utf8.ValidString(c) {
				return fmt.Errorf("%w: row %d is not in UTF-8", snapshot.ErrDamaged, n)
			}
		}
		if err := do(cells); err != nil {
			return err
		}
	}
}
