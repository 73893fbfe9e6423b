package methods_test

import (
	"fmt"
	"strings"

	"anond/equivclass"
	"anond/equivclass/measure"
	"anond/lab/methods"
)

// A method is looked up by its name. It says where it comes from, what it keeps and how
// its classes may be published, and builds its partitioner.
func ExampleFind() {
	m, err := methods.Find("mondrian")
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Name, "is by", m.Source)
	fmt.Println("It keeps", m.Guarantee)
	fmt.Println("Recodings:", strings.Join(m.Recodings(), ", "))

	pool := &equivclass.Pool{ // one quasi-identifier in [0,1], two sensitive values
		Space: &equivclass.Space{Dims: []equivclass.Dim{{Kind: equivclass.Number, Width: 1}}},
		X:     []float32{0, 0.1, 0.2, 0.3, 0.7, 0.8, 0.9, 1},
		SA:    []equivclass.Code{0, 1, 0, 1, 1, 0, 1, 0},
	}
	classes, _ := m.Partitioner(methods.Options{}).Partition(pool, equivclass.Requirement{K: 4, L: 2})
	fmt.Println("Classes of", measure.Sizes(classes))
	// Output:
	// mondrian is by LeFevre et al., ICDE 2006, strict
	// It keeps k, l and the extra principles in every class; equal rows share a class
	// Recodings: generalization, anatomy, permutation, slicing, randomization
	// Classes of [4 4]
}

// A name that no method has is refused with what could have been meant.
func ExampleFind_refused() {
	_, err := methods.Find("clustering")
	fmt.Println(strings.HasPrefix(err.Error(), `method "clustering" is not known: use extract, `))
	// Output:
	// true
}
