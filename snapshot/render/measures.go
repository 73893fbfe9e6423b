package render

import (
	"anond/equivclass"
	"anond/snapshot"
)

// claimOf is what a release may claim at most, whatever its classes: level L2 only if
// its draws are secret and its first pool was fixed before anyone looked at its values.
func claimOf(in *Input, s *Settings) (out snapshot.Privacy) {
	if out.Level = snapshot.LevelL0L1; !in.Shared {
		return out
	}
	if s.MaxRecords > 0 {
		out.Unit, out.Promise, out.MaxRecords = snapshot.UnitPerson, snapshot.PromiseEver, s.MaxRecords
	}
	if out.Settle, out.Updates, out.Grown = s.Settle, s.Updates, in.Grown; !in.Seeded && !in.Grown {
		out.Level = snapshot.LevelL0L1L2
	}
	return out
}

// quality measures a release by its sums. own is the table of its births.
func (s *sums) quality(own *table, k int) snapshot.Quality {
	var q snapshot.Quality
	for size, classes := range s.sizes {
		n, over := int64(size), int64(size-k)
		q.CDM += int64(classes) * n * n
		q.CMDM += int64(classes) * over * over
	}
	if s.records == 0 {
		return q
	}
	q.CAvg = snapshot.Round6(float64(s.records) / float64(s.classes) / float64(k))
	var sum, cells float64
	for j := range s.columns {
		cells += float64(s.columns[j].cells)
		sum += float64(s.columns[j].lacks)
		if domain := s.domain(own, j); domain > 0 {
			sum += s.columns[j].width.value() / domain
		}
	}
	if q.BoxNCP = snapshot.Round6(sum / max(1, cells)); !own.recoding.exact() {
		q.NCP = q.BoxNCP
	}
	if own.recoding.Shared() {
		q.BucketMedian = s.bucketMedian()
	}
	return q
}

// width is what a cell covers beyond a single value.
func (s *source) width(j int, x *cell) float64 {
	if s.cols[j].number() {
		return min(s.cols[j].scale, float64(x.hi-x.lo))
	}
	return float64(x.more)
}

// domain is the width that an NCP of 1 stands for: of the hierarchy (a public
// file), of the scale, or of what the published sets span together.
func (s *sums) domain(of *table, j int) float64 {
	switch c := &of.cols[j]; c.kind {
	case equivclass.Tree:
		return float64(c.tree.Leaves() - 1)
	case equivclass.Number:
		return c.scale
	default:
		return float64(s.columns[j].different - 1)
	}
}

// privacy says what a release reaches and by which rules it is safe. frozen:
// until the release before no class had died; regrouped: one dies in this one.
func (s *sums) privacy(own *table, frozen, regrouped bool) snapshot.Privacy {
	out := own.claim
	out.Certificate, out.K1, out.Attributes = snapshot.CertificateFrozen, own.recoding.K1(), s.reach
	if len(s.reach) == 0 { // all parts have left; where buckets leave, what the worst of them reached stays
		out.Attributes = own.reach
	}
	for size := range s.sizes {
		if out.KMin == 0 || size < out.KMin {
			out.KMin = size
		}
	}
	for _, shapes := range s.shapes {
		for shape := range shapes {
			out.MaxFrequency = max(out.MaxFrequency, float64(shape.high)/float64(shape.size))
		}
	}
	switch {
	case frozen && !regrouped:
	case s.uneven == 0:
		out.Certificate = snapshot.CertificatePure
	default:
		out.Certificate = snapshot.CertificateBoth
	}
	return out
}
