package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lake/internal/laketest"
)

// TestKilledProcess kills the program at many moments. What the hint names is there, and the
// next run ends with the files of a run that nobody killed.
func TestKilledProcess(t *testing.T) {
	tier.Heavy(t, "it kills many processes")
	program := laketest.Build(t, filepath.Join(laketest.Root(t), "lake"), "./cmd/anond-lake", filepath.Join(t.TempDir(), "anond-lake"))
	site := laketest.New(t, laketest.Recodings[3])
	site.Publish(12)
	house := filepath.Join(site.Dir, "warehouse")
	code, _, log := lake("iceberg", site.Releases, house)
	require.Equal(t, 0, code, log)
	want := tree(t, house)
	require.Contains(t, want, "clinic/data/metadata/v12.metadata.json")
	const kills = 12
	killed := 0
	for i := range kills {
		require.NoError(t, os.RemoveAll(house))
		c := exec.Command(program, "iceberg", site.Releases, house)
		require.NoError(t, c.Start())
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		if i > 0 {
			waitFor(filepath.Join(house, "clinic", "data", "metadata", fmt.Sprintf("v%d.metadata.json", i)), ended)
		}
		time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond) // moves the kill about within a release
		_ = c.Process.Kill()                                          // it may have ended
		if <-ended != nil {
			killed++
		}
		if hint, err := os.ReadFile(filepath.Join(house, "clinic", "data", "metadata", "version-hint.text")); err == nil {
			assert.FileExists(t, filepath.Join(house, "clinic", "data", "metadata", "v"+string(hint)+".metadata.json"))
		}
		code, _, log := lake("iceberg", site.Releases, house)
		require.Equal(t, 0, code, log)
		require.Equal(t, want, tree(t, house), "killed after release %d", i)
	}
	assert.GreaterOrEqual(t, killed, 3)
}

// waitFor waits until a file is there, or the process has ended.
func waitFor(path string, ended chan error) {
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		select {
		case err := <-ended:
			ended <- err
			return
		case <-time.After(100 * time.Microsecond):
		}
	}
}

// tree is what a warehouse holds, by path. Of Avro files the names count: their blocks have
// random markers.
func tree(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.HasSuffix(path, ".avro") {
			data = nil
		}
		out[filepath.ToSlash(strings.TrimPrefix(path, dir+"/"))] = string(data)
		return err
	}))
	return out
}
