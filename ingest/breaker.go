package ingest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/internal/fault"
)

// breaker notices that too many records are refused: mostly a producer has changed its format,
// and all that follows would become dead letters.
//
// No rule is touched: refused records are never published, and those that a replay takes in
// later are chosen by reasons that tell nothing about their value. When reading pauses follows
// from them alone, and is known to who reads the log: refusals are counted over all people (rule H, held).
type breaker struct {
	most        float64 // share of records that may be refused; 1: all
	window, run tally   // of the present judgedTogether, and of all
	by          map[equivclass.Reason]int
	share       float64 // with which it tripped, until somebody goes on; 0: it did not
	tripped     bool
	warned      bool
	held        *batch // what follows the record that tripped it
}

// judgedTogether is how many records are looked at together.
const judgedTogether = 1000

// tally counts records.
type tally struct{ seen, refused int }

func (j *tally) share() float64 { return float64(j.refused) / float64(max(1, j.seen)) }

// saw counts a record, and why it was refused.
func (b *breaker) saw(why equivclass.Reason) {
	for _, j := range []*tally{&b.window, &b.run} {
		if j.seen++; why != equivclass.Accepted {
			j.refused++
		}
	}
	if why != equivclass.Accepted {
		if b.by == nil {
			b.by = map[equivclass.Reason]int{}
		}
		b.by[why]++
	}
	if b.window.seen < judgedTogether {
		return
	}
	if share := b.window.share(); share > b.most {
		b.tripped, b.share = true, share
	}
	b.window = tally{}
}

// all reports whether this run has refused all that it has read.
func (b *breaker) all() bool { return b.most < 1 && b.run.seen > 0 && b.run.refused == b.run.seen }

// tooMany reports whether a run that is at its end has refused too much.
func (b *breaker) tooMany() bool {
	return b.all() || b.run.seen >= judgedTogether && b.run.share() > b.most
}

// resume lets more be refused, if somebody goes on nevertheless: twice the share that made it trip.
func (b *breaker) resume() {
	b.most, b.share = max(b.most, min(1, 2*b.share)), 0
}

// ErrManyRefused: more records were refused than dead_letter.max_share allows, in a run that
// cannot be paused.
var ErrManyRefused = fault.Errorf(fault.Failed, "correct the producer or the configuration, or raise dead_letter.max_share; anond "+
	"dlq list shows what was kept; while no pool is fixed, anond state reset begins anew",
	"more records are refused than dead_letter.max_share allows")

// manyRefused warns with counts by reason, and is the error of a run that ends.
func (l *intake) manyRefused(says string) error {
	b := &l.refusals
	reasons := slices.SortedFunc(maps.Keys(b.by), func(x, y equivclass.Reason) int {
		return cmp.Or(cmp.Compare(b.by[y], b.by[x]), cmp.Compare(x, y))
	})
	var texts []string
	for _, why := range reasons {
		texts = append(texts, fmt.Sprintf("%s %d", why, b.by[why]))
	}
	b.warned = true
	l.Log.Warn("too many records are refused: "+says, "event", "too_many_refused", "records", b.run.seen, "refused", b.run.refused,
		"max_share", b.most, "reasons", strings.Join(texts, ", "))
	return fmt.Errorf("%w (%g): %d of %d, %s", ErrManyRefused, b.most, b.run.refused, b.run.seen, strings.Join(texts, ", "))
}

// heedRefusals pauses the host in the midst of a batch, or ends a run that has to end.
func (l *intake) heedRefusals(b *batch) error {
	l.refusals.tripped = false
	if l.Once {
		return l.manyRefused("the run ends, and nothing more is published")
	}
	l.refusals.held = b
	_ = l.manyRefused("nothing is read until an operator says so")
	l.operator.paused = true
	l.operator.pausedOrNot()
	if l.Tripped == nil {
		return nil
	}
	return l.Tripped()
}
