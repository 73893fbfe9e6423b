package boltstore_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental/boltstore"
	"anond/incremental/state"
)

// The shape of a realistic state: seven quasi-identifiers with the value counts
// of UCI Adult, four partitions fetched in turns, subjects, classes of ten.
var (
	benchSpread = []uint32{74, 8, 16, 7, 5, 2, 41, 14}
	benchSizes  = []int{10_000, 100_000, 1_000_000}
)

const (
	benchCommit = 10_000
	benchClass  = 10
)

func benchBlock(random *rand.Rand, first, n int) *state.RecordBlock {
	b := &state.RecordBlock{First: state.RecordID(first), Tick: int64(first), Columns: make([][]equivclass.Code, len(benchSpread)),
		Subject: make([]uint64, n), Origin: make([]uint16, n), Offset: make([]int64, n)}
	for i, spread := range benchSpread {
		b.Columns[i] = make([]equivclass.Code, n)
		for j := range n {
			b.Columns[i][j] = equivclass.Code(random.Uint32N(spread))
		}
	}
	for j := range n {
		b.Subject[j] = random.Uint64()
		b.Origin[j], b.Offset[j] = uint16(j/500%4), int64(first+j)/4
	}
	return b
}

func benchPositions(next int) (out []state.PartitionPosition) {
	for n := range 4 {
		p := state.Partition{Source: "kafka:admissions", ID: int32(n)}
		out = append(out, state.PartitionPosition{Partition: p,
			Position: state.Position{Number: uint16(n), Next: int64(next) / 4, Last: int64(next)/4 - 1}})
	}
	return out
}

// benchRelease publishes the records lo to hi in classes of neighbours that are
// spread over the range, as neighbours in QI are.
func benchRelease(release uint32, class, lo, hi int) *state.Delta {
	d := &state.Delta{Intent: &state.Intent{Release: release, Cut: state.RecordID(hi)}}
	classes := (hi - lo) / benchClass
	for i := range classes {
		c := &state.Class{ID: state.ClassID(class + i), Regime: state.Pure, Born: release}
		for j := range benchClass {
			c.Members = append(c.Members, state.RecordID(lo+j*classes+(i*7919)%classes))
		}
		d.Births = append(d.Births, c)
	}
	return d
}

// fillState commits n records in blocks and publishes them in one release.
func fillState(tb testing.TB, s state.Store, n int) {
	random := rand.New(rand.NewPCG(1, 1))
	for at := 0; at < n; at += benchCommit {
		require.NoError(tb, s.Commit(&state.Delta{Records: []*state.RecordBlock{benchBlock(random, at, min(benchCommit, n-at))},
			Positions: benchPositions(at + benchCommit)}))
	}
	require.NoError(tb, s.Commit(benchRelease(1, 0, 0, n)))
}

// BenchmarkCommit is the cost of a record in commits of ten thousand, fsync
// included, on top of a state of some size.
func BenchmarkCommit(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("records=%d", size), func(b *testing.B) {
			s := openAt(b, filepath.Join(b.TempDir(), "anond.db"), boltstore.Options{})
			defer s.Close()
			fillState(b, s, size)
			random := rand.New(rand.NewPCG(2, 2))
			block := benchBlock(random, 0, benchCommit)
			b.ResetTimer()
			for at := size; b.Loop(); at += benchCommit {
				block.First = state.RecordID(at)
				if err := s.Commit(&state.Delta{Records: []*state.RecordBlock{block},
					Positions: benchPositions(at + benchCommit)}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchCommit, "ns/record")
		})
	}
}

// BenchmarkCommitOne is a slow stream: one record a commit.
func BenchmarkCommitOne(b *testing.B) {
	path := filepath.Join(b.TempDir(), "anond.db")
	s := openAt(b, path, boltstore.Options{})
	defer s.Close()
	block := benchBlock(rand.New(rand.NewPCG(2, 2)), 0, 1)
	at := 0
	for ; b.Loop(); at++ {
		block.First = state.RecordID(at)
		if err := s.Commit(&state.Delta{Records: []*state.RecordBlock{block}, Positions: benchPositions(at)}); err != nil {
			b.Fatal(err)
		}
	}
	used, free := s.Bytes()
	b.ReportMetric(float64(used-free)/float64(at), "bytes/record")
}

// BenchmarkRelease is the cost of a class in the commit of a release.
func BenchmarkRelease(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("records=%d", size), func(b *testing.B) {
			s := openAt(b, filepath.Join(b.TempDir(), "anond.db"), boltstore.Options{})
			defer s.Close()
			fillState(b, s, size)
			classes := size / benchClass
			b.ResetTimer()
			release := uint32(2)
			for at := classes; b.Loop(); at += classes {
				if err := s.Commit(benchRelease(release, at, 0, size)); err != nil {
					b.Fatal(err)
				}
				release++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(classes), "ns/class")
		})
	}
}

// BenchmarkLoad is opening and loading, with a warm page cache, and the size of
// the file.
func BenchmarkLoad(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprintf("records=%d", size), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "anond.db")
			s := openAt(b, path, boltstore.Options{})
			fillState(b, s, size)
			require.NoError(b, s.Close())
			b.ResetTimer()
			for b.Loop() {
				s := openAt(b, path, boltstore.Options{})
				if n := countRecords(b, s); n != size {
					b.Fatal(n)
				}
				require.NoError(b, s.Close())
			}
			info, err := os.Stat(path)
			require.NoError(b, err)
			b.ReportMetric(float64(info.Size())/float64(size), "file-bytes/record")
		})
	}
}

// BenchmarkOpen is opening alone, with a warm page cache: bbolt's own work and the walk
// over all pages (checkTree), which is measured by itself, too.
func BenchmarkOpen(b *testing.B) {
	for _, size := range []int{1_000_000, 5_000_000} {
		path := filepath.Join(b.TempDir(), "anond.db")
		s := openAt(b, path, boltstore.Options{NoSync: true})
		fillState(b, s, size)
		require.NoError(b, s.Close())
		b.Run(fmt.Sprintf("open/records=%d", size), func(b *testing.B) {
			for b.Loop() {
				require.NoError(b, openAt(b, path, boltstore.Options{}).Close())
			}
		})
		b.Run(fmt.Sprintf("walk/records=%d", size), func(b *testing.B) {
			s := openAt(b, path, boltstore.Options{ReadOnly: true})
			defer s.Close()
			var pages, reads int
			for b.Loop() {
				var err error
				pages, reads, err = s.Walk()
				require.NoError(b, err)
			}
			b.ReportMetric(float64(pages), "pages")
			b.ReportMetric(float64(reads), "reads")
		})
	}
}

func countRecords(tb testing.TB, s state.Store) (n int) {
	require.NoError(tb, s.Load(state.Visitor{
		Meta: func(state.Meta) error { return nil }, Counters: func(state.Counters) error { return nil },
		Dictionary: func(int, string) error { return nil }, Class: func(*state.Class) error { return nil },
		Records: func(b *state.RecordBlock) error { n += b.Len(); return nil },
		Intent:  func(*state.Intent) error { return nil }, Position: func(state.Partition, state.Position) error { return nil },
		Quarantined: func([]state.RecordID) error { return nil },
		Attempt:     func(*state.Attempt) error { return nil }, Outbox: func(uint64, int) error { return nil },
	}))
	return n
}
