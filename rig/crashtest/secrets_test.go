package crashtest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// withSASL is a configuration whose line of the password is written as given, in
// a section in braces or in one of a key a line.
func withSASL(braces bool, password string) string {
	source := "{type: kafka, format: json, kafka: {brokers: [\"127.0.0.1:1\"], topic: t, " +
		"sasl: {mechanism: plain, username: u, " + password + "}}}"
	if !braces {
		source = "\n  type: kafka\n  format: json\n  kafka:\n    brokers: [\"127.0.0.1:1\"]\n    topic: t\n    sasl:\n" +
			"      mechanism: plain\n      username: u\n      " + strings.ReplaceAll(password, "\n", "\n      ")
	}
	return clinic(source)
}

// TestAPasswordIsNeverEchoed: however a password is misspelt, neither the check
// of the configuration nor the daemon says what it is.
func TestAPasswordIsNeverEchoed(t *testing.T) {
	chosen.Demand(t)
	const secret = "hunter2"
	spellings := []string{
		"password: *hunter2", "password: &hunter2", "password: !hunter2 x", "password: !!hunter2 x", "password: !hunter2!x y",
		"password: @hunter2",
		"password: `hunter2", "password: %hunter2", "password: |hunter2", "password: >hunter2", "password: [hunter2", "password: {hunter2",
		"password: [hunter2]", "password: {hunter2: x}", "password: {hunter2}", "password:hunter2",
		"password: hunter2: x", "password: x: hunter2",
		"password: 'x'hunter2", "password: 'x'hunter2'", "password: \"hunter2\\q\"", "password: \"hunter2", "password: 'hunter2",
		"password: x, hunter2",
		"password: x, hunter2: y", "password: x, hunter2: y, hunter2: z", "password: x, *hunter2 : y", "password: ? hunter2",
		"password: - hunter2",
		"password hunter2", "pasword: hunter2", "passwordhunter2", "- hunter2", "hunter2", "<<: *hunter2", "? hunter2", "*hunter2 : x",
		"password: ${hunter2", "password: x${hunter2}", "password: ${hunter2}x", "password: x${hunter2:?hunter2}", "password: x${file:hunter2}",
		"password: ${hunter2~x}", "password: x${hunter2:x}", "password: x${${hunter2}}", "password: &a hunter2, password: *a",
		"password: x\nhunter2", "password: x\nhunter2: y", "password: x\n  hunter2: y", "password: |\nhunter2", "password: x\n\thunter2",
		"password: x\npassword: hunter2", "password: \"\\xhunter2\"", "password: \"\\uhunter2\"", "password: hunter2\n---\nx: y",
		"password: 7 # hunter2",
	}
	s := newSite(t, "")
	every := tier.Of(t, 8, 8, 1)
	for b, braces := range []bool{true, false} {
		for i, spelling := range spellings {
			if (i+b)%every != 0 {
				continue
			}
			s.write("anond.yaml", withSASL(braces, spelling))
			r := s.run("", "config", "check")
			all, next := r.stdout+r.stderr, []string{"config", "show"}
			if r.code != 0 {
				assert.Equal(t, 78, r.code, "%q", spelling)
				assert.Contains(t, r.stderr, "anond.yaml:", "%q: the place", spelling)
				next = []string{"run"} // else it would look for its broker
			}
			r = s.run("", next...)
			all += r.stdout + r.stderr
			r = s.run("", "config", "check", "--json")
			assert.NotContains(t, all+r.stdout+r.stderr, secret, "%q", spelling)
		}
	}
}

// TestThePlaceOfAYAMLFaultIsNamed: without the text, the line must be right.
func TestThePlaceOfAYAMLFaultIsNamed(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, withSASL(false, "password: *hunter2"))
	r := s.run("", "config", "check")
	assert.Equal(t, 78, r.code)
	line := 1 + strings.Count(withSASL(false, "\x00")[:strings.Index(withSASL(false, "\x00"), "\x00")], "\n")
	assert.Contains(t, r.stderr, fmt.Sprintf("anond.yaml:%d:", line))
	assert.Contains(t, r.stderr, "quotes")
}

// TestNothingPrivateLiesInTheReleases: neither by name nor through links.
func TestNothingPrivateLiesInTheReleases(t *testing.T) {
	chosen.Demand(t)
	base := clinic("{type: stdin, format: csv}")
	for name, c := range map[string]struct {
		link, to, old, new string
	}{
		"directory of the state":      {"elsewhere", "releases", "./state/anond.db", "./elsewhere/anond.db"},
		"deeper, not there yet":       {"elsewhere", "releases", "./state/anond.db", "./elsewhere/a/b/anond.db"},
		"the state itself":            {"anond.db", "releases/anond.db", "./state/anond.db", "./anond.db"},
		"chain of links":              {"elsewhere", "again", "./state/anond.db", "./elsewhere/anond.db"},
		"the ledger":                  {"led", "releases/ledger", "./ledger", "./led"},
		"the directory of the ledger": {"elsewhere", "releases", "./ledger", "./elsewhere/ledger"},
		"dead letters":                {"letters", "releases", "./dead-letter", "./letters"},
		"a link in the releases":      {"releases/anond.db", "../real.db", "./state/anond.db", "./releases/anond.db"},
		"the releases":                {"public", ".", "./releases", "./public"},
	} {
		s := newSite(t, strings.Replace(base, c.old, c.new, 1))
		require.NotEqual(t, base, s.read("anond.yaml"))
		require.NoError(t, os.Mkdir(s.path("releases"), 0o755))
		require.NoError(t, os.Symlink("releases", s.path("again")))
		require.NoError(t, os.Symlink(c.to, s.path(c.link)))
		r := s.run("", "config", "check")
		assert.Equal(t, 78, r.code, "%s: %s%s", name, r.stdout, r.stderr)
		assert.Contains(t, r.stderr, "is inside release.dir", name)
	}
	// A link in a private directory, and a second name of a private file.
	s := newSite(t, base)
	require.NoError(t, os.MkdirAll(s.path("dead-letter"), 0o700))
	require.NoError(t, os.Symlink("../releases/letters", s.path("dead-letter/dead-letter.ndjson")))
	assert.Equal(t, 78, s.run("", "config", "check").code)
	for _, private := range []string{"state/anond.db", "ledger", "dead-letter/dead-letter.ndjson"} {
		s := newSite(t, base)
		s.write(private, "x")
		require.NoError(t, os.Mkdir(s.path("releases"), 0o755))
		require.NoError(t, os.Link(s.path(private), s.path("releases/copy")))
		r := s.run("", "config", "check")
		assert.Equal(t, 78, r.code, private)
		assert.Contains(t, r.stderr, "hard link", private)
	}
	assert.Equal(t, 0, newSite(t, base).run("", "config", "check").code)
}
