package chaos

import (
	"anond/incremental/state"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/ingest"
	"anond/snapshot"
)

// plantedSeed is the seed of the plans that have to find the planted bugs.
const plantedSeed = 2026

// within is in how many plans each planted bug must be found.
const within = 200

// bugs are mistakes in what stands between the daemon and its disks, as one could make
// them in package snapshot, boltstore or ingest.
var bugs = map[string]planted{
	"a release's files are not synced":     {files: skipSyncs(func(p string) bool { return strings.Contains(p, ".tmp-0") })},
	"the releases directory is not synced": {files: skipSyncs(func(p string) bool { return filepath.Base(p) == "releases" })},
	"CURRENT is written in place":          {files: func(f snapshot.FS) snapshot.FS { return inPlace{f} }},
	"a release has its name before the gate": {
		files: func(f snapshot.FS) snapshot.FS { return early{f} }},
	"the ledger comes before the release": {files: func(f snapshot.FS) snapshot.FS { return &ledgerFirst{FS: f} }},
	"what is left of a rendering stays":   {files: func(f snapshot.FS) snapshot.FS { return littering{f} }},
	"a retry renders other bytes":         {files: func(f snapshot.FS) snapshot.FS { return &unsteady{FS: f} }},

	"the position is stored before the record": {store: split(positionsOnly, withoutPositions)},
	"the record is stored before the position": {store: split(withoutPositions, positionsOnly)},
	"positions are not stored, so a batch is applied twice": {
		store: edit(func(d *state.Delta) { d.Positions = nil })},
	"a dead letter is lost":                    {store: edit(loseLetter)},
	"counters are stored later":                {store: split(withoutCounters, countersOnly)},
	"the mark comes before the release":        {store: edit(markEarly)},
	"the decision is stored after the release": {store: func(s state.Store) state.Store { return &late{Store: s} }},
	"a release number is decided anew":         {store: func(s state.Store) state.Store { return anew{s} }},
	"classes are stored apart from the intent": {store: split(withoutIntent, intentOnly)},
	"a failed commit is taken for a success":   {store: func(s state.Store) state.Store { return deaf{s} }},

	"a record is read in place of another":     {source: func(s ingest.Source) ingest.Source { return &stutter{Source: s} }},
	"a record is skipped after a restart":      {source: func(s ingest.Source) ingest.Source { return &skipping{Source: s} }},
	"a failed delivery is taken for a success": {sink: func(d ingest.DeadLetters) ingest.DeadLetters { return carefree{d} }},

	"a pruned release's manifest is not synced": {files: skipSyncs(func(p string) bool { return strings.Contains(p, "/pruned/") })},
	// Either is harmless where the other is right: the state and the list make up for each other.
	"the position behind a delete is stored without the person, and the list is not durable": {
		store: edit(func(d *state.Delta) { d.Known, d.Due = nil, nil }), unlisted: true},
	"the list of who was forgotten is not durable": {forgetting: func(list string, before []byte) error {
		return os.WriteFile(list, before, 0o600)
	}},
	"a commit that finds the state full is taken for a success": {store: func(s state.Store) state.Store { return roomy{s} }},
	"a large delivery of dead letters loses its end":            {sink: func(d ingest.DeadLetters) ingest.DeadLetters { return short{d} }},
	// Rule B (buckets): a state that does not know what became of a pool.
	"a start does not ask which pools were judged":             {files: func(f snapshot.FS) snapshot.FS { return unasking{f} }},
	"anond state restore does not ask which pools were judged": {unasked: true},
	"which pools were judged is noted nowhere else":            {files: func(f snapshot.FS) snapshot.FS { return unnoting{f} }},
	"a copy of the state has its name before it is whole": {copied: func(path string) error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		return os.Truncate(path, info.Size()/2)
	}},
}

// shardBugs are those of plans of shards.
var shardBugs = map[string]planted{
	"a shard reads a partition of another":        {strays: true},
	"the vector of a union goes back":             {united: func(f snapshot.FS) snapshot.FS { return backwards{f} }},
	"CURRENT of a union stays behind":             {united: func(f snapshot.FS) snapshot.FS { return lagging{f} }},
	"an intent of a union replaces another":       {united: func(f snapshot.FS) snapshot.FS { return replacing{f} }},
	"an intent of a union has its name too early": {united: skipSyncs(func(p string) bool { return strings.Contains(p, ".tmp-intent") })},
	"a journal loses what it has acknowledged":    {log: losing},
}

// TestPlantedBugsOfShardsAreFound: as TestPlantedBugsAreFound, by plans of shards alone.
func TestPlantedBugsOfShardsAreFound(t *testing.T) {
	tier.NotShort(t, "it plays many plans")
	few := tier.Of(t, 0, 2, len(shardBugs)) < len(shardBugs)
	for name, bug := range shardBugs {
		if few && !strings.HasPrefix(name, "a shard") && !strings.HasPrefix(name, "the vector") || slow(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			found(t, bug, 4, 5)
		})
	}
}

// TestPlantedBugsOfErasuresAreFound: as TestPlantedBugsAreFound, by plans whose buckets leave on request.
func TestPlantedBugsOfErasuresAreFound(t *testing.T) {
	tier.NotShort(t, "it plays many plans")
	for name, bug := range map[string]planted{
		"which buckets have left is not stored": {store: edit(func(d *state.Delta) { d.Deaths = nil })},
	} {
		t.Run(name, func(t *testing.T) {
			foundBy(t, bug, 0, 1, func(number int) *chaosPlan { return generateErasing(plantedSeed, number) })
		})
	}
}

// slow are bugs that many plans are played for: go test ./rig/chaos -run TestPlanted -plans 1 plays them, too.
func slow(name string) bool {
	return *simPlans == 0 && slices.Contains([]string{"a copy of the state has its name before it is whole",
		"a failed delivery is taken for a success", "an intent of a union has its name too early"}, name)
}

// found plays plans with a bug until one fails, which must hold without it.
func found(t *testing.T, bug planted, from, by int) {
	foundBy(t, bug, from, by, func(number int) *chaosPlan { return generate(plantedSeed, number, false) })
}

func foundBy(t *testing.T, bug planted, from, by int, plan func(number int) *chaosPlan) {
	for number := from; number < within*by; number += by {
		p := plan(number)
		if r := play(t, p, bug); r.Err != nil {
			t.Logf("plan %d: %v", number, r.Err)
			require.NoError(t, play(t, p, planted{}).Err, "the plan fails without the bug, too")
			return
		}
	}
	t.Fatalf("not found by %d plans", within)
}

// quick are bugs that are found in a second: by one of the first plans, and not by a daemon that hangs.
var quick = []string{"a record is read in place of another"}

// TestPlantedBugsAreFound: the harness finds each of them, soon.
func TestPlantedBugsAreFound(t *testing.T) {
	tier.NotShort(t, "it plays many plans")
	require.GreaterOrEqual(t, len(bugs), 10)
	few := tier.Of(t, 0, len(quick), len(bugs)) < len(bugs)
	for name, bug := range bugs {
		if few && !slices.Contains(quick, name) || slow(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			found(t, bug, 0, 1)
		})
	}
}

// forgetful leaves out some syncs.
type forgetful struct {
	snapshot.FS
	out func(path string) bool
}

func skipSyncs(out func(string) bool) func(snapshot.FS) snapshot.FS {
	return func(f snapshot.FS) snapshot.FS { return forgetful{f, out} }
}

func (f forgetful) Sync(path string) error {
	if f.out(path) {
		return nil
	}
	return f.FS.Sync(path)
}

func (f forgetful) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := f.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

// inPlace writes CURRENT without a rename.
type inPlace struct{ snapshot.FS }

func (f inPlace) Rename(from, to string) error {
	if filepath.Base(to) != "CURRENT" {
		return f.FS.Rename(from, to)
	}
	text, err := f.ReadFile(from)
	if err != nil {
		return err
	}
	w, err := f.Create(to)
	if err != nil {
		return err
	}
	if _, err := w.Write(text[:3]); err != nil {
		return err
	}
	if _, err := w.Write(text[3:]); err != nil {
		return err
	}
	return w.Close()
}

// early gives a release its name as soon as its manifest is written.
type early struct{ snapshot.FS }

func (f early) CreateSealed(path string) (io.WriteCloser, error) {
	w, err := f.FS.CreateSealed(path)
	if err == nil && filepath.Base(path) == "manifest.json" && strings.Contains(path, ".tmp-0") {
		return &earlyFile{w, f, filepath.Dir(path)}, nil
	}
	return w, err
}

type earlyFile struct {
	io.WriteCloser
	fs  early
	dir string
}

// rendering is the name of one, with its owner.
var rendering = regexp.MustCompile(`\.tmp-(0[0-9]{5})-[0-9a-f]+`)

func named(dir string) string { return rendering.ReplaceAllString(dir, "$1") }

// Close copies the rendering to the release's name.
func (e *earlyFile) Close() error {
	if err := e.WriteCloser.Close(); err != nil {
		return err
	}
	if _, err := e.fs.Stat(named(e.dir)); err == nil {
		return nil
	}
	return filepath.WalkDir(e.dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return e.fs.MkdirAll(named(path))
		}
		return e.fs.Link(path, named(path))
	})
}

func (f early) Rename(from, to string) error {
	if strings.Contains(from, ".tmp-0") {
		if err := f.RemoveAll(to); err != nil {
			return err
		}
	}
	return f.FS.Rename(from, to)
}

// ledgerFirst gives a release its name after the ledger has its line.
type ledgerFirst struct {
	snapshot.FS
	from, to string
}

func (f *ledgerFirst) Rename(from, to string) error {
	if strings.Contains(from, ".tmp-0") {
		f.from, f.to = from, to
		return nil
	}
	return f.FS.Rename(from, to)
}

func (f *ledgerFirst) Sync(path string) error {
	if err := f.FS.Sync(path); err != nil || filepath.Base(path) != "ledger" || f.from == "" {
		return err
	}
	from, to := f.from, f.to
	f.from = ""
	return f.FS.Rename(from, to)
}

func (f *ledgerFirst) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := f.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

// littering removes nothing.
type littering struct{ snapshot.FS }

func (littering) RemoveAll(string) error { return nil }

// unsteady adds a byte to the second rendering of a file.
type unsteady struct {
	snapshot.FS
	seen map[string]bool
}

func (f *unsteady) CreateSealed(path string) (io.WriteCloser, error) {
	w, err := f.FS.CreateSealed(path)
	again := f.seen[path]
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	f.seen[path] = true
	if _, there := f.Stat(named(filepath.Dir(filepath.Dir(path)))); err == nil && (again || there == nil) {
		_, err = w.Write([]byte("\n"))
	}
	return w, err
}

// edited changes each transaction.
type edited struct {
	state.Store
	change func(*state.Delta)
}

func edit(change func(*state.Delta)) func(state.Store) state.Store {
	return func(s state.Store) state.Store { return edited{s, change} }
}

func (s edited) Commit(d *state.Delta) error {
	changed := *d
	s.change(&changed)
	return s.Store.Commit(&changed)
}

// splitting makes two transactions of one.
type splitting struct {
	state.Store
	first, second func(*state.Delta) *state.Delta
}

func split(first, second func(*state.Delta) *state.Delta) func(state.Store) state.Store {
	return func(s state.Store) state.Store { return splitting{s, first, second} }
}

func (s splitting) Commit(d *state.Delta) error {
	for _, part := range []*state.Delta{s.first(d), s.second(d)} {
		if part.Empty() {
			continue
		}
		if err := s.Store.Commit(part); err != nil {
			return err
		}
	}
	return nil
}

func positionsOnly(d *state.Delta) *state.Delta {
	return &state.Delta{Positions: d.Positions}
}

func countersOnly(d *state.Delta) *state.Delta {
	return &state.Delta{Counters: d.Counters}
}

func intentOnly(d *state.Delta) *state.Delta {
	return &state.Delta{Intent: d.Intent}
}

func withoutPositions(d *state.Delta) *state.Delta {
	rest := *d
	rest.Positions = nil
	return &rest
}

func withoutCounters(d *state.Delta) *state.Delta {
	rest := *d
	rest.Counters = nil
	return &rest
}

func withoutIntent(d *state.Delta) *state.Delta {
	rest := *d
	rest.Intent = nil
	return &rest
}

// loseLetter forgets a dead letter if there are several.
func loseLetter(d *state.Delta) {
	if n := len(d.DeadLetters); n > 1 {
		d.DeadLetters = d.DeadLetters[:n-1]
	}
}

// markEarly marks a release as published when it is decided.
func markEarly(d *state.Delta) {
	if d.Intent != nil && len(d.Births) > 0 {
		marked := *d.Intent
		marked.Published = true
		d.Intent = &marked
	}
}

// late keeps a decision in memory until the release is published.
type late struct {
	state.Store
	held *state.Delta
}

func (s *late) Commit(d *state.Delta) error {
	if d.Intent != nil && !d.Intent.Published {
		s.held = d
		return nil
	}
	if s.held != nil {
		held := s.held
		s.held = nil
		if err := s.Store.Commit(held); err != nil {
			return err
		}
	}
	return s.Store.Commit(d)
}

// anew gives a release that was interrupted another time.
type anew struct{ state.Store }

func (s anew) Load(v state.Visitor) error {
	intent := v.Intent
	v.Intent = func(i *state.Intent) error {
		if !i.Published {
			changed := *i
			changed.CreatedAt++
			i = &changed
		}
		return intent(i)
	}
	return s.Store.Load(v)
}

// deaf does not hear that a commit has failed.
type deaf struct{ state.Store }

func (s deaf) Commit(d *state.Delta) error {
	_ = s.Store.Commit(d)
	return nil
}

// stutter hands out the last record of a chunk again, under the next offset.
type stutter struct {
	ingest.Source
	shift int64
}

func (s *stutter) Next(ctx context.Context) (*ingest.Chunk, error) {
	c, err := s.Source.Next(ctx)
	if err != nil || len(c.Records) < 10 || s.shift > 0 {
		return c, err
	}
	s.shift = 1
	n := len(c.Records)
	c.Records[n-1].Value = c.Records[n-2].Value
	return c, nil
}

// skipping begins one record too late.
type skipping struct {
	ingest.Source
	begun bool
}

func (s *skipping) Next(ctx context.Context) (*ingest.Chunk, error) {
	c, err := s.Source.Next(ctx)
	if err == nil && !s.begun && c.From > 0 {
		s.begun = true
		c.Records = c.Records[1:]
	}
	return c, err
}

// carefree takes a failed delivery for a success.
type carefree struct{ ingest.DeadLetters }

func (s carefree) Deliver(ctx context.Context, letters []state.DeadLetter) error {
	_ = s.DeadLetters.Deliver(ctx, letters)
	return nil
}

// roomy does not hear that the state is full.
type roomy struct{ state.Store }

func (s roomy) Commit(d *state.Delta) error {
	if err := s.Store.Commit(d); !errors.Is(err, state.ErrQuota) {
		return err
	}
	return nil
}

// short delivers at most some letters at a time, and does not say so.
type short struct{ ingest.DeadLetters }

func (s short) Deliver(ctx context.Context, letters []state.DeadLetter) error {
	return s.DeadLetters.Deliver(ctx, letters[:min(len(letters), 200)])
}

// unasking takes the file of judged pools for one that is not there, and leaves it as it is.
type unasking struct{ snapshot.FS }

func (f unasking) ReadFile(path string) ([]byte, error) {
	if strings.HasSuffix(path, ".pools") {
		return nil, fs.ErrNotExist
	}
	return f.FS.ReadFile(path)
}

// unnoting does not write that file.
type unnoting struct{ snapshot.FS }

func (f unnoting) Rename(from, to string) error {
	if strings.HasSuffix(to, ".pools") {
		return f.RemoveAll(from)
	}
	return f.FS.Rename(from, to)
}
