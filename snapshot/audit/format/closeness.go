package format

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The ground distances of t-closeness (Li, Li and Venkatasubramanian 2007).
const (
	DistanceEqual   = "equal"
	DistanceOrdered = "ordered"
	DistanceTree    = "hierarchical"
)

// ClosePromise is t-closeness as a policy declares it: every bag is T-close to the
// reference.
type ClosePromise struct {
	T         float64
	Distance  string // equal, ordered or hierarchical
	Reference []ValueCount
	Declared  bool // the reference is the configuration's, not release 1's own bag
}

// ValueCount is a value and its weight in a reference distribution.
type ValueCount struct {
	Value string  `json:"value"`
	Count float64 `json:"count"`
}

// Check tests what any later step relies on.
func (p *ClosePromise) Check() string {
	switch {
	case p.T <= 0 || p.T > 1:
		return "a promise is out of range"
	case p.Distance != DistanceEqual && p.Distance != DistanceOrdered && p.Distance != DistanceTree:
		return "a ground distance is not one this auditor knows"
	}
	seen := map[string]bool{}
	for _, v := range p.Reference {
		if v.Count <= 0 || seen[v.Value] {
			return "a reference distribution holds a value twice or without weight"
		}
		seen[v.Value] = true
	}
	if len(p.Reference) == 0 {
		return "t-closeness without a reference distribution"
	}
	return ""
}

// CloseTest is t-closeness of the bags of one attribute to its reference: the
// earth mover's distance of the shares is at most limit. Written for the
// auditor alone; the publisher has its own.
type CloseTest struct {
	limit    float64
	Kind     string
	Declared bool
	Dict     *ValueDict
	known    []uint32  // values of the reference
	share    []float64 // reference share by value id; values it lacks have 0
	rank     func(text string) (float64, bool)
	ranks    int // values of a domain with fixed ranks; 0: the values at hand are the domain
	tree     *groundTree
	gaps     []valueGap
}

// valueGap is a value's share in a bag less that in the reference.
type valueGap struct{ at, gap float64 }

// NewCloseTest binds a promise to the dictionary of its attribute. c and h say
// what order and tree the values have.
func NewCloseTest(p *ClosePromise, d *ValueDict, c *Column, h *LabelTree) *CloseTest {
	t := &CloseTest{limit: p.T, Kind: p.Distance, Declared: p.Declared, Dict: d}
	total := 0.0
	for _, v := range p.Reference {
		total += v.Count
	}
	for _, v := range p.Reference {
		id := d.Intern([]byte(v.Value))
		t.known = append(t.known, id)
		t.share = Fit(t.share, max(len(t.share), int(id)+1))
		t.share[id] = v.Count / total
	}
	if h != nil {
		t.tree = newGroundTree(h)
	}
	switch {
	case h != nil:
		t.ranks = len(h.Paths)
		t.rank = t.tree.rank
	case c.Hierarchy != nil && len(c.Hierarchy.Buckets) > 0:
		t.ranks = len(c.Hierarchy.Buckets)
		t.rank = func(text string) (float64, bool) { return bucketRank(c.Hierarchy.Buckets, text) }
	default:
		t.rank = func(text string) (float64, bool) {
			if c.Type == "date" {
				text = strings.ReplaceAll(text, "-", "")
			}
			v, err := strconv.ParseFloat(text, 64)
			return v, err == nil
		}
	}
	return t
}

// bucketRank reads the place of an interval from its lower bound: "10..20",
// and "20+" for the last.
func bucketRank(bounds []float64, text string) (float64, bool) {
	lo, _, _ := strings.Cut(strings.TrimSuffix(text, "+"), "..")
	v, err := strconv.ParseFloat(lo, 64)
	i := slices.Index(bounds, v)
	return float64(i), err == nil && i >= 0
}

func (t *CloseTest) of(id uint32) float64 {
	if int(id) < len(t.share) {
		return t.share[id]
	}
	return 0
}

// Holds reports distance <= limit, with a margin for rounding.
func (t *CloseTest) Holds(values, counts []uint32) bool {
	return t.Distance(values, counts) <= t.limit+1e-9
}

// Distance is the earth mover's distance between a bag (distinct values with
// their counts) and the reference, in [0,1]; infinite when a value has no place
// in the order or the tree. Cost: values of both.
func (t *CloseTest) Distance(values, counts []uint32) float64 {
	size := 0.0
	for _, n := range counts {
		size += float64(n)
	}
	switch t.Kind {
	case DistanceEqual: // what must be moved is what lies above the reference
		sum := 0.0
		for i, v := range values {
			sum += max(0, float64(counts[i])/size-t.of(v))
		}
		return sum
	case DistanceTree:
		if t.tree == nil {
			return math.Inf(1)
		}
		return t.tree.distance(t, values, counts, size)
	}
	return t.ordered(values, counts, size)
}

// ordered sums over the steps of the line how much must cross each.
func (t *CloseTest) ordered(values, counts []uint32, size float64) float64 {
	t.gaps = t.gaps[:0]
	add := func(id uint32, gap float64) bool {
		at, ok := t.rank(t.Dict.Text[id])
		t.gaps = append(t.gaps, valueGap{at, gap})
		return ok
	}
	for i, v := range values {
		if !add(v, float64(counts[i])/size) {
			return math.Inf(1)
		}
	}
	for _, v := range t.known {
		if !add(v, -t.share[v]) {
			return math.Inf(1)
		}
	}
	slices.SortFunc(t.gaps, func(a, b valueGap) int { return cmp.Compare(a.at, b.at) })
	sum, below, steps := 0.0, 0.0, 0
	for i, g := range t.gaps {
		if i > 0 && g.at > t.gaps[i-1].at {
			width := 1.0 // the values at hand are the domain
			if t.ranks > 0 {
				width = g.at - t.gaps[i-1].at
			}
			sum += math.Abs(below) * width
			steps++
		}
		below += g.gap
	}
	if t.ranks > 0 {
		steps = t.ranks - 1
	}
	return sum / float64(max(steps, 1))
}

// Matches reports that a bag has the shares of the reference.
func (t *CloseTest) Matches(hist []int) bool {
	total := 0
	for _, n := range hist {
		total += n
	}
	for v := range max(len(hist), len(t.share)) {
		n := 0
		if v < len(hist) {
			n = hist[v]
		}
		if math.Abs(Share(n, total)-t.of(uint32(v))) > 1e-9 {
			return false
		}
	}
	return total > 0
}

// groundTree is a hierarchy with the heights that make it a metric: two leaves
// are as far apart as their lowest common ancestor is high. Nodes are listed
// parents first; the root is node 0.
type groundTree struct {
	parent  []int
	height  []int
	leaf    map[string]int
	order   map[string]int // leaves, depth first
	surplus []float64
}

// newGroundTree joins equal neighbours of a path into one node.
func newGroundTree(h *LabelTree) *groundTree {
	g := &groundTree{parent: []int{-1}, leaf: map[string]int{}, order: map[string]int{}}
	type edge struct {
		parent int
		label  string
	}
	node := map[edge]int{}
	children := [][]int{nil}
	name := []string{""}
	for _, path := range h.Paths {
		at, root := 0, path[len(path)-1]
		last := root
		for level := len(path) - 2; level >= 0; level-- {
			label := path[level]
			if label == last || level > 0 && (label == path[0] || label == root) {
				continue
			}
			next, ok := node[edge{at, label}]
			if !ok {
				next = len(g.parent)
				node[edge{at, label}] = next
				g.parent = append(g.parent, at)
				children = append(children, nil)
				children[at] = append(children[at], next)
				name = append(name, label)
			}
			at, last = next, label
		}
		g.leaf[path[0]] = at
	}
	g.height = make([]int, len(g.parent))
	for n := len(g.parent) - 1; n > 0; n-- {
		g.height[g.parent[n]] = max(g.height[g.parent[n]], g.height[n]+1)
	}
	var walk func(n int)
	walk = func(n int) {
		if len(children[n]) == 0 {
			g.order[name[n]] = len(g.order)
		}
		for _, c := range children[n] {
			walk(c)
		}
	}
	walk(0)
	g.surplus = make([]float64, len(g.parent))
	return g
}

func (g *groundTree) rank(text string) (float64, bool) {
	i, ok := g.order[text]
	return float64(i), ok
}

// distance: a leaf reaches its ancestor N by edges that add up to height(N)/2,
// so the tree is a tree metric, and what crosses an edge is the surplus below
// it.
func (g *groundTree) distance(t *CloseTest, values, counts []uint32, size float64) float64 {
	clear(g.surplus)
	for i, v := range values {
		leaf, ok := g.leaf[t.Dict.Text[v]]
		if !ok {
			return math.Inf(1)
		}
		g.surplus[leaf] += float64(counts[i]) / size
	}
	for _, v := range t.known {
		leaf, ok := g.leaf[t.Dict.Text[v]]
		if !ok {
			return math.Inf(1)
		}
		g.surplus[leaf] -= t.share[v]
	}
	sum := 0.0
	for n := len(g.parent) - 1; n > 0; n-- {
		up := g.parent[n]
		sum += math.Abs(g.surplus[n]) * float64(g.height[up]-g.height[n]) / 2
		g.surplus[up] += g.surplus[n]
	}
	return sum / float64(max(1, g.height[0]))
}

// Holds tests one principle on the multiplicities of a class (reordered here):
//
//	frequency l:      max <= |class|/l
//	distinct l:       at least l different values
//	entropy l:        -sum p log p >= log l
//	recursive (c,l):  r1 < c (r_l + ... + r_m), counts in descending order
//
// Source: Machanavajjhala et al., l-diversity, TKDD 2007. Cost O(m log m).
func (p Principle) Holds(counts []int, size int) bool {
	switch p.Kind {
	case "distinct":
		return float64(len(counts)) >= p.L
	case "frequency":
		return float64(slices.Max(counts))*p.L <= float64(size)
	case "entropy":
		h := 0.0
		for _, n := range counts {
			q := float64(n) / float64(size)
			h -= q * math.Log(q)
		}
		return h >= math.Log(p.L)-1e-9
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	tail := 0
	for i := int(p.L) - 1; i < len(counts); i++ {
		tail += counts[i]
	}
	return float64(counts[0]) < p.C*float64(tail)
}
