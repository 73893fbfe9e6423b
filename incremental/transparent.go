package incremental

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/equivclass/topdown"
)

// maxIneligible bounds the chance that a pool is ineligible (rule T, n_min).
const maxIneligible = 1e-6

// decideTransparent forms classes such that an adversary who knows this program
// and the law of its random draws still learns no more than 1/l (rule T, level L2).
//
// Who is in a pool depends on the number of waiting records alone. A pool that
// is not eligible as a whole is quarantined whole, for ever, and never mixed
// with other records. An eligible one is split symmetrically (append; Theorem
// M) or dealt to signatures at random (regroup; Theorem R).
func (m *Machine) decideTransparent() (decision, error) {
	waiting, want := m.pending.waiting, m.policy.Requirement
	if len(waiting) < want.K {
		return decision{}, nil
	}
	size := poolSize(len(waiting), want.K)
	if !m.meta.InitialDone {
		// The pool alone: what it leaves over goes into a later pool, and a test
		// that saw it would tell something about it (rule T).
		bag := m.records.bag(waiting[:size])
		if err := m.feasible(bag, want.WithReference(bag)); err != nil {
			return decision{}, err
		}
	}
	if size < m.MinPool() {
		return decision{}, nil
	}
	return m.admitPool(m.draw(uint32(len(m.intents)+1), "deal").Shuffle), nil
}

// shuffle puts n things into a random order: rand.Rand.Shuffle, or what a test
// enumerates in its place.
type shuffle func(n int, swap func(i, j int))

// admitPool publishes the oldest waiting records as a whole, or quarantines
// them as a whole.
//
// t-closeness keeps rule T, although its reference is made of sensitive values.
// Theorem M asks that each test be a function of the bags of whole nodes, the
// same under an exchange of the halves; Theorem R, of the pool's histogram. A
// reference that is declared or published already is a constant to both. The
// one that release 1 makes is the bag of its pool, which the permutations of
// Theorem M keep; under regroup it is the bag of those signatures that stand
// beside it, a function of the pool's histogram, and a signature that does not
// is quarantined as a whole, its classes all having the same shares.
func (m *Machine) admitPool(coins shuffle) decision {
	waiting := m.pending.waiting
	pool := waiting[:poolSize(len(waiting), m.policy.Requirement.K)]
	bag := m.records.bag(pool)
	want := m.policy.Requirement.WithReference(bag)
	var d decision
	switch {
	case !want.Holds(bag):
		return decision{quarantine: slices.Clone(pool)}
	case m.policy.Republication == Regroup:
		d = m.deal(pool, want, coins)
	default:
		d.births = m.halve(pool, want)
	}
	for _, c := range m.fixReferences(&d) {
		d.quarantine = append(d.quarantine, c.Members...)
	}
	slices.Sort(d.quarantine)
	return d
}

// poolSize returns the largest b*2^j <= n with k <= b < 2k, so that equal
// halves go as deep as they can and few of the newest records wait (INV-A, A3).
func poolSize(n, k int) int {
	best := 0
	for b := k; b < 2*k && b <= n; b++ {
		size := b
		for size*2 <= n {
			size *= 2
		}
		best = max(best, size)
	}
	return best
}

// MinPool returns n_min: the smallest pool whose chance of being ineligible is
// at most 1e-6, judged by the value shares of what is already published (a
// decision that anyone with the releases can repeat). math.MaxInt if no pool is
// large enough; 0 before the first release.
//
// The chance is bounded by the union over values of Chernoff's bound
// exp(-n KL(1/l || share)).
func (m *Machine) MinPool() int {
	if len(m.intents) == 0 {
		return 0
	}
	published := make([]equivclass.Code, 0, m.records.len())
	for r, c := range m.records.classOf {
		if c != none {
			published = append(published, m.records.sa[r])
		}
	}
	return minPool(equivclass.BagOfCodes(published), m.policy.Requirement.L)
}

func minPool(b equivclass.Bag, l int) int {
	chance := func(n int) float64 {
		sum := 0.0
		for _, c := range b.Counts {
			sum += tail(n, float64(c.N)/float64(b.Total), 1/float64(l))
		}
		return sum
	}
	if chance(math.MaxInt32) > maxIneligible {
		return math.MaxInt
	}
	lo, hi := 1, math.MaxInt32
	for lo < hi {
		mid := lo + (hi-lo)/2
		if chance(mid) <= maxIneligible {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// tail bounds the chance that a value of share p takes more than a share q of n records.
func tail(n int, p, q float64) float64 {
	if p >= q {
		return 1
	}
	kl := q*math.Log(q/p) + (1-q)*math.Log((1-q)/(1-p))
	return math.Exp(-float64(n) * kl)
}

// ErrTransparent: the settings cannot keep rule T with what is published (exit 78).
var ErrTransparent = errors.New("policy.transparent cannot be kept")

// CheckTransparent reports why the configured cut cannot keep rule T, judged by
// the published histogram: too few records would gather between two cuts.
func (m *Machine) CheckTransparent() error {
	if !m.policy.Transparent || len(m.intents) == 0 {
		return nil
	}
	n := m.MinPool()
	switch {
	case n == math.MaxInt:
		return fmt.Errorf("%w: the most frequent value has 1/l of what is published or more, so no pool is eligible with certainty; lower l", ErrTransparent)
	case m.policy.CutEvery > 0 && poolSize(m.policy.CutEvery, m.policy.Requirement.K) < n:
		return fmt.Errorf("%w: %d records a release are too few, %d are needed so that a pool is ineligible with a chance of at most 1e-6; raise release.trigger.every", ErrTransparent, m.policy.CutEvery, recordsFor(n, m.policy.Requirement.K))
	}
	return nil
}

// recordsFor returns the smallest number of records that gives a pool of n.
func recordsFor(n, k int) int {
	records := n
	for poolSize(records, k) < n {
		records++
	}
	return records
}

// halve splits an eligible pool into frozen classes.
//
// Rules A and T. Theorem M: each node has one candidate cut, a function of QI
// and record numbers only (the widest dimension, ordered by coordinate, then
// number), into halves of equal size; it is taken iff both halves satisfy the
// requirement, a symmetric function of their bags; odd nodes are leaves. Then
// swapping and permuting the halves of a leaf keeps everything the program
// shows, so all its records have the same posterior: the value's share.
func (m *Machine) halve(pool []RecordID, want equivclass.Requirement) []*Class {
	points := m.records.pool(m.records.space(m.records.len()), pool)
	rows := slices.Clone(m.planner.scratch.allRows(points.Len()))
	var out []*Class
	for _, leaf := range topdown.Halve(points, rows, want) {
		members := make([]RecordID, len(leaf))
		for i, row := range leaf {
			members[i] = pool[row]
		}
		slices.Sort(members)
		out = append(out, &Class{Regime: Frozen, Members: members})
	}
	return out
}

// deal assigns an eligible pool to signatures at random and forms pure classes
// in each, blind to which value is which.
//
// Rules P and T, Theorem R: admission is all or nothing; the number and sizes of
// the signatures are a function of the pool's histogram; which record of a value
// goes where is uniform by secret coins (rule R); classes are formed by
// coordinates and by equality of values only. A signature that satisfies the
// requirement not even as a whole (too few records, or too few values for an
// extra principle) is quarantined: a function of the histogram too.
func (m *Machine) deal(pool []RecordID, want equivclass.Requirement, coins shuffle) decision {
	byValue := map[equivclass.Code][]RecordID{}
	bag := m.records.bag(pool)
	for _, r := range pool {
		byValue[m.records.sa[r]] = append(byValue[m.records.sa[r]], r)
	}
	var d decision
	columns := len(pool) / want.L
	dealt := make([][]RecordID, columns)
	next := 0
	for _, c := range m.histogramOrder(bag) {
		list := byValue[c.Code]
		coins(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, r := range list {
			dealt[next%columns] = append(dealt[next%columns], r)
			next++
		}
	}
	space := m.records.space(m.records.len())
	for _, cohort := range m.cohorts(dealt) {
		if !want.Holds(m.records.bag(cohort)) {
			d.quarantine = append(d.quarantine, cohort...)
			continue
		}
		d.births = append(d.births, m.pureBirths(space, cohort)...)
	}
	return d
}

// histogramOrder returns the counts from the most frequent down, equals by the
// text of the value: an order that depends on the histogram and on nothing else.
// Codes would not do: they follow first appearance, so whose value came first
// would decide which values share a signature (rule T).
func (m *Machine) histogramOrder(b equivclass.Bag) []equivclass.Count {
	text := m.records.dicts[m.schema.SensitiveIndex()].Text
	out := slices.Clone(b.Counts)
	slices.SortFunc(out, func(a, b equivclass.Count) int {
		return cmp.Or(b.N-a.N, strings.Compare(text(a.Code), text(b.Code)))
	})
	return out
}

// cohorts joins the dealt columns that hold the same set of values.
func (m *Machine) cohorts(dealt [][]RecordID) [][]RecordID {
	var out [][]RecordID
	var signatures [][]equivclass.Code
	for _, column := range dealt {
		sig := m.records.bag(column).Signature()
		i := slices.IndexFunc(signatures, func(o []equivclass.Code) bool { return slices.Equal(o, sig) })
		if i < 0 {
			signatures, out = append(signatures, sig), append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], column...)
	}
	return out
}

// pureBirths cuts the records of one signature into pure classes.
func (m *Machine) pureBirths(space *equivclass.Space, cohort []RecordID) []*Class {
	slices.Sort(cohort)
	points := m.records.pool(space, cohort)
	sig := m.records.bag(cohort).Signature()
	var out []*Class
	for _, rows := range extract.RankCut(points, sig, m.policy.Requirement.K) {
		members := make([]RecordID, len(rows))
		for i, row := range rows {
			members[i] = cohort[row]
		}
		slices.Sort(members)
		out = append(out, &Class{Regime: Pure, Members: members})
	}
	return out
}
