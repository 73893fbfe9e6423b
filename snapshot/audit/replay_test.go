package audit

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReplayDecidesLevel2: the outcome of a replay makes structure a certificate of level
// L2 or a violation; without one, with an obstacle, or if the manifests do not claim the
// level, there is no certificate, and whoever requires one fails.
func TestReplayDecidesLevel2(t *testing.T) {
	for _, c := range []struct {
		name    string
		level   string // by files and exports
		verdict string
		replay  *Replay
		want    string
		exit    int // with RequireCertified
		text    string
	}{
		{"none asked for", levelStructure, VerdictCertified, nil, levelStructure, 0, ""},
		{"certified", levelStructure, VerdictCertified, &Replay{Outcome: ReplayCertified, Worlds: 7}, VerdictCertified, 0, "in 7 worlds"},
		{"not claimed", "not claimed", VerdictCertified, &Replay{Outcome: ReplayCertified}, "not claimed", 3, "the manifests forbid it"},
		{"files break it", VerdictViolated, VerdictViolated, &Replay{Outcome: ReplayCertified}, VerdictViolated, 3, ""},
		{"not replayed", levelStructure, VerdictCertified, &Replay{Outcome: ReplayNone, Reason: "the first pool grew"}, levelStructure, 3,
			"Not replayed: the first pool grew."},
		{"violated", levelStructure, VerdictCertified, &Replay{Outcome: ReplayViolated, World: 2, Release: 4, Reason: "it differs"},
			VerdictViolated, 3, "the program decides otherwise in world 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &Report{Verdict: c.verdict, Level: Level{L2: c.level}, requireCertified: true}
			r.replayed(c.replay)
			require.Equal(t, c.want, r.Level.L2)
			require.Equal(t, c.exit, r.ExitCode())
			var text bytes.Buffer
			require.NoError(t, r.Text(&text))
			require.Contains(t, text.String(), c.text)
		})
	}
}
