package journal_test

import (
	"anond/incremental/state"
	"bytes"
	"context"
	"encoding/hex"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/internal/sealed"
	"anond/shards/journal"
	"anond/shards/journal/journaltest"
)

var rewrite = flag.Bool("rewrite", false, "write the golden file anew")

type steady struct{ *rand.Rand }

func (s steady) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s.Uint32())
	}
	return len(p), nil
}

func random(seed uint64) steady { return steady{rand.New(rand.NewPCG(seed, 1))} }

func key(t testing.TB, seed uint64) sealed.Key {
	k, err := sealed.NewKey(random(seed))
	require.NoError(t, err)
	return k
}

func open(t testing.TB, log journal.Log, after state.JournalMark) *journal.Journal {
	return journal.Open(log, key(t, 1), "wards 0/4", after, random(after.Seq+7))
}

// entries are one of each kind.
func entries() []*journal.Entry {
	return []*journal.Entry{
		{Genesis: &journal.Genesis{State: journal.Digest{1, 31: 2}}},
		{Begin: &journal.Begin{Settings: journal.Digest{3}}},
		{Ends: &journal.Ends{Source: "kafka:wards", Ends: [][2]int64{{0, 7}, {4, 0}}}},
		{Runs: &journal.Runs{Source: "kafka:wards", Runs: []journal.Run{{Partition: 4, Tick: 1000, Next: 9}, {Tick: 2000, Next: 1 << 40}},
			Records: 12, Sent: 13}},
		{Cut: &journal.Cut{Now: 3000, CreatedAt: 3, Occasion: state.AtEnd, Settings: journal.Digest{3}, Records: 12}},
		{Intent: &journal.Intent{Release: 1, CreatedAt: 3, Decided: journal.Digest{5}}},
		{Published: &journal.Published{Release: 1, Manifest: journal.Digest{6}}},
		{Erase: &journal.Erase{People: []state.Digest{{7, 15: 8}}}},
		{Erase: &journal.Erase{}},
		{Remove: &struct{}{}},
	}
}

func write(t testing.TB, j *journal.Journal, all []*journal.Entry) (mark state.JournalMark) {
	for _, e := range all {
		var err error
		mark, err = j.Append(t.Context(), e)
		require.NoError(t, err)
	}
	return mark
}

func read(t testing.TB, j *journal.Journal) (out []*journal.Entry, marks []state.JournalMark) {
	for {
		e, mark, err := j.Read(t.Context())
		require.NoError(t, err)
		if e == nil {
			return out, marks
		}
		out, marks = append(out, e), append(marks, mark)
	}
}

func TestWhatWasWrittenIsRead(t *testing.T) {
	log := journaltest.New()
	n := 0
	log.Twice = func() bool { n++; return n%2 == 0 } // acknowledgements are lost
	last := write(t, open(t, log, state.JournalMark{}), entries())
	got, marks := read(t, open(t, log, state.JournalMark{}))
	require.Equal(t, entries(), got)
	require.Equal(t, last.Digest, marks[len(marks)-1].Digest)
	for i, mark := range marks { // from the middle
		got, _ := read(t, open(t, log, mark))
		require.Equal(t, len(entries())-i-1, len(got))
	}
	first, err := open(t, log, last).First(t.Context())
	require.NoError(t, err)
	require.Equal(t, entries()[0], first)
}

// TestTheFirstOfANumberIsTheEntry: of two who write the same number one is told, and sees the other's entry next.
func TestTheFirstOfANumberIsTheEntry(t *testing.T) {
	log := journaltest.New()
	start := write(t, open(t, log, state.JournalMark{}), entries()[:1])
	a, b := open(t, log, start), journal.Open(log, key(t, 1), "wards 0/4", start, random(99))
	require.NoError(t, b.Held(t.Context()))
	write(t, a, entries()[1:2])
	require.ErrorIs(t, b.Held(t.Context()), journal.ErrFenced)
	_, err := b.Append(t.Context(), entries()[1]) // the same content is another message
	require.ErrorIs(t, err, journal.ErrFenced)
	got, _ := read(t, b)
	require.Equal(t, entries()[1:2], got)
	write(t, b, entries()[2:3])
	_, err = a.Append(t.Context(), entries()[3])
	require.ErrorIs(t, err, journal.ErrFenced)
	all, _ := read(t, open(t, log, state.JournalMark{}))
	require.Equal(t, entries()[:3], all, "what came too late is nothing")
}

func TestLossIsNoticed(t *testing.T) {
	log := journaltest.New()
	last := write(t, open(t, log, state.JournalMark{}), entries())
	log.Cut(3)
	_, _, err := open(t, log, last).Read(t.Context())
	require.ErrorIs(t, err, journal.ErrHole, "the end is gone")
	_, err = open(t, log, last).Append(t.Context(), entries()[1])
	require.Error(t, err)
}

// shifted is a log whose first messages were removed.
type shifted struct {
	*journaltest.Log
	first int64
}

func (s *shifted) Extent(ctx context.Context) (first, end int64, err error) {
	_, end, err = s.Log.Extent(ctx)
	return s.first, end, err
}

func TestABeginningThatIsGone(t *testing.T) {
	log := &shifted{journaltest.New(), 0}
	write(t, open(t, log, state.JournalMark{}), entries()[:4])
	_, marks := read(t, open(t, log, state.JournalMark{}))
	log.first = 2
	_, _, err := open(t, log, marks[0]).Read(t.Context())
	require.ErrorIs(t, err, journal.ErrHole)
	_, err = open(t, log, marks[0]).First(t.Context())
	require.ErrorIs(t, err, journal.ErrHole)
	got, _ := read(t, open(t, log, marks[1]))
	require.Len(t, got, 2, "a state that is new enough does not need it")
}

// TestNobodyElseWritesOrReads: another key, another shard's name, and a changed byte.
func TestNobodyElseWritesOrReads(t *testing.T) {
	log := journaltest.New()
	start := write(t, open(t, log, state.JournalMark{}), entries()[:4])
	for name, j := range map[string]*journal.Journal{
		"key":   journal.Open(log, key(t, 2), "wards 0/4", state.JournalMark{}, random(5)),
		"shard": journal.Open(log, key(t, 1), "wards 1/4", state.JournalMark{}, random(5))} {
		_, _, err := j.Read(t.Context())
		require.ErrorIs(t, err, journal.ErrForeign, name)
	}
	_, err := journal.Open(log, key(t, 2), "wards 0/4", start, random(5)).Append(t.Context(), entries()[1])
	require.NoError(t, err) // nobody keeps it from writing to the topic
	_, _, err = open(t, log, start).Read(t.Context())
	require.ErrorIs(t, err, journal.ErrForeign)
	_, last, err := log.Next(t.Context(), 1)
	require.NoError(t, err)
	for i := range last {
		other := journaltest.New()
		write(t, open(t, other, state.JournalMark{}), entries()[:1])
		_, marks := read(t, open(t, other, state.JournalMark{}))
		changed := bytes.Clone(last)
		changed[i] ^= 1
		require.NoError(t, other.Append(t.Context(), changed))
		e, _, err := open(t, other, marks[0]).Read(t.Context())
		require.True(t, err != nil || e == nil, "byte %d", i)
	}
}

// TestTextsAreFilledUp: the length of a message tells nothing finer than its padding.
func TestTextsAreFilledUp(t *testing.T) {
	lengths := map[int]bool{}
	for _, e := range entries() {
		log := journaltest.New()
		write(t, open(t, log, state.JournalMark{}), []*journal.Entry{e})
		_, message, err := log.Next(t.Context(), 0)
		require.NoError(t, err)
		lengths[len(message)] = true
	}
	require.Len(t, lengths, 1)
}

// TestGoldenJournal reads a journal that was written when the format was new.
func TestGoldenJournal(t *testing.T) {
	path := filepath.Join("testdata", "journal.golden")
	if *rewrite {
		log := journaltest.New()
		write(t, open(t, log, state.JournalMark{}), entries())
		var text strings.Builder
		for i := range entries() {
			_, m, err := log.Next(t.Context(), int64(i))
			require.NoError(t, err)
			text.WriteString(hex.EncodeToString(m) + "\n")
		}
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o644))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	log := journaltest.New()
	for line := range strings.Lines(string(text)) {
		m, err := hex.DecodeString(strings.TrimSpace(line))
		require.NoError(t, err)
		require.NoError(t, log.Append(t.Context(), m))
	}
	got, _ := read(t, open(t, log, state.JournalMark{}))
	require.Equal(t, entries(), got)
}
