package ingest_test

import (
	"anond/incremental/state"
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/ingest"
	"anond/ingest/decode"
)

// TestAStopWhileMergeRuns: the run after it decides the same people, before it reads who came meanwhile. That the pool was
// fixed is noted outside of the state before Merge begins.
func TestAStopWhileMergeRuns(t *testing.T) {
	store, log, schema := memstore.New(), [][][]byte{nil}, loopSchema(t)
	var noted atomic.Int64
	feed := func(n int) {
		for range n {
			i := len(log[0])
			log[0] = append(log[0], fmt.Appendf(nil, `{"age":%d,"ward":"w%d","illness":"i%d"}`, 20+i*7%50, i%3, i*i%11))
		}
	}
	run := func(stops bool) (people []int) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var stopped atomic.Bool
		var m *incremental.Machine
		var err error
		m, err = incremental.Open(store, incremental.Options{Schema: schema, Seed: [32]byte{1}, Interrupted: stopped.Load,
			Policy: state.Policy{Requirement: equivclass.Requirement{K: 2, L: 2}, Level: state.L2, InitialMin: 40,
				Republication: state.Append, OnRefusal: state.QuarantineRefused, Threshold: 1, MaxHold: 3, HoldInCuts: true},
			Orders: func(_ merge.Key, order []int32) []int32 {
				if stops && !stopped.CompareAndSwap(false, true) {
					return order // Merge has several workers, which may outlive the run
				}
				assert.EqualValues(t, m.Judged().Fixed, noted.Load())
				if stops {
					stop()
				}
				return order
			}})
		require.NoError(t, err)
		h := &ingest.Host{Store: store, Schema: schema, DeadLetters: &bin{seen: map[uint64]state.DeadLetter{}}, Machine: m,
			Publisher: &press{releases: map[uint32][32]byte{}}, Clock: fastClock{time.Now()}, Log: slog.New(slog.DiscardHandler), Once: true,
			NewDecoder: func() (decode.Decoder, error) { return decode.New(decode.JSON, schema, decode.Options{}) },
			Ports:      ingest.Ports{Judged: func(j incremental.Judged) error { noted.Store(int64(j.Fixed)); return nil }},
			Source:     newTopic(log, len(log[0]), 1<<10, m)}
		require.NoError(t, h.Run(ctx))
		store = store.Crash()
		after, err := incremental.Open(store, incremental.Options{Schema: schema, Policy: state.Policy{
			Requirement: equivclass.Requirement{K: 2, L: 2}, Level: state.L2, Republication: state.Append, Threshold: 1}})
		require.NoError(t, err)
		for _, i := range after.Releases().Intents() {
			people = append(people, i.Newcomers)
		}
		return append(people, after.Trigger().PoolFixed())
	}
	feed(60)
	require.Equal(t, []int{60}, run(true))
	feed(100)
	require.Equal(t, []int{60, 100, 0}, run(false))
	feed(200)
	require.Equal(t, []int{60, 100, 198}, run(true))
	feed(300)
	require.Equal(t, []int{60, 100, 198, 300, 0}, run(false))
}
