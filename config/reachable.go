package config

import (
	"fmt"

	"anond/equivclass"
)

// checkReachable refuses a promise that no class can keep, if the configuration
// alone shows it: the sensitive attribute has a known number of values (buckets,
// or leaves of its hierarchy), and a test needs more. Whether the data reach it is
// known only at the first load (rule I, infeasible).
func (c *Config) checkReachable(r *reader) {
	at, values, known := c.sensitiveValues(r)
	if !known {
		return
	}
	refuse := func(key string, wanted float64) {
		if r.sound(key) && wanted > float64(values) {
			r.fault(key, fmt.Sprintf("is %g, above the %s of sensitive attribute %q: no class can satisfy it", wanted, countOf(values, "value"),
				c.Attributes[at].Name),
				fmt.Sprintf("write %d or less, or distinguish more values", values))
		}
	}
	refuse("policy.l", float64(c.Policy.L))
	for i, d := range c.Policy.Diversity {
		key := fmt.Sprintf("policy.diversity[%d]", i)
		refuse(key+".distinct", float64(d.Distinct))
		refuse(key+".entropy", d.Entropy)
		refuse(key+".recursive.l", float64(d.Recursive.L))
	}
}

// sensitiveValues returns the index of the sensitive attribute and the number
// of its values, if the configuration fixes it.
func (c *Config) sensitiveValues(r *reader) (at, values int, known bool) {
	of, _ := c.byRole(r)
	if len(of[equivclass.Sensitive]) != 1 {
		return 0, 0, false
	}
	at = of[equivclass.Sensitive][0]
	a := c.Attributes[at]
	if tree := c.trees[a.Hierarchy]; tree != nil && a.Type == equivclass.Categorical {
		return at, tree.Leaves(), true
	}
	sound := r.sound(fmt.Sprintf("schema.attributes[%d].buckets", at))
	return at, len(a.Buckets), sound && len(a.Buckets) > 0 && a.Type.Numeric()
}

func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
