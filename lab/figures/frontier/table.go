package frontier

import (
	"fmt"
	"slices"

	"anond/equivclass"
)

// table is a dataset in order of arrival, encoded, and as the machine reads it.
// All quasi-identifiers are integers, so that the engine judges cells as the
// measure does, by their intervals.
type table struct {
	*equivclass.Table
	schema *equivclass.Schema
	rows   []equivclass.Row
	points *equivclass.Pool // over the domain of the whole table
	scales []string         // quasi-identifiers of which a range makes sense
}

// newTable encodes rows of quasi-identifiers and the sensitive value.
func newTable(quasi []string, sensitive string, rows []equivclass.Row) (*table, error) {
	var attributes []equivclass.Attribute
	for _, name := range quasi {
		attributes = append(attributes, equivclass.Attribute{Name: name, Role: equivclass.Quasi, Type: equivclass.Integer})
	}
	attributes = append(attributes, equivclass.Attribute{Name: sensitive, Role: equivclass.Sensitive, Type: equivclass.Categorical})
	schema, err := equivclass.NewSchema(attributes, equivclass.RefuseMissing)
	if err != nil {
		return nil, err
	}
	t := &table{Table: equivclass.NewTable(attributes), schema: schema, rows: rows}
	for i, row := range rows {
		if why, attribute := t.Append(row); why != equivclass.Accepted {
			return nil, fmt.Errorf("row %d, column %q: %s", i+1, attribute, why)
		}
	}
	t.points = t.Pool(schema.Quasi(), schema.SensitiveIndex())
	return t, nil
}

// pool returns the first n records as points.
func (t *table) pool(n int) *equivclass.Pool {
	return &equivclass.Pool{Space: t.points.Space, X: slices.Clone(t.points.X[:n*t.points.D()]), SA: slices.Clone(t.points.SA[:n])}
}

// intervalLoss is the measure of one class: the mean over quasi-identifiers of
// (hi-lo)/(max-min).
func (t *table) intervalLoss(members []int) float64 {
	sum := 0.0
	for j := range t.points.Space.Dims {
		number := func(r int) float64 { return t.Dicts[j].Number(t.Codes[j][r]) }
		lo, hi := number(members[0]), number(members[0])
		for _, r := range members[1:] {
			lo, hi = min(lo, number(r)), max(hi, number(r))
		}
		if width := t.points.Space.Dims[j].Width; width > 0 {
			sum += (hi - lo) / width
		}
	}
	return sum / float64(t.points.D())
}
