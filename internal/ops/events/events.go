// Package events is the table of what anond logs: each event with its level, its fields
// and what an operator does about it.
//
// Guarantee: docs/EVENTS.md and docs/events.schema.json are made from the table, and
// tests hold what is logged against it. Names of events and fields are stable.
package events

import (
	"bytes"
	"slices"
	"strings"
)

// event is a kind of line in the log.
type event struct {
	Name   string
	Levels []string // debug, info, warn, error
	Fields []field  // besides time, level, msg and event
	Cases  []eventCase
}

// eventCase is what an event means. An event of several levels may have several.
type eventCase struct {
	Level           string // of several cases: which
	Meaning, Action string
}

// field is a value of a line.
type field struct {
	Name     string
	Type     fieldType
	Optional bool
}

// fieldType is how a line in JSON writes a field: string, integer, number, boolean, texts and numbers (lists), lags (a list of
// partition and lag) or letter (where a dead letter's record is, and its reason).
type fieldType string

// row is an event as the table writes it: its levels with commas between them; its fields as name:type, text where no type
// is named, in parentheses those that are not always there.
type row struct {
	name, levels, fields string
	cases                []eventCase
}

func (r row) event() event {
	e := event{Name: r.name, Levels: strings.Split(r.levels, ", "), Cases: r.cases}
	for _, text := range strings.Fields(r.fields) {
		bare := strings.Trim(text, "()")
		name, kind, typed := strings.Cut(bare, ":")
		f := field{Name: name, Type: "string", Optional: bare != text}
		if typed {
			f.Type = fieldType(kind)
		}
		e.Fields = append(e.Fields, f)
	}
	return e
}

// All is the table, by name.
func All() (out []event) {
	for _, r := range slices.Concat(ofProcess, ofReleases, ofSources, ofUnion, ofDeliveries) {
		if strings.HasPrefix(r.name, "source_") || r.name == "deadletter_payload_dropped" {
			r.fields += " (topic) (group)" // what is about Kafka may have them
		}
		out = append(out, r.event())
	}
	slices.SortFunc(out, func(a, b event) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	return out
}

// Find returns the event of a name.
func Find(name string) (event, bool) {
	list := All()
	i := slices.IndexFunc(list, func(e event) bool { return e.Name == name })
	if i < 0 {
		return event{}, false
	}
	return list[i], true
}

// toldWithTries begins the meaning of a failure that repeats.
const toldWithTries = "told at the first failure and then at growing intervals, with the number of `tries`: "
