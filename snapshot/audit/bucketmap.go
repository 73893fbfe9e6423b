package audit

// checkBucketMap tests that the replaced parts of a compaction tile its buckets. How
// many there are, the files show: see compaction.checkBuckets.
func checkBucketMap(man *Manifest, p *Part, f *faults) {
	next, wrong := 1, 0
	for _, r := range p.Replaces {
		switch {
		case man.atL2() && r.FirstBucket != next, !man.atL2() && (r.FirstBucket != 0 || r.Buckets != 0):
			wrong++
		}
		next += r.Buckets
	}
	f.addN("chain", kindFirstBucket, man.Release, 0, "first_bucket",
		"the buckets of a replaced part do not begin where those before it end", wrong)
}

// counted is the file that shows how many buckets there are.
func (c *compaction) counted() string {
	if c.man.form() == formDrawn {
		return "data.csv"
	}
	return "buckets.csv"
}

// bucketOf is the number of the bucket in a row of the counted file, level L2.
func (c *compaction) bucketOf(fields [][]byte) uint32 {
	at := 0
	if c.man.form() == formDrawn {
		at = len(fields) - 1
	}
	n, _ := parseCount(fields[at])
	return n
}

// checkBuckets tests that the replaced parts have the buckets that they say; last is
// how many all of them have.
func (c *compaction) checkBuckets(last uint32) {
	wrong := 0
	for j, r := range c.part.Replaces {
		first, end := c.buckets[j], last
		if j+1 < len(c.buckets) {
			end = c.buckets[j+1]
		}
		if r.FirstBucket != int(first)+1 || r.Buckets != int(end-first) {
			wrong++
		}
	}
	c.f.addN("chain", kindFirstBucket, c.man.Release, 0, "first_bucket", "a replaced part had other buckets than the compaction says", wrong)
}
