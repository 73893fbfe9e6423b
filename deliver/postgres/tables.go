package postgres

import (
	"cmp"
	"context"
	"encoding/json"
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
	changes bool         // parts were published under several settings, so columns may come and go
	all     []string     // then those of all parts
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
		return t.fit(ctx, tx, n, have)
	}
	definitions := []string{column(partColumn) + " text NOT NULL REFERENCES " + n.of(partsTable)}
	for i, c := range t.columns {
		definitions = append(definitions, column(c)+" "+t.kind(i)+" NOT NULL")
	}
	return execute(ctx, tx, append([]string{"CREATE TABLE " + n.of(t.suffix) + " (" + strings.Join(definitions, ", ") + ")"}, t.views(n)...))
}

// views make the views of the table, or give them its new columns.
func (t *table) views(n names) []string {
	return []string{
		"CREATE OR REPLACE VIEW " + n.of(t.suffix+currentView) + " AS SELECT d.* FROM " + n.of(t.suffix) + " d" + t.living(n, ""),
		"CREATE OR REPLACE VIEW " + n.of(t.suffix+historyView) + " AS SELECT r.release AS " + column(releaseColumn) + ", d.* FROM " +
			n.of(releasesTable) + " r JOIN " + n.of(partsTable) + " p ON p.release <= r.release JOIN " + n.of(t.suffix) + " d ON d." +
			column(partColumn) + " = p.part" + t.living(n, " AND x.release <= r.release"),
	}
}

func execute(ctx context.Context, tx pgx.Tx, statements []string) error {
	for _, sql := range statements {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// fit compares the table that is there, and gives it the columns that came with new settings: rows without a column have NULL there, once
// there are several settings. have is what columnsOf says.
func (t *table) fit(ctx context.Context, tx pgx.Tx, n names, have []string) error {
	var sql, common []string
	want := t.described()
	for _, c := range have {
		c, optional := strings.CutSuffix(c, " NULL")
		switch name := nameIn(c); {
		case slices.ContainsFunc(want, func(w string) bool { return nameIn(w) == name }):
			common = append(common, c)
		case slices.Contains(t.all, name) && !optional:
			sql = append(sql, "ALTER TABLE "+n.of(t.suffix)+" ALTER COLUMN "+column(name)+" DROP NOT NULL")
		case !slices.Contains(t.all, name):
			if once, err := published(ctx, tx, n, name); err != nil || !once || !optional {
				return cmp.Or(err, deliver.Other("table %s has a column %q, which the releases do not have", n.of(t.suffix), name))
			}
		}
	}
	var missing []string
	for i, w := range want {
		name := nameIn(w)
		if slices.ContainsFunc(have, func(c string) bool { return nameIn(strings.TrimSuffix(c, " NULL")) == name }) {
			continue
		}
		if !t.changes {
			return deliver.Other("table %s lacks the column %q of the releases", n.of(t.suffix), name)
		}
		missing = append(missing, w)
		sql = append(sql, "ALTER TABLE "+n.of(t.suffix)+" ADD COLUMN "+column(name)+" "+t.kind(i-1))
	}
	for _, w := range want {
		if !slices.Contains(common, w) && !slices.Contains(missing, w) {
			return deliver.Other("table %s has a column %q of another type than the releases", n.of(t.suffix), nameIn(w))
		}
	}
	if len(missing) > 0 {
		sql = append(sql, t.views(n)...)
	}
	return execute(ctx, tx, sql)
}

// published reports that a release which the tables have had a column: an attribute, or what only people who settle and histories have.
func published(ctx context.Context, tx pgx.Tx, n names, name string) (once bool, err error) {
	text, err := json.Marshal(name)
	if err != nil {
		return false, err
	}
	said := `"name": ` + string(text)
	if name == "stratum" {
		said = `"settle": "`
	} else if name == "records" || strings.HasPrefix(name, "value_") {
		said = `"max_records": `
	}
	err = tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+n.of(releasesTable)+" WHERE position($1 IN manifest) > 0)", said).Scan(&once)
	return once, err
}

// nameIn is the name in what columnsOf says of a column.
func nameIn(described string) string { return described[:strings.LastIndex(described, " ")] }

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

// columnsOf lists names and types of the columns of a table, and which may be NULL; none: there is no such table.
func columnsOf(ctx context.Context, tx pgx.Tx, schema, name string) ([]string, error) {
	rows, err := tx.Query(ctx, "SELECT column_name || ' ' || data_type || CASE is_nullable WHEN 'YES' THEN ' NULL' ELSE '' END "+
		"FROM information_schema.columns WHERE table_schema = $1"+
		" AND table_name = $2 ORDER BY ordinal_position", schema, name)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
