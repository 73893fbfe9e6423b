package incremental_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/merge"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// Each rule of package settle, broken, tells somebody's value. Where that is seen:
//
//	closing by a value  TestBrokenSettling/a_window_closes_by_the_value, and TestBrokenHistories/a_history_closes_by_the_value
//	closing by the cut  TestBrokenSettling/a_window_closes_by_the_cut
//	unequal windows  TestBrokenSettling/windows_are_unequal
//	corrections while people wait  TestBrokenSettling/corrections_while_people_wait
//	a refused record visible in a stratum  TestBrokenSettling/a_refused_record_is_visible_in_a_stratum
//	kinds of messages mixed  TestBrokenSettling/kinds_of_messages_are_mixed
//	validity past max looked at  TestBrokenSettling/validity_past_the_first_record_is_looked_at
//	a window by the time of reading  TestBrokenSettling/a_window_by_the_time_of_reading
//	a late delete that removes who waits  TestBrokenSettling/a_late_delete_removes_who_waits
//	one Merge for each position  TestBrokenHistories/one_Merge_for_each_position (full tier)
//	fresh buckets for second records  TestBrokenHistories/fresh_buckets_for_second_records
//	corrected people in the pool of others  TestBrokenSettling and, of histories, TestBrokenHistories/corrected_histories_in_the_pool_of_others
//	only real changes counted  TestBrokenSettling and TestBrokenHistories/only_real_changes_of_a_history_count
//	judged pools judged again  TestBrokenSettling/judged_pools_are_judged_again
//	hierarchy versions mixed  TestBrokenHistories/hierarchy_versions_are_mixed, a_history_has_two_versions
//	one draw key for two pools  TestPoolsOfStrataHaveDrawsOfTheirOwn (full tier)
//	a dropped person with a second start  TestBrokenSettling/who_was_dropped_has_a_second_start
//	lengths mixed  TestBrokenHistories/lengths_are_mixed_in_a_class

// twice are the histories of somebody of whom two records come, in a world of so many values. Which sequence is published has a number
// behind those of the values.
func (x law) twice(values int) (out []history) {
	for _, l := range x.corrected(values) {
		l.shown = values + l.first*values + l.second
		out = append(out, l)
	}
	return out
}

// returns are people of whom some come a second time, which may follow from the first value, as may the second. A pool of those is of two
// classes. Of the second class all is known.
func returns(x law) situation {
	const values = 3
	returning := x.twice(values)
	is := func(v, w int) []history {
		return []history{{first: v, second: w, does: true, shown: values + v*values + w, weight: 1}}
	}
	histories := [][]history{returning, returning, is(0, 1), is(2, 2), x.still(values), x.still(values)}
	known := []int{-1, -1, 0, 0, -1, -1}
	return situation{values: values, histories: histories, known: known, most: 2, pool: 4, do: func(p *play, broken string) {
		quasi := func(person int) string { return []string{"0", "0", "100", "100", "50", "50"}[person] }
		for person := range 6 {
			p.tell(person, message{op: "c", at: int64(person), quasi: quasi(person)})
		}
		p.restarts(broken)
		for person := range 6 {
			switch l := p.does(person); {
			case broken == "a history closes by the value" && l.first == 0:
				p.note(person, "c") // and nothing comes of it
			case l.does:
				p.tell(person, message{op: "c", value: p.valueText(l.second), quasi: quasi(person), at: 50 + int64(person)})
			}
		}
		p.passes(1000)
		if broken == "lengths are mixed in a class" {
			p.m.Restratify(func(settle.Stratum) settle.Stratum { return settle.Plain })
		}
		p.releases()
		if broken == "" {
			p.keepsEver()
		}
	}, reaches: []string{"second release", "quarantined"}}
}

// keepsEver requires that no value is in the histories of more than 1/l of a bucket, as the worlds have them.
func (p *play) keepsEver() {
	i := p.m.Releases().Latest()
	if i == nil {
		return
	}
	v, err := p.m.Releases().View(i.Release)
	p.must(err)
	for _, b := range p.buckets(v) {
		var ever [3]int
		for _, person := range b.members {
			h := p.does(int(person))
			if ever[h.first]++; h.does && h.second != h.first {
				ever[h.second]++
			}
		}
		for _, n := range ever {
			require.LessOrEqual(p.t, n*p.l, len(b.members))
		}
	}
}

// lengthsMixed are one who comes twice and one who comes once, whose classes would be one.
func lengthsMixed(x law) situation {
	histories := [][]history{x.twice(2), x.still(2), x.twice(2), x.still(2)}
	return situation{values: 2, histories: histories, most: 2, do: func(p *play, broken string) {
		for person := range 4 {
			p.comes(person, int64(person))
		}
		for _, person := range []int{0, 2} {
			p.tell(person, message{op: "c", value: p.valueText(p.does(person).second), at: 50})
		}
		p.passes(1000)
		if broken != "" {
			p.m.Restratify(func(settle.Stratum) settle.Stratum { return settle.Plain })
		}
		p.releases()
	}}
}

// freshBuckets are people with a value that stays, whose second records are published as those of others, next to those of people who
// come once.
func freshBuckets() situation {
	var stays []history
	for v := range 3 {
		stays = append(stays, history{first: v, shown: v, does: true, weight: 1})
	}
	return situation{values: 3, histories: [][]history{stays, stays, stays, stays}, do: func(p *play, broken string) {
		for person := range 4 {
			p.comes(person, int64(person))
		}
		p.passes(1000)
		p.releases()
		if broken != "" {
			for person := range 4 { // other people share a class
				p.tell(person, message{op: "c", alias: "again", quasi: []string{"0", "0", "100", "100"}[person], at: 2000 + int64(person)})
			}
			p.passes(3000)
			p.releases()
		}
	}}
}

// mergedAgain are eight people with a value that stays, in four classes; of two classes all is known.
func mergedAgain() situation {
	const values = 3
	var stays []history
	for v := range values {
		stays = append(stays, history{first: v, second: v, does: true, shown: values + v*values + v, weight: 1})
	}
	histories, known := make([][]history, 8), make([]int, 8)
	for person := range histories {
		histories[person], known[person] = stays, []int{-1, 1, -1, 1, 2, -1, 2, -1}[person]
	}
	return situation{values: values, histories: histories, known: known, most: 2, pool: 8, do: func(p *play, broken string) {
		for visit := range 2 {
			for person := range histories {
				quasi := []string{"0", "0", "0", "0", "100", "100", "100", "100"}[person]
				p.tell(person, message{op: "c", quasi: quasi, at: int64(10*visit + person)})
			}
		}
		p.passes(1000)
		p.releases()
		if broken != "" {
			p.mergesSecond()
		}
	}, reaches: []string{"second release"}}
}

// mergesSecond breaks the machine: the second values of who is published are published, too, in buckets that follow from them alone.
func (p *play) mergesSecond() {
	i := p.m.Releases().Latest()
	if i == nil || i.Release < 2 {
		return
	}
	v, err := p.m.Releases().Change(i.Release)
	p.must(err)
	slices.SortFunc(v.Classes, func(a, b state.ClassView) int { return cmp.Compare(a.Members[0], b.Members[0]) })
	bags, second := make([]merge.Bag, len(v.Classes)), make([][]uint32, len(v.Classes))
	for c, class := range v.Classes {
		for _, r := range class.Members {
			second[c] = append(second[c], uint32(p.does(int(p.taken[r])).second))
		}
		bags[c] = merge.NewBag(slices.Clone(second[c]))
	}
	draws := merge.AllDraws(merge.Key{Release: 9, Pool: 9, Purpose: "bucket"}, func(_ merge.Key, m int) []int32 {
		order := make([]int32, m) // one of two: fewer plays
		for i := range order {
			order[i] = int32(i)
		}
		if p.drawn(merge.Key{Release: 9}, 2)[0] == 1 {
			slices.Reverse(order)
		}
		return order
	})
	buckets, _ := merge.Pool(bags, p.k, 1, merge.Requirement{Caps: merge.Frequency(p.l)}, draws, merge.Run{Workers: 1})
	for _, bucket := range buckets {
		var all []uint32
		for _, class := range bucket {
			all = append(all, second[class]...)
		}
		p.note("second", bucket, merge.NewBag(all))
	}
}

// grownHistories are four people who come twice before the hierarchy grows, four who do so afterwards, and one who comes once on each side.
// inside: the windows of the first end behind the growth; else they end before it.
func grownHistories(x law, inside bool) situation {
	const values = 3
	is := func(v, w int) history {
		return history{first: v, second: w, does: true, shown: values + v*values + w, weight: 1}
	}
	younger := x.twice(values)
	older := slices.DeleteFunc(slices.Clone(younger), func(l history) bool { return l.first == 2 || l.second == 2 })
	histories := [][]history{older, older, {is(0, 0)}, {is(1, 1)}, younger, younger, {is(0, 1)}, {is(2, 2)}, {is(0, 2), is(1, 0)}}
	quasi := []string{"0", "10", "100", "110", "1", "11", "101", "111", "0"}
	return situation{values: values, histories: histories, known: []int{-1, -1, 0, 0, -1, -1, 0, 0, -1}, most: 2, pool: 4,
		versions: []string{"ab", "cab"}, do: func(p *play, _ string) {
			comes := func(person int, at int64) { p.tell(person, message{op: "c", quasi: quasi[person], at: at}) }
			again := func(person int, at int64) {
				p.tell(person, message{op: "c", quasi: quasi[person], at: at, value: p.valueText(p.does(person).second)})
			}
			both := func(people []int, at int64) {
				for i, person := range people {
					comes(person, at+int64(i))
				}
				for i, person := range people {
					again(person, at+10+int64(i))
				}
			}
			both([]int{0, 1, 2, 3}, 0)
			at := int64(30)
			if !inside {
				at = 500
				p.passes(at)
			}
			comes(8, at)
			p.grows(1)
			both([]int{4, 5, 6, 7}, at+1)
			before := p.m.Status().Beyond
			if again(8, at+30); p.m.Status().Beyond > before {
				p.reached["beyond"] = true
			}
			p.passes(1000)
			p.releases()
		}, reaches: []string{"second release", "quarantined", "beyond"}}
}

// mixedVersions are two people whose first record comes before the hierarchy grows, and two who come twice behind it. straddles: the
// second records of the former come behind it, too. Of one each all is known.
func mixedVersions(x law, straddles bool) situation {
	const values = 3
	var first []history
	for _, l := range x.twice(values) {
		if l.first < 2 && (straddles || l.second < 2) {
			first = append(first, l)
		}
	}
	is := func(v, w int) []history {
		return []history{{first: v, second: w, does: true, shown: values + v*values + w, weight: 1}}
	}
	return situation{values: values, histories: [][]history{first, x.twice(values), is(0, 0), is(1, 1)}, known: []int{-1, -1, 0, 0}, most: 2,
		pool: 4, versions: []string{"ab", "cab"}, do: func(p *play, broken string) {
			quasi := []string{"0", "0", "100", "100"}
			again := func(person int, at int64) {
				p.tell(person, message{op: "c", quasi: quasi[person], value: p.valueText(p.does(person).second), at: at})
			}
			for _, person := range []int{0, 2} {
				if p.tell(person, message{op: "c", quasi: quasi[person]}); !straddles {
					again(person, 1)
				}
			}
			p.grows(1)
			if broken == "a history has two versions" {
				p.m.Ungrown()
			}
			for _, person := range []int{1, 3} {
				p.tell(person, message{op: "c", quasi: quasi[person], at: 10})
				again(person, 11)
			}
			for _, person := range []int{0, 2} {
				if straddles {
					again(person, 12)
				}
			}
			p.passes(1000)
			if broken == "hierarchy versions are mixed" {
				p.m.Restratify(func(s settle.Stratum) settle.Stratum { return settle.Stratum(s.Inserts()) })
			}
			p.releases()
		}}
}

// twoValues are people who come twice, with two sensitive values each time. A value of this world is both; the histories of which one is
// looked at have the numbers from 3 on.
func twoValues(t testing.TB, x law, looked int) *course {
	const values = 3
	of := [2][values]int{{0, 1, 0}, {0, 1, 1}}
	histories := func(v, w int) int { return values + 2*of[looked][v] + of[looked][w] }
	var twice []history
	for _, l := range x.corrected(values) {
		l.shown = histories(l.first, l.second)
		twice = append(twice, l)
	}
	is := func(v, w int) []history {
		return []history{{first: v, second: w, does: true, shown: histories(v, w), weight: 1}}
	}
	letter := func(attribute, v int) string { return string(rune('a' + of[attribute][v])) }
	other := func(v int) string { return `,"other":"` + letter(1, v) + `"` }
	s := situation{values: values, histories: [][]history{twice, twice, is(0, 0), is(1, 1)}, known: []int{-1, -1, 0, 0}, most: 2, pool: 4,
		also: other, more: []equivclass.Attribute{{Name: "other", Role: equivclass.Sensitive, Type: equivclass.Categorical}},
		do: func(p *play, broken string) {
			for visit := range 2 {
				for person := range 4 {
					v := []int{p.does(person).first, p.does(person).second}[visit]
					quasi := []string{"0", "0", "100", "100"}[person]
					p.tell(person, message{op: "c", quasi: quasi, value: `"` + letter(0, v) + `"`, also: other(v), at: int64(10*visit + person)})
				}
				p.restarts(broken)
			}
			p.passes(1000)
			p.releases()
		}, reaches: []string{"second release", "quarantined"}}
	c := s.course(t, "")
	c.shows = func(p *play, b share) { // of both attributes
		var ever [2][2]int
		var bags [2][6]int
		for _, r := range b.members {
			h := p.does(int(r))
			if !h.does { // of the first pool
				continue
			}
			for a := range of {
				v, w := of[a][h.first], of[a][h.second]
				bags[a][2*v+w]++
				if ever[a][v]++; w != v {
					ever[a][w]++
				}
			}
		}
		for a := range ever {
			for _, n := range ever[a] {
				require.LessOrEqual(p.t, n*p.l, len(b.members))
			}
		}
		p.note(bags)
	}
	return c
}

// updatedHistories are people who come twice, and others of whom the second record is corrected, a pool of each. few: one class of them
// all, which would be one pool if they were mixed.
func updatedHistories(x law, few bool) situation {
	const values = 2
	shown := func(v, w int) int { return values + v*values + w }
	is := func(v, w int) []history { return []history{{first: v, second: w, shown: shown(v, w), weight: 1}} }
	var still, updated []history
	for v := range values {
		still = append(still, history{first: v, second: v, shown: shown(v, v), weight: 4 - x.comes[v]})
	}
	for _, l := range x.corrected(values) {
		l.shown = shown(l.first, l.second) // the second record had the first value
		updated = append(updated, l)
	}
	s := situation{values: values, most: 2, pool: 4, updates: true, also: func(int) string { return `,"visit":"1"` },
		more: []equivclass.Attribute{{Name: "visit", Role: equivclass.RecordKey}}, reaches: []string{"second release"}}
	s.histories, s.known = [][]history{still, updated, is(0, 0), is(1, 1)}, []int{-1, -1, 0, 0}
	quasi := []string{"0", "0", "100", "100"}
	if !few {
		s.histories = [][]history{still, still, is(0, 0), is(1, 1), updated, updated, is(0, 0), is(1, 1)}
		s.known, quasi = []int{-1, -1, 0, 0, -1, -1, 0, 0}, append(quasi, quasi...)
	}
	s.do = func(p *play, broken string) {
		tell := func(op string, person, visit int, v int, at int64) {
			p.tell(person, message{op: op, quasi: quasi[person], value: p.valueText(v), also: fmt.Sprintf(`,"visit":"%d/%d"`, person, visit), at: at})
		}
		for visit := range 2 {
			for person := range quasi {
				tell("c", person, visit, p.does(person).first, int64(10*visit+person))
			}
		}
		for person := range quasi {
			h := p.does(person)
			corrected := h.does || person > 5
			switch {
			case corrected && broken == "only real changes of a history count" && h.first == h.second:
				p.note(person, "u") // and nothing comes of it
			case corrected:
				tell("u", person, 1, h.second, 50+int64(person))
			}
		}
		p.restarts(broken)
		p.passes(1000)
		if broken == "corrected histories in the pool of others" {
			p.m.Restratify(func(s settle.Stratum) settle.Stratum { return settle.Stratum(s.Inserts()) })
		}
		p.releases()
	}
	return s
}

// TestHistoriesTellNothing: in every world of people some of whom come again, with any law of the second value and of who comes, the
// posterior of each history of each published person is the share in the bucket, exactly, and each value is in the histories of no more
// than 1/l of it.
func TestHistoriesTellNothing(t *testing.T) {
	t.Parallel()
	for _, x := range laws[:tier.Of(t, 1, 1, len(laws))] {
		t.Run(x.name, func(t *testing.T) { returns(x).course(t, "").requireExact(t) })
	}
	t.Run("two lengths", func(t *testing.T) { lengthsMixed(chronic).course(t, "").requireExact(t) })
	if tier.Full() {
		t.Run("four classes", func(t *testing.T) { mergedAgain().course(t, "").requireExact(t) })
	}
	for _, inside := range []bool{true, false} {
		for _, x := range []law{chronic, sticky}[:tier.Of(t, 1, 1, 2)] {
			t.Run(fmt.Sprint("growth, inside ", inside, ", ", x.name), func(t *testing.T) {
				grownHistories(x, inside).course(t, "").requireExact(t)
			})
		}
	}
	for attribute := range 2 {
		for _, x := range []law{chronic, sticky}[:tier.Of(t, 1, 1, 2)] {
			t.Run(fmt.Sprint("two values, ", attribute, ", ", x.name), func(t *testing.T) { twoValues(t, x, attribute).requireExact(t) })
		}
	}
	t.Run("updates", func(t *testing.T) { updatedHistories(sticky, false).course(t, "").requireExact(t) })
	t.Run("first records", func(t *testing.T) { freshBuckets().course(t, "").requireExact(t) })
}

// TestBrokenHistories: the same enumeration finds people of whom more is known.
func TestBrokenHistories(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]situation{
		"lengths are mixed in a class":              lengthsMixed(chronic),
		"a history closes by the value":             returns(sticky).closing(0),
		"fresh buckets for second records":          freshBuckets(),
		"one Merge for each position":               mergedAgain(),
		"hierarchy versions are mixed":              mixedVersions(chronic, false),
		"a history has two versions":                mixedVersions(chronic, true),
		"corrected histories in the pool of others": updatedHistories(drifting, true),
		"only real changes of a history count":      updatedHistories(drifting, false),
	} {
		if s.pool == 8 && !tier.Full() {
			continue // some 6,000 plays
		}
		t.Run(name, func(t *testing.T) {
			v := requireTells(t, s.course(t, name))
			if s.versions != nil {
				require.Equal(t, "1", v.worst.RatString(), "a new value is known to be of who came later")
			}
		})
	}
}

// TestHistories: what comes of a person inside the window is one record of the state, with the sequence of the values and the newest
// quasi-identifiers; what is past max is beyond. Counts are of records of the source, whatever becomes of people, and whether the state is
// opened anew or not.
func TestHistories(t *testing.T) {
	for name, r := range map[string]settle.Rule{"in time": {For: 100, Max: 3}, "in messages": {Records: 40, Max: 3},
		"to the end": {End: true, Max: 3}} {
		t.Run(name, func(t *testing.T) {
			f := newSettling(t, r)
			value := func(person, visit int) string {
				if visit == 2 {
					return "x" + strconv.Itoa(person)
				}
				return "v" + strconv.Itoa(person/2%4)
			}
			sent := 0
			for visit := range 4 {
				for person := range 12 {
					if person >= 8 && visit > 0 {
						continue
					}
					out := f.send(int64(1000+sent), f.of(person, value(person, visit)))
					require.Equal(t, visit == 3, out.Beyond)
					sent++
				}
			}
			require.Equal(t, state.Pending{Settling: 8*3 + 4}, f.m.Status().Pending)
			require.Equal(t, 8, f.m.Status().Beyond)
			if r.End {
				require.NoError(t, f.m.Finish())
				f.next()
			} else {
				for i := range 40 {
					f.send(1200+int64(i), f.of(100, "v0"))
				}
			}
			require.GreaterOrEqual(t, f.m.Arrived(), 12)
			require.GreaterOrEqual(t, f.m.Status().Pending.Waiting, 28)
			v := f.m.Releases().All()
			lengths := map[int]int{}
			for i := range v.Len() {
				text := v.Dictionaries[v.Schema.SensitiveIndex()].Text(v.SA[0].At(i))
				require.Len(t, equivclass.Parts(text), v.Stratum[i].Inserts())
				lengths[v.Stratum[i].Inserts()]++
			}
			require.Equal(t, 8, lengths[3])
			for range 3 {
				f.cut()
				f.next()
			}
			s := f.m.Status()
			require.Equal(t, 12+2*8, s.Published)
			require.Equal(t, 12, s.People)
			require.Equal(t, 12, f.m.Releases().Latest().Records)
		})
	}
}
