package postgres

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"anond/deliver"
)

// errMoved: another process has delivered meanwhile. The next attempt compares again.
var errMoved = errors.New("another process delivers to the same tables")

// Verify implements deliver.Sink: rows are counted by part, in one pass over each table. Whole: each part is copied to the
// server first, and compared there, with rows in any order.
func (s *sink) Verify(ctx context.Context, at deliver.Position, releases iter.Seq2[*deliver.Release, error], whole bool) error {
	return s.with(ctx, func(conn *pgx.Conn) error {
		want := counts{}
		for r, err := range releases {
			if err != nil {
				return err
			}
			want.add(r)
			if whole {
				err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return s.births(ctx, tx, r, s.compare) })
			}
			if err != nil {
				return s.unlessMoved(ctx, conn, at, err)
			}
		}
		if at.Release == 0 {
			return nil
		}
		for suffix, parts := range want.rows {
			if err := s.count(ctx, conn, suffix, &want, parts); err != nil {
				return s.unlessMoved(ctx, conn, at, err)
			}
		}
		removed := 0
		err := conn.QueryRow(ctx, "SELECT count(*) FROM "+s.names.of(removedTable)+" WHERE release <= $1", int32(want.release)).Scan(&removed)
		if err == nil && removed != want.died {
			err = deliver.Other("table %s has %d rows, the releases %d", s.names.of(removedTable), removed, want.died)
		}
		return err
	})
}

// unlessMoved is an error, or errMoved where the tables have a newer release than the position that was compared.
func (s *sink) unlessMoved(ctx context.Context, conn *pgx.Conn, at deliver.Position, err error) error {
	if p, failed := s.newest(ctx, conn); failed == nil && p.Release > at.Release {
		return errMoved
	}
	return err
}

// counts are how many rows the tables should have of each part.
type counts struct {
	release uint32
	rows    map[string]map[string]int // by suffix of the table and part
	maybe   map[string]map[string]int // of what has left since: all rows, or none
	died    int
}

// add adds what a release changed.
func (c *counts) add(r *deliver.Release) {
	c.release, c.died = r.Manifest.Release, c.died+len(r.Deaths)
	for i := range r.Left {
		for _, of := range []map[string]map[string]int{c.rows, c.maybe} {
			for _, parts := range of {
				delete(parts, r.Left[i].Part)
			}
		}
	}
	note := func(to *map[string]map[string]int, births deliver.Pieces) {
		for i := range births {
			for j, f := range births[i].Files {
				suffix := suffixOf(f.Name, j == 0)
				if *to == nil {
					*to = map[string]map[string]int{}
				}
				if (*to)[suffix] == nil {
					(*to)[suffix] = map[string]int{}
				}
				(*to)[suffix][births[i].Part] = f.Rows
			}
		}
	}
	note(&c.rows, r.Births)
	note(&c.maybe, r.Absent)
}

// compare compares the rows of a part with those on the stage. No error has a cell (rule V, values).
func (s *sink) compare(ctx context.Context, tx pgx.Tx, suffix, part string) error {
	mine, other := "TABLE "+stage.Sanitize(), "SELECT * FROM "+s.names.of(suffix)+" WHERE "+column(partColumn)+" = $1"
	var differ bool
	err := tx.QueryRow(ctx, "SELECT EXISTS (("+mine+" EXCEPT ALL "+other+") UNION ALL ("+other+" EXCEPT ALL "+mine+"))", part).Scan(&differ)
	if err == nil && differ {
		err = deliver.Other("table %s has other rows of %s than the release", s.names.of(suffix), part)
	}
	return err
}

// count compares how many rows a table has of each part.
func (s *sink) count(ctx context.Context, conn *pgx.Conn, suffix string, all *counts, want map[string]int) error {
	rows, err := conn.Query(ctx, "SELECT "+column(partColumn)+", count(*) FROM "+s.names.of(suffix)+" JOIN "+s.names.of(partsTable)+
		" p ON p.part = "+column(partColumn)+" AND p.release <= $1 GROUP BY 1", int32(all.release))
	if err != nil {
		return err
	}
	has := map[string]int{}
	var part string
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&part, &n}, func() error { has[part] = n; return nil }); err != nil {
		return err
	}
	for part, rows := range all.maybe[suffix] {
		if has[part] == rows {
			delete(has, part)
		}
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
