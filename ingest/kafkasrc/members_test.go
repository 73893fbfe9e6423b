package kafkasrc

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
)

// shardRig are members that divide numbers, and who runs which of them.
type shardRig struct {
	*leaseRig
	of int

	mu    sync.Mutex
	runs  map[int][]string
	twice []string // numbers that two had at a time
}

// worker is a member that runs what it gets, and takes two seconds to end it.
type worker struct {
	rig   *shardRig
	m     *member
	join  *Members
	ended chan struct{}
	mu    sync.Mutex
	have  []int
}

func (rig *shardRig) worker(name string) *worker {
	m := &member{name: name, wire: &wire{dial: rig.net.DialContext}, log: &events{}}
	cfg := rig.config(m)
	cfg.Topic = "decisions"
	join, err := JoinMembers(cfg, rig.of)
	require.NoError(rig.t, err)
	w := &worker{rig: rig, m: m, join: join, ended: make(chan struct{})}
	var ctx context.Context
	ctx, m.stop = context.WithCancel(context.Background())
	go func() { defer close(w.ended); _ = join.Serve(ctx, w.has) }()
	return w
}

func (w *worker) has(now []int) {
	w.mu.Lock()
	before := w.have
	w.have = now
	w.mu.Unlock()
	for _, n := range now {
		if !slices.Contains(before, n) {
			w.rig.note(n, w.m.name, true)
		}
	}
	for _, n := range before {
		if !slices.Contains(now, n) {
			go func() {
				time.Sleep(2 * time.Second)
				w.rig.note(n, w.m.name, false)
				w.join.GaveUp(n)
			}()
		}
	}
}

func (rig *shardRig) note(n int, name string, runs bool) {
	rig.mu.Lock()
	defer rig.mu.Unlock()
	rig.runs[n] = slices.DeleteFunc(rig.runs[n], func(who string) bool { return who == name })
	if runs {
		if rig.runs[n] = append(rig.runs[n], name); len(rig.runs[n]) > 1 {
			rig.twice = append(rig.twice, fmt.Sprint(n, rig.runs[n]))
		}
	}
}

func (w *worker) numbers() []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.have)
}

// gone forgets what a dead member ran.
func (w *worker) gone() {
	for _, n := range w.numbers() {
		w.rig.note(n, w.m.name, false)
	}
}

func (w *worker) leave() {
	w.gone()
	w.m.stop()
	<-w.ended
}

// shares are how many numbers each has, which together are all, each once.
func shares(t *testing.T, of int, workers ...*worker) (out []int) {
	t.Helper()
	var all []int
	for _, w := range workers {
		out, all = append(out, len(w.numbers())), append(all, w.numbers()...)
	}
	slices.Sort(all)
	require.Len(t, slices.Compact(all), of)
	require.Len(t, all, of, "each has one member")
	slices.Sort(out)
	return out
}

func inSharedTime(t *testing.T, of int, run func(t *testing.T, rig *shardRig)) {
	inVirtualTime(t, func(t *testing.T, rig *leaseRig) {
		require.NoError(t, rig.c.CreateTopic("decisions", int32(of), nil))
		run(t, &shardRig{leaseRig: rig, of: of, runs: map[int][]string{}})
	})
}

// TestMembersDivideNumbers: members come and go; what moves is given up first, and what need not move stays.
func TestMembersDivideNumbers(t *testing.T) {
	inSharedTime(t, 7, func(t *testing.T, rig *shardRig) {
		a := rig.worker("a")
		time.Sleep(time.Minute)
		require.Equal(t, []int{7}, shares(t, 7, a))
		b := rig.worker("b")
		time.Sleep(time.Minute)
		require.Equal(t, []int{3, 4}, shares(t, 7, a, b))
		c := rig.worker("c")
		time.Sleep(time.Minute)
		require.Equal(t, []int{2, 2, 3}, shares(t, 7, a, b, c))
		require.Empty(t, rig.twice, "no order makes two run one")
		had := a.numbers()
		b.leave()
		time.Sleep(5 * time.Second)
		require.Equal(t, []int{3, 4}, shares(t, 7, a, c))
		require.Subset(t, a.numbers(), had)
		had = a.numbers()
		b = rig.worker("b")
		time.Sleep(time.Minute)
		require.Equal(t, []int{2, 2, 3}, shares(t, 7, a, b, c))
		require.Subset(t, had, a.numbers())
		require.Empty(t, rig.twice)
		for _, w := range []*worker{a, b, c} {
			w.leave()
		}
		time.Sleep(time.Minute)
	})
}

// TestNumbersOfADeadMember: they go to the others within the session timeout and a heartbeat, and stay there when it comes back.
func TestNumbersOfADeadMember(t *testing.T) {
	for name, die := range map[string]func(*wire){"killed": (*wire).kill, "cut off": (*wire).silence} {
		t.Run(name, func(t *testing.T) {
			inSharedTime(t, 6, func(t *testing.T, rig *shardRig) {
				a, b, c := rig.worker("a"), rig.worker("b"), rig.worker("c")
				time.Sleep(2 * time.Minute)
				require.Equal(t, []int{2, 2, 2}, shares(t, 6, a, b, c))
				lost := a.numbers()
				die(a.m.wire)
				time.Sleep(15 * time.Second)
				require.Equal(t, []int{3, 3}, shares(t, 6, b, c))
				require.Equal(t, lost, a.numbers(), "nobody tells the member; what it does with them is fenced")
				taken := append(b.numbers(), c.numbers()...)
				a.m.wire.mu.Lock()
				a.m.wire.cut, a.m.wire.silent = false, false
				a.m.wire.mu.Unlock()
				time.Sleep(2 * time.Minute)
				require.Equal(t, []int{2, 2, 2}, shares(t, 6, a, b, c))
				require.Subset(t, taken, append(b.numbers(), c.numbers()...))
				for _, w := range []*worker{a, b, c} {
					w.leave()
				}
				time.Sleep(2 * time.Minute)
			})
		})
	}
}

// TestNobodyStopsForAGroupThatIsAway: while no coordinator answers all go on with what they have. When it is back, who joins first may
// get all for a moment, since the others are silent; then each has its share.
func TestNobodyStopsForAGroupThatIsAway(t *testing.T) {
	inSharedTime(t, 4, func(t *testing.T, rig *shardRig) {
		a, b := rig.worker("a"), rig.worker("b")
		time.Sleep(2 * time.Minute)
		had := [][]int{a.numbers(), b.numbers()}
		for _, w := range []*worker{a, b} {
			w.m.wire.kill()
		}
		time.Sleep(time.Hour)
		require.Equal(t, had, [][]int{a.numbers(), b.numbers()})
		for _, w := range []*worker{a, b} {
			w.m.wire.mu.Lock()
			w.m.wire.cut = false
			w.m.wire.mu.Unlock()
		}
		time.Sleep(2 * time.Minute)
		require.Equal(t, []int{2, 2}, shares(t, 4, a, b))
		a.leave()
		b.leave()
		time.Sleep(time.Minute)
	})
}

// TestWhoeverGotANumberLastHasIt: claims of a member that was suspended count less than those of who took over, and what a member
// tells that cannot be read counts as nothing.
func TestWhoeverGotANumberLastHasIt(t *testing.T) {
	claims := func(claims map[int]int64) []byte {
		text, err := (&numbers{of: 4, claims: claims}).UserData()
		require.NoError(t, err)
		return text
	}
	b := &numbers{of: 4}
	got := b.divide([]kafka.GroupMember{{ID: "a", UserData: claims(map[int]int64{0: 5, 1: 5})},
		{ID: "b", UserData: claims(map[int]int64{0: 9, 1: 9, 2: 7})}, {ID: "c", UserData: []byte{claimVersion + 1, 0, 0, 0, 1}}})
	require.Equal(t, map[string][]int{"a": {3}, "b": {0, 1}, "c": {}}, got, "number 2 is given up first")
	require.Equal(t, map[string][]int{"a": {0}, "b": {1}, "c": {2}, "d": {3}, "e": {}}, b.divide([]kafka.GroupMember{{ID: "e"}, {ID: "d"},
		{ID: "c"}, {ID: "b"}, {ID: "a"}}), "more members than numbers")
}
