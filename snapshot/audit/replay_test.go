package audit

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
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
		{"files break it", verdictViolated, verdictViolated, &Replay{Outcome: ReplayCertified}, verdictViolated, 3, ""},
		{"not replayed", levelStructure, VerdictCertified, &Replay{Outcome: ReplayNone, Reason: "the first pool grew"}, levelStructure, 3,
			"Not replayed: the first pool grew."},
		{"violated", levelStructure, VerdictCertified, &Replay{Outcome: ReplayViolated, World: 2, Release: 4, Reason: "it differs"},
			verdictViolated, 3, "the program decides otherwise in world 2"},
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

// TestPartsOfAReplay: the parts of each release have the bytes that a replay rendered, or the chain is
// violated; where values stand in rows by draw, only a replay of every part certifies the chain.
func TestPartsOfAReplay(t *testing.T) {
	inL2(t, func(t *testing.T, recoding string) {
		p := standardL2(recoding)
		o := p.write(t)
		parts := func() map[int]map[string]string {
			out := map[int]map[string]string{}
			for _, r := range p.out {
				man, err := chain.LoadManifest(filepath.Join(o.Releases, format.DirName(r.number)))
				require.NoError(t, err)
				out[r.number] = map[string]string{}
				for _, f := range man.Parts[len(man.Parts)-1].Files {
					out[r.number][f.Name] = f.SHA256
				}
			}
			return out
		}
		for _, c := range []struct {
			name        string
			outcome     string
			edit        func(r *Replay)
			verdict     string
			unchecked   string
			unlessDrawn string
		}{
			{name: "all", outcome: ReplayCertified, verdict: VerdictCertified},
			{name: "none", outcome: ReplayCertified, edit: func(r *Replay) { r.Parts = nil }, verdict: VerdictConsistent,
				unlessDrawn: VerdictCertified},
			{name: "all but one", outcome: ReplayCertified, edit: func(r *Replay) { delete(r.Parts, 2) }, verdict: VerdictConsistent,
				unlessDrawn: VerdictCertified},
			{name: "another one", outcome: ReplayCertified, edit: func(r *Replay) { r.Parts[2]["data.csv"] = strings.Repeat("ab", 32) },
				verdict: verdictViolated},
			{name: "people who were forgotten", outcome: ReplayNone, edit: func(r *Replay) { delete(r.Parts, 2); r.Ownerless = []int{2} },
				verdict: VerdictConsistent, unlessDrawn: VerdictCertified,
				unchecked: "the bytes of part-000002: they have rows of people who were forgotten"},
			{name: "decisions of another program", outcome: ReplayNone,
				edit:      func(r *Replay) { r.Others = "releases 1 to 3 are not replayable (decided by algorithm 1)" },
				verdict:   VerdictConsistent,
				unchecked: "decisions and bytes of another program: releases 1 to 3 are not replayable (decided by algorithm 1)"},
			{name: "decisions that differ", outcome: ReplayViolated, verdict: verdictViolated},
		} {
			t.Run(c.name, func(t *testing.T) {
				o.Replay = &Replay{Outcome: c.outcome, Worlds: 3, Parts: parts()}
				if c.edit != nil {
					c.edit(o.Replay)
				}
				r, err := Dir(o)
				require.NoError(t, err)
				want := c.verdict
				if c.unlessDrawn != "" && recoding != "permutation" {
					want = c.unlessDrawn
				}
				require.Equal(t, want, r.Verdict)
				if c.unchecked != "" {
					require.Contains(t, r.NotChecked, c.unchecked)
				}
				if c.name == "another one" {
					require.Equal(t, []string{format.KindPartDiffers}, kinds(r.Violations))
					require.Equal(t, 2, r.Violations[0].Release)
				}
				if c.name == "all" {
					require.Equal(t, Level{"certified", "certified", "certified"}, r.Level)
				}
			})
		}
	})
}
