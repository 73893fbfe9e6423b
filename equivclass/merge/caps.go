package merge

// share is a part of a bucket: num of den records.
type share struct{ num, den int64 }

// most is the cap of a value: the share that it may have of a bucket.
func (r Requirement) most(uint32) share { return share{1, int64(max(1, r.L))} }

// slack is what is below the cap if so many of so many records have the value, in
// units of 1/den; negative above the cap.
func (c share) slack(n, of int64) int64 { return c.num*of - c.den*n }

// lanes sums what groups have below the caps of several values in one word: one addition
// for all of them, and one mask tells whether one is negative. Each lane has a sign bit that is set
// as long as its sum is not negative.
type lanes struct {
	each  int // lanes in a word
	bits  int // of a lane
	signs uint64
}

// laneMost is how many parts a group has at most whose sums fit.
const laneMost = 32

func newLanes(caps []share, size int64) lanes {
	var most int64
	for _, c := range caps {
		most = max(most, c.slack(0, size), -c.slack(size, size))
	}
	l := lanes{each: 4}
	for l.bits = 16; l.bits < 64 && laneMost*most >= 1<<(l.bits-1); l.bits *= 2 {
		l.each /= 2
	}
	for i := range l.each {
		l.signs |= 1 << (i*l.bits + l.bits - 1)
	}
	return l
}

// lane puts a sum into its place; adding the results adds in all lanes.
func (l *lanes) lane(slack int64, i int) uint64 { return uint64(slack) << (i * l.bits) }

// slackOf packs what a part has below the caps of some values, one word after the other.
func (x *instance) slackOf(p int32, values []int32, words []uint64) {
	for i, v := range values {
		words[i/x.lanes.each] += x.lanes.lane(x.caps[v].slack(x.counts.at(int(v), int(p)), x.size), i%x.lanes.each)
	}
}
