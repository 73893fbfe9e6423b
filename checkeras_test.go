package anond_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot"
	"anond/snapshot/publish/publishtest"
)

// TestCheckReadsEras: clients/python/anond/check.py reads a chain whose settings change, each part by those under which it was published,
// and finds what is told otherwise of them.
func TestCheckReadsEras(t *testing.T) {
	const releases = 4
	check := func(t *testing.T, dir string) string {
		out, err := exec.Command("python3", "clients/python/anond/check.py", dir).CombinedOutput()
		if err != nil {
			require.IsType(t, &exec.ExitError{}, err, string(out))
		}
		return strings.TrimSpace(string(out))
	}
	publish := func(t *testing.T, change func(e *publishtest.Eras)) string {
		e, dir := publishtest.NewEras(t, releases), t.TempDir()
		change(e)
		e.Publish(t, dir)
		return dir
	}
	for name, change := range map[string]func(e *publishtest.Eras){
		"joined": func(e *publishtest.Eras) { e.Settings.FanIn, e.Input.Former[0].Settings.FanIn = 2, 2 },
		"erased": func(e *publishtest.Eras) {
			e.Settings.Erasure = &snapshot.Erasure{Every: 1, Count: 1}
			e.Input.Former[0].Settings.Erasure = e.Settings.Erasure
			e.Withdraw(map[uint32]uint32{1: 4, 3: 3, 6: 4})
		},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, "nothing was found", check(t, publish(t, change))) })
	}
	for name, x := range map[string]struct{ from, to, want string }{
		"another k of an era":             {`"k": 2,`, `"k": 4,`, "an era is told of otherwise"},
		"an era ends elsewhere":           {`"until": 2,`, `"until": 1,`, "an era is told of"},
		"an era has another recoding":     {`"recoding": "buckets"`, `"recoding": "anatomy"`, "an era is told of otherwise"},
		"an era has more people":          {`"records": 16,`, `"records": 17,`, "the manifest counts wrongly"},
		"the newest has another k":        {`"k": 3,`, `"k": 2,`, "another schema, policy or recoding than before"},
		"buckets of an era reach another": {`"top_share": "1/4"`, `"top_share": "1/5"`, "the largest share is another one"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := publish(t, func(*publishtest.Eras) {})
			path := filepath.Join(dir, "000004", "manifest.json")
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Contains(t, string(data), x.from)
			require.NoError(t, os.Chmod(path, 0o600))
			require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(data), x.from, x.to, 1)), 0o600))
			require.Contains(t, check(t, dir), x.want)
		})
	}
}
