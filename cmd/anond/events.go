package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/ops/events"
	"anond/internal/ops/logs"
)

// eventFilter chooses lines of a log and shows them.
type eventFilter struct {
	events []string
	level  string
	raw    bool
	least  slog.Level
}

func (f *eventFilter) check() error {
	for _, name := range f.events {
		if _, known := events.Find(name); !known {
			return unknownName("event", name, knownEvents())
		}
	}
	f.least = slog.LevelDebug
	if f.level == "" {
		return nil
	}
	least, known := logs.LevelOf(config.LogLevel(f.level))
	if f.least = least; !known {
		return cli.Usage("debug, info, warn or error", "%q is no level", f.level)
	}
	return nil
}

// knownEvents are the names of all events, in order.
func knownEvents() (out []string) {
	for _, e := range events.All() { // in order of their names
		out = append(out, e.Name)
	}
	return out
}

// unknownName refuses a name that nothing has: a filter by it would show nothing, which
// looks as if nothing had happened.
func unknownName(what, name string, known []string) error {
	return cli.Usage("there are: "+strings.Join(known, ", "), "%q is no %s", name, what)
}

// event is a line of the log: its fields in order.
type event struct {
	time, level, name string
	fields            [][2]string
}

// takes reports whether a line is chosen.
func (f *eventFilter) takes(line []byte) bool {
	e, ok := parseEvent(bytes.TrimSpace(line))
	return ok && f.chooses(e)
}

// show prints a line if it is chosen. A line that is no event of anond is left out.
func (f *eventFilter) show(w io.Writer, line []byte) error {
	e, ok := parseEvent(bytes.TrimSpace(line))
	if !ok || !f.chooses(e) {
		return nil
	}
	if f.raw {
		_, err := fmt.Fprintf(w, "%s\n", bytes.TrimSpace(line))
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %-5s %s", e.time, e.level, e.name)
	for _, field := range e.fields {
		fmt.Fprintf(&b, " %s=%s", field[0], field[1])
	}
	_, err := fmt.Fprintln(w, b.String())
	return err
}

func (f *eventFilter) chooses(e event) bool {
	var level slog.Level
	if level.UnmarshalText([]byte(e.level)) != nil || level < f.least {
		return false
	}
	return len(f.events) == 0 || slices.Contains(f.events, e.name)
}

// parseEvent reads a line as slog writes it, as JSON or as text.
func parseEvent(line []byte) (e event, ok bool) {
	var fields [][2]string
	if len(line) > 0 && line[0] == '{' {
		fields, ok = jsonFields(line)
	} else {
		fields, ok = textFields(string(line))
	}
	for _, f := range fields {
		switch f[0] {
		case slog.TimeKey:
			e.time = f[1]
		case slog.LevelKey:
			e.level = f[1]
		case logs.EventKey:
			e.name = f[1]
		default:
			e.fields = append(e.fields, f)
		}
	}
	return e, ok && e.name != "" && e.level != ""
}

// jsonFields reads the members of an object in order.
func jsonFields(line []byte) (fields [][2]string, ok bool) {
	d := json.NewDecoder(bytes.NewReader(line))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, false
		}
		name, _ := key.(string)
		text, quoted := string(value), ""
		if json.Unmarshal(value, &quoted) == nil {
			text = quoted
			if name != slog.TimeKey && (quoted == "" || strings.ContainsAny(quoted, " =\"\n")) {
				text = strconv.Quote(quoted)
			}
		}
		fields = append(fields, [2]string{name, text})
	}
	return fields, true
}

// textFields reads key=value pairs, values in quotes where they need them.
func textFields(line string) (fields [][2]string, ok bool) {
	for line != "" {
		key, rest, found := strings.Cut(line, "=")
		if !found || strings.ContainsAny(key, " \"") {
			return nil, false
		}
		value := rest
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			value, line = quoted, rest[len(quoted):]
		} else if at := strings.IndexByte(rest, ' '); at >= 0 {
			value, line = rest[:at], rest[at:]
		} else {
			line = ""
		}
		fields = append(fields, [2]string{key, value})
		line = strings.TrimPrefix(line, " ")
	}
	return fields, len(fields) > 0
}
