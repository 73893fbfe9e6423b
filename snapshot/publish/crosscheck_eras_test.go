package publish_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/publish/publishtest"
	"anond/snapshot/render"
)

// TestAuditorAgreesOnEras: gate and audit find nothing in a chain whose settings change, where parts are joined, buckets leave and parts
// expire, before and after a restart.
func TestAuditorAgreesOnEras(t *testing.T) {
	const releases = 8
	for name, change := range map[string]func(s *render.Settings, e *publishtest.Eras){
		"alone":  func(*render.Settings, *publishtest.Eras) {},
		"joined": func(s *render.Settings, _ *publishtest.Eras) { s.FanIn = 2 },
		"erased": func(s *render.Settings, e *publishtest.Eras) {
			s.Erasure, s.FanIn = &snapshot.Erasure{Every: 1, Count: 1}, 2
			e.Withdraw(map[uint32]uint32{1: 4, 3: 3, 6: 5})
		},
		"windowed": func(s *render.Settings, e *publishtest.Eras) {
			s.Window, s.Granule = "3", func(release uint32, _ int64) int64 { return int64(release) }
			e.Window = 3
		},
		"windowed, and all leave as the second era begins": func(s *render.Settings, e *publishtest.Eras) {
			s.Window, s.Granule = "1", func(release uint32, _ int64) int64 { return int64(release) }
			e.Window = 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := publishtest.NewEras(t, releases)
			change(e.Input.Former[0].Settings, publishtest.NewEras(t, releases))
			change(e.Settings, e)
			policy := func(k int) format.Policy {
				return format.Policy{K: k, L: 2, Republication: "append", MaxRegroups: new(int), Level: "L2"}
			}
			first, second := gate.Settings{Policy: policy(2)}, gate.Settings{Policy: policy(3)}
			g := gate.New(first.Policy)
			p := publish.Publisher{FS: snapshot.OS(), Dir: t.TempDir(), Ledger: filepath.Join(t.TempDir(), "ledger")}
			p.Gate = auditGate{g}
			require.NoError(t, p.Open())
			for release := uint32(1); release <= releases; release++ {
				if release == 3 || release == 6 { // restarts, one under other settings
					g = gate.New(second.Policy)
					g.Earlier = []gate.Settings{first}
					require.NoError(t, p.Open())
					placed, err := p.Resume(e.At(release-1), e.Settings)
					require.NoError(t, err)
					found, err := g.Resume(filepath.Join(p.Dir, fmt.Sprintf("%06d", release-1)), given(placed), nil)
					require.NoError(t, err)
					require.Empty(t, found)
					p.Gate = auditGate{g}
				}
				_, err := p.Publish(e.At(release), e.Settings)
				require.NoError(t, err, "release %d", release)
				g.Commit()
			}
			r, err := audit.Dir(audit.Options{Releases: p.Dir, Ledger: p.Ledger})
			require.NoError(t, err)
			require.Empty(t, r.Violations)
			require.Equal(t, audit.VerdictConsistent, r.Verdict)
			require.Equal(t, []int{2, 3}, []int{r.Eras[0].K, r.K})
			newest, err := snapshot.Show(snapshot.OS(), p.Dir, releases)
			require.NoError(t, err)
			require.Equal(t, strings.HasPrefix(name, "windowed"), len(newest.Eras) == 0) // all of the first era have left
		})
	}
}
