package config

import (
	"time"
	_ "time/tzdata" // so that a container without a file of time zones knows them
)

// zone is the name of a time zone. Only the names of the database of time zones are
// taken: "Local" would be another zone on another machine.
func zone(to *Zone) value {
	return scalar[Zone]{to: to, name: "time zone", tags: []string{"!!str"}, suggestion: inQuotes, show: func(z Zone) any { return z.Name },
		parse: func(s string) (Zone, error) {
			at, err := time.LoadLocation(s)
			if err != nil || s == "Local" || s == "" {
				return Zone{}, complain("is not a time zone", "write UTC or a name such as Europe/Berlin")
			}
			return Zone{s, at}, nil
		}}
}

// Zone is a time zone.
type Zone struct {
	Name string
	At   *time.Location
}
