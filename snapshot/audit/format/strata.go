package format

import (
	"slices"
	"strconv"
	"strings"
)

// People who are observed for a time before they are published (privacy.settle) are of a stratum: what kinds of messages came of them in
// that time. All people of a pool are of one (Theorem DS): whoever is corrected, say, is not like others.

// strata are all there are, as they are written: what came besides one record, in this order; nothing: plain.
var strata = func() map[string]string {
	out := map[string]string{"plain": "plain"}
	for set := 1; set < 1<<3; set++ {
		var parts []string
		for i, part := range []string{"fault", "updated", "older"} {
			if set>>i&1 == 1 {
				parts = append(parts, part)
			}
		}
		text := strings.Join(parts, "+")
		out[text] = text
	}
	return out
}()

// StratumOf is the stratum that a text is; false: it is none.
func StratumOf(text []byte) (string, bool) {
	of, ok := strata[string(text)]
	return of, ok
}

// Strata reports whether each bucket says of which stratum its people are.
func (m *Manifest) Strata() bool { return m.Privacy.Settle != "" }

// settles reports whether the manifest says rightly for how long people are observed: so many days, hours, minutes or seconds of the log's
// time, or so many records.
func (m *Manifest) settles() bool {
	p := m.Privacy
	if p.Settle == "" {
		return p.Updates == ""
	}
	if n, records := strings.CutSuffix(p.Settle, " records"); records {
		_, err := strconv.ParseUint(n, 10, 63)
		if err != nil || strings.HasPrefix(n, "0") {
			return false
		}
	} else if w, ok := parseWindow(p.Settle); !ok || w.age == 0 {
		return false
	}
	return m.AtL2() && (m.subject() || m.View != nil) && (p.Updates == "apply" || p.Updates == "refuse")
}

func (m *Manifest) subject() bool {
	return slices.ContainsFunc(m.Schema, func(c Column) bool { return c.Role == "subject" })
}
