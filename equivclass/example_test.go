package equivclass_test

import (
	"fmt"
	"strings"

	"anond/equivclass"
	"anond/equivclass/equivtest/cuts"
	"anond/equivclass/measure"
	"anond/equivclass/query"
)

// ward are the records of the example: age, postcode and diagnosis of nine people.
var ward = [][]string{
	{"23", "1011", "flu"}, {"27", "1012", "cold"}, {"29", "1011", "gout"}, {"34", "1012", "flu"}, {"38", "1021", "cold"},
	{"45", "1021", "flu"}, {"51", "1022", "gout"}, {"58", "1022", "cold"}, {"62", "1021", "flu"},
}

// A small table from schema to classes: describe the attributes, turn texts into codes,
// cut the records into classes, and measure what the classes lose.
func Example() {
	postcodes, err := equivclass.ParseHierarchy("postcode", strings.NewReader("1011;101*;*\n1012;101*;*\n1021;102*;*\n1022;102*;*\n"))
	if err != nil {
		panic(err)
	}
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "postcode", Role: equivclass.Quasi, Type: equivclass.Categorical, Hierarchy: postcodes},
		{Name: "diagnosis", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	if err != nil {
		panic(err)
	}
	table := equivclass.NewTable(schema.Attributes())
	for _, texts := range ward {
		row := equivclass.Row{[]byte(texts[0]), []byte(texts[1]), []byte(texts[2])}
		if why, attribute := table.Append(row); why != equivclass.Accepted {
			panic(fmt.Sprint(why, " ", attribute)) // a reason never tells the value
		}
	}
	pool := table.Pool(schema.Quasi(), schema.SensitiveIndex())

	// Every class has at least 3 people, and no diagnosis more than half of them.
	want := equivclass.Requirement{K: 3, L: 2}
	classes, rest := cuts.Median{}.Partition(pool, want)
	for _, class := range classes {
		fmt.Println(describe(table, class))
	}
	fmt.Println("in no class:", len(rest))

	sizes := measure.Sizes(classes)
	fmt.Println("C_DM:", measure.CDM(sizes, len(rest), want.K))
	fmt.Printf("C_AVG: %.2f\n", measure.CAVG(sizes, want.K))
	fmt.Printf("NCP: %.3f\n", equivclass.NCP(pool, classes, len(rest)))
	// Output:
	// 4 people: age [23,34] postcode 101* diagnosis {cold|flu|gout}
	// 5 people: age [38,62] postcode 102* diagnosis {cold|flu|gout}
	// in no class: 0
	// C_DM: 41
	// C_AVG: 1.50
	// NCP: 0.400
}

// describe tells how many people a class has, and the cells that a release shows of them.
func describe(t *equivclass.Table, class []int32) string {
	text := fmt.Sprintf("%d people:", len(class))
	for j, d := range t.Dicts {
		var values []equivclass.Code
		for _, r := range class {
			values = append(values, t.Codes[j][r])
		}
		text += fmt.Sprintf(" %s %s", d.Attribute().Name, query.CellOf(d, values).Text(d))
	}
	return text
}
