package views_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/deliver"
	"anond/equivclass/equivtest/tier"
	"anond/ingest"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/internal/upkeep"
	_ "anond/internal/views"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/describe"
	"anond/snapshot/publish"
	"anond/snapshot/snapshottest"
	"anond/snapshot/verify"
	"anond/snapshot/views"
)

const clinic = `version: 1
dataset: clinic
source: {type: file, format: csv, file: {path: in.csv, complete: true}}
dead_letter: {type: file, path: ./dead-letter}
schema:
  missing: value
  attributes:
    - {name: id, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: zip, role: quasi, hierarchy: zip.csv}
    - {name: sex, role: quasi, type: categorical}
    - {name: weight, role: quasi, type: decimal, digits: 1, steps: [5, 10]}
    - {name: illness, role: sensitive, hierarchy: illness.csv}
    - {name: drug, role: sensitive, type: categorical}
subject: {%s}
policy: {k: 3, l: 2, max_hold: 0s}
initial: {min_pool: 60}
release:
  dir: ./releases
  ledger: ./ledger
  trigger: {on: records, every: 60}
  tables: [[illness, drug]]
  %s
  views:
    - {name: insurer, columns: [age, sex, illness, weight], cells: {age: 10, weight: 20}, values: {illness: level 1}, mode: "0750"}
    - {name: pharma, columns: [drug, zip, illness], cells: {zip: level 1}}
state: {path: ./state/anond.db}
http: {listen: "off"}
`

// site is a dataset with two views.
type site struct {
	t      *testing.T
	dir    string
	people int
	days   int
	fs     snapshot.FS   // nil: the system's
	log    *bytes.Buffer // nil: none is kept
	seen   ingest.Report // the newest
}

func newSite(t *testing.T, subject, release string) *site {
	s := &site{t: t, dir: t.TempDir()}
	s.write("anond.yaml", fmt.Sprintf(clinic, subject, release))
	s.write("zip.csv", "10;1x;*\n11;1x;*\n20;2x;*\n21;2x;*\n?;*\n")
	s.write("illness.csv", "flu;lung;*\ncold;lung;*\nasthma;lung;*\nangina;heart;*\nulcer;gut;*\n?;*\n")
	s.write("in.csv", "id,age,zip,sex,weight,illness,drug\n")
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

func (s *site) write(name, text string) {
	require.NoError(s.t, os.WriteFile(s.path(name), []byte(text), 0o600))
}

func (s *site) replace(old, with string) {
	text, err := os.ReadFile(s.path("anond.yaml"))
	require.NoError(s.t, err)
	require.Contains(s.t, string(text), old)
	s.write("anond.yaml", strings.Replace(string(text), old, with, 1))
}

func (s *site) load() (*config.Config, error) {
	c, _, err := config.Load(s.path("anond.yaml"), os.LookupEnv, os.ReadFile)
	return c, err
}

// run has so many more people arrive.
func (s *site) run(more int) error {
	s.t.Helper()
	f, err := os.OpenFile(s.path("in.csv"), os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(s.t, err)
	for range more {
		s.people++
		r := rand.New(rand.NewPCG(uint64(s.people), 3))
		pick := func(of ...string) string { return of[r.IntN(len(of))] }
		_, err := fmt.Fprintf(f, "%d,%d,%s,%s,%.1f,%s,%s\n", s.people, 18+r.IntN(60), pick("10", "11", "20", "21", ""), pick("f", "m", "x"),
			45+50*r.Float64(), pick("flu", "cold", "asthma", "angina", "ulcer", ""), pick("a", "b", "c", "d"))
		require.NoError(s.t, err)
	}
	require.NoError(s.t, f.Close())
	c, err := s.load()
	if err != nil {
		return err
	}
	seed := [32]byte{5}
	log := slog.New(slog.DiscardHandler)
	if s.log != nil {
		log = slog.New(slog.NewJSONHandler(s.log, nil))
	}
	return daemon.Run(s.t.Context(), c, dataset.Options{Log: log, Once: true, Clock: stopped{s.days}, Seed: &seed, FS: s.fs,
		Observe: func(r ingest.Report) { s.seen = r }})
}

// forget has people ask, and the next day come.
func (s *site) forget(people ...int) {
	c, err := s.load()
	require.NoError(s.t, err)
	for _, n := range people {
		_, err := upkeep.Forget(s.t.Context(), c, dataset.Options{Log: slog.New(slog.DiscardHandler), Clock: stopped{s.days}}, fmt.Append(nil, n))
		require.NoError(s.t, err)
	}
	s.days++
}

func (s *site) audit() *audit.Report {
	s.t.Helper()
	r, err := audit.Dir(audit.Options{Releases: s.path("releases"), Ledger: s.path("ledger"),
		Views: []string{s.path("releases-insurer"), s.path("releases-pharma")}})
	require.NoError(s.t, err)
	return r
}

func (s *site) newestOr0() uint32 {
	on, err := snapshot.Scan(snapshot.OS(), s.path("releases"))
	require.NoError(s.t, err)
	return on.Newest()
}

func (s *site) newest(dir string) *snapshot.Manifest {
	s.t.Helper()
	m, err := snapshot.Show(snapshot.OS(), s.path(dir), 0)
	require.NoError(s.t, err)
	return m
}

type stopped struct{ days int }

func (s stopped) Now() time.Time                                { return time.Date(2026, 1, 2+s.days, 3, 4, 5, 0, time.UTC) }
func (stopped) Ticker(time.Duration) (<-chan time.Time, func()) { return nil, func() {} }

// opened are the views of the configuration, by name.
func (s *site) opened() map[string]*views.View {
	c, err := s.load()
	require.NoError(s.t, err)
	list, err := dataset.FollowersOf(c)
	require.NoError(s.t, err)
	out := map[string]*views.View{}
	for _, v := range list {
		out[v.(*views.View).Name] = v.(*views.View)
	}
	return out
}

// tree is every file below a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		out[name] = string(data)
		return err
	}))
	return out
}

// TestViewsFollowTheReleases: parts are born, joined, and lose buckets whose people ask; each release of each view is the function of
// the release of its number, and a chain of its own. Made again from the releases alone, it has the same bytes.
func TestViewsFollowTheReleases(t *testing.T) {
	s := newSite(t, "erasure: {mode: bucket, every: 24h}", "")
	require.NoError(t, s.run(400))
	s.forget(3, 50, 61)
	require.NoError(t, s.run(60))
	for n := 0; n < 40 && s.newest("releases").Release < 12; n++ {
		require.NoError(t, s.run(60))
	}
	s.forget(4, 90, 130, 200, 300)
	require.NoError(t, s.run(60))
	r := s.audit()
	require.Empty(t, r.Violations)
	require.Len(t, r.Views, 2)
	m := s.newest("releases")
	require.GreaterOrEqual(t, m.Release, uint32(13))
	require.NotEmpty(t, m.Parts[0].Replaces)
	for name, v := range s.opened() {
		of := s.newest("releases-" + name)
		require.Equal(t, m.Release, of.Release)
		require.Equal(t, int(m.Release), r.Views[0].Releases)
		require.Equal(t, "clinic-"+name, of.Dataset)
		withdrawn := 0
		for i, p := range of.Parts {
			require.Len(t, p.Withdrawn, len(m.Parts[i].Withdrawn))
			withdrawn += len(p.Withdrawn)
		}
		require.Positive(t, withdrawn)
		was := tree(t, v.Dir)
		for _, hash := range hashesOf(t, s.path("releases")) {
			for file, text := range was {
				require.NotContains(t, text, hash, "%s names a file of the release", file)
			}
		}
		v.Dir, v.Ledger = s.path("again-"+name), s.path("again-ledger-"+name)
		require.NoError(t, v.Follow(publish.Directory{FS: snapshot.OS(), Dir: s.path("releases")}))
		require.Equal(t, was, tree(t, v.Dir))
	}
	info, err := os.Stat(s.path("releases-insurer"))
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o750), info.Mode().Perm())
}

// hashesOf are those of manifests and data files, but for files that look the same in the view: they are public there.
func hashesOf(t *testing.T, dir string) (out []string) {
	for name, text := range tree(t, dir) {
		if strings.HasSuffix(name, snapshot.ManifestName) || strings.HasSuffix(name, snapshot.DataName) {
			sum := sha256.Sum256([]byte(text))
			out = append(out, hex.EncodeToString(sum[:]))
		}
	}
	return out
}

// TestViewsLoseWhatExpires: what leaves the releases by its age leaves the views with it, and so do pruned releases.
func TestViewsLoseWhatExpires(t *testing.T) {
	s := newSite(t, "repeat: first", "window: 3\n  keep: {releases: 2}")
	for range 30 {
		require.NoError(t, s.run(60))
	}
	m := s.newest("releases")
	require.Greater(t, m.Expired, uint32(1))
	require.Equal(t, m.Expired, s.newest("releases-pharma").Expired)
	require.Empty(t, s.audit().Violations)
	on, err := snapshot.Scan(snapshot.OS(), s.path("releases-pharma"))
	require.NoError(t, err)
	require.LessOrEqual(t, len(on.Releases), 3) // those that were pruned behind the newest release are in the view until the next one
	require.NotEmpty(t, on.Pruned)
}

// TestViewsBeginLater: a view that is added begins with the oldest release that is there, or with the first one since a day. Removed for
// a while, it is made up for; once what it lacks was pruned, or its definition has changed, it is refused by name.
func TestViewsBeginLater(t *testing.T) {
	s := newSite(t, "repeat: first", "keep: {releases: 3}")
	text := "    - {name: pharma, columns: [drug, zip, illness], cells: {zip: level 1}}\n"
	s.replace(text, "")
	for n := 0; n < 60 && s.newestOr0() < 6; n++ {
		require.NoError(t, s.run(60))
	}
	s.days = 40
	s.replace("\nstate:", "\n"+text+"    - {name: late, columns: [drug, sex], since: 2026-02}\nstate:")
	require.NoError(t, s.run(240))
	pharma, late := s.newest("releases-pharma"), s.newest("releases-late")
	require.Greater(t, pharma.View.First, uint32(1))
	require.Greater(t, late.View.First, pharma.View.First)
	require.Nil(t, firstOf(t, s.path("releases-late"), late.View.First).Previous)
	require.Empty(t, s.audit().Violations)
	r, err := audit.Dir(audit.Options{Releases: s.path("releases-late"), Ledger: s.path("ledger-late")})
	require.NoError(t, err)
	require.Empty(t, r.Violations)

	taken := &recipient{}
	_, err = deliver.Run(t.Context(), taken, deliver.Options{FS: snapshot.OS(), Dir: s.path("releases-late"), Whole: true, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.Equal(t, s.newest("releases-late").Records, taken.rows, "who had nothing gets everybody, once")
	verified, err := verify.Dir(snapshot.OS(), s.path("releases-late"), s.path("ledger-late"))
	require.NoError(t, err)
	require.Empty(t, verified.Findings)

	s.replace(text, "")
	require.NoError(t, s.run(60))
	s.replace("\nstate:", "\n"+text+"\nstate:")
	require.NoError(t, s.run(0), "one release behind: it is made at the start")
	require.Equal(t, s.newest("releases").Release, s.newest("releases-pharma").Release)
	s.replace("cells: {zip: level 1}", "cells: {zip: level 1}, values: {illness: level 1}")
	require.ErrorContains(t, s.run(0), "view pharma has another definition than the releases in")
	s.replace(text[:len(text)-2]+", values: {illness: level 1}}\n", "")
	for range 6 {
		require.NoError(t, s.run(120))
	}
	s.replace("\nstate:", "\n"+text+"\nstate:")
	require.ErrorIs(t, s.run(0), views.ErrDefinition)
}

// TestTheScaleOfWiderCells: where a view has wider cells, it shows the scale to their width, too: to the unit it would tell how many
// values of few there are.
func TestTheScaleOfWiderCells(t *testing.T) {
	s := newSite(t, "repeat: first", "")
	require.NoError(t, s.run(130))
	own, err := snapshot.Show(snapshot.OS(), s.path("releases"), 1)
	require.NoError(t, err)
	view, err := snapshot.Show(snapshot.OS(), s.path("releases-insurer"), 1)
	require.NoError(t, err)
	scale := func(m *snapshot.Manifest, name string) float64 {
		return m.Schema[slices.IndexFunc(m.Schema, func(e snapshot.SchemaEntry) bool { return e.Name == name })].Scale
	}
	require.NotZero(t, math.Mod(scale(own, "weight"), 20))
	for name, width := range map[string]float64{"age": 10, "weight": 20} {
		assert.Equal(t, width*math.Ceil(scale(own, name)/width), scale(view, name), name)
	}
	require.Empty(t, s.audit().Violations)
}

// TestAViewThatCannotBeReadIsNamed: an error of the directory of a view says which view it is.
func TestAViewThatCannotBeReadIsNamed(t *testing.T) {
	s := newSite(t, "repeat: first", "")
	s.write("releases-pharma", "a file in the place of the directory")
	require.ErrorContains(t, s.run(60), "view pharma: ")
}

// TestViewsOfOtherReleases: a dataset that begins anew next to the views of the one before is refused: they would have two chains,
// or none.
func TestViewsOfOtherReleases(t *testing.T) {
	s := newSite(t, "repeat: first", "")
	require.NoError(t, s.run(240))
	for _, name := range []string{"releases", "state", "ledger", "ledger.pools"} {
		require.NoError(t, os.RemoveAll(s.path(name)))
	}
	before := tree(t, s.path("releases-pharma"))
	s.days++
	err := s.run(60)
	require.ErrorIs(t, err, views.ErrForeign)
	kind, hint := fault.Of(err)
	require.Equal(t, fault.Behind, kind)
	require.Contains(t, hint, "give the view another name")
	require.Equal(t, before, tree(t, s.path("releases-pharma")))
}

// recipient takes releases in, and counts rows of data.csv.
type recipient struct {
	at   deliver.Position
	rows int
}

func (r *recipient) Name() string                                       { return "recipient" }
func (r *recipient) Position(context.Context) (deliver.Position, error) { return r.at, nil }
func (r *recipient) Verify(context.Context, deliver.Position, iter.Seq2[*deliver.Release, error], bool) error {
	return nil
}

func (r *recipient) Deliver(_ context.Context, of *deliver.Release) error {
	for i := range of.Births {
		for _, f := range of.Births[i].Files {
			if f.Name != snapshot.DataName {
				continue
			}
			rows := -1 // the header
			err := of.Rows(&of.Births[i], f, func([]string) error { rows++; return nil })
			if r.rows += rows; err != nil {
				return err
			}
		}
	}
	r.at = deliver.Position{Release: of.Manifest.Release, SHA256: of.SHA256}
	return nil
}

func firstOf(t *testing.T, dir string, n uint32) *snapshot.Manifest {
	on, err := snapshot.Scan(snapshot.OS(), dir)
	require.NoError(t, err)
	m, _, err := on.ManifestOf(snapshot.OS(), dir, n)
	require.NoError(t, err)
	return m
}

// TestViewsAreWholeAfterEveryPowerCut: the power goes in each call of the file system; what has its name is whole then, and the next
// start ends where an uninterrupted one does.
func TestViewsAreWholeAfterEveryPowerCut(t *testing.T) {
	tier.NotShort(t, "it tries every power cut")
	s := newSite(t, "repeat: first", "")
	require.NoError(t, s.run(240))
	of := tree(t, s.path("releases"))
	v := s.opened()["pharma"]
	make := func() *snapshottest.Disk {
		disk := snapshottest.New("/d")
		for name, text := range of {
			path := "/d/releases/" + name
			require.NoError(t, disk.MkdirAll(filepath.Dir(path)))
			w, err := disk.Create(path)
			require.NoError(t, err)
			_, err = w.Write([]byte(text))
			require.NoError(t, errors.Join(err, w.Close(), disk.Sync(path)))
			for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
				require.NoError(t, disk.Sync(dir))
			}
		}
		return disk
	}
	follow := func(files snapshot.FS) error {
		fresh := &views.View{Definition: v.Definition, Dir: "/d/view", Ledger: "/d/ledger-view"}
		return fresh.Follow(publish.Directory{FS: files, Dir: "/d/releases"})
	}
	whole := &snapshottest.Recorder{FS: make(), Root: "/d"}
	require.NoError(t, follow(whole))
	want := whole.FS.(*snapshottest.Disk).Files()
	require.Greater(t, whole.Effect, 50)
	random := rand.New(rand.NewPCG(1, 2))
	for at := 1; at <= whole.Effect; at += tier.Of(t, 9, 3, 1) {
		for _, keep := range []func() float64{func() float64 { return 0 }, func() float64 { return 1 }, random.Float64} {
			disk := make()
			cut := errors.New("power cut")
			require.ErrorIs(t, follow(&snapshottest.Recorder{FS: disk, Root: "/d", FailAt: at, Fault: cut}), cut)
			disk.Cut(keep)
			for name, text := range disk.Files() {
				if first, rest, _ := strings.Cut(strings.TrimPrefix(name, "d/view/"), "/"); strings.HasPrefix(name, "d/view/0") {
					require.Equal(t, want[name], text, "%d: %s of release %s", at, rest, first)
				}
			}
			require.NoError(t, follow(disk), "cut at %d", at)
			require.Equal(t, want, disk.Files(), "cut at %d", at)
		}
	}
}

// TestBrokenViews: views that are no function of the release as their manifest says, or that are numbered by what they leave out, are
// found.
func TestBrokenViews(t *testing.T) {
	s := newSite(t, "repeat: first", "")
	require.NoError(t, s.run(180))
	dir := s.path("releases-insurer")
	clean := tree(t, dir)
	data := sheetOf(t, filepath.Join(s.path("releases"), "000001", "part-000001", snapshot.DataName))
	shown := sheetOf(t, filepath.Join(dir, "000001", "part-000001", snapshot.DataName))
	for name, x := range map[string]struct {
		edit map[string]func(rows [][]string) [][]string
		says string
	}{
		"nothing": {nil, ""},
		"classes numbered as in the release": {map[string]func([][]string) [][]string{snapshot.DataName: func(rows [][]string) [][]string {
			return numberedAs(t, rows, data)
		}}, "class_order"},
		"a cell rendered from records": {map[string]func([][]string) [][]string{snapshot.DataName: func(rows [][]string) [][]string {
			for i := range rows {
				if rows[i][3] == "1" { // one year less at its end
					lo, hi, _ := strings.Cut(strings.Trim(shown[1][0], "[]"), ",")
					end, err := strconv.Atoi(hi)
					require.NoError(t, err)
					rows[i][0] = fmt.Sprintf("[%s,%d]", lo, end-1)
				}
			}
			return rows
		}}, "view_differs"},
		"a bucket dropped for a value": {map[string]func([][]string) [][]string{
			snapshot.DataName:    func(rows [][]string) [][]string { return without(rows, 4, "1") },
			snapshot.ValuesName:  func(rows [][]string) [][]string { return without(rows, 0, "1") },
			snapshot.BucketsName: func(rows [][]string) [][]string { return without(rows, 0, "1") },
		}, "view_differs"},
		"a person's value counted elsewhere": {map[string]func([][]string) [][]string{snapshot.ValuesName: func(rows [][]string) [][]string {
			for i := 2; i < len(rows); i++ {
				a, _ := strconv.Atoi(rows[i-1][3])
				b, _ := strconv.Atoi(rows[i][3])
				if rows[i][0] == rows[i-1][0] && a != b {
					rows[i-1][3], rows[i][3] = rows[i][3], rows[i-1][3]
					return rows
				}
			}
			return rows
		}}, "view_differs"},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.RemoveAll(dir))
			for file, text := range clean {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o444))
			}
			rewrite(t, dir, x.edit)
			r, err := audit.Dir(audit.Options{Releases: s.path("releases"), Views: []string{dir}})
			require.NoError(t, err)
			var kinds []string
			for _, v := range r.Violations {
				assert.Equal(t, "insurer", v.View)
				kinds = append(kinds, v.Kind)
			}
			if x.says == "" {
				require.Empty(t, kinds)
			} else {
				require.Contains(t, kinds, x.says)
			}
		})
	}
}

func sheetOf(t *testing.T, path string) [][]string {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	return rows
}

// numberedAs gives classes of a view the numbers of the release's classes of the same cells, as far as that can be told, and sorts
// rows by them.
func numberedAs(t *testing.T, rows, of [][]string) [][]string {
	number := map[string][]string{}
	for _, row := range of[1:] {
		age := strings.Trim(row[0], "[]|?")
		lo, _ := strconv.Atoi(strings.Split(age, ",")[0])
		key := fmt.Sprint(lo/10, row[2])
		if !slices.Contains(number[key], row[4]) {
			number[key] = append(number[key], row[4])
		}
	}
	given := map[string]string{}
	for _, row := range rows[1:] {
		age := strings.Trim(row[0], "[]|?")
		lo, _ := strconv.Atoi(strings.Split(age, ",")[0])
		key := fmt.Sprint(lo/10, row[1])
		if _, done := given[row[3]]; !done && len(number[key]) > 0 {
			given[row[3]], number[key] = number[key][0], number[key][1:]
		}
	}
	var mapped [][]string
	for _, row := range rows[1:] {
		if to, ok := given[row[3]]; ok {
			row[3] = to
			mapped = append(mapped, row)
		}
	}
	require.Equal(t, len(rows)-1, len(mapped))
	slices.SortStableFunc(mapped, func(a, b []string) int {
		x, _ := strconv.Atoi(a[3])
		y, _ := strconv.Atoi(b[3])
		return x - y
	})
	return append(rows[:1:1], mapped...)
}

func without(rows [][]string, column int, value string) [][]string {
	return slices.DeleteFunc(rows, func(row []string) bool { return column < len(row) && row[column] == value })
}

// rewrite changes files of the first part of release 1, which is then the only one, with hashes, documents and manifest.
func rewrite(t *testing.T, dir string, edit map[string]func([][]string) [][]string) {
	for _, n := range []string{"000002", "000003"} {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, n)))
	}
	at := filepath.Join(dir, "000001")
	m, _, err := snapshot.ReadManifest(snapshot.OS(), dir, 1)
	require.NoError(t, err)
	p := &m.Parts[0]
	for i := range p.Files {
		f := &p.Files[i]
		path := filepath.Join(at, p.Part, f.Name)
		if edit[f.Name] == nil {
			continue
		}
		rows := edit[f.Name](sheetOf(t, path))
		var out []byte
		for _, row := range rows {
			out = snapshot.AppendRow(out, row)
		}
		sum := sha256.Sum256(out)
		f.SHA256, f.Bytes, f.Rows = hex.EncodeToString(sum[:]), int64(len(out)), len(rows)-1
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.WriteFile(path, out, 0o444))
	}
	m.Documents = nil
	documents, err := describe.Of(m)
	require.NoError(t, err)
	for _, d := range documents {
		m.Documents = append(m.Documents, d.Document)
		require.NoError(t, os.Remove(filepath.Join(at, d.Name)))
		require.NoError(t, os.WriteFile(filepath.Join(at, d.Name), d.Text, 0o444))
	}
	text, err := m.Encode()
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(at, snapshot.ManifestName)))
	require.NoError(t, os.WriteFile(filepath.Join(at, snapshot.ManifestName), text, 0o444))
	require.NoError(t, os.WriteFile(filepath.Join(dir, snapshot.CurrentName), []byte("000001\n"), 0o600))
}

// TestViewsOfHistories: a view of people with histories, and of those who settle with one record, says of which stratum its buckets are
// and how long their histories; the auditor finds it to be the function of its release that it is, also once buckets have left.
func TestViewsOfHistories(t *testing.T) {
	for _, subject := range []string{"repeat: first, settle: 90 records", "repeat: history, max_records: 2, settle: 90 records"} {
		s := newSite(t, subject+", erasure: {mode: bucket, every: 24h}", "")
		s.replace("  tables: [[illness, drug]]\n", "")
		r, text := rand.New(rand.NewPCG(7, 3)), "id,age,zip,sex,weight,illness,drug\n"
		pick := func(of ...string) string { return of[r.IntN(len(of))] }
		for i := range 900 {
			id := i
			if i%3 == 2 { // comes again
				id = i - 1
			}
			text += fmt.Sprintf("%d,%d,%s,%s,%.1f,%s,%s\n", id, 18+r.IntN(60), pick("10", "11", "20", "21"), pick("f", "m", "x"), 45+50*r.Float64(),
				pick("flu", "cold", "asthma", "angina", "ulcer"), pick("a", "b", "c", "d"))
		}
		s.write("in.csv", text)
		require.NoError(t, s.run(0))
		s.forget(0, 1, 3, 4)
		require.NoError(t, s.run(90))
		report := s.audit()
		require.Empty(t, report.Violations)
		require.Len(t, report.Views, 2)
		own, err := audit.Dir(audit.Options{Releases: s.path("releases-pharma")})
		require.NoError(t, err)
		require.Empty(t, own.Violations)
		strata, withdrawn := map[string]bool{}, 0
		m := s.newest("releases-pharma")
		for _, p := range m.Parts {
			withdrawn += len(p.Withdrawn)
			data, err := os.ReadFile(s.path(filepath.Join("releases-pharma", snapshot.DirName(m.Release), p.Part, snapshot.BucketsName)))
			require.NoError(t, err)
			lines := strings.Split(strings.TrimSpace(string(data)), "\n")
			require.Equal(t, strings.Join(m.BucketsColumns(), ","), lines[0])
			for _, line := range lines[1:] {
				strata[strings.Join(strings.Split(line, ",")[3:], ",")] = true
			}
		}
		require.Positive(t, withdrawn)
		if m.Privacy.MaxRecords == 0 {
			require.Equal(t, map[string]bool{"plain": true}, strata)
			continue
		}
		require.Equal(t, map[string]bool{"plain,1": true, "2,2": true}, strata)
		require.Equal(t, s.newest("releases").Privacy.Attributes[0], m.Privacy.Attributes[0])
	}
}

// lying is a file system that gives whoever makes a view another drug than the release has, everywhere.
type lying struct{ snapshot.FS }

func (f lying) Open(name string) (io.ReadCloser, error) {
	r, err := f.FS.Open(name)
	if err != nil || !strings.Contains(name, "/releases/") {
		return r, err
	}
	text, err := io.ReadAll(r)
	return io.NopCloser(strings.NewReader(strings.ReplaceAll(string(text), "drug,d,", "drug,e,"))), errors.Join(err, r.Close())
}

// TestAViewThatIsNoFunctionOfItsReleaseGetsNoName: the auditor stands in front of each release of a view. One that shows another value
// than the release is not there afterwards, under no name; the dataset's release and the other view are, the run says so and ends with
// exit code 3, and once the fault is gone the next start makes the view.
func TestAViewThatIsNoFunctionOfItsReleaseGetsNoName(t *testing.T) {
	s := newSite(t, "repeat: first", "")
	s.fs, s.log = lying{snapshot.OS()}, &bytes.Buffer{}
	err := s.run(130)
	require.ErrorIs(t, err, publish.ErrRefused)
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Privacy, kind)
	require.ErrorContains(t, err, "view pharma is 1 releases behind")
	require.ErrorContains(t, err, "buckets of the view are not those of the release")
	require.Equal(t, uint32(1), s.newest("releases").Release)
	require.Equal(t, uint32(1), s.newest("releases-insurer").Release, "it has no drugs")
	left, err := filepath.Glob(s.path("releases-pharma/*0*"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.Equal(t, 1, strings.Count(s.log.String(), `"event":"view_failed"`))
	require.Len(t, s.seen.Views, 2)
	assert.Empty(t, s.seen.Views[0].Failure)
	assert.Equal(t, ingest.View{Name: "pharma", Behind: 1, Failure: s.seen.Views[1].Failure}, s.seen.Views[1])
	assert.Contains(t, s.seen.Views[1].Failure, "the releases and other views go on")

	s.fs = nil
	require.NoError(t, s.run(120))
	require.Empty(t, s.audit().Violations)
	require.Equal(t, s.newest("releases").Release, s.newest("releases-pharma").Release)
	require.Zero(t, s.seen.Views[1].Behind)
}
