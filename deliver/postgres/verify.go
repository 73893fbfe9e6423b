package postgres

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"anond/deliver"
)

// Verify implements deliver.Sink: rows are counted by part, in one pass over each table. Whole: each part is copied to the
// server first, and compared there, with rows in any order.
func (s *sink) Verify(ctx context.Context, releases iter.Seq2[*deliver.Release, error], whole bool) error {
	return s.with(ctx, func(conn *pgx.Conn) error {
		want, newest := map[string]map[string]int{}, int32(0) // another process may deliver more meanwhile
		died, removed := 0, 0
		for r, err := range releases {
			if err != nil {
				return err
			}
			newest, died = int32(r.Manifest.Release), died+len(r.Deaths)
			for i := range r.Births {
				b := &r.Births[i]
				for j, f := range b.Files {
					suffix := suffixOf(f.Name, j == 0)
					if want[suffix] == nil {
						want[suffix] = map[string]int{}
					}
					want[suffix][b.Part] = f.Rows
				}
			}
			if whole {
				err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return s.births(ctx, tx, r, s.compare) })
			}
			if err != nil {
				return err
			}
		}
		for suffix, parts := range want {
			if err := s.count(ctx, conn, suffix, newest, parts); err != nil {
				return err
			}
		}
		if newest == 0 {
			return nil
		}
		err := conn.QueryRow(ctx, "SELECT count(*) FROM "+s.names.of(removedTable)+" WHERE release <= $1", newest).Scan(&removed)
		if err == nil && removed != died {
			err = deliver.Other("table %s has %d rows, the releases %d", s.names.of(removedTable), removed, died)
		}
		return err
	})
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
func (s *sink) count(ctx context.Context, conn *pgx.Conn, suffix string, newest int32, want map[string]int) error {
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
