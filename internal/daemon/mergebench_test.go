package daemon

import (
	"runtime"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/incremental"
)

// mergeAgain runs Merge over the classes that a release published first, in sub-pools of
// as many classes as the machine's were.
func mergeAgain(v *incremental.View) {
	d := v.Dictionaries[v.Schema.SensitiveIndex()]
	var texts []string
	for code := range d.Len() {
		texts = append(texts, d.Text(equivclass.Code(code)))
	}
	order := merge.NewOrder(texts)
	values := v.SA[0].Codes()
	var bags []merge.Bag
	for _, c := range v.Classes {
		if c.Born == v.Intent.Release {
			bags = append(bags, merge.BagOf(order, values, c.Members))
		}
	}
	subPools, _ := merge.Division(len(bags), merge.SubPoolClasses, 5)
	merge.Pool(bags, 10, subPools, merge.Requirement{Caps: merge.Frequency(5)}, merge.NewDraws([32]byte{}, merge.Key{}),
		merge.Run{Workers: runtime.GOMAXPROCS(0)})
}
