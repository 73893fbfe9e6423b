package query_test

import (
	"fmt"

	"anond/equivclass"
	"anond/equivclass/query"
)

// Two groups of four people, published by generalization: each shows a range of ages and
// its diagnoses. How many of them are below 30 and have the flu?
func Example() {
	age := equivclass.NewDictionary(equivclass.Attribute{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer})
	diagnosis := equivclass.NewDictionary(equivclass.Attribute{Name: "diagnosis", Role: equivclass.Sensitive, Type: equivclass.Categorical})
	dicts := []*equivclass.Dictionary{age, diagnosis}
	codes := [][]equivclass.Code{
		column(age, "21", "24", "27", "40", "45", "52", "58", "60"),
		column(diagnosis, "flu", "cold", "flu", "cold", "flu", "gout", "cold", "flu"),
	}
	release := query.NewCellRelease(dicts, codes, [][]int32{{0, 1, 2, 3}, {4, 5, 6, 7}}, 1)
	release.Grain = query.Grains(dicts) // ages are whole numbers
	for g, cells := range release.Cells {
		fmt.Printf("group %d: age %s, %d people\n", g+1, cells[0].Text(age), release.Bags[g].Total)
	}

	q, err := query.Parse("count where age < 30 and diagnosis = flu")
	if err != nil {
		panic(err)
	}
	bound, err := query.Bind(q, dicts)
	if err != nil {
		panic(err)
	}
	// The estimate takes ages as uniform in their range; the bounds hold wherever they lie.
	answer := release.Estimate(bound)
	fmt.Printf("about %.1f, at least %.0f, at most %.0f\n", answer.Estimate, answer.Lower, answer.Upper)
	// Output:
	// group 1: age [21,40], 4 people
	// group 2: age [45,60], 4 people
	// about 0.9, at least 0, at most 2
}

// column gives each text its code, in the order of the records.
func column(d *equivclass.Dictionary, texts ...string) (codes []equivclass.Code) {
	for _, text := range texts {
		code, why := d.Encode([]byte(text))
		if why != equivclass.Accepted {
			panic(why)
		}
		codes = append(codes, code)
	}
	return codes
}

// An error names the column at which the query goes wrong, and what to write instead.
func ExampleParse() {
	_, err := query.Parse("count where age between 20 and 30")
	fmt.Println(err)
	// Output:
	// query, column 17: expected =, !=, <, <=, >, >=, in or not in, found `between`
}
