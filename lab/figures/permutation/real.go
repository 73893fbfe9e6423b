package permutation

import (
	"context"
	"fmt"
	"slices"

	"anond/equivclass"
	"anond/lab/figures"
	"anond/lab/figures/dataset"
)

// figure1Real is the error by l on public data: industry of the ACS excerpt, and
// occupation of UCI Adult, whose commonest value (13.4 %) allows l to 7.
func figure1Real(ctx context.Context, in figures.Input) ([]*sweep, error) {
	acs, err := employed(in.Data)
	if err != nil {
		return nil, err
	}
	adult, err := in.Data.Adult(0, dataset.Column{Name: "age", Type: equivclass.Integer},
		dataset.Column{Name: "sex", Type: equivclass.Categorical},
		dataset.Column{Name: "education-num", Type: equivclass.Integer}, dataset.Column{Name: "marital-status", Type: equivclass.Categorical},
		dataset.Column{Name: "race", Type: equivclass.Categorical}, dataset.Column{Name: "occupation", Type: equivclass.Categorical})
	if err != nil {
		return nil, err
	}
	var out []*sweep
	for _, c := range []struct {
		name   string
		table  *equivclass.Table
		levels []float64
	}{{"ACS, industry", acs, levels}, {"Adult, occupation", adult, []float64{2, 3, 4, 5, 6, 7}}} {
		s := newSweep(c.name, c.levels)
		for seed := in.Seed; seed < in.Seed+seedsEach; seed++ {
			t := newPaperTable(c.name, dataset.Shuffled(c.table, in.Rows(c.table.Len(), 3000), seed), upTo(5), 5)
			if err := s.levels(ctx, in, t, seed); err != nil {
				return nil, err
			}
		}
		out = append(out, s)
	}
	return out, nil
}

// employed is the people of the ACS excerpt with an industry: age, sex,
// education, marital status, race and industry (263 values, the commonest 5 %).
// Its codes of "not applicable" are gone, so that education and industry are numbers.
func employed(s dataset.Source) (*equivclass.Table, error) {
	category := equivclass.Categorical
	all, err := s.ACS(0, dataset.Column{Name: "AGEP", Type: equivclass.Integer}, dataset.Column{Name: "SEX", Type: category},
		dataset.Column{Name: "EDU", Type: category},
		dataset.Column{Name: "MSP", Type: category}, dataset.Column{Name: "RAC1P", Type: category}, dataset.Column{Name: "INDP", Type: category})
	if err != nil {
		return nil, err
	}
	const education, industry = 2, 5
	none, _, _ := all.Dicts[industry].Find([]byte("N"))
	attributes := make([]equivclass.Attribute, len(all.Dicts))
	for j, d := range all.Dicts {
		attributes[j] = d.Attribute()
	}
	attributes[education].Type, attributes[industry].Type = equivclass.Integer, equivclass.Integer
	out, row := equivclass.NewTable(attributes), make(equivclass.Row, len(attributes))
	for i := range all.Len() {
		if all.Codes[industry][i] == none {
			continue
		}
		for j, d := range all.Dicts {
			row[j] = []byte(d.Text(all.Codes[j][i]))
		}
		if why, column := out.Append(row); why != equivclass.Accepted {
			return nil, fmt.Errorf("row %d, column %q: %s", i+1, column, why)
		}
	}
	return out, nil
}

// spanOf is the least and the greatest mean of some seeds.
func spanOf(seeds []float64) string {
	return percent(slices.Min(seeds)) + " to " + percent(slices.Max(seeds))
}
