package dpo

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"anond/equivclass"
	"anond/internal/ops/present"
	"anond/snapshot/readback"
)

// Shape is how the people of a release are distributed, by its files.
type Shape struct {
	Classes, Buckets []part // people by the size of their class and bucket; Buckets is nil at level L1
	Shares           []shares
	example
}

// shares are people by the largest share of a value of an attribute in their bucket or class.
type shares struct {
	Attribute string
	Having    bool // of those who have a value: that it is missing is not bounded
	Parts     []part
}

// part is some of the people.
type part struct {
	Name, People, Percent string
	Width                 float64 // of a bar, in percent
}

// example is the bucket (class, at level L1) of the median person.
type example struct {
	Attribute string // of several the first
	Size, Top int
	Share     string
}

// ShapeOf reads the distribution from a loaded release, of one era or several, oldest first; nil: it has nobody. The example is of the
// newest, and shares of an attribute are by era.
func ShapeOf(eras []*readback.Release) *Shape {
	out := &Shape{}
	var classes, buckets []int
	for era, r := range slices.Backward(eras) {
		if r.Manifest.Records == 0 {
			continue
		}
		classes = append(classes, r.Sizes()...)
		open := map[string]bool{}
		for _, a := range r.Manifest.Schema {
			open[a.Name] = a.Promise != nil && a.Promise.Open
		}
		for i, one := range r.Each() {
			bags, values := one.Bags(), one.Dicts[len(one.Dicts)-1]
			name := values.Attribute().Name
			promised := promisedOf(bags, values, open[name])
			if i == 0 && out.example.Size == 0 {
				out.example = exampleOf(bags, promised)
				out.example.Attribute = name
			}
			for b := 0; i == 0 && r.Buckets != nil && b < len(bags); b++ {
				buckets = append(buckets, bags[b].Total)
			}
			if _, last := r.Manifest.Parts[len(r.Manifest.Parts)-1].Births(); era < len(eras)-1 {
				name = fmt.Sprintf("%s until release %d", name, last)
			}
			out.Shares = append(out.Shares, shares{name, open[values.Attribute().Name], byShare(promised)})
		}
	}
	if out.Classes = bySize(classes); buckets != nil {
		out.Buckets = bySize(buckets)
	}
	if len(classes) == 0 {
		return nil
	}
	return out
}

// promisedOf are bags of what is promised of: exact numbers as their intervals, missing values left out where they have no cap, and of
// histories each value that is in them anywhere, so that counts may be more than people.
func promisedOf(bags []equivclass.Bag, values *equivclass.Dictionary, open bool) (out []equivclass.Bag) {
	known, labels := map[string]equivclass.Code{}, make([][]equivclass.Code, values.Len())
	for c := range labels {
		for _, label := range equivclass.Ever(values.Label(equivclass.Code(c))) {
			if _, there := known[label]; !there {
				known[label] = equivclass.Code(len(known))
			}
			labels[c] = append(labels[c], known[label])
		}
	}
	for _, b := range bags {
		n, of := map[equivclass.Code]int{}, equivclass.Bag{}
		for _, c := range b.Counts {
			if open && values.Text(c.Code) == equivclass.MissingText {
				continue
			}
			of.Total += int(c.N)
			for _, label := range labels[c.Code] {
				n[label] += int(c.N)
			}
		}
		for _, label := range slices.Sorted(maps.Keys(n)) {
			of.Counts = append(of.Counts, equivclass.Count{Code: label, N: n[label]})
		}
		out = append(out, of)
	}
	return out
}

func topOf(b equivclass.Bag) (top int) {
	for _, c := range b.Counts {
		top = max(top, int(c.N))
	}
	return top
}

func exampleOf(bags, promised []equivclass.Bag) (e example) {
	people, order := 0, make([]int, len(bags))
	for i, b := range bags {
		people, order[i] = people+b.Total, i
	}
	slices.SortStableFunc(order, func(i, j int) int { return bags[i].Total - bags[j].Total })
	for _, i := range order {
		n, top := bags[i].Total, topOf(promised[i])
		e = example{Size: n, Top: top, Share: present.Percent(float64(top) / float64(n))}
		if people -= 2 * n; people <= 0 {
			break
		}
	}
	return e
}

// sizesShown is how many sizes have a row each; of more, a row is all sizes up to the double of its first.
const sizesShown = 8

func bySize(sizes []int) []part {
	people := map[int]int{}
	for _, n := range sizes {
		people[n] += n
	}
	return bySizes(people)
}

// bySizes are people by a number, in ranges if there are many numbers.
func bySizes(people map[int]int) []part {
	keys := slices.Sorted(maps.Keys(people))
	var names []string
	var counts []int
	for i := 0; i < len(keys); {
		first, last, n := keys[i], keys[i], 0
		for ; i < len(keys) && (keys[i] == first || len(keys) > sizesShown && keys[i] < 2*first); i++ {
			last, n = keys[i], n+people[keys[i]]
		}
		name := present.Count(first)
		if last > first {
			name += " to " + present.Count(last)
		}
		names, counts = append(names, name), append(counts, n)
	}
	return parts(names, counts)
}

// byShare has a row for each five percent that occur.
func byShare(bags []equivclass.Bag) []part {
	var people [20]int
	for _, b := range bags {
		if b.Total > 0 { // ends are exact: a share of 1/5 is "at most 20 %"
			people[min(19, (20*topOf(b)-1)/b.Total)] += b.Total
		}
	}
	var names []string
	var counts []int
	for i, n := range people {
		if n > 0 {
			names, counts = append(names, fmt.Sprintf("above %d to %d\u202f%%", 5*i, 5*i+5)), append(counts, n)
		}
	}
	return parts(names, counts)
}

func parts(names []string, counts []int) (out []part) {
	all := 0
	for _, n := range counts {
		all += n
	}
	for i, n := range counts {
		share := float64(n) / float64(max(1, all))
		out = append(out, part{names[i], present.Count(n), present.Percent(share), math.Round(1000*share) / 10})
	}
	return out
}
