package replay

import (
	"anond/incremental/plan"
	"anond/incremental/settle"
	"anond/incremental/state"
	"errors"
	"fmt"

	"anond/equivclass"
	"anond/equivclass/merge"
	"anond/incremental"
)

// engine is the machine as far as a replay uses it.
type engine interface {
	Accept(p state.Partition, offset int64, row equivclass.Row, of settle.Stratum) (incremental.Outcome, error)
	Tick(now int64)
	Fix(by state.Occasion) error
	Decide(by state.Occasion) (*incremental.Decision, error)
	Enact(d *incremental.Decision, createdAt int64, policy [32]byte) (*state.Intent, error)
	Published(release uint32, manifest [32]byte) error
	Commit() error
	Born(release uint32, classes []*state.Class) *state.Born
	Trigger() incremental.Trigger
}

func openMachine(store state.Store, o incremental.Options) (engine, error) {
	return incremental.Open(store, o)
}

// run is one run of a machine over the records of a recording.
type run struct {
	*Recording
	m    engine
	tape *tape
	at   int               // next record
	of   []uint32          // by record: the record whose sensitive values it has; nil: its own
	due  []byte            // by record: what the triggers ask for after it
	want []byte            // the same of the run before any world; nil: this is that run
	seen func(records int) // progress; may be nil
	sa   []int             // the attributes of which that holds
	// orders is asked for the draws; ages are the present one and those that have not begun; next is the next cut.
	orders func(merge.Key, []int32) []int32
	ages   []era
	next   int
}

// begin opens the machine in the present era, for the next cut.
func (x *run) begin() error {
	if x.m != nil {
		if err := x.m.Commit(); err != nil {
			return err
		}
	}
	o := x.ages[0].options
	if x.next < x.first() {
		o.Policy = *x.policyOf(o.Policy, &x.attempts[x.next])
	}
	o.Orders, o.Policy.MaxRecords = x.orders, 0
	var err error
	x.m, err = x.open(x.tape, o)
	return err
}

// age begins the next era.
func (x *run) age() error {
	x.ages = x.ages[1:]
	return x.begin()
}

// source is where the records of a replay come from.
var source = state.Partition{Source: "replay"}

// play makes all decisions again and returns the first difference, or nil, and what the
// triggers asked for.
func (r *Recording) play(w world, want []byte, orders func(merge.Key, []int32) []int32, progress func(records int)) (
	due []byte, d *difference, err error) {
	t := &tape{r: r, meta: state.Meta{Seed: r.meta.Seed, Seeded: r.meta.Seeded}}
	if len(r.ages) > 1 || r.first() > 1 || r.others() != "" {
		if err := t.keep(); err != nil {
			return nil, nil, err
		}
	}
	x := &run{Recording: r, tape: t, of: w.of, want: want, seen: progress, sa: w.attributes(r), orders: orders, ages: r.ages}
	if err = x.begin(); err == nil {
		err = x.all()
	}
	switch {
	case errors.Is(err, errDiffers):
		return x.due, t.differs, nil
	case errors.As(err, &d):
		return x.due, d, nil
	}
	return x.due, nil, err
}

func (x *run) all() error {
	foreign, _ := x.foreign()
	for i := range x.attempts {
		a := &x.attempts[i]
		if err := x.feed(int(a.Records)); err != nil {
			return err
		}
		x.next = i
		for x.begun(a.Number) {
			if err := x.age(); err != nil {
				return err
			}
		}
		if i > 0 && i < x.first() { // what is asked may be another thing than at the cut before
			if err := x.begin(); err != nil {
				return err
			}
		}
		decide := x.attempt
		if foreign[i] {
			decide = x.adopt
		}
		if err := decide(a); err != nil {
			return err
		}
	}
	x.next = len(x.attempts)
	if err := x.feed(len(x.rows)); err != nil {
		return err
	}
	if err := x.m.Commit(); err != nil {
		return err
	}
	if t := x.tape; t.classes != len(x.classes) || t.pools != len(x.pools) || int(t.intent) != len(x.intents) {
		return x.differ("the state has a release or a quarantined pool that no cut makes")
	}
	return nil
}

// begun reports whether the next era begins before a cut.
func (x *run) begun(cut uint32) bool { return len(x.ages) > 1 && x.ages[1].Attempt < cut }

// feed applies the records up to one, and begins the eras of those.
func (x *run) feed(to int) error {
	for len(x.ages) > 1 && int(x.ages[1].Records) < to {
		if err := x.apply(int(x.ages[1].Records)); err != nil {
			return err
		}
		if err := x.age(); err != nil {
			return err
		}
	}
	return x.apply(to)
}

func (x *run) apply(to int) error {
	for ; x.at < to; x.at++ {
		row := x.rows[x.at]
		if x.of != nil {
			row = append(equivclass.Row{}, row...)
			for _, i := range x.sa {
				row[i] = x.rows[x.of[x.at]][i]
			}
		}
		x.m.Tick(x.ticks[x.at])
		out, err := x.m.Accept(source, int64(x.at), row, x.strata[x.at])
		if err != nil {
			return err
		}
		if out.Reason != equivclass.Accepted || out.Known {
			return fmt.Errorf("record %d of the state is not admissible any more: %s, attribute %q", x.at, out.Reason, out.Attribute)
		}
		if err := x.triggers(); err != nil {
			return err
		}
		if x.seen != nil && x.at%1024 == 0 {
			x.seen(x.at)
		}
	}
	return nil
}

// triggers compares what the triggers ask for after a record.
func (x *run) triggers() error {
	due := byte(0)
	if x.m.Trigger().UpdateDue() {
		due = 1
	}
	if x.m.Trigger().CutDue() {
		due |= 2
	}
	x.due = append(x.due, due)
	if x.want != nil && x.want[len(x.due)-1] != due {
		return x.differ("a cut is due after another record")
	}
	return nil
}

// attempt tries the cuts of a run of them. Where time is not counted in cuts, those
// between the first and the last of a run are left out: they change nothing.
func (x *run) attempt(a *state.Attempt) error {
	want := *a
	if !x.options.Policy.HoldInCuts {
		want.Cuts = min(want.Cuts, 2)
	}
	for i := range want.Cuts {
		if now := a.First; i == 0 {
			x.m.Tick(now)
		} else {
			x.m.Tick(a.Last)
		}
		if err := x.cut(a); err != nil {
			return err
		}
	}
	have := x.tape.attempt
	if have == want {
		return nil
	}
	made := map[state.CutOutcome]string{state.Skipped: "nothing is published", state.Released: "a release is decided",
		state.Quarantined: "a pool is quarantined", state.Refused: "the first pool is refused", state.Fixed: "a pool is fixed"}
	if have.Records == want.Records && have.Outcome != want.Outcome {
		return x.differ(fmt.Sprintf("%s where the state has: %s", made[have.Outcome], made[want.Outcome]))
	}
	return x.differ("a cut is tried at another time, or changes nothing where the state has one")
}

func (x *run) cut(a *state.Attempt) error {
	if a.Outcome == state.Fixed {
		return x.m.Fix(a.Occasion)
	}
	d, err := x.m.Decide(a.Occasion)
	var intent *state.Intent
	if err == nil {
		intent, err = x.m.Enact(d, x.createdAt(a), [32]byte{})
	}
	var refused *plan.InfeasibleError
	switch {
	case errors.As(err, &refused) && a.Outcome == state.Refused:
		return nil
	case errors.As(err, &refused):
		return x.differ("the first pool is refused")
	case errors.Is(err, incremental.ErrUnsafe):
		return x.differ("the decision breaks the promise")
	case err != nil:
		return err
	case intent != nil:
		return x.m.Published(intent.Release, [32]byte{})
	}
	return nil
}

// createdAt is the public time of a cut, by which parts leave (package retire): that of the release that it decided. A cut that decided
// none had a time at which nothing left.
func (x *run) createdAt(a *state.Attempt) int64 {
	switch n := int(x.tape.intent); {
	case a.Outcome == state.Released && n < len(x.intents):
		return x.intents[n].CreatedAt
	case n > 0:
		return x.intents[n-1].CreatedAt
	}
	return 0
}

func (x *run) differ(what string) error {
	_ = x.tape.fail(what)
	return x.tape.differs
}
