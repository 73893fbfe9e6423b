package incremental_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental/retire"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/render"
)

// windowed is a chain of level L2 whose parts leave.
type windowed struct {
	*chain
	rng    *rand.Rand
	offset int64
	person int
	now    int64
}

func newWindowed(t testing.TB, window string, recoding render.Recoding) *windowed {
	t.Helper()
	w, err := retire.Parse(window)
	require.NoError(t, err)
	p := bucketPolicy(2, 2)
	p.Window, p.MinPool, p.MaxPool, p.InitialMin, p.MaxHold = w, 8, 40, 40, 1
	return &windowed{newChain(t, people(t), p, recoding), rand.New(rand.NewPCG(3, 3)), 0, 0, 1_700_000_000}
}

// come lets new people come, and some of those who came before.
func (w *windowed) come(n int) {
	w.t.Helper()
	for i := range n {
		if w.person++; i%10 == 9 {
			w.send(w.rng.IntN(w.person)) // beyond, also if the first record has left
		}
		w.send(w.person)
	}
	w.m.Tick(w.now)
}

func (w *windowed) send(person int) {
	w.t.Helper()
	w.apply(source, w.offset, equivclass.Row{fmt.Append(nil, "p", person), fmt.Append(nil, w.rng.IntN(90)), {byte('a' + w.rng.IntN(7))}})
	w.offset++
}

// cut makes a release at the present time, if one is due.
func (w *windowed) cut() *state.Intent {
	w.t.Helper()
	intent, err := w.m.Cut(w.now, [32]byte{1})
	require.NoError(w.t, err)
	require.Empty(w.t, w.m.CheckInvariants())
	if intent != nil {
		w.publish(intent)
	}
	return intent
}

// shown reads back which people ever, records and parts a release has.
func (w *windowed) shown(release uint32) *snapshot.Manifest {
	w.t.Helper()
	m, _, err := snapshot.ReadManifest(w.out.FS, w.out.Dir, release)
	require.NoError(w.t, err)
	return m
}

// TestPartsLeaveByAge runs a year of a feed in short: whole parts leave, a release is made for that alone, files that stay are links, a
// process that starts again goes on as one that never stopped, and the auditor certifies all of it from its own computation.
func TestPartsLeaveByAge(t *testing.T) {
	const day = 86400
	for _, window := range []string{"5", "12", "7d", "30d"} {
		for _, recoding := range []render.Recoding{render.Buckets(), render.BucketAnatomy()} {
			t.Run(window+recoding.Name(), func(t *testing.T) {
				w := newWindowed(t, window, recoding)
				alone, most := 0, 0
				for i := range tier.Of(t, 34, 60, 60) {
					w.now += 2 * day
					if i%3 != 2 {
						w.come(60)
					}
					if i%7 == 6 {
						w.crash()
					}
					before := w.m.Status()
					intent := w.cut()
					if intent == nil {
						continue
					}
					m := w.shown(intent.Release)
					s := w.m.Status()
					require.Equal(t, s.Sent, s.Accounted())
					require.Equal(t, s.Published, m.Records)
					require.Equal(t, s.Published+s.Expired, m.PeopleEver)
					require.Equal(t, intent.Expired, m.Expired)
					require.GreaterOrEqual(t, s.Expired, before.Expired)
					for i := range m.Parts {
						first, _ := m.Parts[i].Births()
						require.Greater(t, first, m.Expired)
					}
					if intent.Newcomers == 0 {
						alone++
						require.Greater(t, s.Expired, before.Expired)
					}
					most = max(most, len(m.Parts))
				}
				require.Positive(t, w.m.Status().Expired)
				require.Equal(t, strings.HasSuffix(window, "d"), alone > 0, "releases for the sake of what leaves")
				assert.Less(t, most, 30)
				w.certify()
			})
		}
	}
}

// TestAllPartsLeave: a release of which nothing remains has no parts, and the chain goes on.
func TestAllPartsLeave(t *testing.T) {
	const day = 86400
	w := newWindowed(t, "2d", render.Buckets())
	w.come(60)
	require.NotNil(t, w.cut())
	w.now += 4 * day
	require.True(t, w.m.Trigger().Leaves(w.now))
	require.Error(t, w.m.Trigger().Leap(w.now))
	intent := w.cut()
	require.NotNil(t, intent)
	m := w.shown(2)
	require.Empty(t, m.Parts)
	require.Zero(t, m.Records)
	require.NotZero(t, m.PeopleEver)
	names, err := os.ReadDir(filepath.Join(w.out.Dir, "000002"))
	require.NoError(t, err)
	require.Len(t, names, 1, "the manifest")
	require.Nil(t, w.cut(), "nothing more can leave")
	w.crash()
	w.come(60)
	w.now += day
	require.NotNil(t, w.cut())
	require.Len(t, w.shown(3).Parts, 1)
	w.certify()
}

// TestAClockThatFellLetsNothingLeave until it has caught up: the time of a release never falls.
func TestAClockThatFellLetsNothingLeave(t *testing.T) {
	const day = 86400
	w := newWindowed(t, "2d", render.Buckets())
	w.come(60)
	first := w.cut()
	w.now -= 30 * day
	w.come(60)
	second := w.cut()
	require.Equal(t, first.CreatedAt, second.CreatedAt)
	require.Zero(t, second.Expired)
	require.False(t, w.m.Trigger().Leaves(w.now))
	w.now += 33*day + day/2
	require.True(t, w.m.Trigger().Leaves(w.now))
	w.certify()
}

// TestWhoReturnsAfterLeavingIsBeyond: the digest stays.
func TestWhoReturnsAfterLeavingIsBeyond(t *testing.T) {
	w := newWindowed(t, "2d", render.Buckets())
	w.come(60)
	require.NotNil(t, w.cut())
	w.now += 4 * 86400
	require.NotNil(t, w.cut())
	before := w.m.Status()
	for person := 1; person <= 60; person++ {
		w.send(person)
	}
	after := w.m.Status()
	require.Equal(t, before.Beyond+60, after.Beyond)
	require.Equal(t, before.Pending, after.Pending)
}
