package incremental_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental/retire"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// leaving is a stream of people whose parts leave after some releases, of whom some come again, are forgotten, lapse or are barred.
type leaving struct {
	*poolFeed
	rng    *rand.Rand
	people int
	told   string
	most   int // records in the machine
	digest int
	// careless: it is broken, and digests are not counted.
	careless bool
	values   int
	recent   int // who comes again is one of so many; 0: of all
}

func newLeaving(t *testing.T, seed uint64, settles ...settle.Rule) *leaving {
	p := bucketPolicy(4, 2)
	if len(settles) > 0 {
		p.Settle, p.InitialMin = settles[0], 150
	}
	var err error
	p.Window, err = retire.Parse("5")
	require.NoError(t, err)
	p.MaxHold, p.MaxWait = 0, 3
	return &leaving{poolFeed: newPoolFeed(t, newSchema(t, true), p, byte(seed)), rng: rand.New(rand.NewPCG(seed, 9)), values: 7}
}

// day is one batch and a cut. removes: what has left leaves the state before the cut.
func (f *leaving) day(removes bool) {
	n := 150
	if f.cuts%12 > 5 {
		n = 7
	}
	for range n {
		f.people++
		who := f.people
		if f.rng.IntN(6) == 0 {
			who = 1 + f.rng.IntN(f.people)
			if f.recent > 0 {
				who = max(1, f.people-f.rng.IntN(f.recent))
			}
		}
		row := append(zoned(f.rng.IntN(1000), "i"+strconv.Itoa(min(f.rng.IntN(f.values), f.rng.IntN(f.values)))), []byte(strconv.Itoa(who)))
		if f.rng.IntN(200) == 0 {
			require.NoError(f.t, f.m.Bar(row[4]))
		}
		require.NoError(f.t, f.m.Stamp(source, 0))
		out, err := f.m.Apply(source, f.offset, row)
		require.NoError(f.t, err)
		require.Equal(f.t, equivclass.Accepted, out.Reason)
		f.offset++
	}
	if f.rng.IntN(3) == 0 {
		_, err := f.m.Delete(source, f.offset, []byte(strconv.Itoa(1+f.rng.IntN(f.people))))
		require.NoError(f.t, err)
		f.offset++
	}
	require.NoError(f.t, f.m.Commit())
	if f.m.Forgetting().Due() > 0 {
		e, err := f.m.Forget(nil)
		require.NoError(f.t, err)
		if e.Empty() {
			require.NoError(f.t, f.m.Forgot(e))
		} else {
			require.NoError(f.t, f.store.ForgetInPlace(e))
			f.open()
		}
	}
	f.knows()
	if removes {
		f.remove()
	}
	if i := f.cut(); i != nil {
		f.told += fmt.Sprintf("release %d: %d newcomers, %d gone\n", i.Release, i.Newcomers, i.Expired) + f.classes(i)
	}
	s := f.m.Status()
	require.Equal(f.t, s.Sent, s.Accounted())
	f.told += fmt.Sprintf("%d published %d expired %v %d beyond or forgotten %d lapsed\n", s.Published, s.Expired, s.Pending,
		uint64(s.Beyond)+s.Forgotten, s.Lapsed) // a record that was beyond when it left stays so if its person is forgotten
	f.most = max(f.most, f.m.Arrived())
	f.knows()
}

// knows requires that nobody whom the state knew is lost.
func (f *leaving) knows() {
	if f.careless {
		return
	}
	require.GreaterOrEqual(f.t, f.m.Digests(), f.digest)
	f.digest = f.m.Digests()
}

// forgets lets the state lose who has left as remove does, and the digests with them, which is broken.
func (f *leaving) forgets() {
	if r := f.m.Removal(); r != nil {
		require.NoError(f.t, f.store.Remove(r))
		f.open()
		f.m.Unbar()
	}
}

func (f *leaving) remove() {
	r := f.m.Removal()
	if r == nil {
		return
	}
	before := f.m.Status()
	require.NoError(f.t, f.store.Remove(r))
	m, err := f.m.Reopen(f.options)
	require.NoError(f.t, err)
	f.m = m
	f.knows()
	require.Nil(f.t, f.m.Removal())
	after := f.m.Status()
	require.Empty(f.t, f.m.CheckInvariants())
	require.Equal(f.t, []any{before.Sent, before.Published, before.Expired, before.Pending, before.Beyond, before.Forgotten, before.Lapsed},
		[]any{after.Sent, after.Published, after.Expired, after.Pending, after.Beyond, after.Forgotten, after.Lapsed})
}

// classes are the people of each class, by digest, with their values, and buckets.
func (f *leaving) classes(i *state.Intent) (out string) {
	v, err := f.m.Releases().Change(i.Release)
	require.NoError(f.t, err)
	buckets := map[state.BucketID]int{}
	for _, c := range v.Classes {
		if _, known := buckets[c.Bucket]; !known {
			buckets[c.Bucket] = len(buckets)
		}
		out += fmt.Sprint(buckets[c.Bucket])
		for _, r := range c.Members {
			out += fmt.Sprintf(" %x:%s", v.Subject[r], v.Dictionaries[3].Text(v.SA[0].At(int(r))))
		}
		out += "\n"
	}
	return out
}

// TestWhoHasLeftLeavesTheState: a state that loses who has left decides as one that keeps them, also after restarts, and nobody comes
// back; what it holds does not grow.
func TestWhoHasLeftLeavesTheState(t *testing.T) {
	for seed := range uint64(3) {
		kept, removed := newLeaving(t, seed), newLeaving(t, seed)
		for day := range 70 {
			kept.day(false)
			if removed.day(true); day%7 == 3 {
				removed.open()
			}
			a, b := strings.Split(kept.told, "\n"), strings.Split(removed.told, "\n")
			for i := range a {
				require.Equal(t, a[i], b[i], "seed %d day %d line %d", seed, day, i)
			}
			kept.told, removed.told = "", ""
		}
		require.Positive(t, removed.m.Status().Expired)
		require.Positive(t, removed.m.Status().Lapsed)
		require.Less(t, removed.most, kept.most/2)
		out, err := removed.m.Apply(source, removed.offset, append(zoned(1, "i1"), []byte("1")))
		require.NoError(t, err)
		require.True(t, out.Beyond || out.Forgotten)
		require.Empty(t, kept.m.CheckInvariants())
	}
}

// TestHistoriesLeaveTheState: likewise where people have histories. What becomes of their records, those of who lapse, leave with their
// parts, are quarantined, forgotten or removed while they are observed, counts each record of the source once.
func TestHistoriesLeaveTheState(t *testing.T) {
	rule := settle.Rule{Records: 900, Max: 3}
	kept, removed := newLeaving(t, 4, rule), newLeaving(t, 4, rule)
	for _, f := range []*leaving{kept, removed} {
		f.recent, f.values = 300, 40 // the ever share of a first pool of few people is below 1/l
	}
	more := 0
	for day := range 70 {
		kept.day(false)
		if removed.day(true); day%7 == 3 {
			removed.open()
		}
		more = max(more, removed.m.Status().Published-removed.m.Status().People)
		require.Equal(t, kept.told, removed.told, "day %d", day)
		require.Empty(t, removed.m.CheckInvariants())
		kept.told, removed.told = "", ""
	}
	s, strata := removed.m.Status(), map[int]int{}
	for _, of := range removed.m.Releases().All().Stratum {
		strata[of.Inserts()]++
	}
	t.Log(more, strata)
	require.Positive(t, more)
	require.NotZero(t, strata[3])
	require.Positive(t, s.Expired)
	require.Positive(t, s.Lapsed)
	require.Positive(t, s.Pending.Settling)
	require.Positive(t, s.Forgotten)
	require.Empty(t, kept.m.CheckInvariants())
}

// departing is a stream of pools of four and of two people, of which a release shows the newest part. The first person comes
// again with the same value once the first part has left the releases, and its people the state.
func departing(t testing.TB, broken bool) *course {
	return &course{n: 8, d: 3, k: 2, l: 2, schema: withPeople(t), rows: person, need: asksFor(2), apart: true,
		known: []int{-1, -1, -1, -1, 0, 1},
		policy: func(p *state.Policy) {
			quarantines(p)
			p.Window, _ = retire.Parse("1")
		},
		play: func(p *play) {
			p.feed(4)
			if first := p.cut(); first != nil {
				v, err := p.m.Releases().View(first.Release)
				p.must(err)
				p.gone = p.buckets(v)
			}
			p.feed(6)
			p.cut()
			if p.m.Departing() && p.gone != nil {
				p.reached["departed"] = true
				p.must(p.store.Remove(p.m.Removal()))
				if p.open(); broken {
					p.m.Unbar()
				}
				p.taken = p.taken[4:]
			} else {
				p.gone = nil
			}
			(&lapsing{}).again(p, 0)
			p.feed(8)
			p.cut()
			p.cut()
		},
		reaches: []string{"departed", "beyond", "second release"}}
}

// TestWhoHasLeftHasNoSecondStart: in every world, with every outcome of the draws, the posterior of each value of each person ever
// published, of those whose part has left, too, is the share in the bucket.
func TestWhoHasLeftHasNoSecondStart(t *testing.T) {
	tier.NotShort(t, "it enumerates worlds")
	t.Parallel()
	departing(t, false).requireExact(t)
	v := departing(t, true).enumerate(t)
	t.Log(v)
	require.Less(t, v.exact[0], v.published)
	require.Equal(t, big.NewRat(1, 1), v.worst, "a state that loses the digests publishes a person twice")
}

// TestWhoIsNotKnownComesBack: the comparison finds a machine that loses the digests of those who have left, since it publishes them again.
func TestWhoIsNotKnownComesBack(t *testing.T) {
	kept, broken := newLeaving(t, 1), newLeaving(t, 1)
	broken.careless = true
	differ := false
	for range 40 {
		kept.day(false)
		broken.day(false)
		differ = differ || kept.told != broken.told
		broken.forgets()
	}
	require.True(t, differ)
}
