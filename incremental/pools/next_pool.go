package pools

import "anond/incremental/plan"

// poolTail is holdTail at level L2. Measured on Adult (k=5, l=3, 15,000 records and 30
// batches of 500): at a mean hold of 2 batches the loss is 0.0294, with 4.35 it is 0.0301,
// because fewer classes are published for their age alone.
const poolTail = 5.6

// poolOf returns the planned classes that form the next pool, at least need records, or
// none. fresh is how many records have arrived since the newest cut.
//
// Method: that of admission, if what it leaves waiting is enough for a pool of its own.
// Otherwise all planned classes are one pool, once so many wait that the mean waiting
// time is that which max_hold asks for: the number waiting then rises from 0 to twice
// its mean. A record that has waited max_hold makes a pool of need records, as soon as
// there are so many; and nothing stays behind when no more records come, as far as need
// allows. All of that is blind to values: it looks at loss, age and arrival (package pools).
func poolOf(a plan.Admission, plans []plan.Plan, need, fresh int) []plan.Plan {
	planned := recordsOf(plans)
	if planned < need {
		return nil
	}
	keep := a.Rate * float64(a.MaxHold) / poolTail
	if keep < float64(need) {
		if overdue(a, plans) || float64(planned-fresh) >= 2*keep {
			return plans
		}
		return nil
	}
	chosen, others := a.Split(plans, poolTail)
	for overdue(a, chosen) && recordsOf(chosen) < need {
		chosen, others = append(chosen, others[0]), others[1:]
	}
	switch n := recordsOf(chosen); {
	case n < need:
		return nil
	case planned-n < need && fresh == 0:
		return plans
	}
	return chosen
}

// overdue reports whether a member of one of the classes has waited max_hold.
func overdue(a plan.Admission, plans []plan.Plan) bool {
	for _, p := range plans {
		if _, oldest := a.Ages(p.Members); oldest >= a.MaxHold {
			return true
		}
	}
	return false
}

func recordsOf(plans []plan.Plan) (n int) {
	for _, p := range plans {
		n += len(p.Members)
	}
	return n
}
