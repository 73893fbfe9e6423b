package table

import (
	"anond/snapshot/audit/format"
)

// Reach is what the buckets of a release of level L2 reach for each sensitive attribute, in the order of the manifest.
type Reach []format.AttributePrivacy

// Worse gathers what the buckets of two tables reach.
func (r Reach) Worse(o Reach) Reach {
	out := make(Reach, len(o))
	for i := range o {
		if out[i] = o[i]; i < len(r) {
			out[i].TopShare, out[i].TopOdds = o[i].TopShare.Worse(r[i].TopShare), o[i].TopOdds.Worse(r[i].TopOdds)
			out[i].Cap = o[i].Cap.Worse(r[i].Cap)
		}
	}
	return out
}

// missingText is the mark of a value that there is not.
const missingText = "?"

// Judge tests each bucket of a table of level L2 against the caps of its pool, each pool against the caps that its own bag gives
// (rule D, difference: the newly published people are whole pools), and says what the buckets reach. Faults may be
// nil. The table keeps which buckets exceed a cap. Cost: values of pools and entries of buckets, all in integers.
func Judge(man *format.Manifest, s *format.Schema, b *BucketTable, f *format.Faults) (out Reach) {
	if f == nil {
		f = &format.Faults{}
	}
	b.over = make([]bool, b.M)
	byPool := make([][]uint32, b.N)
	for i, p := range b.Pool {
		byPool[p] = append(byPool[p], uint32(i))
	}
	for a, promise := range man.Promises() {
		j := &judging{man: man, bags: b.Of[a], sizes: b.Size, over: b.over, dict: s.Sas[a], promise: promise, f: f,
			share: most{0, 1}, odds: most{0, 1}, cap: most{0, 1}}
		for p, buckets := range byPool {
			if len(buckets) > 0 {
				j.pool(b.Said[a], uint32(p), buckets)
			}
		}
		out = append(out, format.AttributePrivacy{Name: j.dict.Name, TopShare: j.share.ratio(), TopOdds: j.odds.ratio(), Cap: j.cap.ratio()})
	}
	return out
}

// judging is Judge for an attribute.
type judging struct {
	man     *format.Manifest
	bags    *Bags
	sizes   []uint32
	over    []bool
	dict    *format.ValueDict
	promise *format.Promise
	f       *format.Faults
	scratch [format.MostRecords]uint32

	share, odds, cap most // the largest so far
}

// most is the largest of some fractions, which become a text once.
type most struct{ num, den uint64 }

func (m *most) see(num, den uint64) {
	if format.Less(m.num, m.den, num, den) {
		*m = most{num, den}
	}
}

func (m most) ratio() format.Ratio { return format.RatioOf(m.num, m.den) }

// allowed is the cap of a value in a pool, and its reference.
type allowed struct{ num, den, n, of uint64 }

// pool judges a pool by its bag at birth, with the buckets of it that are there.
func (j *judging) pool(said *Bags, p uint32, buckets []uint32) {
	values, n := said.Entries(p)
	counts, missing := j.sums(values, n)
	valued := -missing
	for _, n := range n {
		valued += uint64(n)
	}
	caps := map[uint32]allowed{}
	for v, n := range counts {
		text := j.dict.LabelText(v)
		if j.promise.Open && text == missingText {
			continue
		}
		c := allowed{n: n, of: valued}
		c.num, c.den = j.promise.Cap(text, n, valued)
		if j.promise.Reference != nil {
			c.n, c.of = j.promise.Referred(text)
		}
		caps[v] = c
		j.cap.see(c.num, c.den)
		if format.Less(c.num, c.den, n, valued) {
			j.f.Add("D", format.KindDifference, j.man.Release, 0, j.dict.Name,
				"one value has more of the people this release adds than its cap allows")
		}
	}
	for _, i := range buckets {
		values, n := j.bags.Entries(i)
		size := uint64(j.sizes[i])
		if !j.dict.Plain() || j.promise.Open {
			sums, missing := j.sums(values, n)
			values, n = nil, nil
			for v, have := range sums {
				values, n = append(values, v), append(n, uint32(have))
			}
			size -= min(size, missing)
		}
		for k, v := range values {
			c, capped := caps[v]
			if !capped {
				continue
			}
			have := uint64(n[k])
			if format.Less(c.num, c.den, have, size) {
				j.over[i] = true
				j.f.Add("L", format.KindValueAboveL, j.man.Release, int(i)+1, j.dict.Name, "one value has more of a bucket than its cap allows")
			}
			j.share.see(have, size)
			if c.n < c.of && have <= size {
				j.odds.see(have*(c.of-c.n), (size-have)*c.n)
			}
		}
	}
}

// sums is how many people of a bag have each label, and how many of them shares are not of: where a missing value has no cap, those
// who lack one.
func (j *judging) sums(values, n []uint32) (counts map[uint32]uint64, missing uint64) {
	counts = map[uint32]uint64{}
	for k, v := range values {
		for _, label := range j.dict.Labels(v, j.scratch[:0]) {
			if counts[label] += uint64(n[k]); j.promise.Open && j.dict.LabelText(label) == missingText {
				missing += uint64(n[k])
			}
		}
	}
	return counts, missing
}
