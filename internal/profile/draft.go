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
	Path           string // as the configuration has it
	Brokers, Topic string
}

// mostLines bounds a configuration: columns that are not published have lines of their own as long as there is room.
const mostLines = 40

// defaultPool is what config takes for initial.min_pool.
func defaultPool(k, l int) int { return max(1000, 20*k*l) }

// String is the configuration, with a reason behind each guess. It has names, counts and keys, and no value of a person; of a sensitive
// attribute it says nothing that follows from its values (Sketch.Guesses).
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
	seen := fmt.Sprintf("the first %s records", grouped(k.Records))
	if k.Whole {
		seen = fmt.Sprintf("%s records", grouped(k.Records))
	}
	add("", "# Written by anond init, from %s with %d columns. What stands behind # is a guess: check it.", seen, len(k.Columns))
	add("", "# All keys: anond config init. What k, l and columns cost: anond config check --data FILE; docs/CHOOSING.md")
	add("", "version: 1")
	add("fixed once a release is decided", "dataset: %s", d.name())
	add("", "source:")
	d.source(add)
	add("refused records, without their values", "dead_letter: {type: file, path: ./dead-letter}")
	add("", "schema:")
	add("subject: the person. quasi: others may know it. sensitive: to be protected. drop: not published", "  attributes:")
	rest := []string{}
	free := mostLines - len(lines) - 10
	for _, g := range d.Guesses {
		if published(g.Role) || g.Role == equivclass.Subject {
			free--
		}
	}
	for _, g := range d.Guesses {
		if !published(g.Role) && g.Role != equivclass.Subject {
			if k.ofFew(g) {
				continue
			}
			if free--; free < 0 || g.Name == "" || g.Reason == "" {
				rest = append(rest, g.Name)
				continue
			}
		}
		keys := ""
		if g.Keys != "" {
			keys = ", " + g.Keys
		}
		if g.Path != "" && g.Role != equivclass.Drop && g.Role != equivclass.Identifier {
			keys += ", path: " + yamlText(g.Path)
		}
		add(g.Reason, "    - {name: %s, role: %s%s}", yamlText(g.Name), g.Role, keys)
	}
	if k.Found.Format == dialect.CSV && len(rest) > 0 {
		add(fmt.Sprintf("%s not named here", plural(len(rest), "column", "columns")), "  others: drop")
	}
	add("a missing value is one of its own, shown as ?; nobody is left out for it", "  missing: value")
	add("", "policy:   # permanent once there is a release")
	add("so many people look alike", "  k: %d", d.K)
	add("nobody's sensitive value is known with a probability above 1/l", "  l: %d", d.L)
	if people := d.people(); k.Whole && people < defaultPool(d.K, d.L) {
		add(fmt.Sprintf("there are %s people, and by default a release waits for %s", grouped(people), grouped(defaultPool(d.K, d.L))),
			"initial: {min_pool: %d}", max(d.K*d.L, people/2))
	}
	add("public", "release: {dir: ./releases}")
	add("private: holds the records", "state: {path: ./state/anond.db}")
	return strings.Join(lines, "\n") + "\n"
}

// ofFew reports that few records of JSON have such a member: its name may be a text of a person, as in {"visits": {"alice": 3}}, and JSON
// needs no line for it. A column that may be sensitive is named however many have it, unless it lies in another member.
func (k *Sketch) ofFew(g Guess) bool {
	return k.Found.Format != dialect.CSV && 5*g.Filled < k.Records && (g.Path != "" || g.Reason != protectToo)
}

func published(role equivclass.Role) bool {
	return role == equivclass.Quasi || role == equivclass.Sensitive
}

// people is how many the sample has.
func (d *Draft) people() int {
	for _, g := range d.Guesses {
		if g.Role == equivclass.Subject {
			return g.Different()
		}
	}
	return d.Sketch.Records
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

// source writes where records come from, and how they are written.
func (d *Draft) source(add func(comment, format string, args ...any)) {
	switch {
	case d.Topic != "":
		add("", "  type: kafka")
		add("", "  kafka: {brokers: [%s], topic: %s}", yamlText(d.Brokers), yamlText(d.Topic))
	case d.Path == "-":
		add("give the data to anond run on standard input", "  type: stdin")
	default:
		add("", "  type: file")
		add("a table that does not grow: its last line counts without a line break", "  file: {path: %s, complete: true}", yamlText(d.Path))
	}
	f := d.Sketch.Found
	format := f.Format
	if format == dialect.FHIR {
		format = dialect.JSON
	}
	why := map[dialect.Format]string{dialect.CSV: "it has a header and " + dialect.InWords(f.Delimiter) + " between fields",
		dialect.JSON: "an object a line", dialect.FHIR: "FHIR resources, whose values lie at a path",
		dialect.Debezium:     "Debezium's events have op and after",
		dialect.DebeziumFlat: "flat change events: the operation stands in the row"}[f.Format]
	add(why, "  format: %s", format)
	if format == dialect.CSV {
		var keys, reasons []string
		key := func(is bool, key, why string) {
			if is {
				keys, reasons = append(keys, key), append(reasons, why)
			}
		}
		key(f.Delimiter != ',', "delimiter: "+dialect.InWords(f.Delimiter), "what parts fields")
		key(f.Encoding != dialect.UTF8, "encoding: "+string(f.Encoding), "not UTF-8")
		commas := func(g Guess) bool { return g.Role == equivclass.Quasi && g.commas > 0 }
		key(slices.ContainsFunc(d.Guesses, commas), `decimal: ","`, "1,5 is a number")
		key(d.Sketch.Multiline, "multiline: true", "line breaks in quotes")
		if len(keys) > 0 {
			add(strings.Join(reasons, "; "), "  csv: {%s}", strings.Join(keys, ", "))
		}
	}
}
