package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/programtest"
)

// TestTrace: the runtime's lines are told from the log, and read.
func TestTrace(t *testing.T) {
	tr := &trace{}
	for _, line := range []string{
		"SCHED 2008ms: gomaxprocs=2 idleprocs=1 threads=9 spinningthreads=0 needspinning=0 idlethreads=4 runqueue=0 gcwaiting=false\n",
		"  P0: status=0 schedtick=51 syscalltick=0 m=nil runqsize=0 gfreecnt=0 timerslen=0\n",
		"  M8: p=nil curg=nil mallocing=0 throwing=0 preemptoff= locks=0 dying=0 spinning=false blocked=true lockedg=nil\n",
		"  G1: status=4(select) m=nil lockedm=nil\n",
		"  G2: status=6() m=nil lockedm=nil\n", // has ended
		"  G3: status=4(IO wait) m=nil lockedm=nil\n",
		"gc 12 @3.041s 0%: 0.020+1.1+0.004 ms clock, 0.041+0.13/0.94/0+0.008 ms cpu, 9->11->7 MB, 10 MB goal, 0 MB stacks, 0 MB globals, 2 P\n",
	} {
		assert.True(t, tr.take(line), line)
	}
	heap, goroutines := tr.newest()
	assert.EqualValues(t, 7<<20, heap)
	assert.Zero(t, goroutines, "the list may go on")
	assert.True(t, tr.take("SCHED 4008ms: gomaxprocs=2\n"))
	_, goroutines = tr.newest()
	assert.EqualValues(t, 2, goroutines)
	assert.False(t, tr.take(`{"level":"INFO","msg":"started","event":"started"}`+"\n"))
}

// TestTable: what was written is read, cell by cell, and other files are not.
func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "longrun.csv")
	table, err := newTable(path)
	require.NoError(t, err)
	rows := []row{{Seconds: 1.25, Fed: 1, Sent: 2, Published: 3, Pending: 4, DeadLetter: 5, Beyond: 18, Release: 6, Newcomers: 7, Millis: 8,
		NCP: 0.125, Releasing: 9, RSS: 10, Peak: 11, Heap: 12, CPU: 1.5, Descriptors: 13, Threads: 14, Goroutines: 15, State: 16, Disk: 17}, {}}
	for _, r := range rows {
		require.NoError(t, table.add(r))
	}
	require.NoError(t, table.close())
	got, err := readTable(path)
	require.NoError(t, err)
	assert.Equal(t, rows, got)

	require.NoError(t, os.WriteFile(path, []byte("a,b\n1,2\n"), 0o600))
	_, err = readTable(path)
	assert.Error(t, err)
}

// TestDraw: the picture is XML, has every panel, and is the same each time.
func TestDraw(t *testing.T) {
	rows := []row{{Seconds: 10, RSS: 5e6, Release: 1, NCP: 0.5}, {Seconds: 20, RSS: 6e6, Release: 1, NCP: 0.5},
		{Seconds: 30, RSS: 7e6, Release: 2, NCP: 0.4}}
	var a, b bytes.Buffer
	require.NoError(t, draw(&a, rows))
	require.NoError(t, draw(&b, rows))
	assert.Equal(t, a.String(), b.String())
	in := xml.NewDecoder(&a)
	for {
		_, err := in.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	for _, p := range panels {
		assert.Contains(t, b.String(), "<title>"+p.title+"</title>")
	}
}

// TestEnding: a run is over once all is applied and published as far as possible.
func TestEnding(t *testing.T) {
	e := ending{release: time.Second}
	for _, step := range []struct {
		r    row
		over bool
	}{
		{row{Seconds: 1, Fed: 9, Sent: 8, Release: 1}, false},
		{row{Seconds: 2, Fed: 9, Sent: 9, Release: 1}, false},
		{row{Seconds: 3, Fed: 9, Sent: 9, Release: 1}, false},
		{row{Seconds: 4.5, Fed: 9, Sent: 9, Release: 1, Releasing: 2}, false},
		{row{Seconds: 5, Fed: 9, Sent: 9, Release: 1}, true}, // nothing is newly publishable
		{row{Seconds: 3, Fed: 9, Sent: 9, Release: 2}, true},
	} {
		assert.Equal(t, step.over, e.reached(step.r), step.r)
	}
	assert.NoError(t, e.sum(row{Sent: 9, Published: 4, Pending: 3, DeadLetter: 1, Beyond: 1}))
	assert.Error(t, e.sum(row{Sent: 9, Published: 5, Pending: 3}))
}

// TestShortRun: a run of seconds, with the real program. Each quantity is measured.
func TestShortRun(t *testing.T) {
	tier.Heavy(t, "it runs the program for seconds")
	if runtime.GOOS != "linux" {
		t.Skip("the measurements come from /proc")
	}
	require.NoError(t, programtest.LookAtSources())
	dir := filepath.Join(t.TempDir(), "out")
	o := options{records: 12_000, first: 0.5, over: 3 * time.Second, release: time.Second, sample: 500 * time.Millisecond,
		hold: 2 * time.Second, seed: 1, out: dir}
	require.NoError(t, run(t.Context(), o, io.Discard))
	rows, err := readTable(filepath.Join(dir, "longrun.csv"))
	require.NoError(t, err)
	last := rows[len(rows)-1]
	assert.EqualValues(t, 12_000, last.Sent)
	assert.Greater(t, last.Release, uint32(1))
	for _, c := range columns {
		if !slices.Contains([]string{"releasing", "newcomers", "left", "forgotten"}, c.name) {
			assert.NotEqual(t, zeroOf(c.value(&last)), c.value(&last), c.name)
		}
	}
	assert.FileExists(t, filepath.Join(dir, "longrun.svg"))
	assert.Error(t, run(t.Context(), o, io.Discard), "the directory is not empty")
}

// zeroOf returns a pointer to the zero value of what v points to.
func zeroOf(v any) any {
	switch v.(type) {
	case *float64:
		return new(float64)
	case *uint32:
		return new(uint32)
	}
	return new(int64)
}

// TestShortMonth: all that -month does happens, and the chain that it leaves is certified.
func TestShortMonth(t *testing.T) {
	tier.Heavy(t, "it runs the program for half a minute")
	if runtime.GOOS != "linux" {
		t.Skip("the measurements come from /proc")
	}
	require.NoError(t, programtest.LookAtSources())
	dir := filepath.Join(t.TempDir(), "out")
	require.NoError(t, run(t.Context(), options{records: 40_000, first: 0.1, over: 16 * time.Second, release: time.Second,
		sample: 500 * time.Millisecond, hold: 2 * time.Second, seed: 1, out: dir, month: true}, io.Discard))
	rows, err := readTable(filepath.Join(dir, "longrun.csv"))
	require.NoError(t, err)
	last := rows[len(rows)-1]
	assert.NotZero(t, last.Left, "the window ended")
	copies, err := os.ReadDir(filepath.Join(dir, "elsewhere"))
	require.NoError(t, err)
	assert.NotEmpty(t, copies)
}
