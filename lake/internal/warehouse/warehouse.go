// Package warehouse keeps releases as Apache Iceberg tables in a directory.
//
// Guarantee: each table has one snapshot for each release, whose ID is the number of the
// release. A reader sees a snapshot as a whole or not at all, and the rows of a snapshot are
// those of the release. Adding a release again changes nothing; one whose manifest is not
// the one that the table was made of is refused. A crash at any moment leaves a table that
// can be read, and that the next run goes on with.
//
// A part is one Parquet file. Where classes of a part were regrouped since (level L1), the
// snapshot has a new file without their rows in place of the old one, which earlier
// snapshots keep.
//
// Only one process may write (the command takes a lock). Time and randomness have no part
// in what is written, but for the markers between the blocks of Avro files.
package warehouse

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"anond/internal/disk"
	"anond/internal/fault"
	"anond/lake/internal/source"
	"anond/snapshot"
)

var (
	// errBehind: the tables hold a release that the directory does not have.
	errBehind = fault.Errorf(fault.Behind, "put the newest releases in place, or write to another warehouse",
		"the releases are behind the table")
	// errOther: the tables were made of other releases.
	errOther = fault.Errorf(fault.Behind, "these are releases of another history: write them to another place",
		"it is not the release that the table holds")
)

// Warehouse is a directory of tables.
type Warehouse struct {
	Files snapshot.FS
	Dir   string // absolute
	// Added is told of each release that was added to all its tables.
	Added func(Addition)
}

// Addition is what a release changed.
type Addition struct {
	Release              uint32
	Records              int
	Added, Kept, Removed int // files, of all tables
}

// Check reports what is wrong with the path: tables name their files by it.
func (w *Warehouse) Check() error {
	if !filepath.IsAbs(w.Dir) || strings.ContainsAny(w.Dir, "%?#") {
		return fmt.Errorf("%s: the path of a warehouse is part of addresses and must not have %%, ? or # in it", w.Dir)
	}
	return nil
}

// Add brings the tables up to the newest release, one release after the other.
func (w *Warehouse) Add(ctx context.Context, chain *source.Chain) error {
	if err := w.Check(); err != nil {
		return err
	}
	open := map[string]*table{}
	for _, n := range chain.Readable() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.release(chain, n, open); err != nil && !goneMeanwhile(chain, n, err) {
			return err
		}
	}
	return nil
}

// goneMeanwhile reports that a release was pruned while it was read: the next one has its rows.
func goneMeanwhile(chain *source.Chain, n uint32, err error) bool {
	if n == chain.Newest() || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, snapshot.ErrPruned) {
		return false
	}
	_, again := chain.Release(n)
	return errors.Is(again, snapshot.ErrPruned)
}

func (w *Warehouse) release(chain *source.Chain, n uint32, open map[string]*table) error {
	if done(open, n) {
		return nil
	}
	r, err := chain.Release(n)
	if err != nil {
		return err
	}
	tables, err := r.Tables()
	if err == nil && tables == nil {
		tables, err = w.emptied(r)
	}
	if err != nil {
		return err
	}
	// The rows come last: a reader who finds a release there finds its values, too.
	slices.Reverse(tables)
	a := Addition{Release: n, Records: r.Manifest.Records}
	for _, of := range tables {
		t, err := w.table(chain, of, open)
		if err != nil {
			return err
		}
		if t.newest() >= n {
			continue
		}
		c, err := t.commit(r, of)
		if err != nil {
			return err
		}
		a.count(c)
	}
	if a.Added+a.Kept > 0 && w.Added != nil {
		w.Added(a)
	}
	return nil
}

// emptied are the tables that the warehouse has of a dataset of which all parts have left.
func (w *Warehouse) emptied(r *source.Release) (out []*source.Table, err error) {
	names, err := w.Files.ReadDir(filepath.Join(w.Dir, r.Manifest.Dataset))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, name := range names {
		out = append(out, r.Empty(name))
	}
	return out, err
}

// done reports that all tables have the release.
func done(open map[string]*table, n uint32) bool {
	for _, t := range open {
		if t.newest() < n {
			return false
		}
	}
	return len(open) > 0
}

// table opens a table once, and holds its releases against the chain.
func (w *Warehouse) table(chain *source.Chain, of *source.Table, open map[string]*table) (*table, error) {
	if t := open[of.Name]; t != nil {
		return t, nil
	}
	dataset := of.Dataset()
	if !filepath.IsLocal(dataset) || strings.ContainsAny(dataset, `/\%?#`) || strings.HasPrefix(dataset, ".") {
		return nil, fmt.Errorf("dataset %q cannot name a directory of tables", dataset)
	}
	if err := disk.MakeDir(w.Files, filepath.Join(filepath.Dir(w.Dir), filepath.Base(w.Dir), dataset, of.Name)); err != nil {
		return nil, err
	}
	t, err := openTable(w.Files, filepath.Join(w.Dir, dataset, of.Name))
	if err != nil {
		return nil, err
	}
	open[of.Name] = t
	if err := t.check(chain); err != nil {
		return nil, err
	}
	if err := t.whole(); err != nil {
		return nil, err
	}
	return t, t.withdraw()
}

func (a *Addition) count(c *commit) {
	a.Added += len(c.added)
	a.Kept += len(c.kept)
	a.Removed += len(c.removed)
}
