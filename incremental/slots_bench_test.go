package incremental_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/state"
)

// slotStream is a steady stream: so many people wait by Little's law, and so many come in each slot.
type slotStream struct {
	schema  *equivclass.Schema
	row     func() equivclass.Row
	k, l    int
	waiting int
	slot    int
	counted int // slots, behind those in which as many came as wait
}

// slotsRun is what a stream cost and lost behind its beginning.
type slotsRun struct {
	slots, pools int
	decide       time.Duration // processor time of all slots: who is published, buckets and the transaction
	longest      time.Duration // elapsed, of a slot
	loss, hold   float64       // mean of those published: loss, and slots waited
}

// run plays the stream. by is Asked to plan at every slot, as if newcomers never were missing.
func (s slotStream) run(b testing.TB, by state.Occasion) (out slotsRun) {
	p := bucketPolicy(s.k, s.l)
	// A tick is a slot.
	p.HoldInCuts, p.MaxHold, p.Workers = false, int64(5.6*float64(s.waiting)/float64(s.slot)+.5), runtime.GOMAXPROCS(0)
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: s.schema, Policy: p, Seeded: true})
	require.NoError(b, err)
	come := func(n int) {
		next, _ := m.Intake().Next(source)
		for i := range n {
			if _, err := m.Apply(source, next+int64(i), s.row()); err != nil {
				require.NoError(b, err)
			}
		}
	}
	come(max(2000, s.slot))
	_, err = m.Cut(1, [32]byte{})
	require.NoError(b, err)
	require.NoError(b, m.Published(1, [32]byte{1}))
	fill, from := s.waiting/s.slot+1, uint32(0)
	for t := range int64(fill + s.counted) {
		m.Tick(t + 1)
		come(s.slot)
		counts := t > int64(fill)
		if counts && from == 0 {
			from = m.Releases().Latest().Release + 1
		}
		started, began := time.Now(), processTime()
		d, err := m.Decide(by)
		require.NoError(b, err)
		i, err := m.Enact(d, t, [32]byte{})
		require.NoError(b, err)
		took := processTime() - began
		if i != nil {
			require.NoError(b, m.Published(i.Release, [32]byte{1}))
		}
		if counts {
			if out.slots++; i != nil {
				out.pools++
			}
			out.decide, out.longest = out.decide+took, max(out.longest, time.Since(started))
		}
	}
	out.loss, out.hold = m.LossSince(from)
	return out
}

// BenchmarkSlots is a steady stream of which many wait, over three turnovers: processor time of a slot, and the loss of what is
// published, with a plan at every slot and with one once newcomers have come. The largest with small slots, and the defaults, at which
// every slot has enough newcomers, are there for their time, over some slots.
func BenchmarkSlots(b *testing.B) {
	for _, data := range []string{"generated", "adult"} {
		for _, c := range [][2]int{{5_000, 100}, {5_000, 1000}, {50_000, 1000}, {50_000, 200}, {250_000, 1000}, {250_000, 5000},
			{160_000, 10_000}, {1_600_000, 100_000}} { // the defaults, with 1,000 and 10,000 records a second
			b.Run(fmt.Sprintf("%s/waiting=%d/slot=%d", data, c[0], c[1]), func(b *testing.B) {
				if c[0] > 5_000 {
					tier.Heavy(b, "it plans 50,000 people at each of many slots")
				}
				for b.Loop() {
					var each [2]slotsRun
					for i, by := range []state.Occasion{state.Asked, state.Triggered} {
						s := slotStream{k: 10, l: 5, waiting: c[0], slot: c[1], counted: 3 * c[0] / c[1]}
						if s.schema, s.row = censusRows(b); data == "adult" {
							s.schema, s.row = adultRows(b)
						}
						switch {
						case s.counted > 200 && c[0] > 50_000:
							s.counted = 40
						case c[1] >= 10_000:
							s.counted = max(2, 800_000/c[0])
						}
						each[i] = s.run(b, by)
					}
					for i, name := range []string{"every", "newcomers"} {
						r := each[i]
						b.ReportMetric(r.decide.Seconds()*1000/float64(r.slots), name+"-cpu-ms/slot")
						b.ReportMetric(float64(r.pools)/float64(r.slots), name+"-pools/slot")
						b.ReportMetric(r.longest.Seconds()*1000, name+"-longest-ms")
						b.ReportMetric(r.loss, name+"-loss")
						b.ReportMetric(r.hold, name+"-hold")
					}
					b.ReportMetric(each[1].decide.Seconds()/each[0].decide.Seconds(), "cpu-ratio")
					b.ReportMetric(100*(each[1].loss/each[0].loss-1), "loss-%")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func censusRows(b testing.TB) (*equivclass.Schema, func() equivclass.Row) {
	c := newCensus(b)
	return c.schema, c.row
}

// adultRows draws rows of Adult in an order of their own. Those that come again are up to five years older or younger.
func adultRows(b testing.TB) (*equivclass.Schema, func() equivclass.Row) {
	r := adultStream(b)
	rng, drawn := rand.New(rand.NewPCG(1, 1)), 0
	var left []int
	return r.schema, func() equivclass.Row {
		if len(left) == 0 {
			left = rng.Perm(len(r.all))
		}
		row := slices.Clone(r.all[left[0]])
		left = left[1:]
		if drawn++; drawn > len(r.all) {
			age, err := strconv.Atoi(string(row[0]))
			require.NoError(b, err)
			row[0] = strconv.AppendInt(nil, int64(max(17, age+rng.IntN(11)-5)), 10)
		}
		return row
	}
}
