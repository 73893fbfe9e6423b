package dataset

import (
	"math"
	"math/rand/v2"

	"anond/equivclass"
)

// Census is table 5 of the permutation paper: the CENSUS data of Xiao and Tao,
// 500,000 American adults, nine attributes. Quasi-identifiers are the first
// seven in order (SAL-d and OCC-d take d of them); occupation and salary-class
// are sensitive. The commonest occupation has about 8 %, the commonest salary
// class about 5 % of the records, so that l = 10 can be asked for, as the paper
// does, and SAL's is the smaller, as it says.
func Census() profile {
	number, category := equivclass.Integer, equivclass.Categorical
	return profile{Name: "CENSUS (generated)", attributes: []generated{
		{name: "age", typ: number, shares: ages(78), value: from(16)},
		{name: "gender", typ: category, shares: []float64{48, 52}, from: []effect{{of: "age", straight: .1}}},
		{name: "education", typ: number, shares: []float64{1, .5, 1, 2, 2, 4, 4, 3, 30, 9, 11, 5, 4, 15, 6, 1.5, 1}, value: from(0),
			from: []effect{{of: "age", straight: -.15, bend: -.15}}},
		{name: "marital", typ: category, shares: []float64{24, 54, 2, 3, 10, 7},
			from: []effect{{of: "age", straight: .6}, {of: "gender", straight: .1}}},
		{name: "race", typ: category, shares: []float64{77, 11, 5, 2.5, 1.2, 1, .9, .8, .6}, from: []effect{{of: "age", straight: -.1}}},
		{name: "work-class", typ: category, shares: []float64{58, 9, 6, 5, 4, 3, 8, 4, 2, 1},
			from: []effect{{of: "education", straight: .25}, {of: "age", straight: .15}}},
		{name: "country", typ: number, shares: headed(83, 85, 1), value: from(1),
			from: []effect{{of: "race", straight: .55}, {of: "education", bend: .15}}},
		{name: "occupation", typ: category, shares: mixed(zipf(50, .5), 50),
			from: []effect{{of: "education", straight: -.5}, {of: "gender", straight: -.25, bend: .1}, {of: "age", straight: -.1, bend: .1},
				{of: "work-class", straight: -.2}}},
		{name: "salary-class", typ: category, shares: bell(50, .38, .22),
			from: []effect{{of: "education", straight: .25}, {of: "occupation", straight: -.35}, {of: "age", straight: .2, bend: -.3},
				{of: "gender", straight: -.25}}},
	}}
}

// IPUMS is table 1 of the LGB paper: 31,055 records of the US census with nine
// attributes, of which sex, age and occupation are semi-sensitive and salary is
// sensitive. Age, hours and salary are numbers.
func IPUMS() profile {
	number, category := equivclass.Integer, equivclass.Categorical
	return profile{Name: "IPUMS (generated)", attributes: []generated{
		{name: "sex", typ: category, shares: []float64{53, 47}},
		{name: "age", typ: number, shares: ages(73), value: from(17)},
		{name: "relationship", typ: category, shares: headed(13, 45, .8),
			from: []effect{{of: "age", straight: -.35, bend: .2}, {of: "sex", straight: .15}}},
		{name: "marital", typ: category, shares: []float64{26, 53, 2, 3, 11, 5},
			from: []effect{{of: "age", straight: .55}, {of: "relationship", straight: -.2}}},
		{name: "race", typ: category, shares: []float64{76, 11, 5, 3, 1.5, 1.2, 1, .8, .5}, from: []effect{{of: "age", straight: -.1}}},
		{name: "education", typ: category, shares: []float64{2, 2, 2, 3, 3, 28, 16, 9, 21, 10, 4},
			from: []effect{{of: "age", bend: -.2}, {of: "race", straight: -.15}}},
		{name: "hours", typ: number, shares: heaped(93, func(i int) float64 {
			return math.Exp(-math.Abs(float64(i+5)-40)/12) * heap(i+5, 5, 40, 120)
		}), value: from(5), from: []effect{{of: "age", bend: -.25}, {of: "sex", straight: -.2}, {of: "education", straight: .15}}},
		{name: "occupation", typ: category, shares: mixed(zipf(257, .5), 257),
			from: []effect{{of: "education", straight: -.55}, {of: "sex", straight: -.2, bend: .1}, {of: "age", straight: -.1}}},
		{name: "salary", typ: number, shares: heaped(719, func(i int) float64 {
			v := salary(i)
			x := math.Log(float64(v)/32_000) / .85
			width := float64(salary(i+1) - v)
			return math.Exp(-x*x/2) / float64(v) * width * heap(v, 1_000, 5_000, 20)
		}), value: salary, from: []effect{{of: "education", straight: .3}, {of: "occupation", straight: -.2}, {of: "hours", straight: .4},
			{of: "age", straight: .2, bend: -.2}, {of: "sex", straight: -.15}}},
	}}
}

// salary is the amount of a code: in hundreds to 50,000, in thousands from there.
func salary(i int) int {
	if i < 500 {
		return 100 * (i + 1)
	}
	return 50_000 + 1000*(i-499)
}

// heap makes round numbers commoner: multiples of small five times, of large
// most times (as people tell hours and incomes).
func heap(v, small, large int, most float64) float64 {
	switch {
	case v%large == 0:
		return most
	case v%small == 0:
		return 5
	}
	return 1
}

func from(first int) func(int) int { return func(i int) int { return first + i } }

func heaped(size int, share func(i int) float64) []float64 {
	out := make([]float64, size)
	for i := range out {
		out[i] = share(i)
	}
	return out
}

// ages is the pyramid of adults: level to the middle of life, then falling.
func ages(size int) []float64 {
	return heaped(size, func(i int) float64 {
		x := float64(i) / float64(size)
		return 1 / (1 + math.Exp(9*(x-.55)))
	})
}

// bell is a normal density over the codes, its middle and width as shares.
func bell(size int, middle, width float64) []float64 {
	return heaped(size, func(i int) float64 {
		x := (float64(i)/float64(size) - middle) / width
		return math.Exp(-x * x / 2)
	})
}

// zipf gives the i-th value the share i^-s.
func zipf(size int, s float64) []float64 {
	return heaped(size, func(i int) float64 { return math.Pow(float64(i+1), -s) })
}

// headed gives the first value percent of all and the rest Zipf shares.
func headed(size int, percent, s float64) []float64 {
	rest, total := zipf(size-1, s), 0.0
	for _, v := range rest {
		total += v
	}
	out := []float64{percent}
	for _, v := range rest {
		out = append(out, v/total*(100-percent))
	}
	return out
}

// mixed shuffles the shares, always in the same way: how common an occupation is says
// nothing about its place in the order.
func mixed(shares []float64, seed uint64) []float64 {
	rand.New(rand.NewPCG(seed, 3)).Shuffle(len(shares), func(i, j int) { shares[i], shares[j] = shares[j], shares[i] })
	return shares
}
