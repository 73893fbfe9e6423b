package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"anond/cmd/anond/internal/deliver"
)

// Verify implements deliver.Sink: rows are counted by part, in one pass over each table. Whole: the rows of each part are
// compared too, in any order. No error has a cell (rule V, values).
func (s *Sink) Verify(ctx context.Context, releases iter.Seq2[*deliver.Release, error], whole bool) error {
	return s.with(ctx, func(conn *pgx.Conn) error {
		want, died, newest := map[string]map[string]int{}, 0, int32(0) // another process may deliver more meanwhile
		for r, err := range releases {
			if err != nil {
				return err
			}
			died, newest = died+len(r.Deaths), int32(r.Manifest.Release)
			for i := range r.Births {
				b := &r.Births[i]
				for j, f := range b.Files {
					suffix := suffixOf(f.Name, j == 0)
					if want[suffix] == nil {
						want[suffix] = map[string]int{}
					}
					want[suffix][b.Part] = f.Rows
					if !whole {
						continue
					}
					if err := s.compare(ctx, conn, suffix, b.Part, rowsOf(r, b, f)); err != nil {
						return err
					}
				}
			}
		}
		for suffix, parts := range want {
			if err := s.count(ctx, conn, suffix, newest, parts); err != nil {
				return err
			}
		}
		var removed int
		if len(want) == 0 {
			return nil
		}
		err := conn.QueryRow(ctx, "SELECT count(*) FROM "+s.names.of(removedTable)+" WHERE release <= $1", newest).Scan(&removed)
		if err == nil && removed != died {
			err = deliver.Other("table %s has %d rows, the releases %d", s.names.of(removedTable), removed, died)
		}
		return err
	})
}

// count compares how many rows a table has of each part.
func (s *Sink) count(ctx context.Context, conn *pgx.Conn, suffix string, newest int32, want map[string]int) error {
	rows, err := conn.Query(ctx, "SELECT "+column(partColumn)+", count(*) FROM "+s.names.of(suffix)+" JOIN "+s.names.of(partsTable)+
		" p ON p.part = "+column(partColumn)+" AND p.release <= $1 GROUP BY 1", newest)
	if err != nil {
		return err
	}
	has := map[string]int{}
	var part string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&part, &n}, func() error { has[part] = n; return nil }); err != nil {
		return err
	}
	for _, part := range slices.Sorted(maps.Keys(want)) {
		if has[part] != want[part] {
			return deliver.Other("table %s has %d rows of %s, the release %d", s.names.of(suffix), has[part], part, want[part])
		}
		delete(has, part)
	}
	for part := range has {
		return deliver.Other("table %s has rows of %q, which no release has", s.names.of(suffix), part)
	}
	return nil
}

// compare compares columns and rows of a part with a file, the header first.
func (s *Sink) compare(ctx context.Context, conn *pgx.Conn, suffix, part string, file iter.Seq2[[]string, error]) error {
	var header []string
	var want, has sum
	for cells, err := range file {
		switch {
		case err != nil:
			return err
		case header == nil:
			header = slices.Clone(cells)
		default:
			want.add(cells)
		}
	}
	have, err := columnsOf(ctx, conn, s.names.schema, s.names.table+suffix)
	if err == nil {
		err = s.names.differ(suffix, have, append([]string{partColumn}, header...))
	}
	if err != nil {
		return err
	}
	texts := make([]string, len(header))
	for i, c := range header {
		texts[i] = column(c) + "::text"
	}
	rows, err := conn.Query(ctx, "SELECT ARRAY["+strings.Join(texts, ", ")+"] FROM "+s.names.of(suffix)+" WHERE "+
		column(partColumn)+" = $1", part)
	if err != nil {
		return err
	}
	var cells []string
	_, err = pgx.ForEachRow(rows, []any{&cells}, func() error { has.add(cells); return nil })
	if err == nil && has != want {
		err = deliver.Other("table %s has other rows of %s than the release", s.names.of(suffix), part)
	}
	return err
}

// sum is a sum of digests of rows: equal, in all likelihood, only of equal rows, in any order.
type sum [sha256.Size / 8]uint64

func (s *sum) add(cells []string) {
	h := sha256.New()
	for _, c := range cells {
		_ = binary.Write(h, binary.BigEndian, uint64(len(c))) // a hash takes everything
		h.Write([]byte(c))
	}
	digest := h.Sum(nil)
	for i := range s {
		s[i] += binary.BigEndian.Uint64(digest[8*i:])
	}
}
