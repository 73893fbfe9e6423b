package doctor

import (
	"anond/config"
	"anond/internal/profile"
)

// promise says whether k and l can be reached, and how large pools have to be.
func (e *examination) promise() {
	p := e.Config.Policy
	if e.Pools != nil {
		e.other()
	}
	s := e.Status
	switch {
	case s == nil || s.Counts.Release == 0:
		if e.Pools == nil {
			e.add(Note, "promise", "anond doctor --data FILE, with records of other people such as last year's",
				"k %d, l %d, level %s: nothing is published that says whether they can be reached", p.K, p.L, p.Level)
		}
	case p.Level == config.L2 && s.Counts.Pool != nil && !s.Counts.Pool.Possible:
		e.add(Failed, "promise", "begin a new dataset, of other people, with a lower policy.l, or with values that divide the most frequent one",
			"by what is published no pool is large enough for l %d", p.L)
	case p.Level == config.L2 && s.Counts.Pool != nil:
		e.add(OK, "promise", "", "by what is published a pool needs %d records for k %d, l %d", s.Counts.Pool.Records, p.K, p.L)
	default:
		e.add(OK, "promise", "", "release %d keeps k %d and l %d", s.Counts.Release, p.K, p.L)
	}
}

// other says what follows from records of other people.
func (e *examination) other() {
	p, o := e.Config.Policy, e.Pools
	const check = "promise by --data"
	e.add(Note, check, "", "%s", profile.Channel)
	switch {
	case o.Records == 0:
		e.add(Note, check, "give a file with records that fit the schema", "no record could be used")
	case o.TopShare()*float64(p.L) > 1:
		e.add(Failed, check, "lower policy.l, or divide the most frequent value", "the most frequent value has %.1f %%, and l %d allows %.1f %%",
			100*o.TopShare(), p.L, 100/float64(p.L))
	case p.Level == config.L2 && o.MinPool == 0:
		e.add(Failed, check, "lower policy.l, or divide the most frequent value", "no pool is large enough for l %d", p.L)
	case p.Level == config.L2 && max(e.Config.Initial.MinPool, p.MinPool) < o.MinPool:
		e.add(Warning, check, "before release 1, set initial.min_pool so that the first pool is unlikely to be refused",
			"pools need %d records for l %d, and initial.min_pool is %d", o.MinPool, p.L, e.Config.Initial.MinPool)
	case p.Level == config.L2:
		e.add(OK, check, "", "pools need %d records for l %d", o.MinPool, p.L)
	default:
		e.add(OK, check, "", "the most frequent value has %.1f %%, and l %d allows %.1f %%", 100*o.TopShare(), p.L, 100/float64(p.L))
	}
}
