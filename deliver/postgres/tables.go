package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"anond/deliver"
)

// makeTables makes what every dataset has, where it is not there yet.
func (s *sink) makeTables(ctx context.Context, tx pgx.Tx) error {
	there, err := s.exists(ctx, tx, releasesTable)
	if err != nil || there {
		return err
	}
	for _, sql := range []string{
		"CREATE TABLE " + s.names.of(releasesTable) + " (release integer PRIMARY KEY, dataset text NOT NULL, created_at timestamptz NOT NULL," +
			" delivered_at timestamptz NOT NULL DEFAULT now(), records bigint NOT NULL, classes bigint NOT NULL," +
			" manifest_sha256 text NOT NULL, manifest text NOT NULL)",
		"CREATE TABLE " + s.names.of(partsTable) + " (part text PRIMARY KEY, release integer NOT NULL REFERENCES " +
			s.names.of(releasesTable) + ", classes bigint NOT NULL, rows bigint NOT NULL)",
		"CREATE TABLE " + s.names.of(removedTable) + " (part text REFERENCES " + s.names.of(partsTable) + ", class integer," +
			" release integer NOT NULL REFERENCES " + s.names.of(releasesTable) + ", PRIMARY KEY (part, class))",
	} {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// table is the one of a data file.
type table struct {
	suffix  string
	columns []string     // of the file
	numbers map[int]bool // which of them hold numbers of classes and buckets, and counts
	class   string       // the column of classes that may die; empty: none
}

// make makes the table and its views, or compares the table that is there.
func (t *table) make(ctx context.Context, tx pgx.Tx, n names) error {
	if err := checkColumns(t.columns); err != nil {
		return err
	}
	if err := fits(n.table + t.suffix + historyView); err != nil {
		return deliver.Final(fmt.Errorf("outputs.postgres.table is too long for the view %s: %w", n.table+t.suffix+historyView, err))
	}
	have, err := columnsOf(ctx, tx, n.schema, n.table+t.suffix)
	if err != nil {
		return err
	}
	if len(have) > 0 {
		if err := t.differ(n, have); err != nil {
			return err
		}
		if !slices.Equal(have, t.described()) {
			return deliver.Other("table %s has columns of another order or type than the releases", n.of(t.suffix))
		}
		return nil
	}
	definitions := []string{column(partColumn) + " text NOT NULL REFERENCES " + n.of(partsTable)}
	for i, c := range t.columns {
		definitions = append(definitions, column(c)+" "+t.kind(i)+" NOT NULL")
	}
	for _, sql := range []string{
		"CREATE TABLE " + n.of(t.suffix) + " (" + strings.Join(definitions, ", ") + ")",
		"CREATE VIEW " + n.of(t.suffix+currentView) + " AS SELECT d.* FROM " + n.of(t.suffix) + " d" + t.living(n, ""),
		"CREATE VIEW " + n.of(t.suffix+historyView) + " AS SELECT r.release AS " + column(releaseColumn) + ", d.* FROM " +
			n.of(releasesTable) + " r JOIN " + n.of(partsTable) + " p ON p.release <= r.release JOIN " + n.of(t.suffix) + " d ON d." +
			column(partColumn) + " = p.part" + t.living(n, " AND x.release <= r.release"),
	} {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// differ names a column that only a table has, or only the releases; have is what columnsOf says.
func (t *table) differ(n names, have []string) error {
	want := append([]string{partColumn}, t.columns...)
	for _, c := range have {
		name := c[:strings.LastIndex(c, " ")]
		if !slices.Contains(want, name) {
			return deliver.Other("table %s has a column %q, which the releases do not have", n.of(t.suffix), name)
		}
	}
	for _, name := range want {
		if !slices.ContainsFunc(have, func(c string) bool { return strings.HasPrefix(c, name+" ") }) {
			return deliver.Other("table %s lacks the column %q of the releases", n.of(t.suffix), name)
		}
	}
	return nil
}

// living leaves out the rows of classes that died.
func (t *table) living(n names, by string) string {
	if t.class == "" {
		return ""
	}
	return " WHERE NOT EXISTS (SELECT FROM " + n.of(removedTable) + " x WHERE x.part = d." + column(partColumn) + " AND x.class = d." +
		column(t.class) + by + ")"
}

func (t *table) kind(i int) string {
	if t.numbers[i] {
		return "integer"
	}
	return "text"
}

// described is what columnsOf says of the table.
func (t *table) described() []string {
	out := []string{partColumn + " text"}
	for i, c := range t.columns {
		out = append(out, c+" "+t.kind(i))
	}
	return out
}

// columnsOf lists names and types of the columns of a table; none: there is no such table.
func columnsOf(ctx context.Context, tx pgx.Tx, schema, name string) ([]string, error) {
	rows, err := tx.Query(ctx, "SELECT column_name || ' ' || data_type FROM information_schema.columns WHERE table_schema = $1"+
		" AND table_name = $2 ORDER BY ordinal_position", schema, name)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
