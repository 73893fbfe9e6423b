package anond_test

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"anond/equivclass/equivtest/tier"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	// What the program needs and takes longest to compile. Since this test imports it,
	// it is compiled before the test runs: a build within the test would compile it at
	// the same time as go test does.
	_ "github.com/twmb/franz-go/pkg/kfake"
)

// The documents are tested as a reader uses them. A fenced block whose first
// word is
//
//	sh          is run, in order, in a directory of its own for each document;
//	            `exit=N` after it is the expected exit code (0 without)
//	yaml        is a whole configuration, which `anond config check` must accept
//	yaml|csv F  is also written to the file F of that directory
//	text output is what the block before prints, but for times
//	sql, python [FILE], r [FILE]   are run as well, where the program is
//	            installed; `needs=MODULE` names what python has to have
//	same=NAME   after any of them: all blocks of a document with this word print
//	            the same
//	lake        after any of them: the tests of the module in lake/ run it, which has the
//	            program that it needs
//
// Blocks of other words are for reading only.

// block is one fenced block of a document.
type block struct {
	doc   string
	line  int
	words []string // of the info string
	text  string
}

func (b block) is(word string) bool { return len(b.words) > 0 && b.words[0] == word }

// documents returns the Markdown files that people read.
func documents(t *testing.T) []string {
	docs := []string{"README.md"}
	for _, pattern := range []string{"docs/*.md", "*/docs/*.md", "*/docs/*/*.md", "shards/*.md", "proof/*.md"} {
		pages, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, pages, pattern)
		docs = append(docs, pages...)
	}
	return docs
}

func blocksOf(t *testing.T, doc string) []block {
	data, err := os.ReadFile(doc)
	require.NoError(t, err)
	var out []block
	inside := false
	for i, line := range strings.Split(string(data), "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && inside:
			inside = false
		case isFence:
			inside = true
			out = append(out, block{doc: doc, line: i + 1, words: strings.Fields(fence)})
		case inside:
			out[len(out)-1].text += line + "\n"
		}
	}
	require.False(t, inside, "%s: a fenced block is not closed", doc)
	return out
}

// build makes the binaries that the commands of the documents run. go run links it
// once for all packages that need it (programtest.Build); cp stands in for running it.
func build(t *testing.T) (dir string) {
	dir = t.TempDir()
	for _, program := range []string{"anond", "anond-deliver", "anond-lab"} {
		out, err := exec.Command("go", "run", "-exec", "cp", "./cmd/"+program, filepath.Join(dir, program)).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return dir
}

// TestDocumentsRun executes every command and loads every configuration that
// the documents show.
func TestDocumentsRun(t *testing.T) {
	tier.NotShort(t, "it runs every command of the documents")
	if runtime.GOOS == "windows" {
		t.Skip("the commands of the documents are for a POSIX shell")
	}
	bin := build(t)
	ran, pythons := 0, map[string]string{}
	for _, doc := range documents(t)[1:] { // README.md has a test of its own
		t.Run(doc, func(t *testing.T) {
			r := reader{dir: t.TempDir(), bin: bin, pythons: pythons}
			for _, b := range blocksOf(t, doc) {
				r.read(t, b)
			}
			ran += r.ran
		})
	}
	assert.GreaterOrEqual(t, ran, 8, "the documents hardly show anything that runs: are the fences right?")
}

// TestReadmeRuns: each block of README runs in a copy of the sources, for somebody who has Go and nothing else: no
// configuration, no program but those of the system, and none of anond.
func TestReadmeRuns(t *testing.T) {
	tier.NotShort(t, "it builds the program and takes a table of 45,222 people to a release")
	if runtime.GOOS == "windows" {
		t.Skip("the commands of the documents are for a POSIX shell")
	}
	caches, err := exec.Command("go", "env", "GOROOT", "GOCACHE", "GOMODCACHE", "GOFLAGS").Output()
	require.NoError(t, err)
	of := strings.Split(string(caches), "\n")
	r := reader{dir: t.TempDir(), env: []string{"HOME=" + t.TempDir(), "TMPDIR=" + os.TempDir(), "PATH=" + filepath.Join(of[0], "bin") +
		":/usr/bin:/bin", "GOCACHE=" + of[1], "GOMODCACHE=" + of[2], "GOFLAGS=" + of[3], "CGO_ENABLED=0"}}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "dist", "anond-demo", "lake"}, path):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(r.dir, path), 0o755)
		case filepath.Dir(path) == "." && strings.HasPrefix(path, "anond"):
			return nil // a program that was built here
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(r.dir, path), text, 0o644)
	}))
	for _, b := range blocksOf(t, "README.md") {
		r.read(t, b)
	}
	assert.GreaterOrEqual(t, r.ran, 5)
}

// reader follows one document.
type reader struct {
	dir, bin string
	env      []string          // of the commands; nil: that of the test
	last     string            // what the newest sh block printed
	pythons  map[string]string // see pythonWith
	same     map[string]string
	ran      int
}

func (r *reader) read(t *testing.T, b block) {
	at := fmt.Sprintf("%s:%d", b.doc, b.line)
	if (b.is("yaml") || b.is("csv")) && len(b.words) > 1 {
		path := filepath.Join(r.dir, b.words[1])
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755), at)
		require.NoError(t, os.WriteFile(path, []byte(b.text), 0o644), at)
	}
	switch {
	case slices.Contains(b.words, "lake"):
	case b.is("yaml"):
		name := fmt.Sprintf("line-%d.yaml", b.line)
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, name), []byte(b.text), 0o644), at)
		out, code := r.run("anond config check -c " + name)
		require.NoError(t, os.Remove(filepath.Join(r.dir, name)), at)
		require.Zero(t, code, "%s: %s", at, out)
	case b.is("sh"):
		var code int
		r.last, code = r.run(b.text)
		require.Equal(t, wantedExit(t, b), code, "%s: %s", at, r.last)
		r.ran++
		r.agree(t, b, r.last)
	case b.is("sql"), b.is("python"), b.is("r"):
		t.Run(fmt.Sprintf("line-%d-%s", b.line, b.words[0]), func(t *testing.T) { r.program(t, b) })
	case b.is("text") && slices.Contains(b.words, "output"):
		require.Equal(t, timeless(b.text), timeless(r.last), "%s: the document shows another output", at)
	}
}

// run gives a script to the shell, with the binary, if there is one, in place of `go run` and a
// demo small enough for a test.
func (r *reader) run(script string) (output string, code int) {
	if r.env == nil {
		script = strings.ReplaceAll(script, "go run ./cmd/anond", "anond") // or another program
	}
	script = regexp.MustCompile(`\banond demo\b`).ReplaceAllString(script, "anond demo --records 3000 --rate 3000")
	c := exec.Command("sh", "-eu", "-c", script)
	c.Dir = r.dir
	if c.Env = r.env; c.Env == nil {
		c.Env = append(os.Environ(), "PATH="+r.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	out, err := c.CombinedOutput()
	if err != nil && c.ProcessState == nil {
		return err.Error(), -1
	}
	return string(out), c.ProcessState.ExitCode()
}

func wantedExit(t *testing.T, b block) int {
	for _, w := range b.words {
		if n, ok := strings.CutPrefix(w, "exit="); ok {
			code, err := strconv.Atoi(n)
			require.NoError(t, err)
			return code
		}
	}
	return 0
}

// timeless replaces what differs from run to run: moments, durations, hashes.
func timeless(s string) string {
	for _, x := range []struct{ pattern, to string }{
		{`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`, "TIME"},
		{`"ms":\d+`, `"ms":N`},
		{`[0-9a-f]{64}`, "HASH"},
		{`(?m) +$`, ""},
	} {
		s = regexp.MustCompile(x.pattern).ReplaceAllString(s, x.to)
	}
	return s
}

// TestEventsAreDocumented: the table of events has each event that the code logs, and no
// other; the fields that a call names are among those of the event. What is really
// logged is held against the table by the tests that run the program (eventtest.Check).
func TestEventsAreDocumented(t *testing.T) {
	documented, fields := map[string]bool{}, map[string]string{}
	row := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (?:debug|info|warn|error)[^|]*\\| ([^|]*)\\|")
	for _, m := range row.FindAllStringSubmatch(readDoc(t, "docs/EVENTS.md"), -1) {
		documented[m[1]], fields[m[1]] = true, m[2]
	}
	inCode := map[string]bool{}
	for _, f := range tree(t) {
		if f.test() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, keys := loggedBy(call)
			if name != "" {
				inCode[name] = true
				for _, key := range keys {
					assert.Regexp(t, `(?:^|[ (])`+key+`(?:[ ,)]|$)`, fields[name], "%s: event %s has no field %s", f.path, name, key)
				}
			}
			return true
		})
		// A list of fields is begun with the event and grows before it is logged.
		for _, m := range regexp.MustCompile(`\[\]any\{"event", "([a-z_]+)"`).FindAllStringSubmatch(string(f.src), -1) {
			inCode[m[1]] = true
		}
	}
	require.Greater(t, len(inCode), 15)
	assert.Equal(t, sorted(inCode), sorted(documented))
}

// loggedBy is the event that a call of a logger names, and the fields that it names
// next to it. Others come in lists.
func loggedBy(call *ast.CallExpr) (event string, fields []string) {
	words := map[int]string{}
	for i, a := range call.Args {
		switch x := a.(type) {
		case *ast.BasicLit:
			words[i], _ = strconv.Unquote(x.Value)
		case *ast.CallExpr:
			name := ""
			if id, ok := x.Fun.(*ast.Ident); ok {
				name = id.Name
			} else if s, ok := x.Fun.(*ast.SelectorExpr); ok {
				if pkg, ok := s.X.(*ast.Ident); ok && pkg.Name == "slog" {
					name = "slog"
				}
			}
			if len(x.Args) == 0 {
				continue
			}
			text, ok := x.Args[0].(*ast.BasicLit)
			switch {
			case !ok:
			case name == "event":
				event, _ = strconv.Unquote(text.Value)
			case name == "slog":
				key, _ := strconv.Unquote(text.Value)
				fields = append(fields, key)
			}
		}
	}
	for i := range len(call.Args) {
		if words[i] != "event" {
			continue
		}
		event = words[i+1]
		for next := i + 2; next < len(call.Args); next += 2 {
			if words[next] != "" {
				fields = append(fields, words[next])
			}
		}
	}
	return event, fields
}

// TestNamedTestsExist: a document that names a test names one that is there.
func TestNamedTestsExist(t *testing.T) {
	var tests strings.Builder
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			data, err := os.ReadFile(path)
			tests.Write(data)
			return err
		}
		return err
	}))
	for _, doc := range documents(t) {
		for _, m := range regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Z][A-Za-z0-9_]*)`").FindAllStringSubmatch(readDoc(t, doc), -1) {
			assert.True(t, strings.Contains(tests.String(), "func "+m[1]+"("), "%s names %s, which is not there", doc, m[1])
		}
	}
}

// TestPagesAreShort: a page of at most 4,000 words is read. References that are generated, and the proofs, are looked up.
func TestPagesAreShort(t *testing.T) {
	lookedUp := []string{"docs/CONFIGURATION.md", "docs/EVENTS.md", "docs/METRICS.md", "docs/PROOFS.md",
		"lab/docs/figures/ZHU.md"}
	for _, doc := range documents(t) {
		if !slices.Contains(lookedUp, doc) {
			words := 0
			for i, text := range strings.Split("\n"+readDoc(t, doc), "\n```") { // every other one is code
				if i%2 == 0 {
					words += len(strings.Fields(text))
				}
			}
			assert.LessOrEqual(t, words, 4000, doc)
		}
	}
}

// TestReadmeIsShort: what does not fit belongs into docs/.
func TestReadmeIsShort(t *testing.T) {
	const most = 130
	assert.LessOrEqual(t, strings.Count(readDoc(t, "README.md"), "\n"), most)
}

// maxColumns bounds the lines of the sources, a tab counting as one column.
const maxColumns = 140

// TestLinesFit: no line of Go is longer than maxColumns, nor one of Markdown
// outside of tables and fenced blocks.
func TestLinesFit(t *testing.T) {
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		markdown := strings.HasSuffix(path, ".md") && !strings.Contains(filepath.ToSlash(path), "/testdata/")
		if err != nil || d.IsDir() || !markdown && !strings.HasSuffix(path, ".go") {
			return err
		}
		data, err := os.ReadFile(path)
		fenced := false
		for i, line := range strings.Split(string(data), "\n") {
			if markdown && strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			free := markdown && (fenced || strings.HasPrefix(line, "|"))
			assert.True(t, free || utf8.RuneCountInString(line) <= maxColumns, "%s:%d has more than %d columns", path, i+1, maxColumns)
		}
		return err
	}))
}

// TestLinksResolve: relative links of the documents lead somewhere.
func TestLinksResolve(t *testing.T) {
	for _, doc := range documents(t) {
		for _, m := range regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`).FindAllStringSubmatch(readDoc(t, doc), -1) {
			assert.FileExists(t, filepath.Join(filepath.Dir(doc), m[1]), "%s links to it", doc)
		}
	}
}

// TestTheUnitKeepsOnStarting: a cause of exit code 1 may pass after minutes or
// days (a full disk, a lock), so the service manager never gives up. It does not
// start again where the exit code says that a person must look, and those codes
// are the ones of docs/EXIT_CODES.md.
func TestTheUnitKeepsOnStarting(t *testing.T) {
	unit := map[string]string{}
	for line := range strings.Lines(readDoc(t, filepath.Join("deploy", "anond.service"))) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
			unit[key] = value
		}
	}
	assert.Equal(t, "0", unit["StartLimitIntervalSec"], "no limit to the number of starts")
	assert.NotContains(t, unit, "StartLimitBurst")
	assert.Equal(t, "on-failure", unit["Restart"])
	_, table, _ := strings.Cut(readDoc(t, "docs/EXIT_CODES.md"), "| code | meaning | restart? |")
	table, _, _ = strings.Cut(table, "\n\n")
	var never []string
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|[^|]*\| \**(no|yes)\b`).FindAllStringSubmatch(table, -1) {
		if m[2] == "no" && m[1] != "0" { // 0 is no failure
			never = append(never, m[1])
		}
	}
	assert.ElementsMatch(t, never, strings.Fields(unit["RestartPreventExitStatus"]))
	assert.Len(t, never, 4)
}

// TestCitationsLead: a comment cites what is part of the project, by its name.
func TestCitationsLead(t *testing.T) {
	document := regexp.MustCompile(`\b(?:[a-z]+/)?docs/[A-Za-z_]+\.md|\bshards/[A-Z]+\.md`)
	elsewhere := regexp.MustCompile(`(?i)\b(?:of (?:the )?design|the theory)\b|\((?:the )?(?:design|theory)\b|` +
		`\b(?:design|theory)(?:\.md|:|[\s/]+section)|label of design`)
	for _, f := range tree(t) {
		for _, group := range f.ast.Comments {
			text := group.Text()
			for _, doc := range document.FindAllString(text, -1) {
				assert.FileExists(t, doc, "%s cites it", f.path)
			}
			assert.Empty(t, elsewhere.FindString(text), "%s cites what is not in the project", f.path)
		}
	}
}

func readDoc(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func sorted(set map[string]bool) []string {
	var out []string
	for s := range set {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// TestLimitsAreSaid: what nothing prevents, and what is promised to nobody, stands where those read who pass releases on.
func TestLimitsAreSaid(t *testing.T) {
	for page, words := range map[string][]string{
		"README.md":               {"who comes back, when and how often", "were in a pool that was refused or quarantined**"},
		"docs/DATA_PROTECTION.md": {"who comes back, when and how often", "1.9 times as frequent", "Pools that were refused or quarantined."},
		"docs/POOLS.md":           {"the share of the most frequent value of a pool that was refused"},
	} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, w := range words {
			assert.Contains(t, strings.Join(strings.Fields(string(text)), " "), w, page)
		}
	}
}
