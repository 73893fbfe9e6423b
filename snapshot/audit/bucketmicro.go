package audit

// Where every class is in one bucket, as at level L2, a bucket and its classes are what rows
// connect, and it is compared by itself.

// wholeClasses reports that every class is in one bucket of the attribute.
func (u *bucketUnits) wholeClasses() bool {
	t := u.m.rel.tab
	for c := range t.m {
		if rows := u.b.rows(t, c); rows[0] == 0 || !same(rows) {
			return false
		}
	}
	return true
}

// compareWhole is compare, bucket by bucket.
func (u *bucketUnits) compareWhole(l *localAttr) {
	t := u.m.rel.tab
	of := make([]uint32, t.m) // by class: its bucket + 1
	for c := range of {
		of[c] = u.b.rows(t, c)[0]
	}
	classes := newRoster(of, u.b.m)
	tally := bucketTally{left: make([]int, len(l.values.text)+1), in: make([]uint32, len(l.values.text)+1)}
	wrong := 0
	for i := range u.b.m {
		if list := classes.of(i); u.comparable(list) {
			wrong += tally.differences(u, l, i, list)
		}
	}
	u.m.f.addN("microdata", kindBucketMismatch, u.m.rel.num, 0, l.name,
		"the values of buckets are not those of the members of their classes", wrong)
}

// comparable reports that all of the classes are new, and their members known.
func (u *bucketUnits) comparable(classes []uint32) bool {
	t := u.m.rel.tab
	for _, c := range classes {
		if who := u.members.of(int(c)); u.fates[c] == fateUnchanged || len(who) != t.size(int(c)) || !u.known(who) {
			return false
		}
	}
	return true
}

// bucketTally counts the values of one bucket after the other.
type bucketTally struct {
	left []int    // by value + 1: how many the bucket has more than its members
	in   []uint32 // by value + 1: the last bucket, counted from 1, that has it
}

// differences counts members whose value their bucket does not have, and values that it
// has more or less often than they.
func (y *bucketTally) differences(u *bucketUnits, l *localAttr, bucket int, classes []uint32) (n int) {
	values, counts := u.b.entries(uint32(bucket))
	for k, v := range values {
		y.left[v+1], y.in[v+1] = y.left[v+1]+int(counts[k]), uint32(bucket)+1
	}
	each := func(do func(value uint32)) {
		for _, c := range classes {
			for _, rec := range u.members.of(int(c)) {
				if v := u.value(l, rec); v > 0 {
					do(v)
				}
			}
		}
	}
	each(func(v uint32) {
		if y.left[v]--; y.in[v] != uint32(bucket)+1 {
			n++
		}
	})
	settle := func(v uint32) {
		if y.left[v] != 0 {
			n++
		}
		y.left[v] = 0
	}
	for _, v := range values {
		settle(v + 1)
	}
	each(settle)
	return n
}
