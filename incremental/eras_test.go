package incremental_test

import (
	"fmt"
	"strings"

	"anond/incremental"
	"anond/incremental/state"
)

// eras is what a host makes of the settings that a state keeps: here their number.
type eras struct{ all []incremental.Options }

// under are options with settings that the state keeps. They are taken in by a new era, if apply is set, and else by a start.
func (e *eras) under(o incremental.Options, apply bool) incremental.Options {
	n := len(e.all)
	o.Config, o.Apply, o.Later = func() []byte { return []byte(fmt.Sprint(n)) }, apply, map[string]state.Later{}
	for key := range o.Settings {
		switch {
		case key == "policy.l" || key == "policy.diversity":
			o.Later[key] = state.Cap
		case strings.HasPrefix(key, "policy.") && key != "policy.level":
			o.Later[key] = state.Blind
		}
	}
	e.all = append(e.all, o)
	o.Rebuild = func(config []byte) (incremental.Options, error) {
		var n int
		_, err := fmt.Sscan(string(config), &n)
		return e.all[n], err
	}
	return o
}
