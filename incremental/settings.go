package incremental

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/incremental/state"
	"anond/internal/fault"
)

// SettingsError says which settings differ from those the state was made under,
// and may not.
type SettingsError struct {
	Keys []string
	// Released: a release was made under the others.
	Released bool
}

func (e *SettingsError) Error() string {
	if e.Released {
		return fmt.Sprintf("the state was made under another %v: the promise would not survive the change", e.Keys)
	}
	return fmt.Sprintf("the state was made under another %v, by which its records were taken in", e.Keys)
}

// elsewhere is the way out where the settings of a state may not change any more.
const elsewhere = "restore the settings of the state, or start a new dataset of other records with its own state, releases and ledger"

// Fault implements fault.Fault. The subjects and values of a state have the form that schema.attributes[].text gives them: under
// another one a known person would be taken for a new one.
func (e *SettingsError) Fault() (fault.Kind, string) {
	switch {
	case slices.ContainsFunc(e.Keys, func(k string) bool {
		attribute, text := strings.CutSuffix(k, ".text")
		return text && !slices.Contains(e.Keys, attribute)
	}):
		return fault.Config, "a state keeps the form of its texts: write text: exact for the attributes named if the state was made " +
			"with it, otherwise remove it"
	case !e.Released:
		return fault.Config, "restore the settings of the state; or, while no release is decided, start over: anond state reset"
	}
	return fault.Config, elsewhere
}

// changedSettings names every key whose digest differs, or that only one side
// has, in order.
func changedSettings(have, want map[string][32]byte) (keys []string) {
	for k, d := range want {
		if h, ok := have[k]; !ok || h != d {
			keys = append(keys, k)
		}
	}
	for k := range have {
		if _, ok := want[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// RaisedError says that after a refused first pool more is asked of it than before: a
// higher l, or else all that was asked and something more.
type RaisedError struct {
	Refused, L  int
	Before, Now []string // the principles, by name; nil if it is l
}

func (e *RaisedError) Error() string {
	if e.Now != nil {
		return fmt.Sprintf("the first pool was refused under %s, and %s, which is asked of it now, is stricter: only less may follow a refusal",
			strings.Join(e.Before, ", "), strings.Join(e.Now, ", "))
	}
	return fmt.Sprintf("the first pool was refused with policy.l: %d, and policy.l is %d now: only a lower l may follow a refusal",
		e.Refused, e.L)
}

// Fault implements fault.Fault.
func (e *RaisedError) Fault() (fault.Kind, string) {
	const otherwise = "; or set initial.on_refusal to quarantine or grow"
	if e.Now != nil {
		return fault.Config, "take policy.diversity back to what the pool was refused under, or ask for less in it or in policy.l" + otherwise
	}
	return fault.Config, fmt.Sprintf("set policy.l to %d or less", e.Refused) + otherwise
}

// levelKey is the key of Settings that only a state of level L2 has.
const levelKey = "policy.level"

// LevelError says that a state belongs to the other level. Level decides who shares a
// class, and at L2 when the first pool ends, so that no start may change it: not even
// before release 1, while records wait under the one or the other.
type LevelError struct {
	State state.Level // of the state
}

func (e *LevelError) Error() string {
	if e.State == state.L2 {
		return "the state was made at level L2, but policy.level is L1"
	}
	return "the state was made at level L1, but policy.level is L2"
}

// Fault implements fault.Fault.
func (e *LevelError) Fault() (fault.Kind, string) {
	level := "L1"
	if e.State == state.L2 {
		level = "L2"
	}
	return fault.Config, "write level: " + level + " under policy, since a dataset stays at its level; or, while no release is decided, " +
		"start over: anond state reset"
}

// sameLevel refuses settings of the other level than those of a state.
func sameLevel(have, want map[string][32]byte) error {
	_, was := have[levelKey]
	_, is := want[levelKey]
	switch {
	case was && !is:
		return &LevelError{State: state.L2}
	case is && !was:
		return &LevelError{State: state.L1}
	}
	return nil
}

// sameEncoding refuses settings under which stored records would mean something
// else, or would wait for classes of the other level. One that was reset has no settings and accepts any.
func sameEncoding(have map[string][32]byte, o Options) error {
	if len(have) == 0 {
		return nil
	}
	if err := sameLevel(have, o.Settings); err != nil {
		return err
	}
	changed := changedSettings(have, o.Settings)
	_, known := have[o.Encoding]
	if known && !slices.Contains(changed, o.Encoding) {
		return nil
	}
	var keys []string
	for _, k := range changed {
		if _, grows := o.Hierarchies[k]; grows && known {
			continue // hierarchy_growth.go
		}
		if k != o.Encoding && (o.Encoding == "" || boundToRecords(k)) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return &SettingsError{Keys: keys}
}

// boundToRecords reports whether a setting decides how records are stored, or which a state takes.
func boundToRecords(key string) bool {
	return slices.Contains([]string{"subject.key", "subject.settle", "subject.updates", "subject.max_records"}, key) ||
		slices.ContainsFunc([]string{"schema.", "shard.", "source."}, func(of string) bool { return strings.HasPrefix(key, of) })
}

// adoption takes what a host opens a state with into the state, or refuses it:
// settings and hierarchies (hierarchy_growth.go). It is committed with the first change under
// it.
type adoption struct {
	Options
	head    *state.Head
	records *state.Records
	staged  *staged
	history *state.History
	bound   bool          // something is decided, so that settings may change no more (initial_load.go)
	sent    bool          // a record has arrived
	refused state.Attempt // the newest cut, which refused the first pool if that is refused
}

// settings takes the settings in where they may change: while no release is
// decided (levels L0 and L1; initial_load.go says why).
func (a *adoption) settings(fresh bool) error {
	changed := changedSettings(a.head.Settings, a.Settings)
	changed = slices.DeleteFunc(changed, func(k string) bool {
		_, grows := a.Hierarchies[k]
		return grows || k == a.Encoding // hierarchy_growth.go judges the one, the other restates what is judged
	})
	fixed := !a.bound && a.head.Pools.Open != nil
	if fixed { // the first pool stays the same (fixed_pool.go)
		changed = slices.DeleteFunc(changed, func(k string) bool { return a.Policy.Level == state.L2 && slices.Contains(a.Weaker, k) })
	}
	if len(changed) > 0 && (a.bound || fixed) {
		return &SettingsError{Keys: changed, Released: true}
	}
	if fixed && a.head.Pools.Refused {
		if err := a.raised(); err != nil {
			return err
		}
	}
	if err := a.hierarchies(); err != nil {
		return err
	}
	if !fresh && maps.Equal(a.head.Settings, a.Settings) {
		return nil
	}
	a.head.Settings, a.head.Changed = maps.Clone(a.Settings), true
	if a.bound {
		return nil
	}
	var err error
	a.head.References, err = declareReferences(a.Policy.References, a.records, a.staged)
	return err
}

// raised refuses a requirement that asks more of a refused first pool than before.
func (a *adoption) raised() error {
	was, want := a.refused.Demands(), a.Policy.Requirement
	l := a.refused.L()
	if want.L > l {
		return &RaisedError{Refused: l, L: want.L}
	}
	if now := state.Demands(want); state.AsksMore(now, was) {
		return &RaisedError{Refused: l, L: want.L, Before: was, Now: now}
	}
	return nil
}

// declareReferences returns the declared distributions over the codes of their
// values, which are numbered before those of any record.
func declareReferences(declared map[int][]equivclass.ValueCount, c *state.Records, s *staged) (map[int][]equivclass.Count, error) {
	var out map[int][]equivclass.Count
	for _, i := range slices.Sorted(maps.Keys(declared)) {
		d := c.Dicts[i]
		var b equivclass.Bag
		for _, v := range declared[i] {
			known := d.Len()
			code, why := d.EncodeLabel(v.Value)
			if why != equivclass.Accepted {
				return nil, fmt.Errorf("a value of the declared reference of attribute %q is refused: %s", d.Attribute().Name, why)
			}
			if d.Len() > known {
				s.entry(i, d.Text(code))
			}
			b.Add(code, v.Count)
		}
		if out == nil {
			out = map[int][]equivclass.Count{}
		}
		out[i] = b.Counts
	}
	return out, nil
}
