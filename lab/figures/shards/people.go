package shards

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"anond/equivclass"
	"anond/internal/testkit/hospital"
	"anond/lab/figures/dataset"
)

// people is a dataset in order of arrival. Quasi-identifiers are numbers, as in the figure
// frontier, so that the engine judges cells as the measure does: by their intervals.
type people struct {
	name   string
	schema *equivclass.Schema
	keys   []string  // the subject of each person: the key of the message
	points [][]int32 // by quasi-identifier, then person
	widths []float64 // of the whole domain, by quasi-identifier
	values []string  // by person
}

func newPeople(name string, quasi []string, sensitive string) (*people, error) {
	var attributes []equivclass.Attribute
	for _, q := range quasi {
		attributes = append(attributes, equivclass.Attribute{Name: q, Role: equivclass.Quasi, Type: equivclass.Integer})
	}
	attributes = append(attributes, equivclass.Attribute{Name: sensitive, Role: equivclass.Sensitive, Type: equivclass.Categorical})
	schema, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	return &people{name: name, schema: schema, points: make([][]int32, len(quasi))}, err
}

// len is how many people there are.
func (p *people) len() int { return len(p.keys) }

// add appends a person.
func (p *people) add(key, value string, at ...int32) {
	p.keys, p.values = append(p.keys, key), append(p.values, value)
	for j, x := range at {
		p.points[j] = append(p.points[j], x)
	}
}

// measured fixes the domain, once all people are there.
func (p *people) measured() *people {
	for _, column := range p.points {
		p.widths = append(p.widths, float64(slices.Max(column)-slices.Min(column)))
	}
	return p
}

// first are the first n people, over the domain of all.
func (p *people) first(n int) *people {
	q := *p
	q.keys, q.values, q.points = p.keys[:n], p.values[:n], nil
	for _, column := range p.points {
		q.points = append(q.points, column[:n])
	}
	return &q
}

// write fills a row with the texts of a person, as a decoder does.
func (p *people) write(row equivclass.Row, person int) equivclass.Row {
	row = row[:len(p.points)+1]
	for j, column := range p.points {
		row[j] = strconv.AppendInt(row[j][:0], int64(column[person]), 10)
	}
	row[len(p.points)] = append(row[len(p.points)][:0], p.values[person]...)
	return row
}

// loss is the measure of one class: the mean over quasi-identifiers of (hi-lo)/(max-min).
func (p *people) loss(members []int32) float64 {
	sum := 0.0
	for j, column := range p.points {
		lo, hi := column[members[0]], column[members[0]]
		for _, r := range members[1:] {
			lo, hi = min(lo, column[r]), max(hi, column[r])
		}
		if p.widths[j] > 0 {
			sum += float64(hi-lo) / p.widths[j]
		}
	}
	return sum / float64(len(p.points))
}

// wards is the synthetic hospital: n different people in the order of their first admission.
func wards(n int, seed uint64) (*people, error) {
	p, err := newPeople("hospital", []string{"age", "sex", "postcode", "admission"}, "diagnosis")
	if err != nil {
		return nil, err
	}
	sexes, kinds := []string{"F", "M"}, []string{"emergency", "planned", "transfer"}
	for s, last := hospital.New(seed), ""; p.len() < n; {
		a := s.Next()
		if a.Patient <= last { // numbered as they come: this one came before
			continue
		}
		last = a.Patient
		code, err := strconv.Atoi(a.Postcode)
		if err != nil {
			return nil, fmt.Errorf("postcode of the generator: %w", err)
		}
		p.add(a.Patient, a.Diagnosis, int32(a.Age), int32(slices.Index(sexes, a.Sex)), int32(code), int32(slices.Index(kinds, a.Admission)))
	}
	return p.measured(), nil
}

// The columns of Adult and how its categories become numbers are those of the figure
// frontier, so that its level L2 and one shard here are the same measurement.
var (
	adultQuasi  = []string{"age", "workclass", "education-num", "marital-status", "race", "sex", "native-country"}
	adultPlaces = map[string][]string{
		"workclass": {"Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay", "Never-worked"},
		"marital-status": {"Married-civ-spouse", "Married-AF-spouse", "Married-spouse-absent", "Divorced", "Separated", "Widowed",
			"Never-married"},
		"race": {"White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"},
		"sex":  {"Female", "Male"},
	}
)

const (
	adultSensitive = "occupation"
	adultRows      = 30162 // UCI Adult's training part, which comes first
	adultPeople    = 30000 // of them arrive
)

// census is n people of UCI Adult's training part, in an order that the seed fixes. Adult
// names nobody: the number of the row is the subject.
func census(s dataset.Source, n int, seed uint64) (*people, error) {
	p, err := newPeople("Adult", adultQuasi, adultSensitive)
	if err != nil {
		return nil, err
	}
	var columns []dataset.Column
	for _, name := range append(slices.Clone(adultQuasi), adultSensitive) {
		c := dataset.Column{Name: name, Type: equivclass.Categorical}
		if name == "age" || name == "education-num" {
			c.Type = equivclass.Integer
		}
		columns = append(columns, c)
	}
	t, err := s.Adult(adultRows, columns...)
	if err != nil {
		return nil, err
	}
	order := make([]int, adultRows)
	for i := range order {
		order[i] = i
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	at := make([]int32, len(adultQuasi))
	for _, r := range order {
		for j := range at {
			at[j] = numberOf(t.Dicts[j], t.Codes[j][r])
		}
		p.add(fmt.Sprintf("row-%d", r), t.Dicts[len(adultQuasi)].Text(t.Codes[len(adultQuasi)][r]), at...)
	}
	return p.measured().first(n), nil
}

// numberOf is a value as a number: itself, its place in the order of its attribute, or when
// it first appeared.
func numberOf(d *equivclass.Dictionary, code equivclass.Code) int32 {
	if d.Kind() == equivclass.Number {
		return int32(d.Number(code))
	}
	if place := slices.Index(adultPlaces[d.Attribute().Name], d.Text(code)); place >= 0 {
		return int32(place)
	}
	return int32(code)
}
