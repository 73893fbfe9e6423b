package kafkatest

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRetentionGap deletes records before they are read: anond stops and says
// so, or goes on where it was told to.
func TestRetentionGap(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 1)
	p.write(0, people(0, 500)...)
	s := newSite(t, p)
	s.once().ends(0)
	p.write(0, people(500, 500)...)
	p.deleteRecords(0, 700)
	for range 2 { // until an operator decides
		run := s.start().ends(1)
		gap := run.await("source_gap", 1)
		require.Equal(t, []any{500., 700., "stop"}, []any{gap["want"], gap["have"], gap["on_gap"]})
		run.says("hint: the records are permanently lost")
	}
	require.Equal(t, 500, s.counts().Sent)

	s.kafka(section{"on_gap": "continue"})
	run := s.once().ends(0)
	require.Equal(t, "continue", run.await("source_gap", 1)["on_gap"])
	s.settled(800, 0)
}

// TestRetentionBelow deletes only what was read, which is no fault.
func TestRetentionBelow(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 1)
	p.write(0, people(0, 300)...)
	s := newSite(t, p)
	s.once().ends(0)
	p.deleteRecords(0, -1)
	p.write(0, people(300, 200)...)
	s.once().ends(0).await("source_unverified", 1)
	s.settled(500, 0)
}

// TestRetentionGapRunning deletes records under a process that was suspended
// while they came.
func TestRetentionGapRunning(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 1)
	p.write(0, people(0, 200)...)
	s := newSite(t, p)
	run := s.start()
	s.sent(200)
	total := 200
	// A slow broker may answer the waiting fetch with all that comes, and then
	// nothing is lost: try again.
	for try := 1; !run.ended(); try++ {
		require.LessOrEqual(t, try, 10, "nothing was ever lost")
		require.NoError(t, run.cmd.Process.Signal(syscall.SIGSTOP))
		p.write(0, people(1000*try, 50)...) // what the waiting fetch is answered with
		p.write(0, people(1000*try+50, 500)...)
		total += 550
		p.deleteRecords(0, int64(total-50))
		require.NoError(t, run.cmd.Process.Signal(syscall.SIGCONT))
		require.Eventually(t, func() bool { return run.ended() || s.counts().Sent >= total }, patience, poll)
	}
	run.ends(1).await("source_gap", 1)
	run.says("hint: the records are permanently lost")
	c := s.counts()
	require.LessOrEqual(t, c.Sent, total-500)
}

// TestRecreated deletes the topic and makes it again while anond is stopped: with
// fewer records, with as many others, with more, and with fewer partitions.
func TestRecreated(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	for _, c := range []struct {
		name       string
		partitions int32
		records    int
	}{{"shorter", 2, 50}, {"as long", 2, 300}, {"longer", 2, 500}, {"fewer partitions", 1, 300}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newTopic(t, 2)
			p.write(0, people(0, 300)...)
			p.write(1, people(1000, 300)...)
			s := newSite(t, p)
			s.once().ends(0)
			p.delete()
			p.create(c.partitions)
			for id := range c.partitions {
				p.write(id, people(5000+1000*int(id), c.records)...)
			}
			run := s.start().ends(1)
			run.says("is not the one that state has read")
			run.says("hint: start a new dataset")
			s.settled(600, 0)
		})
	}
}

// TestRecreatedRunning does it under the running process.
func TestRecreatedRunning(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 1)
	p.write(0, people(0, 300)...)
	s := newSite(t, p)
	run := s.start()
	s.sent(300)
	p.delete()
	run.await("source_disconnected", 1)
	p.create(1)
	p.write(0, people(5000, 400)...)
	run.ends(1).await("source_replaced", 1)
	s.settled(300, 0)
}

// TestPartitionsAdded raises the number of partitions under the running process.
func TestPartitionsAdded(t *testing.T) {
	chosen.Demand(t)
	t.Parallel()
	p := newTopic(t, 1)
	p.write(0, people(0, 200)...)
	s := newSite(t, p)
	run := s.start()
	s.sent(200)
	p.grow(3)
	fresh := client(t)
	p.writeBy(fresh, 1, people(1000, 200)...)
	p.writeBy(fresh, 2, people(2000, 200)...)
	p.writeBy(fresh, 0, people(3000, 200)...)
	require.EqualValues(t, 1, run.await("source_partition_added", 1)["partition"])
	require.EqualValues(t, 2, run.await("source_partition_added", 2)["partition"])
	s.sent(800)
	run.stop()
	s.settled(800, 0)
}
