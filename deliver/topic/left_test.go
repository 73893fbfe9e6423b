package topic

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/deliver"
	"anond/deliver/delivertest"
	"anond/equivclass/equivtest/tier"
	"anond/internal/kafkaclient"
	"anond/snapshot"
)

// live are the keys of rows that the log has and no tombstone deletes.
func (m *memory) live(t testing.TB) []string {
	values := map[string][]byte{}
	for _, x := range m.log {
		values[string(x.Key)] = x.Value
	}
	maps.DeleteFunc(values, func(key string, value []byte) bool {
		k, err := parseKey([]byte(key))
		require.NoError(t, err)
		_, rows := k.born()
		return value == nil || !rows
	})
	return slices.Sorted(maps.Keys(values))
}

// forget removes tombstones, and what they delete, as compaction does in the end.
func (m *memory) forget() {
	m.compact()
	m.log = slices.DeleteFunc(m.log, func(x kafkaclient.Message) bool { return x.Value == nil })
}

// leavings are steps by which parts leave a chain: by a window, and without a bucket; then what remains is joined, and loses one
// more; and old releases are pruned.
var leavings = []func(c *delivertest.Chain){
	func(c *delivertest.Chain) { c.Expire(2) },
	func(c *delivertest.Chain) { c.Withdraw(1, 2) },
	func(c *delivertest.Chain) { c.Join(3) },
	func(c *delivertest.Chain) { c.Withdraw(0, 1); c.Prune() },
	func(c *delivertest.Chain) { c.Expire(5) },
	func(c *delivertest.Chain) { c.Expire(c.Newest()) },
}

// chainOfParts is a chain whose first parts are not joined.
func chainOfParts(t *testing.T) *delivertest.Chain {
	return delivertest.New(t, delivertest.Find(t, "buckets"), 8)
}

// TestWhatLeftIsDeleted: messages of a part that left are deleted, by a tombstone each, and of no other; the newest release is
// rebuilt, and an older one that had the part is not. So it is with a sink that has every release, one that was away for several
// of them, and one that begins when the files of what left are gone; before compaction, and after it.
func TestWhatLeftIsDeleted(t *testing.T) {
	for away := range len(leavings) {
		c := chainOfParts(t)
		always, sometimes := &memory{until: -1}, &memory{until: -1}
		send := func(m *memory) {
			_, err := deliverAll(t, m.sink(), c.Dir)
			require.NoError(t, err)
		}
		send(always)
		send(sometimes)
		for i, leave := range leavings {
			leave(c)
			late := &memory{until: -1}
			for _, m := range []*memory{always, late} {
				send(m)
				if m == always && i%2 == 1 {
					m.forget()
				}
			}
			require.Equal(t, late.live(t), always.live(t))
			sent := len(always.log)
			send(always)
			require.Len(t, always.log, sent, "nothing is left to do")
			if i < away {
				continue
			}
			send(sometimes)
			require.Equal(t, late.live(t), sometimes.live(t))
			for _, m := range []*memory{always, late, sometimes} {
				got := keeping(t, m.read, kafkaclient.Config{})
				_, newest := got.Ends()
				require.Equal(t, c.Newest(), newest)
				requireEqual(t, got, newest, c)
				_, err := got.Rebuild(1, t.TempDir()+"/x")
				require.ErrorIs(t, err, ErrNotWhole)
			}
		}
		require.Empty(t, always.live(t), "all has expired")
	}
}

// TestErasureIsDelivered: buckets in which people asked leave releases of the daemon, and their rows are deleted, from the one part and
// from a joined one: with each release, after several of them, and by who begins when the older ones were pruned. Every release that
// has what it had is rebuilt.
func TestErasureIsDelivered(t *testing.T) {
	c := delivertest.Erasing(t, 3)
	always, late := &memory{until: -1}, &memory{until: -1}
	send := func(m *memory) {
		sent := len(m.log)
		_, err := deliverAll(t, m.sink(), c.Dir)
		require.NoError(t, err)
		require.Greater(t, len(m.log), sent)
		sent = len(m.log)
		_, err = deliverAll(t, m.sink(), c.Dir)
		require.NoError(t, err)
		require.Len(t, m.log, sent, "once")
		got := keeping(t, m.read, kafkaclient.Config{})
		_, newest := got.Ends()
		require.Equal(t, c.Newest(), newest)
		requireEqual(t, got, newest, c)
	}
	withdrawn := func() (n int) {
		m, err := snapshot.Show(snapshot.OS(), c.Dir, 0)
		require.NoError(t, err)
		for _, p := range m.Parts {
			n += len(p.Withdrawn)
		}
		return n
	}
	send(always)
	send(late)
	for i, step := range []func(){
		func() { c.Forget(1, 40) },
		func() { c.Forget(2) },
		func() { c.Grow(11) }, // joins
		func() { c.Keep(1); c.Forget(3, 70) },
	} {
		was := withdrawn()
		step()
		require.Equal(t, i != 2, withdrawn() > was)
		send(always)
	}
	send(late)
	begins := &memory{until: -1}
	send(begins)
	require.Equal(t, begins.live(t), always.live(t))
	require.Equal(t, begins.live(t), late.live(t))
}

// keeps is a memory that its broker does not compact.
type keeps struct{ *memory }

func (keeps) Settings(context.Context, ...string) (kafkaclient.Settings, error) {
	return kafkaclient.Settings{"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1"}, nil
}

// TestATopicThatKeepsWhatLeft ends the delivery, with the setting to change, once something has left, and not before.
func TestATopicThatKeepsWhatLeft(t *testing.T) {
	c, m := chainOfParts(t), &memory{until: -1}
	kept := func() deliver.Sink { s := m.sink(); s.writer = keeps{m}; return s }
	_, err := deliverAll(t, kept(), c.Dir)
	require.NoError(t, err)
	c.Expire(1)
	for range 2 {
		_, err = deliverAll(t, kept(), c.Dir)
		require.ErrorIs(t, err, deliver.ErrFinal)
		require.ErrorContains(t, err, "cleanup.policy=compact")
	}
}

// TestStoppedWhileItDeletes: a process that stops behind any message, and a next one, delete the same as one that does not stop;
// no reader meanwhile takes the release before for torn.
func TestStoppedWhileItDeletes(t *testing.T) {
	for _, leave := range leavings[:tier.Of(t, 1, 2, 2)] {
		c := chainOfParts(t)
		before := &memory{until: -1}
		_, err := deliverAll(t, before.sink(), c.Dir)
		require.NoError(t, err)
		was := c.Newest()
		leave(c)
		whole := &memory{log: slices.Clone(before.log), until: -1}
		_, err = deliverAll(t, whole.sink(), c.Dir)
		require.NoError(t, err)
		for stop := 0; stop < len(whole.log)-len(before.log); stop += tier.Of(t, 9, 5, 1) {
			m := &memory{log: slices.Clone(before.log), until: stop}
			_, err := deliverAll(t, m.sink(), c.Dir)
			require.ErrorIs(t, err, errCrash)
			_, newest := keeping(t, m.read, kafkaclient.Config{}).Ends()
			require.GreaterOrEqual(t, newest, was)
			if stop%3 == 0 {
				m.forget()
			}
			m.until = -1
			_, err = deliverAll(t, m.sink(), c.Dir)
			require.NoError(t, err)
			require.Equal(t, whole.live(t), m.live(t))
			requireEqual(t, keeping(t, m.read, kafkaclient.Config{}), c.Newest(), c)
		}
	}
}

// TestRowsThatComeBackAreDeleted: a process that was suspended sends rows of a part that has left meanwhile. The next start
// deletes them, and a marker of the release without them is no other release.
func TestRowsThatComeBackAreDeleted(t *testing.T) {
	c := chainOfParts(t)
	old := &memory{until: -1}
	_, err := deliverAll(t, old.sink(), c.Dir)
	require.NoError(t, err)
	c.Expire(2)
	c.Prune()
	late := &memory{until: -1}
	_, err = deliverAll(t, late.sink(), c.Dir)
	require.NoError(t, err)
	want := late.live(t)
	late.log = append(late.log, old.log...)
	require.NotEqual(t, want, late.live(t))
	_, err = deliverAll(t, late.sink(), c.Dir)
	require.NoError(t, err)
	require.Equal(t, want, late.live(t))
	for _, x := range late.log {
		require.False(t, x.Value == nil && !strings.Contains(string(x.Key), "/part-"), "rows alone are deleted: %s", x.Key)
	}
}
