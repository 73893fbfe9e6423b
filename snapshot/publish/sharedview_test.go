package publish_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/equivclass/merge"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/render"
)

// sharedRecodings are those of level L2.
func sharedRecodings() []render.Recoding {
	return []render.Recoding{render.Buckets(), render.BucketAnatomy(), render.DrawnValues(testSeed)}
}

// sharedName tells the recodings of level L2 from those of level L1 by name.
func sharedName(r render.Recoding) string { return r.Name() + "-l2" }

// sharedSettings are settings for classes of three, of which no value may have more
// than half of a bucket.
func sharedSettings(r render.Recoding) *render.Settings {
	s := settings(r)
	s.Policy = snapshot.Policy{K: 3, L: 2, Republication: "append", SubjectRepeat: "first", Diversity: []snapshot.Diversity{}}
	return s
}

// sharedContent is a release of level L2 as indexes of persons.
type sharedContent struct {
	persons []person
	classes []testClass
	buckets []state.BucketID // by class
}

func (c *sharedContent) add(born uint32, bucket state.BucketID, members ...state.RecordID) {
	c.classes = append(c.classes, testClass{Regime: state.Frozen, Born: born, Members: members})
	c.buckets = append(c.buckets, bucket)
}

func (c *sharedContent) view(t testing.TB, release uint32) *incremental.View {
	v := testView(t, release, hospital(t), c.persons, c.classes)
	v.Level = state.L2
	for i, b := range c.buckets {
		v.Classes[i].Bucket = b
	}
	return v
}

// shelter has classes of three: two in a bucket, whose own bags are not eligible, one
// alone in its bucket, and a person who waits.
func shelter() *sharedContent {
	c := &sharedContent{persons: slices.Clone(patients[:7])}
	c.persons = append(c.persons, person{"12", "31", "2013-06-01", "2011", "ward-e", "9", "cold"}, patients[7],
		patients[8], patients[9], patients[10])
	c.persons[3] = person{"12", "31", "2013-06-01", "2011", "south, new", "9", "flu"}
	c.add(1, 9, 0, 1, 2)
	c.add(1, 9, 3, 4, 7)
	c.add(1, 4, 9, 10, 11)
	return c
}

// again numbers records, classes, buckets of a birth, and members otherwise.
func (c *sharedContent) again(r *rand.Rand) *sharedContent {
	out := &sharedContent{persons: make([]person, len(c.persons)), classes: make([]testClass, len(c.classes)),
		buckets: make([]state.BucketID, len(c.classes))}
	to := r.Perm(len(c.persons))
	for i, p := range c.persons {
		out.persons[to[i]] = p
	}
	most := int(slices.Max(c.buckets))
	name, shift := r.Perm(most), state.BucketID(r.IntN(5))
	for i, at := range r.Perm(len(c.classes)) {
		members := make([]state.RecordID, len(c.classes[i].Members))
		for n, place := range r.Perm(len(members)) {
			members[place] = state.RecordID(to[c.classes[i].Members[n]])
		}
		out.classes[at] = testClass{Regime: c.classes[i].Regime, Born: c.classes[i].Born, Members: members}
		out.buckets[at] = shift + 1 + state.BucketID(name[c.buckets[i]-1])
	}
	return out
}

// byBucket are the records of each bucket.
func (c *sharedContent) byBucket() map[state.BucketID][]state.RecordID {
	out := map[state.BucketID][]state.RecordID{}
	for i, b := range c.buckets {
		out[b] = append(out[b], c.classes[i].Members...)
	}
	return out
}

// dealt assigns the values of each bucket to its records anew.
func (c *sharedContent) dealt(r *rand.Rand) *sharedContent {
	out := *c
	out.persons = slices.Clone(c.persons)
	for _, records := range c.byBucket() {
		for i, from := range r.Perm(len(records)) {
			p := slices.Clone(c.persons[records[i]])
			p[len(p)-1] = c.persons[records[from]][len(p)-1]
			out.persons[records[i]] = p
		}
	}
	return &out
}

// exchanged swaps all values of two classes of a bucket.
func (c *sharedContent) exchanged(a, b int) *sharedContent {
	out := *c
	out.persons = slices.Clone(c.persons)
	for i, x := range c.classes[a].Members {
		y := c.classes[b].Members[i]
		p, q := slices.Clone(c.persons[x]), slices.Clone(c.persons[y])
		last := len(p) - 1
		p[last], q[last] = q[last], p[last]
		out.persons[x], out.persons[y] = p, q
	}
	return &out
}

// sharedChain grows as rule B (buckets) has it: blind classes of exactly three, and
// buckets by merge.Pool.
type sharedChain struct {
	sharedContent
	r    *rand.Rand
	same bool // all have the same quasi-identifiers, so that bags alone tell buckets apart
}

// grow adds a pool of people of few different values, or of many.
func (c *sharedChain) grow(t testing.TB, release int, few bool) {
	first, n := len(c.persons), 12+3*c.r.IntN(12)
	number := func(n int) string { return strconv.Itoa(c.r.IntN(n)) }
	pick := func(values ...string) string { return values[c.r.IntN(len(values))] }
	for range n {
		p := person{number(90), number(2000), "19" + pick("50", "62", "71") + "-0" + pick("1", "2", "3") + "-11", pick("1011", "1012", "1021",
			"2011"), pick("ward-e", "ward-w", `ward "x", new`, "É"), number(500), ""}
		if c.same {
			p = person{"9", "20", "2001-01-01", "1011", "a", "5", ""}
		} else if few {
			p = person{pick("9", "10"), "20", "2001-01-01", pick("1011", "2011"), pick("a", "b,"), "5", ""}
		}
		c.persons = append(c.persons, p)
	}
	values := []string{"flu", "cold", "gout", "asthma", `ulcer, "acute"`}
	if few {
		values = []string{"x", "y", "z"}
	}
	for i, at := range c.r.Perm(n) { // two fifths have the first value
		c.persons[first+at][6] = values[0]
		if i >= 2*n/5 {
			c.persons[first+at][6] = values[1+i%(len(values)-1)]
		}
	}
	c.pool(t, release, first)
	for range c.r.IntN(3) {
		c.persons = append(c.persons, patients[7]) // waits
	}
}

// pool makes classes and buckets of the people from one on.
func (c *sharedChain) pool(t testing.TB, release, first int) {
	v := testView(t, 1, hospital(t), c.persons, nil)
	dicts := v.Dictionaries[:len(v.Dictionaries)-1]
	space := equivclass.NewSpace(dicts)
	points := equivclass.Points{Space: space}
	for i := first; i < len(c.persons); i++ {
		for j, d := range dicts {
			points.X = append(points.X, space.Coord(j, d, v.QI[j].At(i)))
		}
	}
	classes, _ := extract.Blind{}.Classes(points, 3)
	sa := v.Dictionaries[len(dicts)]
	texts := make([]string, sa.Len())
	for code := range texts {
		texts[code] = sa.Text(equivclass.Code(code))
	}
	var bags []merge.Bag
	for _, rows := range classes {
		bags = append(bags, merge.BagOf(merge.NewOrder(texts), v.SA[0].Codes()[first:], rows))
	}
	buckets, _ := merge.Pool(bags, 3, 1, merge.Requirement{Caps: merge.Frequency(2)},
		merge.NewDraws(testSeed, merge.Key{Release: uint64(release)}), merge.Run{})
	newest := state.BucketID(0)
	if len(c.buckets) > 0 {
		newest = slices.Max(c.buckets)
	}
	for i, bucket := range buckets {
		for _, class := range bucket {
			members := make([]state.RecordID, 3)
			for n, row := range classes[class] {
				members[n] = state.RecordID(first + int(row))
			}
			c.add(uint32(release), newest+state.BucketID(i)+1, members...)
		}
	}
}
