package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// stranger runs clients/python/anond/check.py over directories, and returns what it finds in each. It needs Python and
// no library.
func stranger(t *testing.T, dirs []string) (found [][]string) {
	if _, err := exec.LookPath("python3"); err != nil {
		fmt.Fprintln(os.Stderr, "WARNING: the check of clients/python WAS NOT TESTED: there is no python3")
		t.Skip("there is no python3")
	}
	c := exec.Command("python3", "-c", "import json, sys; sys.path.insert(0, sys.argv[1]); import check\n"+
		"print(json.dumps([check.check(d) for d in json.load(sys.stdin)]))", filepath.Join("..", "..", "clients", "python", "anond"))
	text, err := json.Marshal(dirs)
	require.NoError(t, err)
	c.Stdin, c.Stderr = strings.NewReader(string(text)), os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &found))
	return found
}

// notForStrangers are the mutations that the check of clients/python leaves to the auditor, and why.
var notForStrangers = map[string]string{
	"distinct values":                   "it knows the caps of values and no other principle",
	"entropy":                           "it knows the caps of values and no other principle",
	"recursive":                         "it knows the caps of values and no other principle",
	"t-closeness":                       "it knows the caps of values and no other principle",
	"reference of t-closeness":          "it knows the caps of values and no other principle",
	"anatomy: classes in another order": "it would need the hierarchies",
}

// TestStrangersCheck: the Python check, which shares nothing with this auditor, refuses each chain of level L2 that the auditor
// refuses, and finds nothing in whole ones.
func TestStrangersCheck(t *testing.T) {
	var names, dirs []string
	for _, recoding := range []string{"buckets", "anatomy", "permutation"} {
		for _, m := range append([]l2Mutation{{}}, l2Mutations...) {
			if m.only != nil && !strings.Contains(strings.Join(m.only, " "), recoding) ||
				notForStrangers[m.name] != "" || notForStrangers[recoding+": "+m.name] != "" {
				continue
			}
			p := standardL2(recoding)
			if m.plan != nil {
				m.plan(p)
			}
			p.edit = m.edit
			names, dirs = append(names, recoding+": "+m.name), append(dirs, p.write(t).Releases)
		}
	}
	for i, found := range stranger(t, dirs) {
		if strings.HasSuffix(names[i], ": ") {
			require.Empty(t, found, names[i])
		} else if len(found) == 0 {
			t.Errorf("%s: not refused", names[i])
		} else {
			t.Log(names[i], found)
		}
	}
}
