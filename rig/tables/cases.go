package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

//go:embed testdata/cases
var inputs embed.FS

// input is a small table that broke anond or a program like it, with what anond has to say.
type input struct {
	name  string // of the directory below testdata/cases
	steps []step
}

// step is a command, with what comes of it.
type step struct {
	args string // of anond
	code int    // exit code
	says string // in what it prints
}

// asReadme are the steps of README.
func asReadme(data string) []step {
	return []step{{"init " + data + " --force --k 2 --l 2", 0, "written"}, {"try " + data, 0, ""}, {"run --once", 0, "published"},
		{"audit --require-certified", 0, "CERTIFIED"}}
}

var cases = []input{
	{"decimal-overflow", []step{{"run --once", 0, "value_out_of_range 2"}}},
	{"decimal-steps-tenths", []step{{"run --once", 0, "published"}, {"audit", 0, "CERTIFIED"}}},
	{"two-files-begin-alike", []step{{"run --once", 0, "published          62"}, {"audit", 0, "CERTIFIED"}}},
	{"brokers", []step{{"config check", 78, "source.kafka.brokers[0]"}, {"run --once", 78, "write host:port"}}},
	{"placeholder-date", []step{{"config check --data in.csv", 0, "missing_values"}}},
	{"flat-change-events", []step{{"run --once", 0, "change_events"}}},
	{"arx-masked-root", []step{{"run --once", 0, "published"}, {"audit", 0, "CERTIFIED"}}},
	{"arx-interval-labels", []step{{"run --once", 0, "published"}, {"audit", 0, "CERTIFIED"}}},
	{"suppressed-in-the-middle", []step{{"run --once", 0, "published"}, {"audit", 0, "CERTIFIED"}}},
	{"icd-two-spellings", []step{{"config check", 0, "differ"}}},
	{"utf16", []step{{"run --once", 78, "in.json is UTF-16"}}},
	{"utf16", []step{{"run --once -c csv.yaml", 78, "set source.csv.encoding: utf-16"}}},
	{"cr-only", []step{{"run --once", 78, "CR"}}},
	{"semicolon", []step{{"run --once", 78, "set source.csv.delimiter"}}},
	{"windows-1252", []step{{"run --once", 78, "set source.csv.encoding: windows-1252"}}},
	{"debezium-placeholder", []step{{"run --once", 0, "unavailable"}}},
	{"values-that-readers-lose", []step{{"config check --data in.csv", 0, "NA"}}},
	{"formulas", []step{{"config check --data in.csv", 0, "spreadsheet"}}},
	{"refused-first-load", []step{{"run --once", 3, "l = 2"}, {"status", 0, "100"}}},
	{"fhir-partial-dates", []step{{"config check --data in.json", 0, "precision"}}},
	{"schema-registry-json", []step{{"run --once", 1, "schema_registry_framing"}}},
	{"utf16", asReadme("in.csv")},
	{"semicolon", asReadme("in.csv")},
	{"semicolon", asReadme("sep.csv")},
	{"semicolon", asReadme("tab.csv")},
	{"windows-1252", asReadme("in.csv")},
	{"fhir-partial-dates", asReadme("in.json")},
	{"placeholder-date", asReadme("in.csv")},
	{"values-that-readers-lose", asReadme("in.csv")},
}

func (t *trial) cases() error {
	for i, c := range cases {
		if !t.asked(c.name) {
			continue
		}
		dir := filepath.Join(t.dir, fmt.Sprintf("case-%d-%s", i, c.name))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		from := path.Join("testdata/cases", c.name)
		files, err := fs.ReadDir(inputs, from)
		if err != nil {
			return err
		}
		for _, f := range files {
			text, err := fs.ReadFile(inputs, path.Join(from, f.Name()))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, f.Name()), text, 0o600); err != nil {
				return err
			}
		}
		for _, x := range c.steps {
			run := exec.Command(t.program, strings.Fields(x.args)...)
			run.Dir = dir
			var stderr strings.Builder
			run.Stderr = &stderr
			stdout, _ := run.Output() // the exit code says whether it failed
			said := string(stdout) + stderr.String()
			got := "as it should be"
			if code := run.ProcessState.ExitCode(); code != x.code || !strings.Contains(said, x.says) {
				t.fails("case %s: anond %s: exit %d, want %d and %q: %s", c.name, x.args, code, x.code, x.says, errorOf(said))
				got = "DIFFERS"
			}
			fmt.Fprintf(t.out, "case %s: anond %s: %s\n", c.name, x.args, got)
		}
	}
	return nil
}
