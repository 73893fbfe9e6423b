package kafkatest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReset starts over while the commits of a group stay: up to the position that
// the state had read they do not count as a sign of an older state, in both
// assignments.
func TestReset(t *testing.T) {
	chosen.Demand(t)
	for name, with := range map[string]func(testing.TB, *topic) *site{"group": leased, "static": func(t testing.TB, p *topic) *site {
		return newSite(t, p).kafka(section{"group": unique("reset")})
	}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTopic(t, 2)
			p.write(0, people(0, 30)...)
			p.write(1, people(30, 20)...)
			s := with(t, p)
			s.config["initial"] = section{"min_records": 100}
			s.save()
			s.once().ends(0)
			require.Equal(t, 50, s.counts().pending())
			for range 2 {
				s.command("state", "reset", "--yes")
				s.once().ends(0)
				require.Equal(t, 50, s.counts().pending())
			}
			p.write(1, people(50, 60)...)
			s.once().ends(0)
			require.Positive(t, s.settled(110, 0).Published)
		})
	}
}
