package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"anond/deliver"
	"anond/snapshot"
)

// part names what a release gave birth to. What took the place of another part is in the releases that had all of that, too.
func (s *sink) part(ctx context.Context, tx pgx.Tx, b *snapshot.PartEntry) error {
	_, last := b.Births()
	_, err := tx.Exec(ctx, "INSERT INTO "+s.names.of(partsTable)+" (part, release, classes, rows) VALUES ($1, $2, $3, $4)", b.Part,
		int32(last), b.Classes, b.Rows)
	return err
}

// leave deletes the rows of what left with a release (rule W).
func (s *sink) leave(ctx context.Context, tx pgx.Tx, r *deliver.Release) error {
	if len(r.Left) == 0 {
		return nil
	}
	var parts []string
	tables := []string{}
	for i := range r.Left {
		parts = append(parts, r.Left[i].Part)
		for j, f := range r.Left[i].Files {
			if suffix := suffixOf(f.Name, j == 0); !slices.Contains(tables, suffix) {
				tables = append(tables, suffix)
			}
		}
	}
	for _, suffix := range tables {
		there, err := s.exists(ctx, tx, suffix)
		if err == nil && there {
			_, err = tx.Exec(ctx, "DELETE FROM "+s.names.of(suffix)+" WHERE "+column(partColumn)+" = ANY ($1)", parts)
		}
		if err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, "DELETE FROM "+s.names.of(partsTable)+" WHERE part = ANY ($1)", parts)
	return err
}

// use takes the rows of a part from the stage.
type use func(ctx context.Context, tx pgx.Tx, suffix, part string) error

// births takes the rows of what a release gave birth to.
func (s *sink) births(ctx context.Context, tx pgx.Tx, r *deliver.Release, do use) error {
	for i := range r.Births {
		for j, f := range r.Births[i].Files {
			if err := s.file(ctx, tx, r, &r.Births[i], f, suffixOf(f.Name, j == 0), do); err != nil {
				return err
			}
		}
	}
	return nil
}

// insert adds them.
func (s *sink) insert(ctx context.Context, tx pgx.Tx, suffix, _ string) error {
	_, err := tx.Exec(ctx, "INSERT INTO "+s.names.of(suffix)+" SELECT * FROM "+stage.Sanitize())
	return err
}

// stage is the table into which rows are copied first: only when all of them are there is
// the real one touched, so that an attempt that fails leaves no dead rows in it.
var stage = pgx.Identifier{"pg_temp", "anond_stage"}

// file puts the rows of a data file on the stage, and takes them from there.
func (s *sink) file(ctx context.Context, tx pgx.Tx, r *deliver.Release, b *snapshot.PartEntry, f snapshot.FileEntry, suffix string, do use,
) error {
	next, stop := iter.Pull2(rowsOf(r, b, f))
	defer stop()
	header, err, ok := next()
	if err != nil || !ok {
		return errors.Join(err, deliver.Final(fmt.Errorf("%s of %s cannot be read", f.Name, b.Part)))
	}
	t := &table{suffix: suffix, columns: header, numbers: map[int]bool{}}
	for _, at := range r.Manifest.NumberColumns(f.Name) {
		t.numbers[(at+len(header))%len(header)] = true
	}
	if class := r.Manifest.ClassColumn(); slices.Contains(header, class) {
		t.class = class
	}
	if t.changes = len(r.Manifest.Eras) > 0; t.changes {
		t.all = r.Manifest.Columns(f.Name)
	}
	if err := t.make(ctx, tx, s.names); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "CREATE TEMPORARY TABLE anond_stage (LIKE "+s.names.of(suffix)+") ON COMMIT DROP"); err != nil {
		return err
	}
	n, err := tx.CopyFrom(ctx, stage, append([]string{partColumn}, header...), pgx.CopyFromFunc(func() ([]any, error) {
		cells, err, ok := next()
		if err != nil || !ok {
			return nil, err
		}
		return t.values(b.Part, cells)
	}))
	if err == nil && n != int64(f.Rows) {
		err = fmt.Errorf("COPY took %d of %d rows of %s of %s", n, f.Rows, f.Name, b.Part)
	}
	if err != nil {
		return err
	}
	if err := do(ctx, tx, suffix, b.Part); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "DROP TABLE "+stage.Sanitize())
	return err
}

// values are a row as COPY takes it.
func (t *table) values(part string, cells []string) ([]any, error) {
	if len(cells) != len(t.columns) {
		return nil, fmt.Errorf("%w: a row has another number of cells than the header", snapshot.ErrDamaged)
	}
	out := make([]any, 1, len(cells)+1)
	out[0] = part
	for i, c := range cells {
		if !t.numbers[i] {
			out = append(out, c)
			continue
		}
		n, err := strconv.ParseInt(c, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%w: column %q has no number", snapshot.ErrDamaged, t.columns[i])
		}
		out = append(out, int32(n))
	}
	return out, nil
}

var errEnough = errors.New("no more rows are wanted")

// rowsOf are the rows of a data file, the header first.
func rowsOf(r *deliver.Release, b *snapshot.PartEntry, f snapshot.FileEntry) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		err := r.Rows(b, f, func(cells []string) error {
			if !yield(cells, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}
