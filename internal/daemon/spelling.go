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
	values int // looked at
	known  int // of these: told
}

// look looks at the values that there are at a release.
func (t *twins) look(v *incremental.View) {
	d := v.Dictionaries[v.Schema.SensitiveIndex()]
	if d.Kind() != equivclass.Set || d.Len() == t.values {
		return
	}
	t.values = d.Len()
	if n := d.Twins(); n > t.known {
		t.known = n
		t.log.Warn("sensitive values differ only by their spelling, and count as different", "event", "values_alike", "attribute",
			d.Attribute().Name, "values", n)
	}
}
