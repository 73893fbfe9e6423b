package anonymize

import (
	"anond/equivclass"
	"anond/lab/bucketize"
)

// shown corrects the measures that are not those of classes, where rows have
// cells of their own (ng) or show other values than their own (randomization).
func (l *loss) shown(p *equivclass.Pool, groups [][]int32, rest []int32, shown []equivclass.Code, o Options) {
	switch {
	case o.rings():
		l.rings(p, groups, len(rest), o.Want.L)
	case o.Recoding == recodingRandomization:
		l.randomized(p, groups, len(rest), shown, o.Retention)
	}
}

// rings: over the shift, each of the values that a record's rows may carry has
// the same probability.
func (l *loss) rings(p *equivclass.Pool, groups [][]int32, suppressed, width int) {
	l.NCP = bucketize.RingLoss(p, groups, width, suppressed)
	l.GLP = bucketize.NewCorrespondence(p).RingGLP(groups, width, suppressed)
	l.RE, l.Phi2 = float64(suppressed), nil
	for _, ring := range groups {
		l.RE += float64(len(ring)) * (1 - 1/float64(max(1, min(width, len(ring)))))
	}
	l.RCE = l.RE
}

// randomized: a record keeps its value with the retention probability; what is
// drawn else is one of the m values of its class.
func (l *loss) randomized(p *equivclass.Pool, groups [][]int32, suppressed int, sa []equivclass.Code, retention float64) {
	held := bucketize.NewCorrespondence(p)
	l.NCP, l.GLP, l.RE, l.RCE = 0, float64(suppressed), float64(suppressed), float64(suppressed)
	published := &equivclass.Pool{Space: p.Space}
	for _, g := range groups {
		one := map[equivclass.Code]int32{}
		var values []int32 // a row of each value
		for _, r := range g {
			if _, ok := one[p.SA[r]]; !ok {
				one[p.SA[r]] = r
				values = append(values, r)
			}
			published.X, published.SA = append(published.X, p.At(r)...), append(published.SA, sa[r])
		}
		m := len(values)
		own, other := bucketize.RetentionPosterior(retention, m), (1-retention)/float64(m)
		l.RE += float64(len(g)) * (1 - own)
		l.RCE += float64(len(g)) * ((1-own)*(1-own) + float64(m-1)*other*other)
		for _, r := range g {
			l.GLP += (1 - retention) * held.NLP(r, values)
		}
	}
	l.GLP /= float64(max(1, p.Len()))
	for j := range l.Phi2 {
		l.Phi2[j].Preserved = bucketize.Phi2(published, j, bins)
	}
}
