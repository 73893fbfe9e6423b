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
	"anond/incremental/withdraw"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/audit/format"
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
	return newLosing(t, window, withdraw.Rule{}, recoding)
}

// newLosing is a chain whose parts leave, if there is a window, and whose buckets do.
func newLosing(t testing.TB, window string, rule withdraw.Rule, recoding render.Recoding) *windowed {
	t.Helper()
	p, w := bucketPolicy(2, 2), retire.Window{}
	if window != "" {
		var err error
		w, err = retire.Parse(window)
		require.NoError(t, err)
	}
	p.Erasure = rule
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
	require.Error(t, w.m.Trigger().Leap(0, w.now))
	intent := w.cut()
	require.NotNil(t, intent)
	m := w.shown(2)
	require.Empty(t, m.Parts)
	require.Zero(t, m.Records)
	require.NotZero(t, m.PeopleEver)
	names, err := os.ReadDir(filepath.Join(w.out.Dir, "000002"))
	require.NoError(t, err)
	require.Len(t, names, 1+len(snapshot.Documents()), "the manifest and what describes it")
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

// TestTheAuditorFindsWhatMayNotLeave alters the newest release of a chain whose parts leave: the auditor names each change.
func TestTheAuditorFindsWhatMayNotLeave(t *testing.T) {
	const day = 86400
	w := newWindowed(t, "4d", render.Buckets())
	for range 7 {
		w.now += 2 * day
		w.come(60)
		require.NotNil(t, w.cut())
	}
	w.certify()
	whole := w.exports(w.m, w.store)
	newest, before := w.shown(7), w.shown(6)
	require.Greater(t, newest.Expired, before.Expired)
	require.NotEmpty(t, before.Parts)
	left := before.Parts[0]
	gone := "" // a record of the part that left
	for _, line := range readLines(t, whole.Members) {
		if strings.HasPrefix(line, "6,") && strings.Contains(line, left.Part) {
			gone = strings.Split(line, ",")[1]
		}
	}
	require.NotEmpty(t, gone)
	for _, c := range []struct {
		name, want string
		edit       func(dir string, m *snapshot.Manifest, members []string)
	}{
		{name: "nothing", edit: func(string, *snapshot.Manifest, []string) {}},
		{"a part is shown that has left", format.KindExpiredLinked, func(dir string, m *snapshot.Manifest, _ []string) {
			require.NoError(t, os.CopyFS(filepath.Join(dir, "000007", left.Part), os.DirFS(filepath.Join(dir, "000006", left.Part))))
			m.Parts = append([]snapshot.PartEntry{left}, m.Parts...)
		}},
		{"what had left comes back", format.KindExpiredFalls, func(_ string, m *snapshot.Manifest, _ []string) {
			m.Expired = before.Expired - 1
		}},
		{"less has left than the window says", format.KindExpiredWrong, func(_ string, m *snapshot.Manifest, _ []string) {
			m.Expired = before.Expired
		}},
		{"more has left than the window says", format.KindExpiredWrong, func(_ string, m *snapshot.Manifest, _ []string) {
			m.Expired, m.Parts = m.Expired+1, m.Parts[1:]
		}},
		{"a part is missing that has not left", format.KindPartDropped, func(_ string, m *snapshot.Manifest, _ []string) {
			m.Parts = m.Parts[1:]
		}},
		{"people ever do not add up", format.KindPeopleEver, func(_ string, m *snapshot.Manifest, _ []string) { m.PeopleEver++ }},
		{"an older clock", format.KindExpiredTime, func(_ string, m *snapshot.Manifest, _ []string) { m.CreatedAt = w.shown(5).CreatedAt }},
		{"another window", format.KindContractChanged, func(_ string, m *snapshot.Manifest, _ []string) { m.Window = "5d" }},
		{"somebody who has left is in a class again", format.KindRecordBack, func(_ string, _ *snapshot.Manifest, members []string) {
			for i, line := range members {
				if f := strings.Split(line, ","); f[0] == "7" && f[2] == "part-000007" {
					f[1] = gone
					members[i] = strings.Join(f, ",")
					return
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			o := audit.Options{Releases: filepath.Join(root, "releases"), Members: filepath.Join(root, "members.csv"), Records: whole.Records}
			require.NoError(t, os.CopyFS(o.Releases, os.DirFS(w.out.Dir)))
			m, _, err := snapshot.ReadManifest(snapshot.OS(), o.Releases, 7)
			require.NoError(t, err)
			members := readLines(t, whole.Members)
			c.edit(o.Releases, m, members)
			data, err := m.Encode()
			require.NoError(t, err)
			path := filepath.Join(o.Releases, "000007", snapshot.ManifestName)
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.WriteFile(path, data, 0o444))
			require.NoError(t, os.WriteFile(o.Members, []byte(strings.Join(members, "\n")), 0o600))
			report, err := audit.Dir(o)
			require.NoError(t, err)
			kinds := map[string]bool{}
			for _, v := range report.Violations {
				kinds[v.Kind] = true
			}
			if c.want == "" {
				require.Empty(t, report.Violations)
				return
			}
			require.Contains(t, kinds, c.want)
		})
	}
}

// TestReleasesThatAreGoneAreSealedAlsoWhenTheirPartsHaveLeft: the ledger says of both that they passed when they were made.
func TestReleasesThatAreGoneAreSealedAlsoWhenTheirPartsHaveLeft(t *testing.T) {
	w := newWindowed(t, "4d", render.Buckets())
	for range 7 {
		w.now += 2 * 86400
		w.come(60)
		require.NotNil(t, w.cut())
	}
	o := w.exports(w.m, w.store)
	for release := range 5 {
		require.NoError(t, os.RemoveAll(filepath.Join(w.out.Dir, fmt.Sprintf("%06d", release+1))))
	}
	report, err := audit.Dir(o)
	require.NoError(t, err)
	require.Empty(t, report.Violations)
	require.Equal(t, audit.VerdictSealed, report.Verdict)
}

func readLines(t testing.TB, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.Split(string(data), "\n")
}
