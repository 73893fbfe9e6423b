package laketest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"anond/snapshot"
	"anond/snapshot/snapshottest"
)

// ErrCut is the fault of a call in which the power was cut.
var ErrCut = errors.New("the power was cut")

// Cutter lets so many calls that change files through, and none after that.
type Cutter struct {
	snapshot.FS
	Calls  int // that changed something, or were to
	FailAt int // 0: never
}

func (c *Cutter) effect() error {
	if c.Calls++; c.FailAt > 0 && c.Calls >= c.FailAt {
		return ErrCut
	}
	return nil
}

// MkdirAll is FS.MkdirAll, and so on below.
func (c *Cutter) MkdirAll(dir string) error {
	return c.first(func() error { return c.FS.MkdirAll(dir) })
}

// Link is FS.Link.
func (c *Cutter) Link(from, to string) error {
	return c.first(func() error { return c.FS.Link(from, to) })
}

// Sync is FS.Sync.
func (c *Cutter) Sync(name string) error { return c.first(func() error { return c.FS.Sync(name) }) }

// Rename is FS.Rename.
func (c *Cutter) Rename(from, to string) error {
	return c.first(func() error { return c.FS.Rename(from, to) })
}

// RemoveAll is FS.RemoveAll.
func (c *Cutter) RemoveAll(name string) error {
	return c.first(func() error { return c.FS.RemoveAll(name) })
}

func (c *Cutter) first(then func() error) error {
	if err := c.effect(); err != nil {
		return err
	}
	return then()
}

// Create is FS.Create.
func (c *Cutter) Create(name string) (io.WriteCloser, error) { return c.open(c.FS.Create, name) }

// CreateSealed is FS.CreateSealed.
func (c *Cutter) CreateSealed(name string) (io.WriteCloser, error) {
	return c.open(c.FS.CreateSealed, name)
}

func (c *Cutter) open(open func(string) (io.WriteCloser, error), name string) (io.WriteCloser, error) {
	if err := c.effect(); err != nil {
		return nil, err
	}
	w, err := open(name)
	return &cutFile{w, c}, err
}

type cutFile struct {
	io.WriteCloser
	of *Cutter
}

func (f *cutFile) Write(p []byte) (int, error) {
	if err := f.of.effect(); err != nil { // half of it was written
		n, _ := f.WriteCloser.Write(p[:len(p)/2])
		return n, err
	}
	return f.WriteCloser.Write(p)
}

func put(disk *snapshottest.Disk, name string, data []byte) error {
	dir := path.Dir(name)
	if err := disk.MkdirAll(dir); err != nil {
		return err
	}
	w, err := disk.Create(name)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	for at := name; at != "/" && at != "."; at = path.Dir(at) {
		if err := disk.Sync(at); err != nil {
			return err
		}
	}
	return disk.Sync("/")
}

// Release is a hand-made release of the recoding generalization, level L1: a quasi-identifier
// of numbers, the sensitive attribute s, and the class.
type Release struct {
	Number uint32
	Quasi  string              // name of the quasi-identifier
	Parts  map[string]string   // name, text of data.csv
	Dead   map[string][]uint32 // by part
	// Window says that the release is of level L2 and has a window, of which births up to Expired have left.
	Window  bool
	Expired uint32
}

// Put writes the release below /d/releases, and CURRENT. before is what Put returned for the release
// before; nothing for the first.
func (r Release) Put(t testing.TB, disk *snapshottest.Disk, before string) (sha string) {
	t.Helper()
	dir := fmt.Sprintf("/d/releases/%06d", r.Number)
	m := map[string]any{"format_version": 6, "dataset": "hand", "release": r.Number, "recoding": "generalization",
		"created_at": fmt.Sprintf("2026-01-01T00:00:%02dZ", r.Number%60), "policy": map[string]any{"k": 1, "l": 1},
		"schema": []any{map[string]any{"name": r.Quasi, "role": "quasi", "type": "integer"},
			map[string]any{"name": "s", "role": "sensitive", "type": "categorical"}}}
	if r.Window {
		m["policy"], m["window"], m["expired"] = map[string]any{"k": 1, "l": 1, "level": "L2"}, "9", r.Expired
		m["recoding"] = "buckets"
	}
	if before != "" {
		m["previous"] = map[string]any{"release": r.Number - 1, "sha256": before}
	}
	records, parts := 0, []any{}
	for _, name := range slices.Sorted(maps.Keys(r.Parts)) {
		text := r.Parts[name]
		rows, classes, living := countRows(text, r.Dead[name])
		records += living
		last := r.Number
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "part-")); err == nil { // a joined part is new
			last = uint32(n)
		}
		sum := sha256.Sum256([]byte(text))
		parts = append(parts, map[string]any{"part": name, "release": last, "mode": "0444", "rows": rows, "classes": classes,
			"dead":  r.Dead[name],
			"files": []any{map[string]any{"name": "data.csv", "sha256": hex.EncodeToString(sum[:]), "bytes": len(text), "rows": rows}}})
		must(t, put(disk, dir+"/"+name+"/data.csv", []byte(text)))
	}
	m["parts"], m["records"] = parts, records
	data, err := json.Marshal(m)
	must(t, err)
	must(t, put(disk, dir+"/manifest.json", data))
	must(t, put(disk, "/d/releases/CURRENT", fmt.Appendf(nil, "%06d\n", r.Number)))
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// countRows counts rows, classes, and rows of living classes. The class is the last field.
func countRows(text string, dead []uint32) (rows, classes, living int) {
	for line := range strings.Lines(text) {
		if rows++; rows == 1 {
			continue
		}
		var class int
		_, _ = fmt.Sscan(strings.TrimSpace(line[strings.LastIndex(line, ",")+1:]), &class)
		classes = max(classes, class)
		if !slices.Contains(dead, uint32(class)) {
			living++
		}
	}
	return rows - 1, max(classes, 1), living
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// OnDisk puts a hand-made release into a directory of the operating system.
func OnDisk(t testing.TB, r Release) string {
	t.Helper()
	disk, dir := snapshottest.New("/d"), t.TempDir()
	r.Put(t, disk, "")
	for name, data := range disk.Files() {
		to := filepath.Join(dir, strings.TrimPrefix(name, "d/"))
		must(t, os.MkdirAll(filepath.Dir(to), 0o755))
		must(t, os.WriteFile(to, []byte(data), 0o644))
	}
	return dir
}
