package estimate

import (
	"cmp"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"anond/equivclass"
	"anond/equivclass/query"
)

// What defines the estimator, and was measured (TestIntervalsCover). A client that computes the same uses the same numbers.
const (
	mostBins      = 24  // of an attribute
	mostResponses = 32  // kinds of sensitive values
	prior         = 16. // people with average values in each bin
	fewResponses  = 4   // with so many at most gamma is above 1
	pace          = 1.5 // of a step, over the number of attributes
	fitRounds     = 100
	fitScaling    = 3 // steps of proportional fitting in a round
	lastScaling   = 30
	Replicates    = 24
	againRounds   = 20
)

// Model is a log-linear model of one sensitive attribute, fitted to a release alone.
//
// It is inference about groups: it joins what many buckets say about people with such quasi-identifiers. What it says of a class can
// exceed 1/l. Somebody who knows that a person is in this class can use the same numbers as a guess about them (Kifer, "Attacks on
// Privacy and deFinetti's Theorem", SIGMOD 2009). No recoding with useful statistics prevents such guesses, and the bound 1/l does not
// speak of them: it holds for somebody to whom all orders of a bucket's values are equally likely.
//
// The model: a person of class c has response k with a probability in proportion to
//
//	R(c,k) = base(k) x product over attributes j of U(j, cell of c, k),  U(j,x,k) = sum over bins b of f(j,x,b) theta(j,b,k).
//
// base is the share of a response among all people. f is how the value behind a cell spreads over the bins of its attribute (axis).
// theta is fitted by maximum likelihood under the counts of the buckets, by EM, with a prior of 16 people of average values in each
// bin:
//
//  1. E: of n(c) people of each class, M(c,k) are expected to have k: n(c) A(c,k) s(bucket,k) in proportion, where s makes the classes
//     of a bucket have as many of each response as it shows (proportional fitting: 3 steps from where the last round ended).
//     A = base (R/base)^gamma. gamma is 1, and from the 51st round on, with 2 to 4 responses, 1 + real/K^2: the engine joins classes
//     because of their values, so that those of one bucket differ more than chance where few values exist. real is 1 - free/(2 gain),
//     at least 0: gain is the sum over buckets and responses of people times ln of the predicted over the average number, of the
//     theta that 50 rounds and 30 steps of fitting have reached, and free is (bins - 1)(K - 1) summed over attributes.
//  2. M: theta(j,b,k) is multiplied by ((seen + 16 base) / (predicted + 16 base theta))^(1.5/attributes), where seen is the sum over
//     cells x of f theta / U times M of their classes, and predicted is the same of n R / sum of R over k.
//
// All theta and s begin at 1; there are 100 rounds, and after the 50th and the last one, and in the end of each replicate, 30 steps of
// proportional fitting. A step scales s by response; M is what the classes then have, scaled once more by response, so that counts of a
// bucket add up exactly. Sums run over buckets, and classes in them, in the order of the release.
//
// A number's values are put in responses of about 1/32 of the people each, in order; of other attributes the 31 most frequent values
// (ties by text) have a response each, and all others have one. Inside a response a bucket's own counts speak.
//
// Replicates: the same fit, continued for 20 rounds in which each bucket counts with weight -ln(u), u from SplitMix64 (weight).
//
// Cost: classes x attributes x responses in each of 100 rounds for the fit, and of 480 for the replicates, which run on all cores. With
// two quasi-identifiers, 50 values and classes of 10 the fit takes .3 s for 10,000 people and 2.3 s for 100,000 (BenchmarkModel).
type Model struct {
	r       *query.BucketRelease
	columns []*fitColumn // by attribute; nil: the sensitive one
	classes []int32      // by bucket, one after the other
	start   []int32      // first of classes of each bucket, and behind the last

	base      []float64 // share of each response
	response  []int32   // of each value
	responses int
	counts    []float64 // bucket x response
	gamma     float64

	fitted fit
	kept   [][]float64 // by bucket: its people by class and response
	again  []fit
}

// fitColumn is an attribute of a model.
type fitColumn struct {
	*axis
	of      []int32 // of each class: which different cell
	pieces  []piece
	spreads []spread
}

// fit is the parameters of a model.
type fit struct {
	theta [][]float64 // by attribute: bin x response
	scale []float64   // bucket x response
}

// NewModel fits a model to a release with at least one class.
func NewModel(r *query.BucketRelease) *Model {
	m := newModel(r)
	m.fitted.theta = make([][]float64, len(r.Dicts))
	for j, c := range m.columns {
		if c != nil {
			m.fitted.theta[j] = slices.Repeat([]float64{1}, c.bins*m.responses)
		}
	}
	m.fitted.scale = slices.Repeat([]float64{1}, len(m.counts))
	m.gamma = 1
	m.train(&m.fitted, fitRounds/2, nil)
	if m.responses > 1 && m.responses <= fewResponses {
		m.gamma += m.real() / float64(m.responses*m.responses)
	}
	m.train(&m.fitted, fitRounds/2, nil)
	return m
}

// real is which part of the logarithm of the likelihood ratio of the model is not chance: each free parameter gains 1/2 by chance.
func (m *Model) real() float64 {
	w, gain, free := m.newWork(), 0., 0
	w.cells(&m.fitted)
	for b, bag := range m.r.Bags {
		w.bucket(&m.fitted, b, 0)
		for k, n := range rowOf(m.counts, b, m.responses) {
			predicted := 0.
			for i := range m.classes[m.start[b]:m.start[b+1]] {
				predicted += w.expect[i*m.responses+k]
			}
			gain += n * math.Log(max(least, predicted)/(float64(bag.Total)*m.base[k]))
		}
	}
	for _, c := range m.columns {
		if c != nil {
			free += (c.bins - 1) * (m.responses - 1)
		}
	}

	return max(0, 1-float64(free)/2/max(least, gain))
}

// newModel finds bins and responses.
func newModel(r *query.BucketRelease) *Model {
	m := &Model{r: r, columns: make([]*fitColumn, len(r.Dicts))}
	m.index()
	m.group()
	for j := range r.Dicts {
		if j != r.Sensitive {
			m.columns[j] = m.column(j)
		}
	}
	return m
}

// Replicate fits the model again to the buckets with random weights; later calls do nothing.
func (m *Model) Replicate() {
	if m.again != nil {
		return
	}
	m.again = make([]fit, Replicates)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range m.again {
		group.Go(func() error {
			f := fit{theta: make([][]float64, len(m.columns)), scale: slices.Clone(m.fitted.scale)}
			for j, theta := range m.fitted.theta {
				f.theta[j] = slices.Clone(theta)
			}
			weights := make([]float64, len(m.r.Bags))
			for b := range weights {
				weights[b] = weight(i, b)
			}
			m.train(&f, againRounds, weights)
			m.again[i] = f
			return nil
		})
	}
	_ = group.Wait()
}

// weight is that of a bucket in a replicate, exponential with mean 1: SplitMix64's output function of replicate x 2^32 + bucket + 1
// times its increment gives 53 bits u, and the weight is -ln((u + 1/2) / 2^53).
func weight(replicate, bucket int) float64 {
	z := (uint64(replicate)<<32 + uint64(bucket) + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return -math.Log((float64((z^z>>31)>>11) + .5) / (1 << 53))
}

// index lists the classes of each bucket.
func (m *Model) index() {
	m.start = make([]int32, len(m.r.Bags)+1)
	for _, b := range m.r.Bucket {
		m.start[b+1]++
	}
	for b := range m.r.Bags {
		m.start[b+1] += m.start[b]
	}
	next := slices.Clone(m.start)
	m.classes = make([]int32, len(m.r.Bucket))
	for i, b := range m.r.Bucket {
		m.classes[next[b]] = int32(i)
		next[b]++
	}
}

// group finds the responses, and counts them.
func (m *Model) group() {
	d := m.r.Dicts[m.r.Sensitive]
	people, all := make([]int, d.Len()), 0
	for _, bag := range m.r.Bags {
		for _, c := range bag.Counts {
			people[c.Code] += c.N
		}
		all += bag.Total
	}
	var order []int // values that occur
	for v, n := range people {
		if n > 0 {
			order = append(order, v)
		}
	}
	text := func(v int) string { return d.Text(equivclass.Code(v)) }
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(people[b], people[a]), cmp.Compare(text(a), text(b))) })
	m.response = make([]int32, d.Len())
	if d.Kind() == equivclass.Number && len(order) > mostResponses {
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(d.Number(equivclass.Code(a)), d.Number(equivclass.Code(b))) })
		filled := 0
		for _, v := range order {
			if m.responses == 0 || filled > 0 && (2*filled+people[v])*mostResponses >= 2*all {
				m.responses, filled = m.responses+1, 0
			}
			m.response[v], filled = int32(m.responses-1), filled+people[v]
		}
	} else {
		m.responses = min(len(order), mostResponses)
		for i, v := range order {
			m.response[v] = int32(min(i, m.responses-1))
		}
	}
	m.base, m.counts = make([]float64, m.responses), make([]float64, m.responses*len(m.r.Bags))
	for b, bag := range m.r.Bags {
		for _, c := range bag.Counts {
			m.counts[b*m.responses+int(m.response[c.Code])] += float64(c.N)
		}
	}
	for v, n := range people {
		m.base[m.response[v]] += float64(n) / float64(all)
	}
}

// column finds the bins of an attribute.
func (m *Model) column(j int) *fitColumn {
	c := &m.r.Columns[j]
	out := &fitColumn{of: c.Of}
	people := make([]float64, len(c.Cells)+len(c.Bags))
	size := make([]float64, len(people))
	for i, at := range c.Of {
		people[at] += float64(m.r.Size[i])
		size[at]++
	}
	for at := range size {
		size[at] = people[at] / max(1, size[at])
	}
	out.axis, out.pieces = newAxis(m.r.Dicts[j], c, people, size, query.GrainOf(m.r.Grain, j), m.r.Tight)
	for i := range out.pieces {
		out.spreads = append(out.spreads, out.spread(&out.pieces[i]))
	}
	return out
}

// least keeps divisions finite.
const least = 1e-300

// train runs rounds of EM; without weights all buckets count alike.
func (m *Model) train(f *fit, rounds int, weights []float64) {
	w, attributes := m.newWork(), 0
	for _, c := range m.columns {
		if c != nil {
			attributes++
		}
	}
	seen, predicted := make([][]float64, len(m.columns)), make([][]float64, len(m.columns))
	for j, c := range m.columns {
		if c != nil {
			seen[j], predicted[j] = make([]float64, len(c.spreads)*m.responses), make([]float64, len(c.spreads)*m.responses)
		}
	}
	for range rounds {
		w.cells(f)
		for j := range seen {
			clear(seen[j])
			clear(predicted[j])
		}
		for b := range m.r.Bags {
			times := 1.
			if weights != nil {
				times = weights[b]
			}
			w.bucket(f, b, fitScaling)
			for i, class := range m.classes[m.start[b]:m.start[b+1]] {
				have, expect := rowOf(w.have, i, m.responses), rowOf(w.expect, i, m.responses)
				for j, c := range m.columns {
					if c == nil {
						continue
					}
					s, p := rowOf(seen[j], int(c.of[class]), m.responses), rowOf(predicted[j], int(c.of[class]), m.responses)
					for k := range s {
						s[k] += times * have[k]
						p[k] += times * expect[k]
					}
				}
			}
		}
		for j, c := range m.columns {
			if c != nil {
				m.step(c, f.theta[j], w.u[j], seen[j], predicted[j], pace/float64(attributes))
			}
		}
	}
	w.cells(f)
	for b := range m.r.Bags {
		w.bucket(f, b, lastScaling)
	}
}

// step moves theta so that more people are predicted where more are seen.
func (m *Model) step(c *fitColumn, theta, u, seen, predicted []float64, power float64) {
	up, down := make([]float64, len(theta)), make([]float64, len(theta))
	for x := range c.spreads {
		for i, b := range c.spreads[x].at {
			for k := range m.responses {
				w := c.spreads[x].w[i] / max(least, u[x*m.responses+k])
				up[int(b)*m.responses+k] += w * seen[x*m.responses+k]
				down[int(b)*m.responses+k] += w * predicted[x*m.responses+k]
			}
		}
	}
	for i, t := range theta {
		average := prior * m.base[i%m.responses]
		theta[i] = t * math.Pow((t*up[i]+average)/(t*down[i]+average*t), power)
	}
}

// work is what a computation with some parameters needs.
type work struct {
	*Model
	u            [][]float64 // by attribute: different cell x response
	have, expect []float64   // class of the bucket x response: people by the model and the bag, and by the model alone
	likely       []float64   // the same: A
	total        []float64
}

func (m *Model) newWork() *work {
	most := int32(0)
	for b := range m.r.Bags {
		most = max(most, m.start[b+1]-m.start[b])
	}
	n := int(most) * m.responses
	w := &work{Model: m, u: make([][]float64, len(m.columns)), have: make([]float64, n), expect: make([]float64, n),
		likely: make([]float64, n), total: make([]float64, m.responses)}
	for j, c := range m.columns {
		if c != nil {
			w.u[j] = make([]float64, len(c.spreads)*m.responses)
		}
	}
	return w
}

// cells computes U.
func (w *work) cells(f *fit) {
	for j, c := range w.columns {
		if c == nil {
			continue
		}
		clear(w.u[j])
		for x := range c.spreads {
			sumBins(&c.spreads[x], c.spreads[x].w, f.theta[j], rowOf(w.u[j], x, w.responses))
		}
	}
}

// sumBins adds weights of bins times theta.
func sumBins(s *spread, weights, theta, to []float64) {
	for i, b := range s.at {
		for k, t := range rowOf(theta, int(b), len(to)) {
			to[k] += weights[i] * t
		}
	}
}

func rowOf(matrix []float64, i, width int) []float64 { return matrix[i*width : (i+1)*width] }

// bucket computes the people of each class of a bucket by response, after some steps of proportional fitting.
func (w *work) bucket(f *fit, b, steps int) {
	classes, counts, scale := w.classes[w.start[b]:w.start[b+1]], rowOf(w.counts, b, w.responses), rowOf(f.scale, b, w.responses)
	for i, class := range classes {
		have, expect, likely := rowOf(w.have, i, w.responses), rowOf(w.expect, i, w.responses), rowOf(w.likely, i, w.responses)
		copy(likely, w.base)
		for j, c := range w.columns {
			if c != nil {
				for k, u := range rowOf(w.u[j], int(c.of[class]), w.responses) {
					likely[k] *= u
				}
			}
		}
		sum := 0.
		for _, v := range likely {
			sum += v
		}
		n := float64(w.r.Size[class])
		for k, v := range likely {
			if expect[k] = n * v / max(least, sum); w.gamma != 1 {
				likely[k] = w.base[k] * math.Pow(v/w.base[k], w.gamma)
			}
		}
		copy(have, likely)
	}
	for step := range steps + 1 { // the last one only fits the classes
		clear(w.total)
		for i, class := range classes {
			have, likely := rowOf(w.have, i, w.responses), rowOf(w.likely, i, w.responses)
			sum := 0.
			for k, v := range likely {
				have[k] = v * scale[k]
				sum += have[k]
			}
			n := float64(w.r.Size[class]) / max(least, sum)
			for k := range have {
				have[k] *= n
				w.total[k] += have[k]
			}
		}
		for k, n := range counts {
			by := 0.
			if n > 0 {
				by = n / max(least, w.total[k])
			}
			if step < steps {
				scale[k] *= by
				continue
			}
			for i := range classes {
				w.have[i*w.responses+k] *= by
			}
		}
	}
}
