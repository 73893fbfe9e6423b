package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lake/internal/laketest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	laketest.Clean()
	os.Exit(code)
}

// text gathers output while others look at it.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

func lake(args ...string) (code int, out, log string) {
	var o, l text
	code = run(context.Background(), args, &o, &l)
	return code, o.String(), l.String()
}

// TestUsage: faults of the command line are exit code 2, and what is missing is said.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"parquet"}, {"parquet", dir}, {"iceberg", dir}, {"parquet", dir, dir, "--no"},
		{"iceberg", dir, dir, "--every", "0s"}, {"foo"}, {"foo", "--no"}} {
		code, _, log := lake(args...)
		assert.Equal(t, exitUsage, code, args)
		assert.Contains(t, log, "error: ")
	}
	for _, command := range []string{"parquet", "iceberg"} {
		code, _, log := lake(command, dir, filepath.Join(dir, "out"))
		assert.Equal(t, exitFailed, code)
		assert.Contains(t, log, "there is no release yet")
		assert.Contains(t, log, "hint: ")
	}
	code, out, _ := lake("--version")
	assert.Equal(t, exitOK, code)
	assert.Equal(t, "anond-lake dev\n", out)
	code, out, _ = lake("--help")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, out, "iceberg")
}

// TestOneWriter: a second process does not write to the same place.
func TestOneWriter(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lock(dir)
	require.NoError(t, err)
	for _, command := range []string{"parquet", "iceberg"} {
		code, _, log := lake(command, releaseByHand(t), dir)
		assert.Equal(t, exitLocked, code, log)
	}
	unlock()
	code, _, log := lake("iceberg", releaseByHand(t), dir)
	assert.Equal(t, exitOK, code, log)
}

// releaseByHand is a directory with one release.
func releaseByHand(t *testing.T) string {
	site := laketest.OnDisk(t, laketest.Release{Number: 1, Quasi: "age", Parts: map[string]string{"part-000001": "age,s,class\n5,x,1\n"}})
	return filepath.Join(site, "releases")
}

// TestPathsOfWarehouses: signs that would not survive in an address are refused.
func TestPathsOfWarehouses(t *testing.T) {
	code, _, log := lake("iceberg", releaseByHand(t), filepath.Join(t.TempDir(), "a#b"))
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, log, "must not have")
}

// TestFollow: releases are added while they are made, until the program is ended.
func TestFollow(t *testing.T) {
	tier.NotShort(t, "it runs the program")
	site := laketest.New(t, laketest.Recodings[0])
	require.NoError(t, os.Mkdir(site.Releases, 0o755))
	ctx, stop := context.WithCancel(context.Background())
	var out, log text
	ended := make(chan int)
	go func() {
		ended <- run(ctx, []string{"iceberg", site.Releases, filepath.Join(site.Dir, "warehouse"), "--follow", "--every", "10ms"}, &out, &log)
	}()
	for _, want := range []string{"release 1: ", "release 2: "} {
		site.Publish(1)
		require.Eventually(t, func() bool { return strings.Contains(out.String(), want) }, time.Minute, 10*time.Millisecond, "%s", &log)
	}
	stop()
	assert.Equal(t, exitOK, <-ended)
	assert.Empty(t, log.String())
}
