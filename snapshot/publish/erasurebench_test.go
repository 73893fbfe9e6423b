package publish_test

import (
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// processor is the time that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkErasureRelease compares, for a part of people of whom a hundred have asked, what it costs to write the part without
// their buckets with what it cost to render it.
func BenchmarkErasureRelease(b *testing.B) {
	n := tier.Of(b, 9_000, 90_000, 999_000)
	r := rand.New(rand.NewPCG(1, 2))
	c := &sharedContent{}
	for i := range n {
		age := strconv.Itoa(i / 9 % 90)
		c.persons = append(c.persons, person{age, strconv.Itoa(20 + i/810), "1990-01-01", "1011", "a", "5", []string{"x", "y", "z"}[i%3]})
	}
	for i := 0; i+3 <= n; i += 3 {
		c.add(1, state.BucketID(1+i/9), state.RecordID(i), state.RecordID(i+1), state.RecordID(i+2))
	}
	s := sharedSettings(render.Buckets())
	files := memory{}
	v := c.view(b, 1)
	render1 := time.Duration(1 << 62)
	var m *snapshot.Manifest
	for range 3 {
		began := processor()
		out, err := render.Render(publish.Of(v), s, render.NewCarried(), files)
		require.NoError(b, err)
		render1 = min(render1, processor()-began)
		m = &out.Manifest
	}
	var gone []uint32
	for at := uint32(1); len(gone) < 100; at += uint32(1 + r.IntN(n/9/101)) {
		gone = append(gone, at)
	}
	w := &snapshot.Withdrawing{Manifest: m, Gone: map[string][]uint32{m.Parts[0].Part: gone}, Open: func(name string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(files.text(name))), nil
	}}
	for b.Loop() {
		began := processor()
		_, err := w.Part(m.Parts[0])
		require.NoError(b, err)
		for _, f := range []string{"data.csv", "values.csv", "buckets.csv"} {
			in, err := w.Read(m.Parts[0], f)
			require.NoError(b, err)
			_, err = io.Copy(io.Discard, in)
			require.NoError(b, err)
		}
		b.ReportMetric(float64(processor()-began)/float64(render1), "of-rendering")
	}
	b.ReportMetric(render1.Seconds(), "render-s")
}
