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

// SettingsError says which settings differ from those of the state, though they may not, or not by a start.
type SettingsError struct {
	Keys []string
	// Released: something is decided under the others.
	Released bool
	// Later: all of them may be others for later pools (Options.Apply).
	Later bool
}

func (e *SettingsError) Error() string {
	switch {
	case e.Later:
		return fmt.Sprintf("the state was made under another %v, and no start changes that", e.Keys)
	case e.Released:
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
	case e.Later:
		return fault.Config, "anond config apply --dry-run says from which pool on they would hold, and anond config apply changes them; or " +
			"restore the settings of the state"
	case slices.ContainsFunc(e.Keys, func(k string) bool {
		attribute, text := strings.CutSuffix(k, ".text")
		return text && !slices.Contains(e.Keys, attribute+".role")
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

// sameRecords refuses settings under which stored records would mean something
// else, or would wait for classes of the other level. One that was reset has no settings and accepts any.
func sameRecords(have map[string][32]byte, o *Options) error {
	if len(have) == 0 {
		return nil
	}
	if err := sameLevel(have, o.Settings); err != nil {
		return err
	}
	keys := slices.DeleteFunc(changedSettings(have, o.Settings), func(k string) bool { return !boundToRecords(have, o, k) })
	if len(keys) == 0 {
		return nil
	}
	return &SettingsError{Keys: keys}
}

// boundToRecords reports whether a setting decides how records are stored, or which a state takes. Hierarchies may change
// (hierarchy_growth.go), but none comes or goes.
func boundToRecords(have map[string][32]byte, o *Options, key string) bool {
	of, later := o.Later[key]
	if _, tree := o.Hierarchies[key]; tree && of != state.Newcomer {
		_, had := have[key]
		return !had
	}
	if later {
		return false
	}
	return slices.Contains([]string{"subject.key", "subject.ledger", "subject.settle", "subject.updates", "subject.max_records"}, key) ||
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
	bound   bool // something is decided, so that no start changes settings any more (initial_load.go)
	sent    bool // a record has arrived
	attempt uint32
	ends    map[state.Partition]int64
	before  *Options // the earlier settings, where those change of people who come later
}

// settings takes the settings in. While no pool is fixed and no release is decided, they may change (levels L0 and L1;
// initial_load.go says why); from then on those alone that may be others for later pools, at level L2, and by Options.Apply alone.
func (a *adoption) settings() error {
	changed := slices.DeleteFunc(changedSettings(a.head.Settings, a.Settings), func(k string) bool {
		_, grows := a.Hierarchies[k] // hierarchy_growth.go judges them
		return grows
	})
	free := !a.bound && a.head.Pools.Open == nil
	if len(changed) > 0 && !free {
		if err := a.may(changed); err != nil {
			return err
		}
	}
	if err := a.newcomers(changed, free); err != nil {
		return err
	}
	moved, err := a.hierarchies()
	if err != nil {
		return err
	}
	if len(a.head.Eras) > 0 && maps.Equal(a.head.Settings, a.Settings) {
		return nil
	}
	scaled := slices.ContainsFunc(changed, func(k string) bool { return strings.HasSuffix(k, "].range") || ofRole(k) })
	a.head.Settings = maps.Clone(a.Settings)
	var config []byte
	if a.Config != nil {
		config = a.Config()
	}
	a.head.Begin(state.Era{Release: a.history.Releases() + 1, Attempt: a.attempt, Records: a.records.Len(), Arrival: a.before != nil,
		Grown: len(a.head.Eras) > 0 && len(changed) == 0 && !moved, Ends: a.ends, Config: config})
	if a.bound {
		if scaled { // the next pool fixes another one
			a.head.Scale = nil
		}
		return nil
	}
	a.head.References, err = declareReferences(a.Policy.References, a.records, a.staged)
	return err
}

// may refuses settings that may not be others, or not yet. While a pool is fixed it keeps its settings: who is in it was decided under
// them. After a first pool was refused, what is asked of its bag may be another thing: such a test is a function of the bag, and
// the people stay (fixed_pool.go).
func (a *adoption) may(changed []string) error {
	never := slices.DeleteFunc(slices.Clone(changed), func(k string) bool { _, later := a.Later[k]; return later })
	switch open := a.head.Pools.Open != nil; {
	case a.Policy.Level != state.L2 || len(never) > 0:
		if a.Policy.Level == state.L2 {
			changed = never
		}
		return &SettingsError{Keys: changed, Released: true}
	case !a.Apply:
		return &SettingsError{Keys: changed, Released: true, Later: true}
	case open && a.head.Pools.Refused:
		if blind := slices.DeleteFunc(slices.Clone(changed), func(k string) bool { return a.Later[k] == state.Cap }); len(blind) > 0 {
			return fault.Errorf(fault.Config, "set initial.on_refusal to quarantine and start once under the earlier settings, then apply the "+
				"change; or change policy.l, policy.diversity and promises alone",
				"the first pool was refused and stays: who is in it was decided under another %v", blind)
		}
	case open:
		return fault.Errorf(fault.Config, "start once under the earlier settings (anond run --once), which decides it, then apply the change",
			"a pool is fixed and not decided: it keeps its settings")
	}
	if i := a.history.Unpublished(); i != nil {
		return fault.Errorf(fault.Config, "start once under the earlier settings (anond run --once), which publishes it, then apply the change",
			"release %d is decided and not published", i.Release)
	}
	return a.comparable(changed)
}

// comparable refuses what would change the meaning of what the state keeps: by what time is counted, and with what t-closeness compares.
func (a *adoption) comparable(changed []string) error {
	before, err := a.Rebuild(a.head.Eras[len(a.head.Eras)-1].Config)
	if err != nil {
		return fmt.Errorf("the settings of the state cannot be read: %w", err)
	}
	var never []string
	if before.Policy.HoldInCuts != a.Policy.HoldInCuts {
		never = append(never, "policy.max_hold")
	}
	closeness := func(p state.Policy) bool {
		return slices.ContainsFunc(p.Requirement.Extra, func(x equivclass.Principle) bool { _, t := x.(equivclass.TClose); return t })
	}
	if slices.Contains(changed, "policy.diversity") && (closeness(before.Policy) || closeness(a.Policy)) {
		never = append(never, "policy.diversity")
	}
	if len(never) > 0 {
		return &SettingsError{Keys: never, Released: true}
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
