package config

import (
	"fmt"
	"time"
	_ "time/tzdata" // so that a container without a file of time zones knows them

	"go.yaml.in/yaml/v3"
)

// every reads release.trigger.every, which is a count or a duration depending
// on release.trigger.on; checkEvery checks which one is right.
type every struct{ to *Trigger }

func (e every) kind() string { return "integer >= 1 or duration" }

func (e every) json() any {
	switch {
	case e.to.Records > 0:
		return e.to.Records
	case e.to.Interval > 0:
		return span(e.to.Interval)
	}
	return nil
}

func (e every) read(r *reader, full string, n *yaml.Node) {
	s, literal, ok := r.text(full, n, "number of records or duration", []string{"!!str", "!!int"}, "write for instance 10000, or 1h", false)
	if !ok {
		return
	}
	if count, err := whole(s); err == nil && count >= 1 {
		e.to.Records = count
		return
	}
	d, err := time.ParseDuration(s)
	if err == nil && d >= time.Second {
		e.to.Interval = d
		return
	}
	reason := "is neither a positive number of records nor a duration of at least 1s"
	if literal {
		reason = fmt.Sprintf("%q %s", shortened(s), reason)
	}
	r.faultAt(n, full, reason, "write for instance 10000, or 1h")
}

// zone is the name of a time zone. Only the names of the database of time zones are
// taken: "Local" would be another zone on another machine.
func zone(to *timeZone) value {
	return scalar[timeZone]{to: to, name: "time zone", tags: []string{"!!str"}, suggestion: inQuotes,
		show: func(z timeZone) any { return z.Name },
		parse: func(s string) (timeZone, error) {
			at, err := time.LoadLocation(s)
			if err != nil || s == "Local" || s == "" {
				return timeZone{}, complain("is not a time zone", "write UTC or a name such as Europe/Berlin")
			}
			return timeZone{s, at}, nil
		}}
}

// timeZone is a time zone.
type timeZone struct {
	Name string
	At   *time.Location
}
