package incremental_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/incremental/state"
)

// sharing is a stream of people of whom two datasets get records, each by a machine of its own, with draws of its own. Everybody who
// watches gets all releases of both.
type sharing struct {
	name string
	n    int
	// before and after are whose records arrive, in order, before the first dataset cuts and between the two cuts: a lower-case
	// letter at the first dataset, an upper-case one at the second.
	before, after string
	refuses       bool // the first dataset has no place for the third value, and the second has
	// owner says whether a record that arrives is of a person of the dataset; nil: the one where the first record arrived.
	owner func(x *watched, of *dataset, r int) bool
	// drops says whom the second dataset drops before its cut, and withholds which bucket it does not show; nil: nobody, and none.
	drops     func(x *watched, r int) bool
	withholds func(x *watched, b share) bool
	reaches   []string
}

// dataset is one of the datasets.
type dataset struct {
	*play
	offset    int64
	refuses   bool
	refused   map[int]bool
	accepted  map[int]bool
	published map[int]bool
}

// watched is one run of both.
type watched struct {
	first, second dataset
	owner         map[int]*dataset // by the first arrival
	waits         []int            // whom the second dataset takes in before its cut
}

// takes gives the record of a person to a dataset.
func (s *dataset) takes(r int, mine bool) {
	defer func() { s.offset++ }()
	if !mine {
		s.must(s.m.Intake().Elsewhere(source, s.offset))
		s.note("elsewhere", r)
		s.reached["elsewhere"] = true
		return
	}
	row := person(r)
	if row[2] = []byte{s.name(s.world[r])}; s.refuses && s.world[r] == 2 {
		row[2] = append([]byte("["), row[2]...)
	}
	out, err := s.m.Apply(source, s.offset, row)
	s.must(err)
	switch {
	case out.Reason != equivclass.Accepted:
		s.must(s.m.Bar(row[3]))
		s.must(s.m.Refuse(state.DeadLetter{Partition: source, Offset: s.offset, Reason: out.Reason, Attribute: out.Attribute}))
		s.note("refused", r)
		s.refused[r], s.reached["dead letter"] = true, true
	case !out.Beyond:
		s.taken = append(s.taken, int32(r))
		s.accepted[r] = true
	}
	s.must(s.m.Commit())
}

// shown are the buckets of all releases.
func (s *dataset) shown() (out []share) {
	if i := s.m.Releases().Latest(); i != nil {
		v, err := s.m.Releases().Whole(i.Release)
		s.must(err)
		out = s.buckets(v)
	}
	return out
}

func (s *dataset) cuts() {
	s.cut()
	for _, b := range s.shown() {
		for _, r := range b.members {
			s.published[int(r)] = true
		}
	}
	status := s.m.Status()
	require.Equal(s.t, status.Sent, status.Accounted())
	require.Empty(s.t, s.m.CheckInvariants())
}

// arrive lets people arrive at both datasets.
func (x *watched) arrive(s *sharing, people string) {
	for _, c := range people {
		r, at := int(c-'a'), &x.first
		if c < 'a' {
			r, at = int(c-'A'), &x.second
		}
		if x.owner[r] == nil {
			x.owner[r] = at
		}
		mine := x.owner[r] == at
		if s.owner != nil {
			mine = s.owner(x, at, r)
		}
		if at == &x.second && mine { // until the cut, in which order it hears of others makes no difference to it
			x.waits = append(x.waits, r)
			continue
		}
		at.takes(r, mine)
	}
}

func (s *sharing) play(p *play) {
	of := func(p *play, refuses bool) dataset {
		return dataset{play: p, refuses: refuses, refused: map[int]bool{}, accepted: map[int]bool{}, published: map[int]bool{}}
	}
	other := *p.course
	other.key = func(k merge.Key) merge.Key { k.Pool += 1 << 20; return k } // its draws are its own
	x := &watched{first: of(p, s.refuses), second: of(other.start(p.t, p.world, p.draws), false), owner: map[int]*dataset{}}
	x.arrive(s, s.before)
	x.first.cuts()
	x.arrive(s, s.after)
	for _, r := range x.waits {
		if s.drops == nil || !s.drops(x, r) {
			x.second.takes(r, true)
		}
	}
	x.second.cuts()
	p.note("second", string(x.second.seen))
	for what := range x.second.reached {
		p.reached["second "+what] = true
	}
	for _, b := range x.second.shown() {
		if s.withholds != nil && s.withholds(x, b) {
			p.note("withheld", b.id)
			continue
		}
		p.gone = append(p.gone, b)
		p.reached["second birth"] = true
	}
}

func (s *sharing) course(t testing.TB) *course {
	valid := []int{3, 3, 3, 3, 3, 3}
	if s.n > len(valid) { // two values for the people of the second dataset keep the number of worlds small
		valid = []int{3, 3, 3, 3, 2, 2, 2, 2}
	}
	return &course{name: s.name, n: s.n, d: 3, valid: valid, k: 2, l: 2, schema: withPeople(t), rows: person, play: s.play,
		policy: quarantines, need: func(*play, merge.Bag) (int, bool) { return 2, true }, reaches: s.reaches}
}

// TestRuleSOverDatasets: in every world of small streams of people of whom two datasets get records, with every outcome of the draws of
// both, the posterior of each value of each published person, given all that both show, is its share in the bucket, exactly: whoever
// comes to both, whoever is refused at the first, and whoever waits at the second while the first refuses what the person sends.
func TestRuleSOverDatasets(t *testing.T) {
	t.Parallel()
	for _, s := range []*sharing{
		{name: "people of both", n: 8, before: "abcdAEe", after: "BFGHCf", reaches: []string{"quarantined", "second birth", "second elsewhere",
			"elsewhere"}},
		{name: "who is refused", n: 8, before: "abcd", after: "ABCDEFGH", refuses: true, reaches: []string{"dead letter", "second birth",
			"second elsewhere"}},
		{name: "who waits at the other", n: 6, before: "ABCDabef", after: "c", refuses: true, reaches: []string{"dead letter", "elsewhere",
			"second birth"}},
		{name: "a larger second", n: 6, before: "abAB", after: "CDEFa", reaches: []string{"second birth", "second quarantined"}},
	} {
		t.Run(s.name, func(t *testing.T) { s.course(t).requireExact(t) })
	}
}

// TestBrokenLedgers: the same enumeration finds people whose values are surer than their buckets say where another moment than the
// first arrival decides whose a person is, or where a dataset heeds what became of the person at another one.
func TestBrokenLedgers(t *testing.T) {
	t.Parallel()
	for _, s := range []*sharing{
		{name: "owned by publication", n: 6, before: "abcd", after: "CDEF",
			owner: func(x *watched, of *dataset, r int) bool { return of == &x.first || !x.first.published[r] }},
		{name: "owned by acceptance", n: 6, before: "abcd", after: "ABCDEF", refuses: true,
			owner: func(x *watched, of *dataset, r int) bool { return of == &x.first || !x.first.accepted[r] }},
		{name: "refused at publication", n: 6, before: "abcdCDEF",
			owner: func(*watched, *dataset, int) bool { return true },
			withholds: func(x *watched, b share) bool {
				return slices.ContainsFunc(b.members, func(r int32) bool { return x.first.published[int(r)] })
			}},
		{name: "dropped because refused elsewhere", n: 6, before: "ABCDabef", refuses: true,
			owner: func(*watched, *dataset, int) bool { return true },
			drops: func(x *watched, r int) bool { return x.first.refused[r] }},
		{name: "no ledger", n: 6, before: "abcd", after: "CDEF", owner: func(*watched, *dataset, int) bool { return true }},
	} {
		t.Run(s.name, func(t *testing.T) {
			v := s.course(t).enumerate(t)
			t.Log(v)
			assert.Positive(t, v.published)
			assert.Less(t, v.exact[0], v.published)
			assert.Positive(t, v.excess.Sign())
		})
	}
}
