package postgres

import (
	"fmt"
	"path"
	"strings"

	"github.com/jackc/pgx/v5"

	"anond/deliver"
)

// Ends of the names of tables and views.
const (
	releasesTable = "_releases"
	partsTable    = "_parts"
	removedTable  = "_removed"
	currentView   = "_current"
	historyView   = "_by_release"
)

// Columns that the tables have besides those of a data file.
const (
	partColumn    = "anond_part"
	releaseColumn = "anond_release"
)

// maxName is how many bytes of a name PostgreSQL keeps. It cuts longer ones off without an
// error, and two of them might become one.
const maxName = 63

// names makes the names of tables.
type names struct{ schema, table string }

// path is a name as pgx takes it, of is the same as SQL.
func (n names) path(suffix string) pgx.Identifier { return pgx.Identifier{n.schema, n.table + suffix} }
func (n names) of(suffix string) string           { return n.path(suffix).Sanitize() }

// check demands that the shortest names fit.
func (n names) check() error {
	for key, name := range map[string]string{"schema": n.schema, "table": n.table + releasesTable} {
		if err := fits(name); err != nil || n.table == "" {
			return fmt.Errorf("outputs.postgres.%s is empty or too long: names have at most %d bytes, those that anond adds included", key, maxName)
		}
	}
	return nil
}

func fits(name string) error {
	if name == "" || len(name) > maxName || strings.ContainsRune(name, 0) {
		return fmt.Errorf("a name in PostgreSQL has 1 to %d bytes and no zero", maxName)
	}
	return nil
}

// suffixOf is what the table of a data file has behind the name: nothing for the first
// file, the rows; of another one its name.
func suffixOf(file string, first bool) string {
	if first {
		return ""
	}
	return "_" + strings.TrimSuffix(file, path.Ext(file))
}

// checkColumns refuses columns of a data file that a table of PostgreSQL cannot have: too many, or names that are too long.
func checkColumns(columns []string) error {
	for _, c := range columns {
		if c == partColumn || c == releaseColumn {
			return deliver.Final(fmt.Errorf("attribute %q has the name of a column that anond adds: it cannot be delivered to PostgreSQL", c))
		}
		if err := fits(c); err != nil {
			return deliver.Final(fmt.Errorf("attribute %q cannot be a column: %w", c, err))
		}
	}
	return nil
}

// column is a name as SQL.
func column(name string) string { return pgx.Identifier{name}.Sanitize() }
