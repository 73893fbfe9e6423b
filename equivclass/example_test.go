package equivclass_test

import (
	"fmt"
	"strings"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/equivclass/topdown"
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
	dicts, codes := encode(schema, ward)
	pool := poolOf(schema, dicts, codes)

	// Every class has at least 3 people, and no diagnosis more than half of them.
	want := equivclass.Requirement{K: 3, L: 2}
	classes, rest := topdown.Mondrian{}.Partition(pool, want)
	for _, class := range classes {
		fmt.Println(describe(dicts, codes, class))
	}
	fmt.Println("in no class:", len(rest))

	sizes := equivclass.Sizes(classes)
	fmt.Println("C_DM:", equivclass.CDM(sizes, len(rest), want.K))
	fmt.Printf("C_AVG: %.2f\n", equivclass.CAVG(sizes, want.K))
	fmt.Printf("NCP: %.3f\n", equivclass.NCP(pool, classes, len(rest)))
	// Output:
	// 4 people: age [23,34] postcode 101* diagnosis {cold|flu|gout}
	// 5 people: age [38,62] postcode 102* diagnosis {cold|flu|gout}
	// in no class: 0
	// C_DM: 41
	// C_AVG: 1.50
	// NCP: 0.400
}

// encode looks each text up in the dictionary of its attribute, by attribute and record.
func encode(schema *equivclass.Schema, rows [][]string) ([]*equivclass.Dictionary, [][]equivclass.Code) {
	var dicts []*equivclass.Dictionary
	codes := make([][]equivclass.Code, len(schema.Attributes()))
	for j, a := range schema.Attributes() {
		d := equivclass.NewDictionary(a)
		for _, row := range rows {
			code, found, why := d.Find([]byte(row[j]))
			if why != equivclass.Accepted {
				panic(why) // a reason never tells the value
			}
			if !found {
				code = d.Add([]byte(row[j]))
			}
			codes[j] = append(codes[j], code)
		}
		dicts = append(dicts, d)
	}
	return dicts, codes
}

// poolOf scales the quasi-identifiers to [0,1], which is how a partitioner sees records.
func poolOf(schema *equivclass.Schema, dicts []*equivclass.Dictionary, codes [][]equivclass.Code) *equivclass.Pool {
	var quasi []*equivclass.Dictionary
	for _, j := range schema.Quasi() {
		quasi = append(quasi, dicts[j])
	}
	pool := &equivclass.Pool{Space: equivclass.NewSpace(quasi), SA: codes[schema.SensitiveIndex()]}
	for i := range pool.SA {
		for at, j := range schema.Quasi() {
			pool.X = append(pool.X, pool.Space.Coord(at, dicts[j], codes[j][i]))
		}
	}
	return pool
}

// describe tells how many people a class has, and the cells that a release shows of them.
func describe(dicts []*equivclass.Dictionary, codes [][]equivclass.Code, class []int32) string {
	text := fmt.Sprintf("%d people:", len(class))
	for j, d := range dicts {
		var values []equivclass.Code
		for _, r := range class {
			values = append(values, codes[j][r])
		}
		text += fmt.Sprintf(" %s %s", d.Attribute().Name, query.CellOf(d, values).Text(d))
	}
	return text
}
