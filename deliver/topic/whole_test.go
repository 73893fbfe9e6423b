package topic

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/deliver"
	"anond/deliver/delivertest"
	"anond/equivclass/equivtest/tier"
	"anond/internal/kafkaclient"
	"anond/snapshot"
	"anond/snapshot/publish/publishtest"
)

// TestEveryReleaseIsRebuilt: of every recoding, each release is made again from the topic,
// byte by byte: joined parts, dead classes and the table over all parts as well.
func TestEveryReleaseIsRebuilt(t *testing.T) {
	for _, kind := range delivertest.Some(t, 1, 3) {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			chain := delivertest.New(t, kind, 12)
			m := &memory{until: -1}
			sum, err := deliverAll(t, m.sink(), chain.Dir)
			require.NoError(t, err)
			require.Equal(t, chain.Newest(), sum.Last)
			sent := len(m.log)
			m.compact()
			require.Len(t, m.log, sent, "no key is there twice")
			c := keeping(t, m.read, kafkaclient.Config{})
			first, newest := c.Ends()
			require.EqualValues(t, 1, first)
			require.Equal(t, chain.Newest(), newest)
			for n := first; n <= newest; n++ {
				if tier.Full() || n == 1 || n > 9 { // release 11 joins parts
					requireEqual(t, c, n, chain)
				}
			}
			sum, err = deliverAll(t, m.sink(), chain.Dir)
			require.NoError(t, err)
			require.Equal(t, deliver.Summary{At: newest}, sum)
			require.Len(t, m.log, sent, "nothing is left to deliver")
		})
	}
}

// TestReleasesOfErasAreRebuilt: parts whose columns and files differ, and an era whose parts become one.
func TestReleasesOfErasAreRebuilt(t *testing.T) {
	chain := &delivertest.Chain{Dir: t.TempDir()}
	e := publishtest.NewEras(t, 4)
	e.Publish(t, chain.Dir)
	m := &memory{until: -1}
	s := m.sink()
	s.dataset = e.Settings.Dataset
	_, err := deliverAll(t, s, chain.Dir)
	require.NoError(t, err)
	c := keeping(t, m.read, kafkaclient.Config{})
	for n := uint32(1); n <= 4; n++ {
		requireEqual(t, c, n, chain)
	}
}

// TestPrunedReleasesAreDelivered: who begins late, or was away, misses nothing.
func TestPrunedReleasesAreDelivered(t *testing.T) {
	chain := delivertest.New(t, delivertest.Find(t, "regrouped"), 11)
	early, late := &memory{until: -1}, &memory{until: -1}
	_, err := deliverAll(t, early.sink(), chain.Dir)
	require.NoError(t, err)
	chain.Keep(1)
	chain.Grow(int(chain.Newest()) + 1)
	for _, m := range []*memory{early, late} {
		_, err := deliverAll(t, m.sink(), chain.Dir)
		require.NoError(t, err)
	}
	assert.Equal(t, early.log, late.log, "the messages do not depend on when they are sent")
	requireEqual(t, keeping(t, late.read, kafkaclient.Config{}), chain.Newest(), chain)
}

// TestCrashBetweenAnyTwoMessages: after a crash anywhere a reader sees the releases before,
// and no other; the next delivery completes what is missing; and compaction of all the
// copies takes nothing away.
func TestCrashBetweenAnyTwoMessages(t *testing.T) {
	chain := delivertest.New(t, delivertest.Find(t, "regrouped"), 4)
	whole := &memory{until: -1}
	_, err := deliverAll(t, whole.sink(), chain.Dir)
	require.NoError(t, err)
	step := tier.Of(t, 31, 13, 1)
	all := &memory{}
	for n := 0; n < len(whole.log); n += step {
		m := &memory{until: n}
		_, err := deliverAll(t, m.sink(), chain.Dir)
		require.ErrorIs(t, err, errCrash)
		require.Len(t, m.log, n)
		c := newCollector()
		require.NoError(t, m.read(t.Context(), kafkaclient.Config{}, c))
		_, newest := c.Ends()
		require.EqualValues(t, markers(m.log), newest, "after %d messages: as many releases as there are markers", n)
		m.until = -1
		_, err = deliverAll(t, m.sink(), chain.Dir)
		require.NoError(t, err)
		m.compact()
		require.ElementsMatch(t, whole.log, m.log, "after %d messages", n)
		all.log = append(all.log, m.log...)
	}
	all.compact()
	requireEqual(t, keeping(t, all.read, kafkaclient.Config{}), 3, chain)
}

func markers(log []kafkaclient.Message) (n int) {
	for _, x := range log {
		if k, err := parseKey(x.Key); err == nil && k.Stream == markerStream {
			n++
		}
	}
	return n
}

// TestAnyLogOfTheMessages: whatever the order and however many copies, which compaction
// removes in part, a reader at any place of the log sees whole releases only, and at its
// end all of them.
func TestAnyLogOfTheMessages(t *testing.T) {
	chain := delivertest.New(t, delivertest.Find(t, "anatomy"), 3)
	whole := &memory{until: -1}
	_, err := deliverAll(t, whole.sink(), chain.Dir)
	require.NoError(t, err)
	want := map[uint32]int{}
	for _, x := range whole.log {
		k, err := parseKey(x.Key)
		require.NoError(t, err)
		want[k.Release]++
	}
	r := rand.New(rand.NewPCG(1, 2))
	torn := 0
	for range tier.Of(t, 3, 10, 200) {
		m := &memory{}
		for range 1 + r.IntN(3) { // several send, each from some message on
			m.log = append(m.log, whole.log[r.IntN(len(whole.log)):]...)
		}
		m.log = append(m.log, whole.log...)
		if r.IntN(2) == 0 { // between partitions there is no order
			r.Shuffle(len(m.log), func(i, j int) { m.log[i], m.log[j] = m.log[j], m.log[i] })
		}
		if r.IntN(2) == 0 {
			m.compact()
		}
		c, have := newCollector(), map[uint32]map[string]bool{}
		for _, x := range m.log {
			require.NoError(t, c.Add(x.Key, x.Value))
			k, _ := parseKey(x.Key)
			if have[k.Release] == nil {
				have[k.Release] = map[string]bool{}
			}
			have[k.Release][string(x.Key)] = true
			for n := uint32(1); n <= chain.Newest(); n++ {
				require.Equal(t, len(have[n]) == want[n], c.lacks(n) == "", "release %d: %s", n, c.lacks(n))
			}
			if k.Stream == markerStream && c.lacks(k.Release) != "" {
				torn++
			}
		}
		_, newest := c.Ends()
		require.Equal(t, chain.Newest(), newest)
	}
	require.NotZero(t, torn, "no marker came before its messages: the test shows little")
}

// TestLostMessages: a topic that lost messages says so, and a delivery sends them again.
func TestLostMessages(t *testing.T) {
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 3)
	m := &memory{until: -1}
	_, err := deliverAll(t, m.sink(), chain.Dir)
	require.NoError(t, err)
	m.log = m.log[5:]
	c := keeping(t, m.read, kafkaclient.Config{})
	_, err = c.Rebuild(2, t.TempDir()+"/x")
	require.ErrorIs(t, err, ErrNotWhole)
	require.ErrorContains(t, err, "release 1")
	_, err = deliverAll(t, m.sink(), chain.Dir)
	require.NoError(t, err)
	requireEqual(t, keeping(t, m.read, kafkaclient.Config{}), chain.Newest(), chain)
}

// TestOtherReleases: a topic of other releases is left alone, and one that has two kinds is
// refused.
func TestOtherReleases(t *testing.T) {
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 3)
	m := &memory{until: -1}
	_, err := deliverAll(t, m.sink(), chain.Dir)
	require.NoError(t, err)
	sent := len(m.log)

	_, err = deliverAll(t, m.sink(), delivertest.New(t, delivertest.Find(t, "anatomy-l2"), 3).Dir)
	require.ErrorIs(t, err, deliver.ErrOther, "another chain")
	clinic := m.sink()
	clinic.dataset = "clinic"
	_, err = deliverAll(t, clinic, chain.Dir)
	require.ErrorIs(t, err, deliver.ErrOther, "another dataset")
	old := filepath.Join(t.TempDir(), "releases") // a copy from before
	require.NoError(t, os.CopyFS(filepath.Join(old, "000001"), os.DirFS(filepath.Join(chain.Dir, "000001"))))
	require.NoError(t, os.WriteFile(filepath.Join(old, "CURRENT"), []byte("000001\n"), 0o600))
	_, err = deliverAll(t, m.sink(), old)
	require.ErrorIs(t, err, deliver.ErrOther, "the topic is ahead")
	require.Len(t, m.log, sent)

	m.log = append(m.log, secondMarker(t, m.log))
	require.ErrorIs(t, m.read(t.Context(), kafkaclient.Config{}, newCollector()), deliver.ErrOther)
}

// secondMarker is another marker of release 1.
func secondMarker(t *testing.T, log []kafkaclient.Message) kafkaclient.Message {
	for _, x := range log {
		k, err := parseKey(x.Key)
		require.NoError(t, err)
		if k.Stream == markerStream && k.Release == 1 {
			value := bytes.Replace(x.Value, []byte(`"records":`), []byte(`"records":1`), 1)
			return kafkaclient.Message{Key: []byte(keyOf(1, markerStream, 1, value).String()), Value: value}
		}
	}
	t.Fatal("no marker")
	return kafkaclient.Message{}
}

// TestForeignMessages: what is no message of releases is counted and passed over.
func TestForeignMessages(t *testing.T) {
	c := newCollector()
	value := []byte(`{}`)
	for _, key := range []string{"", "x", "000001/part-000001/data.csv/1/" + "00", keyOf(1, "x", 1, []byte("other")).String(),
		"1/x/1/" + keyOf(1, "x", 1, value).String()[len("000001/x/1/"):]} {
		require.NoError(t, c.Add([]byte(key), value))
	}
	require.NoError(t, c.Add([]byte(keyOf(1, "x", 1, nil).String()), nil), "a tombstone")
	assert.Equal(t, 5, c.Foreign)
	assert.Empty(t, c.releases)
	_, newest := c.Ends()
	assert.Zero(t, newest)
	_, err := c.Rebuild(1, t.TempDir()+"/x")
	assert.ErrorIs(t, err, ErrNotWhole)
}

// TestTooLarge: a message that is too large is named, and nothing is tried again.
func TestTooLarge(t *testing.T) {
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 2)
	m := &memory{until: -1}
	s := m.sink()
	s.most = 600
	_, err := deliverAll(t, s, chain.Dir)
	require.ErrorIs(t, err, deliver.ErrFinal)
	require.ErrorContains(t, err, "outputs.kafka.max_message_bytes (600)")
	s = m.sink()
	s.writer = refusing{m}
	_, err = deliverAll(t, s, chain.Dir)
	require.ErrorIs(t, err, deliver.ErrFinal)
	require.ErrorContains(t, err, "max.message.bytes of the topic")
}

type refusing struct{ *memory }

func (refusing) Write(context.Context, []kafkaclient.Message) error { return kafkaclient.ErrTooLarge }

// TestLargeClassIsDivided: rows of a class that exceed a message become several, and the
// division depends on nothing that an operator sets.
func TestLargeClassIsDivided(t *testing.T) {
	var values [][]byte
	g := &grouping{part: "part-000001", file: "data.csv", run: []int{-1},
		emit: func(v []byte) error { values = append(values, v); return nil }}
	require.NoError(t, g.row([]string{"a", "class"}))
	long := make([]byte, 100<<10)
	for i := range long {
		long[i] = 'x'
	}
	for range 7 {
		require.NoError(t, g.row([]string{string(long), "1"}))
	}
	require.NoError(t, g.row([]string{"b", "2"}))
	require.NoError(t, g.end())
	require.Len(t, values, 5, "2 + 2 + 2 + 1 rows of class 1, and class 2")
	rows := 0
	for _, v := range values {
		r, err := decodeRows(v)
		require.NoError(t, err)
		require.LessOrEqual(t, len(v), pieceBytes+2)
		rows += len(r.Rows)
	}
	require.Equal(t, 8, rows)
	require.ErrorIs(t, g.row([]string{"too", "many", "cells"}), snapshot.ErrDamaged)
}
