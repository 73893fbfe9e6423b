// Package tier says how much of a test runs. There are three tiers:
//
//	go test -short            the smallest part of each suite that is worth a run
//	go test                   what everyone runs before a change is handed in
//	ANOND_TESTS=full go test  all of it: full counts, and what waits long (make test-all)
//
// Tests use it only where the full count takes seconds. What did not run is told
// in the test's log (go test -v).
package tier

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Variable is the name of the environment variable of the full tier. The go
// command knows that a test has read it, so results of tiers are cached apart.
const Variable = "ANOND_TESTS"

// Full reports whether all is to be run.
func Full() bool {
	switch v := os.Getenv(Variable); v {
	case "":
		return false
	case "full":
		return true
	default: // a misspelling must not pass for a full run
		panic(fmt.Sprintf("%s is %q; only full has a meaning", Variable, v))
	}
}

// Of returns the count for the tier that runs.
func Of(t testing.TB, short, plain, full int) int {
	t.Helper()
	n := plain
	switch {
	case Full():
		n = full
	case testing.Short():
		n = short
	}
	if n != full {
		t.Logf("PARTLY RUN: %d of %d; %s=full runs all", n, full, Variable)
	}
	return n
}

// Heavy skips a test in all tiers but the full one.
func Heavy(t testing.TB, why string) {
	t.Helper()
	if !Full() {
		t.Skipf("SKIPPED: %s; %s=full runs it", why, Variable)
	}
}

// NotShort skips a test under -short.
func NotShort(t testing.TB, why string) {
	t.Helper()
	if testing.Short() && !Full() {
		t.Skipf("SKIPPED: %s; go test without -short runs it", why)
	}
}

// Choice names the tests that run in the tiers below the full one, for a package
// in which each test costs processes and waits.
type Choice struct {
	Short []string // under -short
	Plain []string // under go test, besides those of Short
}

// Demand skips the test unless its tier has it. A subtest counts as its test.
func (c Choice) Demand(t testing.TB) {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	switch {
	case Full(), slices.Contains(c.Short, name):
	case !slices.Contains(c.Plain, name):
		t.Skipf("SKIPPED: it is not among the tests chosen for go test; %s=full runs it", Variable)
	case testing.Short():
		t.Skip("SKIPPED: it is not among the tests chosen for -short; go test without -short runs it")
	}
}

// Exist fails the test if the choice names a test that the package, whose
// directory is the current one, does not have.
func (c Choice) Exist(t testing.TB) {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	for _, name := range slices.Concat(c.Short, c.Plain) {
		if !strings.Contains(all.String(), "func "+name+"(t *testing.T)") {
			t.Errorf("%s is chosen and not there", name)
		}
	}
}
