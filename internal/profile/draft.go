package profile

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/ingest/dialect"
)

// Draft is what a configuration is written from.
type Draft struct {
	Sketch  *Sketch
	Guesses []Guess
	K, L    int
	// Where records come from: a file, a topic of brokers, or standard input.
	Path                     string // as the configuration has it
	Brokers, Topic, Registry string
}

// mostLines bounds a configuration: columns that are not published have lines of their own as long as there is room.
const mostLines = 40

// defaultPool is what config takes for initial.min_pool.
func defaultPool(k, l int) int { return max(1000, 20*k*l) }

// String is the configuration, with a reason behind each guess. It has names, counts and keys, and no value of a person; of a sensitive
// attribute it says nothing that follows from its values (rules).
func (d *Draft) String() string {
	var lines []string
	add := func(comment, format string, args ...any) {
		line := fmt.Sprintf(format, args...)
		if comment != "" {
			line += "   # " + comment
		}
		lines = append(lines, line)
	}
	k := d.Sketch
	first, people, free := "the first ", k.Records, mostLines-20
	if k.Whole {
		first = ""
	}
	for _, g := range d.Guesses {
		if g.needed() {
			free--
		}
		if g.Role == equivclass.Subject {
			people = g.Different()
		}
	}
	add("", "# Written by anond init, from %s%s records with %d columns. What stands behind # is a guess: check it.", first,
		grouped(k.Records), len(k.Columns))
	add("", "# All keys: anond config init. What k, l and columns cost: anond config check --data FILE; docs/CHOOSING.md")
	add("", "version: 1")
	add("fixed once a release is decided", "dataset: %s", d.name())
	d.source(add)
	add("refused records, without their values", "dead_letter: {type: file, path: ./dead-letter}")
	add("", "schema:")
	roles := "subject: the person. quasi: others may know it. sensitive: to be protected. drop: not published"
	if !slices.ContainsFunc(d.Guesses, func(g Guess) bool { return g.Role == equivclass.Subject }) {
		roles += ". No subject: each row is a person"
	}
	add(roles, "  attributes:")
	rest := 0
	for _, g := range d.Guesses {
		if !g.needed() {
			if k.ofFew(&g) || g.Name == "" || free <= 0 {
				rest++
				continue
			}
			free--
		}
		keys := ""
		if g.Keys != "" {
			keys = ", " + g.Keys
		}
		if g.Path != "" && g.needed() {
			keys += ", path: " + yamlText(g.Path)
		}
		add(g.Reason, "    - {name: %s, role: %s%s}", yamlText(g.Name), g.Role, keys)
	}
	if k.Found.Format == dialect.CSV && rest > 0 {
		add(plural(rest, "column", "columns")+" not named here", "  others: drop")
	}
	add("a missing value is one of its own, shown as ?; nobody is left out for it", "  missing: value")
	add("", "policy:   # permanent for who is published: anond config apply changes it for others")
	add("so many people look alike", "  k: %d", d.K)
	add("no sensitive value has more than 1/l of a bucket", "  l: %d", d.L)
	if waits := defaultPool(d.K, d.L); k.Whole && people < waits {
		add(fmt.Sprintf("there are %s people, and by default a release waits for %s", grouped(people), grouped(waits)),
			"initial: {min_pool: %d}", max(d.K*d.L, people/2))
	}
	add("public", "release: {dir: ./releases}")
	add("private: holds the records", "state: {path: ./state/anond.db}")
	return strings.Join(lines, "\n") + "\n"
}

// ofFew reports that few records of JSON have such a member: its name may be a text of a person, as in {"visits": {"alice": 3}}, and JSON
// needs no line for it. A column that may be sensitive is named however many have it, unless it lies in another member.
func (k *Sketch) ofFew(g *Guess) bool {
	return k.Found.Format != dialect.CSV && 5*g.Filled < k.Records && (g.Path != "" || g.Reason != protectToo)
}

// needed reports whether a column is read.
func (g *Guess) needed() bool {
	return slices.Contains([]equivclass.Role{equivclass.Quasi, equivclass.Sensitive, equivclass.Subject}, g.Role)
}

// notName is what no name of a dataset has.
var notName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// name is that of the dataset: of the topic, or of the file without what stands behind its first dot.
func (d *Draft) name() string {
	name := d.Topic
	if name == "" {
		name, _, _ = strings.Cut(filepath.Base(filepath.ToSlash(d.Path)), ".")
	}
	if name = strings.Trim(notName.ReplaceAllString(name, "-"), "-."); name == "" {
		return "dataset"
	}
	return yamlText(name)
}

// formats are the names that source.format has for what is seen, and why.
var formats = map[dialect.Format][2]string{
	dialect.JSON:         {"json", "an object a line"},
	dialect.FHIR:         {"json", "FHIR resources, whose values lie at a path"},
	dialect.Debezium:     {"debezium", "Debezium's events have op and after"},
	dialect.DebeziumFlat: {"debezium-flat", "flat change events: the operation stands in the row"},
}

// source writes where records come from, and how they are written.
func (d *Draft) source(add func(comment, format string, args ...any)) {
	add("", "source:")
	switch {
	case d.Topic != "":
		add("", "  type: kafka")
		add("", "  kafka: {brokers: [%s], topic: %s}", yamlText(d.Brokers), yamlText(d.Topic))
		if d.Registry != "" {
			add("", "  registry: {url: %s}", yamlText(d.Registry))
		}
	case d.Path == "-":
		add("give the data to anond run on standard input", "  type: stdin")
	default:
		add("", "  type: file")
		add("a table that does not grow: its last line counts without a line break", "  file: {path: %s, complete: true}", yamlText(d.Path))
	}
	f := d.Sketch.Found
	if f.Format != dialect.CSV {
		add(formats[f.Format][1], "  format: %s", formats[f.Format][0])
		return
	}
	add("it has a header and "+dialect.InWords(f.Delimiter)+" between fields", "  format: csv")
	commas := func(g Guess) bool { return g.Role == equivclass.Quasi && g.commas }
	var keys, reasons []string
	for _, key := range []struct {
		is        bool
		yaml, why string
	}{
		{f.Delimiter != ',', "delimiter: " + dialect.InWords(f.Delimiter), "what parts fields"},
		{f.Encoding != dialect.UTF8, "encoding: " + string(f.Encoding), "not UTF-8"},
		{slices.ContainsFunc(d.Guesses, commas), `decimal: ","`, "1,5 is a number"},
		{d.Sketch.Multiline, "multiline: true", "line breaks in quotes"},
	} {
		if key.is {
			keys, reasons = append(keys, key.yaml), append(reasons, key.why)
		}
	}
	if len(keys) > 0 {
		add(strings.Join(reasons, "; "), "  csv: {%s}", strings.Join(keys, ", "))
	}
}
