package attack

import (
	"math/rand/v2"
	"slices"

	"anond/equivclass"
	"anond/lab/figures/dataset"
)

// quasi are the quasi-identifiers, sensitive is the sensitive attribute: those of
// the engine's own measure (lab/docs/FRONTIER.md, "Utility frontier").
var quasi = []string{"age", "workclass", "education-num", "marital-status", "race", "sex", "native-country"}

const sensitive = "occupation"

// trainRows is the number of rows of Adult's training part, which come first.
const trainRows = 30162

// places orders the categories that have an order; others stand as they appear.
var places = map[string][]string{
	"workclass": {"Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay", "Never-worked"},
	"marital-status": {"Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent", "Divorced", "Separated", "Widowed",
		"Never-married"},
	"race": {"White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"},
	"sex":  {"Female", "Male"},
}

// adult is the training part of Adult with every quasi-identifier as a number.
func adult(s dataset.Source) (*equivclass.Pool, error) {
	var columns []dataset.Column
	for _, name := range append(slices.Clone(quasi), sensitive) {
		c := dataset.Column{Name: name, Type: equivclass.Categorical}
		if name == "age" || name == "education-num" {
			c.Type = equivclass.Integer
		}
		columns = append(columns, c)
	}
	t, err := s.Adult(trainRows, columns...)
	if err != nil {
		return nil, err
	}
	p := &equivclass.Pool{Space: &equivclass.Space{}, SA: t.Codes[len(quasi)], X: make([]float32, t.Len()*len(quasi))}
	for j := range quasi {
		dim, coords := numbers(t.Dicts[j], t.Codes[j])
		p.Space.Dims = append(p.Space.Dims, dim)
		for r, x := range coords {
			p.X[r*len(quasi)+j] = x
		}
	}
	return p, nil
}

// numbers returns a column as coordinates of a number.
func numbers(d *equivclass.Dictionary, codes []equivclass.Code) (equivclass.Dim, []float32) {
	at := make([]float64, d.Len())
	for c := range at {
		code := equivclass.Code(c)
		switch place := slices.Index(places[d.Attribute().Name], d.Text(code)); {
		case d.Kind() == equivclass.Number:
			at[c] = d.Number(code)
		case place >= 0:
			at[c] = float64(place)
		default:
			at[c] = float64(c)
		}
	}
	dim := equivclass.Dim{Kind: equivclass.Number, Lo: slices.Min(at), Width: slices.Max(at) - slices.Min(at)}
	out := make([]float32, len(codes))
	for r, c := range codes {
		out[r] = dim.Scale(at[c])
	}
	return dim, out
}

// shuffledRows is a pool in an order that the seed fixes.
type shuffledRows struct {
	of    *equivclass.Pool
	order []int
}

func shuffled(p *equivclass.Pool, seed uint64) shuffledRows {
	return shuffledRows{p, rand.New(rand.NewPCG(seed, 0)).Perm(p.Len())}
}

// sample returns n rows; those of two numbers are disjoint.
func (s shuffledRows) sample(n, number int) *equivclass.Pool {
	out := &equivclass.Pool{Space: s.of.Space}
	for _, r := range s.order[number*n : (number+1)*n] {
		out.X, out.SA = append(out.X, s.of.At(int32(r))...), append(out.SA, s.of.SA[r])
	}
	return out
}
