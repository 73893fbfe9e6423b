package snapshot_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/snapshot"
)

// node is a file or directory of memFS, with what a power cut leaves of it.
type node struct {
	data, durable           []byte           // file
	entries, durableDir     map[string]*node // directory
	private, durablePrivate bool             // directory: mode 0700
}

func newDir() *node { return &node{entries: map[string]*node{}, durableDir: map[string]*node{}} }

// memFS is a file system that may forget what was not synced: the content of
// files, and the names in directories.
type memFS struct {
	root   *node
	forget string // a path whose syncs do nothing
}

func (m *memFS) find(name string) (*node, error) {
	at := m.root
	for part := range strings.SplitSeq(strings.Trim(name, "/"), "/") {
		if part != "" && part != "." {
			if at = at.entries[part]; at == nil {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
		}
	}
	return at, nil
}

func (m *memFS) MkdirAll(dir string) error {
	at := m.root
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if at.entries[part] == nil {
			at.entries[part] = newDir()
		}
		at = at.entries[part]
	}
	return nil
}

func (m *memFS) MkdirPrivate(dir string) error {
	if _, err := m.find(dir); err == nil {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist}
	}
	if err := m.MkdirAll(dir); err != nil {
		return err
	}
	n, err := m.find(dir)
	n.private = true
	return err
}

func (m *memFS) Publicize(dir string) error {
	n, err := m.find(dir)
	if err == nil {
		n.private = false
	}
	return err
}

func (m *memFS) open(name string, truncate bool) (io.WriteCloser, error) {
	dir, err := m.find(path.Dir(name))
	if err != nil {
		return nil, err
	}
	n := dir.entries[path.Base(name)]
	if n == nil {
		n = &node{}
		dir.entries[path.Base(name)] = n
	}
	if truncate {
		n.data = nil
	}
	return memFile{n}, nil
}

type memFile struct{ n *node }

func (f memFile) Write(p []byte) (int, error) { f.n.data = append(f.n.data, p...); return len(p), nil }
func (f memFile) Close() error                { return nil }

func (m *memFS) Create(name string) (io.WriteCloser, error) { return m.open(name, true) }
func (m *memFS) Append(name string) (io.WriteCloser, error) { return m.open(name, false) }

// CreateSealed makes a file that is not there yet.
func (m *memFS) CreateSealed(name string) (io.WriteCloser, error) {
	if _, err := m.find(name); err == nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	return m.open(name, true)
}

func (m *memFS) Link(from, to string) error {
	n, err := m.find(from)
	if err != nil {
		return err
	}
	dir, err := m.find(path.Dir(to))
	if err == nil {
		dir.entries[path.Base(to)] = n
	}
	return err
}

// memInfo is what Stat tells of a node.
type memInfo struct {
	fs.FileInfo
	node *node
}

func (i memInfo) IsDir() bool { return i.node.entries != nil }

func (m *memFS) Stat(name string) (fs.FileInfo, error) {
	n, err := m.find(name)
	return memInfo{node: n}, err
}

func (m *memFS) Truncate(name string, size int64) error {
	n, err := m.find(name)
	if err == nil {
		n.data = slices.Clone(n.data[:size])
	}
	return err
}

func (m *memFS) Sync(name string) error {
	n, err := m.find(name)
	if err == nil && name != m.forget {
		n.durable, n.durableDir, n.durablePrivate = slices.Clone(n.data), maps.Clone(n.entries), n.private
	}
	return err
}

func (m *memFS) SyncAll(paths []string) error {
	for _, path := range paths {
		if err := m.Sync(path); err != nil {
			return err
		}
	}
	return nil
}

func (m *memFS) Rename(from, to string) error {
	n, err := m.find(from)
	if err != nil {
		return err
	}
	dir, err := m.find(path.Dir(to))
	if err != nil {
		return err
	}
	old, _ := m.find(path.Dir(from))
	delete(old.entries, path.Base(from))
	dir.entries[path.Base(to)] = n
	return nil
}

func (m *memFS) RemoveAll(name string) error {
	if dir, err := m.find(path.Dir(name)); err == nil {
		delete(dir.entries, path.Base(name))
	}
	return nil
}

func (m *memFS) ReadFile(name string) ([]byte, error) {
	n, err := m.find(name)
	if err != nil {
		return nil, err
	}
	if n.entries != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return slices.Clone(n.data), nil
}

func (m *memFS) Open(name string) (io.ReadCloser, error) {
	data, err := m.ReadFile(name)
	return io.NopCloser(bytes.NewReader(data)), err
}

func (m *memFS) ReadDir(name string) ([]string, error) {
	n, err := m.find(name)
	if err != nil {
		return nil, err
	}
	if n.entries == nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	return slices.Sorted(maps.Keys(n.entries)), nil
}

// cut returns what a power cut leaves. keep says, file by file and directory by
// directory, how much of what was not synced survives, from 0 (nothing) to 1.
func (n *node) cut(keep func() float64) *node {
	if n.entries == nil {
		data := slices.Clone(n.durable)
		if share := keep(); share > 0 && !bytes.Equal(n.data, n.durable) {
			kept := 0
			if bytes.HasPrefix(n.data, n.durable) { // an append cannot harm what was durable
				kept = len(n.durable)
			}
			data = slices.Clone(n.data[:kept+int(share*float64(len(n.data)-kept))])
		}
		return &node{data: data, durable: slices.Clone(data)}
	}
	names := n.durableDir
	if keep() > 0.5 {
		names = n.entries
	}
	out := newDir()
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out.entries[name] = names[name].cut(keep)
	}
	out.durableDir = maps.Clone(out.entries)
	out.private = n.private
	if n.durablePrivate && keep() <= 0.5 { // a change of mode is durable with the directory
		out.private = true
	}
	out.durablePrivate = out.private
	return out
}

// files lists all files with their content.
func (n *node) files(prefix string, out map[string]string) map[string]string {
	for name, child := range n.entries {
		if child.entries == nil {
			out[prefix+name] = string(child.data)
		} else {
			if child.private {
				out[prefix+name+"/ is private"] = ""
			}
			child.files(prefix+name+"/", out)
		}
	}
	return out
}

type openGate struct{}

func (openGate) Check(string, []snapshot.Placement) error { return nil }

func memPublisher(files snapshot.FS) *snapshot.Publisher {
	return &snapshot.Publisher{FS: files, Dir: "/d/releases", Ledger: "/d/state/ledger", Gate: openGate{}}
}

// TestPowerCutAtEverySideEffect cuts the power in each call to the file system,
// with nothing, all, or a random part of what was not synced surviving. What has
// a release's name afterwards is the whole release, CURRENT and the ledger name
// only such, what state was told is published is there, and the next start ends
// where an uninterrupted run does.
func TestPowerCutAtEverySideEffect(t *testing.T) {
	tier.NotShort(t, "it tries every power cut")
	require.NoError(t, powerCuts(t, "", publishAll))
	defer snapshot.Keep(2)()
	require.NoError(t, powerCuts(t, "", publishLonger))
}

// TestEverySyncMatters leaves out one sync at a time: the power cuts must show it.
func TestEverySyncMatters(t *testing.T) {
	defer snapshot.Keep(2)()
	r := &recorder{FS: newDisk("")}
	require.NoError(t, publishLonger(t, memPublisher(r), &[]incremental.Intent{}))
	synced := map[string]bool{}
	for _, line := range r.log {
		if name, ok := strings.CutPrefix(line, "sync "); ok {
			synced[name] = true
		}
	}
	require.Greater(t, len(synced), 10)
	for _, name := range slices.Sorted(maps.Keys(synced))[:tier.Of(t, 3, 6, len(synced))] {
		require.Error(t, powerCuts(t, name, publishLonger), "without sync of %s", name)
	}
}

func newDisk(forget string) *memFS {
	disk := &memFS{root: newDir(), forget: forget}
	_ = disk.MkdirAll("/d")
	disk.root.durableDir = maps.Clone(disk.root.entries)
	return disk
}

func powerCuts(t *testing.T, forget string, publish publishing) error {
	whole := newDisk(forget)
	r := &recorder{FS: whole}
	require.NoError(t, publish(t, memPublisher(r), &[]incremental.Intent{}))
	want := whole.root.files("", map[string]string{})
	random := rand.New(rand.NewPCG(5, 5))
	for variant := range tier.Of(t, 3, 3, 6) { // the first finds most of what can be found
		for at := 1; at <= r.effect; at++ {
			keep := []func() float64{func() float64 { return 0 }, func() float64 { return 1 }, random.Float64}[min(variant, 2)]
			disk := newDisk(forget)
			var intents []incremental.Intent
			require.ErrorIs(t, publish(t, memPublisher(&recorder{FS: disk, failAt: at, fault: errCrash}), &intents), errCrash)
			disk.root = disk.root.cut(keep)
			err := wholeReleases(disk.root.files("", map[string]string{}), want, intents)
			if err == nil {
				err = publish(t, memPublisher(disk), &intents)
			}
			if err == nil && !maps.Equal(want, disk.root.files("", map[string]string{})) {
				err = errors.New("the files differ from those of an uninterrupted run")
			}
			if err != nil {
				return fmt.Errorf("power cut at %d, variant %d: %w", at, variant, err)
			}
		}
	}
	return nil
}

// wholeReleases holds what a power cut left against the promise of Publisher.
func wholeReleases(got, want map[string]string, intents []incremental.Intent) error {
	const hierarchies = "d/releases/hierarchies/"
	for i := range strings.Count(want["d/state/ledger"], "\n") {
		release := fmt.Sprintf("d/releases/%06d/", i+1)
		there := false
		for name := range got {
			there = there || strings.HasPrefix(name, release)
		}
		inLedger := strings.Contains(got["d/state/ledger"], strings.SplitAfter(want["d/state/ledger"], "\n")[i])
		current := got["d/releases/CURRENT"] >= path.Base(release)
		published := i < len(intents) && intents[i].Published
		if (published || inLedger || current) && !there {
			return fmt.Errorf("%s is named, but not there", release)
		}
		if published && !(inLedger && current) {
			return fmt.Errorf("%s is published by state, a witness has lost it", release)
		}
		for name := range want {
			if there && (strings.HasPrefix(name, release) || strings.HasPrefix(name, hierarchies)) && want[name] != got[name] {
				return fmt.Errorf("%s is not whole", name)
			}
		}
	}
	return nil
}
