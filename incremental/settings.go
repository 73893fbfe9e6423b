package incremental

import (
	"fmt"
	"maps"
	"slices"
	"strings"
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

// RetiredError says that a state was made under a value of a setting that this
// version no longer has.
type RetiredError struct{ Key string }

func (e *RetiredError) Error() string {
	return fmt.Sprintf("the state was made with a value of %s that this version no longer has", e.Key)
}

// dropRetired takes the retired settings out of those of a state: this version
// acts as if they had the value that may go on.
func dropRetired(have, retired map[string][32]byte) (map[string][32]byte, error) {
	out := maps.Clone(have)
	for _, k := range slices.Sorted(maps.Keys(retired)) {
		d, ok := have[k]
		if ok && d != retired[k] {
			return nil, &RetiredError{Key: k}
		}
		delete(out, k)
	}
	return out, nil
}

// sameEncoding refuses settings under which stored records would mean something
// else. A state made before there was a key for it is judged by the keys that
// describe attributes; one that was reset has no settings and takes any.
func sameEncoding(have map[string][32]byte, o Options) error {
	if len(have) == 0 {
		return nil
	}
	changed := changedSettings(have, o.Settings)
	_, known := have[o.Encoding]
	if known && !slices.Contains(changed, o.Encoding) {
		return nil
	}
	var keys []string
	for _, k := range changed {
		if _, grows := o.Hierarchies[k]; grows && known {
			continue // grow.go
		}
		if k != o.Encoding && (o.Encoding == "" || strings.HasPrefix(k, "schema.")) {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return &SettingsError{Keys: keys}
}

// adoptSettings takes the settings into state where they may change: while no
// release is decided (levels L0 and L1; first.go tells why). They are committed
// with the first change under them.
func (m *Machine) adoptSettings(o Options, fresh bool) error {
	changed := changedSettings(m.meta.Settings, o.Settings)
	changed = slices.DeleteFunc(changed, func(k string) bool {
		_, grows := o.Hierarchies[k]
		return grows || k == o.Encoding // grow.go judges the one, the other restates what is judged
	})
	if len(changed) > 0 && !m.beforeRelease() {
		return &SettingsError{Keys: changed, Released: true}
	}
	if m.beforeRelease() {
		m.meta.InitialDone = false // of a state that took a first load that was too small for done
	}
	if err := m.adoptHierarchies(o); err != nil {
		return err
	}
	if !fresh && maps.Equal(m.meta.Settings, o.Settings) {
		return nil
	}
	m.meta.Settings = maps.Clone(o.Settings)
	m.staged.delta.Meta = &m.meta
	if !m.beforeRelease() {
		return nil
	}
	m.meta.References = nil
	return m.declareReferences()
}
