package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/fault"
	"anond/lake/internal/laketest"
	"anond/snapshot"
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
		{"iceberg", dir, dir, "--every", "0s"}, {"parquet", dir, dir, "--follow", "--every", "-1s"}, {"foo"}, {"foo", "--no"},
		{"parquet", dir, dir, "--follow", "--release", "1"}, {"man"}, {"man", "--out", filepath.Join(dir, "no")}} {
		code, _, log := lake(args...)
		assert.Equal(t, int(fault.Usage), code, args)
		assert.Contains(t, log, "error: ")
	}
	for _, command := range []string{"parquet", "iceberg"} {
		code, _, log := lake(command, dir, filepath.Join(dir, "out"))
		assert.Equal(t, int(fault.Failed), code)
		assert.Contains(t, log, "there is no release yet")
		assert.Contains(t, log, "hint: ")
	}
	code, out, _ := lake("--version")
	assert.Equal(t, 0, code)
	assert.Equal(t, "anond-lake dev\n", out)
	code, out, _ = lake("--help")
	assert.Equal(t, 0, code)
	assert.Contains(t, out, "iceberg")
}

// TestOneWriter: a second process does not write to the same place.
func TestOneWriter(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lock(dir)
	require.NoError(t, err)
	for _, command := range []string{"parquet", "iceberg"} {
		code, _, log := lake(command, releaseByHand(t), dir)
		assert.Equal(t, int(fault.Locked), code, log)
	}
	unlock()
	code, _, log := lake("iceberg", releaseByHand(t), dir)
	assert.Equal(t, 0, code, log)
}

// releaseByHand is a directory with one release.
func releaseByHand(t *testing.T) string {
	site := laketest.OnDisk(t, laketest.Release{Number: 1, Quasi: "age", Parts: map[string]string{"part-000001": "age,s,class\n5,x,1\n"}})
	return filepath.Join(site, "releases")
}

// TestPathsOfWarehouses: signs that would not survive in an address are refused.
func TestPathsOfWarehouses(t *testing.T) {
	code, _, log := lake("iceberg", releaseByHand(t), filepath.Join(t.TempDir(), "a#b"))
	assert.Equal(t, int(fault.Failed), code)
	assert.Contains(t, log, "must not have")
}

// TestFollow: releases are added while they are made, until the program is ended.
func TestFollow(t *testing.T) {
	tier.NotShort(t, "it runs the program")
	site := laketest.New(t, laketest.Recodings[0])
	require.NoError(t, os.Mkdir(site.Releases, 0o755))
	ctx, stop := context.WithCancel(context.Background())
	outs, logs, ended := map[string]*text{}, &text{}, make(chan int)
	for _, form := range []string{"iceberg", "parquet"} {
		out := &text{}
		outs[form] = out
		go func() {
			ended <- run(ctx, []string{form, site.Releases, filepath.Join(site.Dir, form), "--follow", "--every", "10ms"}, out, logs)
		}()
	}
	for _, want := range []string{"release 1: ", "release 2: "} {
		site.Publish(1)
		for form, out := range outs {
			require.Eventually(t, func() bool { return strings.Contains(out.String(), want) }, time.Hour, 10*time.Millisecond, "%s: %s", form,
				logs)
		}
	}
	stop()
	for range outs {
		assert.Equal(t, 0, <-ended)
	}
	assert.Empty(t, logs.String())
	assert.FileExists(t, filepath.Join(site.Dir, "parquet", "000002", "lake.json"))
}

// TestAViewIsTakenLikeReleases: the directory of a view, also of one whose chain began with a later release that has all parts at once.
func TestAViewIsTakenLikeReleases(t *testing.T) {
	tier.NotShort(t, "it runs the program")
	site := laketest.New(t, laketest.Recoding{Level: "L2", Name: "buckets"})
	site.Publish(3)
	edit := func(from, to string) {
		path := filepath.Join(site.Dir, "anond.yaml")
		config, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(config), from, to, 1)), 0o600))
	}
	edit("recoding: buckets", "recoding: buckets, keep: {releases: 1}")
	site.Publish(1)
	edit("recoding: buckets", "recoding: buckets, views: [{name: late, columns: [age, Postcode, diagnosis]}]")
	site.Publish(1)
	view := site.Releases + "-late"
	require.NoDirExists(t, filepath.Join(view, "000001"))
	m, err := snapshot.Show(snapshot.OS(), view, 0)
	require.NoError(t, err)
	require.Greater(t, m.View.First, uint32(1))
	for _, form := range []string{"iceberg", "parquet"} {
		out, log := &text{}, &text{}
		require.Zero(t, run(t.Context(), []string{form, view, filepath.Join(site.Dir, form)}, out, log), log)
		assert.Contains(t, out.String(), fmt.Sprintf("release %d: ", m.Release), form)
		assert.Contains(t, out.String(), fmt.Sprint(m.Records), form)
		assert.NotContains(t, out.String(), "release 1: ")
	}
}

// TestManAndCompletion: a page for each command, the same bytes each time, and scripts for shells.
func TestManAndCompletion(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "86400")
	var first string
	for range 2 {
		dir, all := t.TempDir(), ""
		code, _, log := lake("man", "--out", dir)
		require.Equal(t, 0, code, log)
		for _, command := range []string{"anond-lake", "anond-lake-parquet", "anond-lake-iceberg"} {
			page, err := os.ReadFile(filepath.Join(dir, command+".1"))
			require.NoError(t, err)
			all += string(page)
		}
		if first == "" {
			first = all
		}
		assert.Equal(t, first, all)
	}
	assert.Contains(t, first, "Jan 1970")
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, out, log := lake("completion", shell)
		require.Equal(t, 0, code, log)
		assert.Contains(t, out, "__complete")
	}
	_, out, _ := lake("__complete", "")
	assert.Contains(t, out, "iceberg\t")
}

// TestUnit: the service starts this program with a command and flags that there are, in the form that
// it has without a file of its own, and with what its comment shows.
func TestUnit(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(laketest.Root(t), "deploy", "anond-lake@.service"))
	require.NoError(t, err)
	unit := string(text)
	start := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/anond-lake (.*)$`).FindStringSubmatch(unit)
	require.NotNil(t, start)
	forms := regexp.MustCompile(`(?m)(?:^Environment=|^#   )FORM=(\w+)$`).FindAllStringSubmatch(unit, -1)
	require.Len(t, forms, 2)
	more := regexp.MustCompile(`(?m)^#   MORE=(.*)$`).FindStringSubmatch(unit)
	require.NotNil(t, more)
	ctx, stop := context.WithCancel(context.Background())
	stop()
	for _, form := range forms {
		dir := t.TempDir()
		line := strings.NewReplacer("${FORM}", form[1], "/var/lib/anond-lake/%i", dir, "/var/lib/anond/%i/releases", releaseByHand(t), "$MORE",
			more[1]).Replace(start[1])
		var out, log bytes.Buffer
		assert.Equal(t, 0, run(ctx, strings.Fields(line), &out, &log), log.String())
		assert.DirExists(t, filepath.Join(dir, form[1]))
	}
}
