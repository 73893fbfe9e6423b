package daemon

import (
	"log/slog"

	"anond/equivclass"
	"anond/incremental"
)

// twins warns of sensitive values that differ only by their spelling: they count as
// different, so that people with one illness would seem diverse. Of a hierarchy the
// configuration is warned of. Only the number of such values is told, to the operator.
type twins struct {
	log    *slog.Logger
	values map[int]int // looked at, by sensitive attribute
	known  map[int]int // of these: told
}

// look looks at the values that there are at a release.
func (t *twins) look(v *incremental.View) {
	if t.values == nil {
		t.values, t.known = map[int]int{}, map[int]int{}
	}
	for _, i := range v.Schema.Sensitive() {
		d := v.Dictionaries[i]
		if d.Kind() != equivclass.Set || d.Len() == t.values[i] {
			continue
		}
		t.values[i] = d.Len()
		if n := d.Twins(); n > t.known[i] {
			t.known[i] = n
			t.log.Warn("sensitive values differ only by their spelling, and count as different", "event", "values_alike", "attribute",
				d.Attribute().Name, "values", n)
		}
	}
}
