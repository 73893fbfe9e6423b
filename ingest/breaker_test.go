package ingest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/ingest"
)

// spoiled makes the records from some place on unreadable, but for each tenth.
func spoiled(r *rig, from int) {
	for i := from; i < len(r.values); i++ {
		if i%10 > 0 {
			r.values[i] = []byte(`{"age":"canary","ward":"w1","illness":"i1"}`)
		}
	}
}

// TestTooManyRefusedRecordsPauseTheHost: it reads no further, and goes on when an operator
// says so, until twice the share is refused.
func TestTooManyRefusedRecordsPauseTheHost(t *testing.T) {
	r := newRig(t, 7000)
	for i := range r.values { // of the third thousand a tenth, of those that follow a sixth, of the sixth a quarter
		if every := map[int]int{2: 10, 3: 6, 4: 6, 5: 4}[i/1000]; every > 0 && i%every == 0 {
			r.values[i] = []byte(`{"age":"canary","ward":"w1","illness":"i1"}`)
		}
	}
	tripped := 0
	p, orders := commanded(t, r, func(h *ingest.Host) {
		h.MaxRefused, h.Tripped = .05, func() error { tripped++; return nil }
	})
	read := func(n uint64) func(ingest.Report) bool {
		return func(rep ingest.Report) bool {
			return rep.Paused && rep.Machine.Sent == n
		}
	}
	p.reported("it pauses behind the third thousand", read(3000))
	require.True(t, p.said("too_many_refused"))
	require.True(t, p.said("too_many_refused records=3000 refused=130 max_share=0.05 reasons=\"not_a_number 130\""), "counts by reason")
	a, err := orders.Ask(bounded(t), ingest.OrderResume)
	require.NoError(t, err)
	require.True(t, a.Changed)
	p.reported("and behind the sixth", read(6000))
	p.stop()
	require.NoError(t, p.ends())
	require.Equal(t, 2, tripped)
}

// TestTooManyRefusedRecordsEndARun that has to end. Without a limit, or below it, none ends.
func TestTooManyRefusedRecordsEndARun(t *testing.T) {
	for most, fails := range map[float64]bool{0: false, .95: false, .5: true} {
		r := newRig(t, 3000)
		spoiled(r, 500)
		h := r.host(3, 40)
		h.MaxRefused = most
		err := h.Run(t.Context())
		if fails {
			require.ErrorIs(t, err, ingest.ErrManyRefused)
			continue
		}
		require.NoError(t, err)
		require.EqualValues(t, 3000, h.Machine.Status().Sent)
	}
}

// TestARunThatRefusedEverythingFails, however little that was, and one that has refused too much in all: nothing more is
// published, whoever waits. Where all may be refused none fails.
func TestARunThatRefusedEverythingFails(t *testing.T) {
	for _, c := range []struct {
		name   string
		values int
		most   float64
		bad    func(i int) bool
		fails  bool
	}{
		{"everything", 30, .05, func(int) bool { return true }, true},
		{"everything, which is allowed", 30, 1, func(int) bool { return true }, false},
		{"all but one of few", 30, .05, func(i int) bool { return i > 0 }, false},
		{"too much behind the last thousand", 1400, .05, func(i int) bool { return i >= 1000 && i%4 > 0 }, true},
		{"little", 1400, .05, func(i int) bool { return i%40 == 0 }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.values)
			for i := range r.values {
				if c.bad(i) {
					r.values[i] = []byte(`{"age":"canary","ward":"w1","illness":"i1"}`)
				}
			}
			h := r.host(3, 40)
			h.MaxRefused = c.most
			err := h.Run(t.Context())
			s := h.Machine.Status()
			require.Equal(t, s.Sent, s.Accounted())
			require.EqualValues(t, c.values, s.Sent, "what was read is kept, and its dead letters")
			if !c.fails {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ingest.ErrManyRefused)
			require.ErrorContains(t, err, "not_a_number")
			require.NotContains(t, err.Error(), "canary")
			require.Equal(t, c.values < 1000, s.Release == 0, "whoever waits")
		})
	}
}
