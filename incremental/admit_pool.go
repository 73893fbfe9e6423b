package incremental

// poolTail is holdTail at level L2. Measured on Adult (k=5, l=3, 15,000 records and 30
// batches of 500): at a mean hold of 2 batches the loss is 0.0294, with 4.35 it is 0.0301,
// because fewer classes are published for their age alone.
const poolTail = 5.6

// pool returns the planned classes that form the next pool, at least need records, or
// none. fresh is how many records have arrived since the newest cut.
//
// Method: that of admission, if what it leaves waiting is enough for a pool of its own.
// Otherwise all planned classes are one pool, once so many wait that the mean waiting
// time is that which max_hold asks for: the number waiting then rises from 0 to twice
// its mean. A record that has waited max_hold makes a pool of need records, as soon as
// there are so many; and nothing stays behind when no more records come, as far as need
// allows. All of that is blind to values: it looks at loss, age and arrival (pool.go).
func (a admission) pool(plans []plan, need, fresh int) []plan {
	planned := recordsOf(plans)
	if planned < need {
		return nil
	}
	keep := a.rate * float64(a.maxHold) / poolTail
	if keep < float64(need) {
		if a.overdue(plans) || float64(planned-fresh) >= 2*keep {
			return plans
		}
		return nil
	}
	chosen, others := a.split(plans, poolTail)
	for a.overdue(chosen) && recordsOf(chosen) < need {
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
func (a admission) overdue(plans []plan) bool {
	for _, p := range plans {
		if _, oldest := a.ages(p.members); oldest >= a.maxHold {
			return true
		}
	}
	return false
}

func recordsOf(plans []plan) (n int) {
	for _, p := range plans {
		n += len(p.members)
	}
	return n
}
