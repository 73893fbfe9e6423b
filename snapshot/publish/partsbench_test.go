package publish_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/snapshot"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/render"
	"anond/snapshot/verify"
)

// partsViews cuts a view of n records into a history of so many parts, and a last
// release of newcomers: what stands before it, and what is new.
func partsViews(all *incremental.View, parts, newcomers int) (before []*incremental.View, last *incremental.View) {
	old := len(all.Classes) - newcomers/10
	at := func(release int) *incremental.View {
		v := *all
		v.Intent.Release, v.Since = uint32(release), uint32(release-1)
		lo, hi := old*(release-1)/parts, old*release/parts
		if release > parts {
			lo, hi = old, len(all.Classes)
		}
		v.Classes = nil
		for _, c := range all.Classes[lo:hi] {
			c.Born = uint32(release)
			v.Classes = append(v.Classes, c)
		}
		v.Intent.Classes = hi
		v.Intent.Records = 10 * hi
		return &v
	}
	for release := 1; release <= parts; release++ {
		before = append(before, at(release))
	}
	return before, at(parts + 1)
}

// BenchmarkPartsPublish: all durable steps of a release of a million records in
// so many parts with so many newcomers, gate and fsync included.
func BenchmarkPartsPublish(b *testing.B) {
	for _, recoding := range benchRecodings() {
		all := benchView(b, 1e6)
		for _, parts := range []int{1, 10, 50} {
			for _, newcomers := range []int{10_000, 250_000} {
				b.Run(fmt.Sprintf("%s/parts=%d/newcomers=%d", benchName(recoding), parts, newcomers), func(b *testing.B) {
					defer joinParts(1000)()
					before, last := partsViews(all, parts, newcomers)
					for i := range before {
						before[i] = benchForm(recoding, before[i])
					}
					last = benchForm(recoding, last)
					s := benchSettings(recoding)
					s.Policy.Republication, s.Policy.MaxRegroups = "append", 0
					p := publisher(snapshot.OS(), b.TempDir())
					policy := format.Policy{K: 10, L: 2, Republication: "append", MaxRegroups: new(int)}
					if recoding.Shared() {
						policy.Level = "L2"
					}
					auditor := auditGate{gate.New(policy)}
					p.Gate = auditor
					require.NoError(b, p.Open())
					for _, v := range before {
						_, err := p.Publish(publish.Of(v), s)
						require.NoError(b, err)
						auditor.Commit()
					}
					back := p.Mark()
					ledger, err := os.ReadFile(p.Ledger)
					require.NoError(b, err)
					var spent time.Duration
					var ratio float64
					for b.Loop() {
						began := processorTime(b)
						out, err := p.Publish(publish.Of(last), s)
						require.NoError(b, err)
						b.StopTimer()
						spent += processorTime(b) - began
						require.Len(b, out.Manifest.Parts, parts+1)
						ratio = written(b, p, &out.Manifest)
						back()
						require.NoError(b, os.RemoveAll(filepath.Join(p.Dir, fmt.Sprintf("%06d", parts+1))))
						require.NoError(b, os.WriteFile(p.Ledger, ledger, 0o644))
						require.NoError(b, os.WriteFile(filepath.Join(p.Dir, "CURRENT"), fmt.Appendf(nil, "%06d\n", parts), 0o644))
						b.StartTimer()
					}
					b.ReportMetric(float64(spent.Milliseconds())/float64(b.N), "cpu-ms/op")
					b.ReportMetric(ratio, "written/own")
				})
			}
		}
	}
}

// BenchmarkPartsJoin: the same without the gate, where it is the release's turn to
// join ten parts of a million records together.
func BenchmarkPartsJoin(b *testing.B) {
	for _, recoding := range benchRecodings() {
		b.Run(benchName(recoding), func(b *testing.B) {
			before, last := partsViews(benchView(b, 1e6), 10, 10_000)
			s := benchSettings(recoding)
			s.Policy.Republication = "append"
			p := publisher(snapshot.OS(), b.TempDir())
			p.Gate = openGate{}
			require.NoError(b, p.Open())
			show := func(v *incremental.View) *render.Input { return publish.Of(benchForm(recoding, v)) }
			for _, v := range before {
				_, err := p.Publish(show(v), s)
				require.NoError(b, err)
			}
			in := show(last)
			began := processorTime(b)
			for b.Loop() { // once: it is published
				if out, err := p.Publish(in, s); err == nil {
					require.Len(b, out.Manifest.Parts, 2)
				}
			}
			b.ReportMetric(float64((processorTime(b) - began).Milliseconds()), "cpu-ms")
		})
	}
}

// written is what a release adds on disk, manifest included, in terms of the bytes
// of what it gave birth to.
func written(b *testing.B, p *publish.Publisher, m *snapshot.Manifest) float64 {
	info, err := os.Stat(filepath.Join(p.Dir, fmt.Sprintf("%06d", m.Release), "manifest.json"))
	require.NoError(b, err)
	own := int64(0)
	for _, f := range m.Parts[len(m.Parts)-1].Files {
		own += f.Bytes
	}
	return float64(own+info.Size()) / float64(own)
}

// BenchmarkPartsResume: what a start does before anything is published: numbers
// and sums counted anew from state, and the gate behind the newest release. The
// verification reads every file.
func BenchmarkPartsResume(b *testing.B) {
	defer joinParts(1000)()
	all := benchView(b, 1e6)
	for _, parts := range []int{1, 50} {
		before, last := partsViews(all, parts, 10_000)
		s := benchSettings(render.Generalization())
		s.Policy.Republication, s.Policy.MaxRegroups = "append", 0
		policy := format.Policy{K: 10, L: 2, Republication: "append", MaxRegroups: new(int)}
		p := publisher(snapshot.OS(), b.TempDir())
		auditor := auditGate{gate.New(policy)}
		p.Gate = auditor
		require.NoError(b, p.Open())
		for _, v := range append(before, last) {
			_, err := p.Publish(publish.Of(v), s)
			require.NoError(b, err)
			auditor.Commit()
		}
		whole := *last
		whole.Since, whole.Classes = 0, nil
		for _, v := range append(before, last) {
			whole.Classes = append(whole.Classes, v.Classes...)
		}
		var placed []render.Placement
		measure := func(name string, work func()) {
			b.Run(fmt.Sprintf("%s/parts=%d", name, parts), func(b *testing.B) {
				began := processorTime(b)
				for b.Loop() {
					work()
				}
				b.ReportMetric(float64((processorTime(b)-began).Milliseconds())/float64(b.N), "cpu-ms/op")
			})
		}
		measure("publisher", func() {
			var err error
			placed, err = p.Resume(publish.Of(&whole), s)
			require.NoError(b, err)
		})
		measure("gate", func() {
			violations, err := gate.New(policy).Resume(filepath.Join(p.Dir, fmt.Sprintf("%06d", parts+1)), given(placed), nil)
			require.NoError(b, err)
			require.Empty(b, violations)
		})
		var bytes int64
		measure("verify", func() {
			v, err := verify.Dir(p.FS, p.Dir, p.Ledger)
			require.NoError(b, err)
			require.True(b, v.OK())
			bytes = v.Bytes
		})
		measure(fmt.Sprintf("sha256 of %d bytes", bytes), func() {
			hash, block := sha256.New(), make([]byte, 1<<15)
			for range bytes >> 15 {
				hash.Write(block)
			}
		})
	}
}

// processorTime is what this process has used so far: on a machine that does
// other work it tells more than the clock does.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
