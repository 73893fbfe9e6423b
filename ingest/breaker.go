package ingest

import (
	"errors"
	"fmt"
)

// breaker notices that too many records are refused: mostly a producer has changed its format,
// and all that follows would become dead letters.
//
// No rule is touched: refused records are never published, and those that a replay takes in
// later are chosen by reasons that tell nothing about their value. When reading pauses follows
// from them alone.
type breaker struct {
	most          float64 // share of records that may be refused; 1: all
	seen, refused int     // of the present judgedTogether
	tripped       bool
	held          *batch // what follows the record that tripped it
}

// judgedTogether is how many records are looked at together.
const judgedTogether = 1000

// saw counts a record.
func (b *breaker) saw(refused bool) {
	if b.seen++; refused {
		b.refused++
	}
	if b.seen < judgedTogether {
		return
	}
	b.tripped = b.tripped || float64(b.refused) > b.most*float64(b.seen)
	b.seen, b.refused = 0, 0
}

// ErrManyRefused: more records were refused than dead_letter.max_share allows, in a run that
// cannot be paused.
var ErrManyRefused = errors.New("more records are refused than dead_letter.max_share allows")

// heedRefusals pauses the host in the midst of a batch, or ends a run that has to end.
func (l *loop) heedRefusals(b *batch) error {
	l.refusals.tripped = false
	if l.Once {
		return fmt.Errorf("%w (%g of %d)", ErrManyRefused, l.refusals.most, judgedTogether)
	}
	l.refusals.held = b
	l.Log.Error("too many records are refused: nothing is read until an operator says so", "event", "too_many_refused",
		"records", judgedTogether, "max_share", l.refusals.most)
	l.asked.paused = true
	l.pausedOrNot()
	if l.Tripped == nil {
		return nil
	}
	return l.Tripped()
}
