package doctor

import (
	"fmt"

	"anond/config"
	"anond/internal/profile"
)

// promise says whether k and l can be reached, and how large pools have to be.
func (e *examination) promise() {
	p, asked := e.Config.Policy, e.asked()
	if e.Pools != nil {
		e.other()
	}
	s := e.Status
	switch {
	case s == nil || s.Counts.Release == 0:
		if e.Pools == nil {
			e.add(Note, "promise", "anond doctor --data FILE, with records of other people such as last year's",
				"k %d, %s, level %s: nothing is published that says whether they can be reached", p.K, asked, p.Level)
		}
	case p.Level == config.L2 && s.Counts.Pool != nil && !s.Counts.Pool.Possible:
		e.add(Failed, "promise", "begin a new dataset, of other people, with a lower policy.l, or with values that divide the most frequent one",
			"by what is published no pool is large enough for %s", asked)
	case p.Level == config.L2 && s.Counts.Pool != nil:
		e.add(OK, "promise", "", "by what is published a pool needs %d records for k %d, %s", s.Counts.Pool.Records, p.K, asked)
	default:
		e.add(OK, "promise", "", "release %d keeps k %d and %s", s.Counts.Release, p.K, asked)
	}
}

// other says what follows from records of other people.
func (e *examination) other() {
	p, o, asked := e.Config.Policy, e.Pools, e.asked()
	const check = "promise by --data"
	e.add(Note, check, "", "%s", profile.Channel)
	switch {
	case o.Records == 0:
		e.add(Note, check, "give a file with records that fit the schema", "no record could be used")
	case o.Unreachable(p.Level != config.L2) != "":
		e.add(Failed, check, "lower policy.l, or divide the most frequent value", "%s", o.Unreachable(p.Level != config.L2))
	case p.Level == config.L2 && max(e.Config.Initial.MinPool, p.MinPool) < o.MinPool:
		e.add(Warning, check, "before release 1, set initial.min_pool so that the first pool is unlikely to be refused",
			"pools need %d records for %s, and initial.min_pool is %d", o.MinPool, asked, e.Config.Initial.MinPool)
	case p.Level == config.L2:
		e.add(OK, check, "", "pools need %d records for %s", o.MinPool, asked)
	default:
		e.add(OK, check, "", "the most frequent value has %.1f %%, and l %d allows %.1f %%", 100*o.TopShare(), p.L, 100/float64(p.L))
	}
}

// asked is what is asked of sensitive values, in a few words.
func (e *examination) asked() string {
	switch l := e.Config.Policy.L; {
	case len(e.Config.Promises()) == 0:
		return fmt.Sprintf("l %d", l)
	case l == 0:
		return "the promises of the sensitive attributes"
	default:
		return fmt.Sprintf("l %d and the promises of sensitive attributes", l)
	}
}
