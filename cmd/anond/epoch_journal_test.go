package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"anond/cmd/anond/internal/hospital"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
)

// closeFails tries to close the epoch of a site, and says why it cannot be.
func (s *site) closeFails(code int) string {
	s.t.Helper()
	r := s.run("epoch close --waiting reread", "--out", s.path("handover.db"))
	require.Equal(s.t, code, r.code, r.stdout+r.stderr)
	require.NoFileExists(s.t, s.path("handover.db"))
	return r.stderr
}

// TestEpochOfAJournal: a shard with a journal is closed. Its journal ends: a process that runs on another host ends, copies of the
// state of any age repeat what was decided and nothing more, also where the files are lost that say so, and leave the same. The
// next epoch has a journal of its own, and can be taken over.
func TestEpochOfAJournal(t *testing.T) {
	tier.NotShort(t, "it runs a shard on many hosts")
	t.Parallel()
	p := newShardedTopic(t, kfake.SeedTopics(4, "admissions"))
	for _, topic := range []string{journalTopic, journalTopic + ".2"} {
		require.NoError(t, p.cluster.CreateTopic(topic, 1, keptTopic))
	}
	stream := hospital.New(3)
	spoil := func(i int, r *kgo.Record) {
		if i%500 == 7 {
			r.Value = []byte("{")
		}
	}
	first := p.journaled(0, 1)
	require.Contains(t, first.closeFails(exitFailed), "anond.db") // there is no state
	p.send("admissions", stream, 3000, spoil)
	first.once(exitOK)
	old := first.read("state/anond.db")
	p.send("admissions", stream, 2003, spoil)
	first.once(exitOK)
	p.send("admissions", stream, 2, func(int, *kgo.Record) {}) // who wait
	first.once(exitOK)
	somebody := ""
	for _, who := range p.people {
		somebody = max(somebody, who)
	}
	older := first.elsewhere("releases", "state/ledger")
	older.write("state/anond.db", old)
	require.Contains(t, older.closeFails(exitFailed), "the journal has entries that the state does not hold")

	// Another host goes on: it has to be taken over before the epoch can be closed.
	other := first.elsewhere("releases", "state/ledger", "state/anond.db", "dead-letter")
	running := other.start("run")
	running.event("started")
	require.Contains(t, first.closeFails(exitFailed), "another process went on")
	first.once(exitOK)
	handover, done := first.closes("reread")
	require.Positive(t, done.Waiting)
	require.Positive(t, done.Release)
	text := first.read("handover.db")
	want := first.bytes()
	delete(want, "/CLOSED")
	p.send("admissions", stream, 500, func(int, *kgo.Record) {})
	require.Equal(t, exitBehind, running.wait(), running.stderr.String())
	require.Contains(t, running.stderr.String(), "another process goes on with this state")
	for range 2 {
		require.Contains(t, other.once(exitConfig).stderr, incremental.ErrClosed.Error())
	}
	require.Contains(t, first.once(exitConfig).stderr, incremental.ErrClosed.Error())

	// Copies of any age, without the files that say that the epoch is closed.
	for name, s := range map[string]*site{"an older state": older, "the oldest": first.elsewhere()} {
		if name == "the oldest" {
			s.coldFrom(first)
		}
		require.Contains(t, s.once(exitConfig).stderr, incremental.ErrClosed.Error(), name)
		s.sameReleases(want)
		again, repeated := s.closes("reread")
		require.FileExists(t, again)
		repeated.Handover = handover
		require.Equal(t, done, repeated, name)
		require.True(t, s.read("handover.db") == text, "%s: another handover", name)
		require.Contains(t, s.once(exitConfig).stderr, incremental.ErrClosed.Error(), name)
	}

	// A closed state forgets, and so does a copy of before in its place: the journal knows nothing of that.
	receipt := first.receipt(somebody)
	require.Equal(t, 1, receipt.Removed.Published+receipt.Removed.Unpublished)
	require.NoError(t, os.Remove(handover))
	_, without := first.closes("reread")
	require.Equal(t, done.People+done.Waiting-1, without.People+without.Waiting)
	text = first.read("handover.db")
	require.NoError(t, os.Remove(handover))
	first.write("state/anond.db", old)
	require.Contains(t, first.once(exitConfig).stderr, incremental.ErrClosed.Error(), "it is brought to where it was closed")
	_, again := first.closes("reread")
	require.Equal(t, without, again)
	require.True(t, first.read("handover.db") == text, "the person is forgotten in it")

	// The next epoch.
	second := p.journaled(0, 1)
	second.begins("--from", handover)
	require.Contains(t, second.once(exitConfig).stderr, "has the journal of an earlier epoch")
	second.edit("topic: "+journalTopic, "topic: "+journalTopic+".2")
	second.once(exitOK)
	require.Positive(t, second.counts().Counts.Ignored[incremental.ReasonEarlier])
	require.Positive(t, second.counts().Counts.Published)
	p.send("admissions", stream, 1000, func(int, *kgo.Record) {})
	second.once(exitOK)
	cold := second.elsewhere("state/ledger.epoch")
	cold.coldFrom(second)
	cold.once(exitOK)
	cold.sameReleases(second.bytes())
	require.Equal(t, second.counts().Counts.Ignored, cold.counts().Counts.Ignored)
	r := auditEpochs(t, []*site{first, cold}, []string{first.exported(), cold.exported()})
	require.Equal(t, exitOK, r.code, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "CERTIFIED")
}

// TestEpochOfAJournalKilled kills the process behind each step of the end. From the step on at which its journal ends, no copy
// goes on, and repeated, the end is the same.
func TestEpochOfAJournalKilled(t *testing.T) {
	tier.NotShort(t, "it kills the program")
	t.Parallel()
	program, err := os.Executable()
	require.NoError(t, err)
	p := newShardedTopic(t, kfake.SeedTopics(1, "admissions"))
	p.send("admissions", hospital.New(16), 703, func(int, *kgo.Record) {})
	for _, step := range []string{"checked", "journal", "ledger", "releases", "state"} {
		topic := journalTopic + "." + step
		require.NoError(t, p.cluster.CreateTopic(topic, 1, keptTopic))
		s := p.journaled(0, 1)
		s.edit("topic: "+journalTopic, "topic: "+topic)
		s.once(exitOK)
		copied := s.elsewhere("state/anond.db", "releases", "state/ledger", "dead-letter")
		cmd := exec.CommandContext(t.Context(), program, "epoch", "close", "--waiting", "reread", "--out", s.path("handover.db"), "-c", s.config)
		cmd.Env = append(os.Environ(), childVariable+"=1", epochKilledAt+"="+step)
		var ended *exec.ExitError
		require.ErrorAs(t, cmd.Run(), &ended, step)
		require.Equal(t, syscall.SIGKILL, ended.Sys().(syscall.WaitStatus).Signal(), step)
		if step == "checked" {
			copied.once(exitOK)
			require.Contains(t, s.closeFails(exitFailed), "another process went on")
			s.once(exitOK)
			continue
		}
		require.Contains(t, copied.once(exitConfig).stderr, incremental.ErrClosed.Error(), step)
		require.Contains(t, s.once(exitConfig).stderr, incremental.ErrClosed.Error(), step)
		_, done := s.closes("reread")
		_, repeated := copied.closes("reread")
		repeated.Handover = done.Handover
		require.Equal(t, done, repeated, step)
		require.True(t, s.read("handover.db") == copied.read("handover.db"), step)
	}
}
