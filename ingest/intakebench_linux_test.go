package ingest_test

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/cuts"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/settle"
	"anond/ingest"
	"anond/ingest/decode"
)

// nowhere is a store that keeps nothing.
type nowhere struct{ *memstore.Store }

func (nowhere) Commit(*state.Delta) error { return nil }

var errRead = errors.New("everything was read")

// ready hands out chunks that lie in memory, of four partitions by turns.
type ready struct {
	feed
	chunks []*ingest.Chunk
}

func (r *ready) Next(context.Context) (*ingest.Chunk, error) {
	if len(r.chunks) == 0 {
		return nil, errRead
	}
	c := r.chunks[0]
	r.chunks = r.chunks[1:]
	return c, nil
}

// readyChunks are records of the shape of UCI Adult, so many of each person.
func readyChunks(records, each int) (out []*ingest.Chunk) {
	const size = 2000
	rng := rand.New(rand.NewPCG(1, 1))
	skewed := func(n int) int { return min(rng.IntN(n), rng.IntN(n), rng.IntN(n)) }
	for at := range records / size {
		first := int64(at / 4 * size)
		c := &ingest.Chunk{Partition: state.Partition{Source: "memory", ID: int32(at % 4)}, From: first, Next: first + size}
		for i := range int64(size) {
			value := fmt.Appendf(nil, `{"person":"person-%d","age":%d,"workclass":"work-%d","education":%d,"marital":"marital-%d","race":"race-%d",`+
				`"sex":"sex-%d","country":"country-%02d","occupation":"occupation-%02d"}`, (at*size+int(i))/each,
				17+skewed(74), skewed(8), 1+rng.IntN(16), rng.IntN(7),
				skewed(5), rng.IntN(2), skewed(41), rng.IntN(14))
			c.Records = append(c.Records, ingest.Record{Offset: first + i, Value: value})
		}
		out = append(out, c)
	}
	return out
}

func readySchema(b *testing.B) *equivclass.Schema {
	attributes := []equivclass.Attribute{{Name: "person", Role: equivclass.Subject}}
	for _, name := range []string{"age", "workclass", "education", "marital", "race", "sex", "country"} {
		a := equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: equivclass.Categorical}
		if name == "age" || name == "education" {
			a.Type = equivclass.Integer
		}
		attributes = append(attributes, a)
	}
	attributes = append(attributes, equivclass.Attribute{Name: "occupation", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	s, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	require.NoError(b, err)
	return s
}

// BenchmarkIntake is the way of a record from the chunk of a source into the machine,
// without source, disk and releases. -cpu 1,2,4 shows what further cores bring. settling: at level L2, where nobody is observed, where
// each person is for 20,000 messages, and where people with two records are.
func BenchmarkIntake(b *testing.B) {
	for _, records := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("records=%d", records), func(b *testing.B) { benchIntake(b, readyChunks(records, 1), nil) })
	}
	for _, x := range []struct {
		name string
		each int
		rule settle.Rule
	}{{"none", 1, settle.Rule{}}, {"first", 1, settle.Rule{Records: 20_000}}, {"two", 2, settle.Rule{Records: 20_000, Max: 2}}} {
		b.Run("settling="+x.name, func(b *testing.B) {
			benchIntake(b, readyChunks(100_000, x.each), func(p *state.Policy) {
				p.Level, p.Republication, p.MaxRegroups, p.InitialMin, p.Settle = state.L2, state.Append, 0, 1<<30, x.rule
			})
		})
	}
}

func benchIntake(b *testing.B, chunks []*ingest.Chunk, change func(*state.Policy)) {
	schema, spent, records := readySchema(b), time.Duration(0), 0
	for _, c := range chunks {
		records += len(c.Records)
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		policy := rigPolicy()
		policy.CutEvery, policy.Initial, policy.Local = 0, cuts.Median{}, cuts.Median{}
		if change != nil {
			change(&policy)
		}
		m, err := incremental.Open(nowhere{memstore.New()}, incremental.Options{Schema: schema, Seed: [32]byte{1}, Policy: policy})
		require.NoError(b, err)
		h := &ingest.Host{Machine: m, Store: memstore.New(), Source: &ready{chunks: chunks}, Schema: schema, DeadLetters: &bin{},
			Publisher: &press{}, Clock: wallClock{}, Log: slog.New(slog.DiscardHandler),
			NewDecoder: func() (decode.Decoder, error) {
				return decode.New(decode.JSON, schema, decode.Options{})
			}}
		runtime.GC()
		began := processTime()
		b.StartTimer()
		require.ErrorIs(b, h.Run(b.Context()), errRead)
		spent += processTime() - began
		require.EqualValues(b, records, m.Status().Sent)
	}
	b.ReportMetric(float64(records)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
	b.ReportMetric(float64(spent.Nanoseconds())/float64(records)/float64(b.N), "cpu-ns/record")
}

func processTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
