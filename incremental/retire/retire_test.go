package retire

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// births are the times of releases.
type births []int64

func (b births) Releases() uint32             { return uint32(len(b)) }
func (b births) Created(release uint32) int64 { return b[release-1] }

func TestWindowsAreReadAsTheyAreWritten(t *testing.T) {
	for _, text := range []string{"1", "12", "30d", "365d", "36h", "90m", "1s"} {
		w, err := Parse(text)
		require.NoError(t, err)
		require.Equal(t, text, w.String())
		require.False(t, w.None())
	}
	for _, text := range []string{"", "0", "-1", "012", "d", "0d", "1.5d", "1y", "12 ", "1d2h", "99999999999999d", "9223372036854775807d"} {
		_, err := Parse(text)
		require.Error(t, err, text)
	}
}

// TestLeavesByTheDefinition compares the watermark with its definition in words: the largest birth all of whose granule has the age, or
// the last multiple of the granule that lies the window before the release. It never falls, and cuts no granule.
func TestLeavesByTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, text := range []string{"1", "5", "24", "40", "1d", "7d", "30d", "48h", "30s"} {
		w, err := Parse(text)
		require.NoError(t, err)
		var of births
		expired, now := uint32(0), int64(1_700_000_000)
		for next := uint32(1); next < 120; next++ {
			step := max(w.Age()/20, 3)
			now += rng.Int64N(step)
			want := expired
			for r := uint32(1); r < next; r++ {
				g := w.Granule(r, of[r-1])
				switch {
				case w.Releases() > 0 && int64(r) <= int64(next)-w.Releases() && (g+1)*w.granule() <= int64(next)-w.Releases(),
					w.Age() > 0 && (g+1)*w.granule()+w.Age() <= now:
					want = max(want, r)
				}
			}
			due, ok := w.Next(of, expired)
			got := w.Leaves(of, expired, now)
			require.Equal(t, want, got, "%s, release %d", text, next)
			require.Equal(t, w.Age() > 0 && got > expired, ok && due <= now)
			expired, of = got, append(of, now)
			if expired > 0 {
				require.NotEqual(t, w.Granule(expired, of[expired-1]), w.Granule(expired+1, of[expired]), "a granule was cut")
			}
		}
		require.Positive(t, expired, text)
	}
}

func TestAClockLeapsByMoreThanAWindow(t *testing.T) {
	w, err := Parse("30d")
	require.NoError(t, err)
	require.False(t, w.Leaps(births(nil), 0, 1<<40))
	require.False(t, w.Leaps(births{100}, 0, 100+30*86400))
	require.True(t, w.Leaps(births{100}, 0, 101+30*86400))
	require.False(t, w.Leaps(births{100}, 1<<40, 1<<40+86400), "somebody looked at it yesterday")
	w, err = Parse("30")
	require.NoError(t, err)
	require.False(t, w.Leaps(births{100}, 0, 1<<40), "releases are counted")
}
