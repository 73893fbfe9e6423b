package replay

import (
	"anond/incremental/state"
	"fmt"
)

// forgotten takes from a recording what cannot be decided again since people were forgotten, and
// says what that is; empty: nothing.
//
// A cut follows from the quasi-identifiers of all who had arrived, and those of people who were forgotten are
// not there any more. So the cuts before the first of these records arrived can be replayed, and
// no later one: each pool decides who waits for the next. Nor has a bucket of a row without owner
// the values of its records any more, but all of these buckets are of later cuts.
func (r *Recording) forgotten() string {
	if r.erased < 0 {
		return ""
	}
	cuts, releases, pools := 0, uint32(0), 0
	for _, a := range r.attempts {
		if int(a.Records) > r.erased {
			break
		}
		cuts++
		switch a.Outcome {
		case state.Released:
			releases++
		case state.Quarantined:
			pools++
		}
	}
	why := fmt.Sprintf("people were forgotten, so the cuts over more than %d records cannot be decided again: releases %d to %d",
		r.erased, releases+1, len(r.intents))
	if int(releases) == len(r.intents) {
		why = fmt.Sprintf("people were forgotten, so the cuts over more than %d records cannot be decided again; no release is among them",
			r.erased)
	}
	if releases > 0 {
		why += fmt.Sprintf(". Releases 1 to %d were decided again, with the same outcome", releases)
	}
	r.attempts, r.intents, r.pools = r.attempts[:cuts], r.intents[:releases], r.pools[:pools]
	classes := 0
	for classes < len(r.classes) && r.classes[classes].Born <= releases {
		classes++
	}
	r.classes = r.classes[:classes]
	r.rows, r.ticks, r.strata = r.rows[:r.erased], r.ticks[:r.erased], r.strata[:r.erased]
	return why
}
