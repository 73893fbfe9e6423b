package anond_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// withoutSQLite runs a script of the sqlite3 program by Python's module: statements,
// and `.import --skip 1 FILE TABLE`.
const withoutSQLite = `
import csv, sqlite3, sys
db, text = sqlite3.connect("analysis.db"), ""
for line in open(sys.argv[1]):
    if line.startswith(".import"):
        file, table = line.split()[-2:]
        rows = list(csv.reader(open(file)))[1:]
        db.executemany("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(rows[0]))), rows)
    elif not line.startswith("."):
        text += line
        if sqlite3.complete_statement(text):
            for row in db.execute(text):
                print("|".join(map(str, row)))
            text = ""
db.commit()
`

// program runs a block of SQL, Python or R. Where the program is not installed, the
// test is skipped and says so.
func (r *reader) program(t *testing.T, b block) {
	tier.Heavy(t, "programs of others and their libraries take longer to start than all that the documents ask of them")
	at := fmt.Sprintf("%s:%d", b.doc, b.line)
	missing := func(what string) {
		fmt.Fprintf(os.Stderr, "%s WAS NOT RUN: there is no %s\n", at, what)
		t.Skipf("%s: not run, there is no %s", at, what)
	}
	name, python := fmt.Sprintf("line-%d.%s", b.line, b.words[0]), "python3"
	for _, w := range b.words[1:] {
		if module, ok := strings.CutPrefix(w, "needs="); ok {
			if python = r.pythonWith(module); python == "" {
				missing(module + " for python3")
			}
		} else if strings.HasSuffix(w, ".py") || strings.HasSuffix(w, ".R") {
			name = w
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(r.dir, name), []byte(b.text), 0o644), at)
	script := r.command(b.words[0], name, python)
	if script == "" {
		missing(map[string]string{"sql": "sqlite3 or python3", "python": "python3", "r": "Rscript"}[b.words[0]])
	}
	clients, err := filepath.Abs("clients")
	require.NoError(t, err)
	out, code := r.run(fmt.Sprintf("export ANOND_CLIENTS=%[1]s PYTHONPATH=%[1]s/python PYTHONDONTWRITEBYTECODE=1\n", clients) + script)
	require.Zero(t, code, "%s: %s", at, out)
	r.ran++
	r.agree(t, b, out)
}

// pythonWith is a Python that has a module: the usual one, that of the system, which has
// what its packages install, or the one that .ci/lake-python made.
func (r *reader) pythonWith(module string) string {
	if found, known := r.pythons[module]; known {
		return found
	}
	found := ""
	for _, python := range []string{"python3", "/usr/bin/python3", os.Getenv("ANOND_LAKE_PYTHON")} {
		if python == "" {
			continue
		}
		if _, code := r.run(python + " -c 'import " + module + "'"); code == 0 {
			found = python
			break
		}
	}
	r.pythons[module] = found
	return found
}

// command is what runs a file of a language, if it is installed.
func (r *reader) command(language, name, python string) string {
	has := func(program string) bool { _, err := exec.LookPath(program); return err == nil }
	switch {
	case language == "r" && has("Rscript"):
		return "Rscript --vanilla " + name
	case language == "python" && has("python3"):
		return python + " " + name
	case language == "sql" && has("sqlite3"):
		return "sqlite3 -bail analysis.db < " + name
	case language == "sql" && has("python3"):
		if os.WriteFile(filepath.Join(r.dir, "sqlite.py"), []byte(withoutSQLite), 0o644) == nil {
			return "python3 sqlite.py " + name
		}
	}
	return ""
}

// agree compares what the blocks print that say the same.
func (r *reader) agree(t *testing.T, b block, out string) {
	for _, w := range b.words {
		if name, ok := strings.CutPrefix(w, "same="); ok {
			if r.same == nil {
				r.same = map[string]string{}
			}
			if first, known := r.same[name]; known {
				require.Equal(t, first, timeless(out), "%s:%d: the blocks of %q differ", b.doc, b.line, name)
			}
			r.same[name] = timeless(out)
		}
	}
}
