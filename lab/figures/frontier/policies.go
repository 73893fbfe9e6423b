package frontier

import (
	"anond/incremental/state"
	"fmt"
	"runtime"

	"anond/equivclass"
	"anond/equivclass/extract"
)

// PolicyNames are the policies that are measured at each max_hold.
var PolicyNames = []string{"L2", "append", "regroup x0", "regroup x1", "regroup x2", "regroup unlimited"}

var maxHolds = []int64{0, 1, 2, 3, 4, 6, 8}

// holds are the values of max_hold of a level. The mean waiting time is a quarter of
// max_hold at level L1, and 1/5.6 of it at level L2.
func (o Options) holds(level state.Level) []int64 {
	switch {
	case o.MaxHolds != nil:
		return o.MaxHolds
	case level == state.L2:
		return []int64{0, 1, 2, 3, 4, 5, 8, 9, 10}
	default:
		return maxHolds
	}
}

// policy returns a policy by its name, without max_hold.
func (o Options) policy(name string) (state.Policy, error) {
	extract := extract.Extract{Workers: runtime.GOMAXPROCS(0)}
	p := state.Policy{
		Requirement: equivclass.Requirement{K: o.K, L: o.L}, Republication: state.Regroup,
		Threshold: max(1, o.K-1), HoldInCuts: true, Neighbours: 32, Similar: 8, Initial: extract, Local: extract,
	}
	switch name {
	case "append":
		p.Republication = state.Append
	case "L2":
		p.Level, p.Republication, p.Workers = state.L2, state.Append, runtime.GOMAXPROCS(0)
	case "regroup x0":
	case "regroup x1":
		p.MaxRegroups = 1
	case "regroup x2":
		p.MaxRegroups = 2
	case "regroup unlimited":
		p.MaxRegroups = -1
	default:
		return p, fmt.Errorf("no policy %q; there are %q", name, PolicyNames)
	}
	return p, nil
}
