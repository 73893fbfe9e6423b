package incremental_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

var plantAll = flag.Bool("planted", false, "plant every bug of plantedBugs, not the first ones only")

// plantedBug is a fault in the program's own source.
type plantedBug struct {
	name      string
	file      string // of the module
	good, bad string // what is replaced, and by what
}

var plantedBugs = []plantedBug{
	{"exhausted classes are regrouped (rule E)", "incremental/state/policy.go",
		"return c.Ownerless || p.MaxRegroups >= 0 && int(c.Regroups) >= p.MaxRegroups", "return c.Ownerless"},
	{"cells cover two members only", "snapshot/render/table.go", "b.cell(&t.cols[j], c.members)", "b.cell(&t.cols[j], c.members[:2])"},
	{"a person is published twice (rule S)", "incremental/state/records.go",
		"return c.Firsts != nil && c.Firsts.first(c, r) != r", "return false"},
	{"positions are stored one too low", "incremental/offsets.go", "Partition: p, Position: r.Position})",
		"Partition: p, Position: func() state.Position { pos := r.Position; pos.Next--; return pos }()})"},
	{"who arrived behind a cut was passed over by it", "incremental/state/pending.go", "r >= at.LastCut || ", ""},
	{"a restart forgets who is barred", "incremental/seen.go", "k.loading = append(k.loading, people...)", "_ = people"},
	{"a restart forgets who is quarantined", "incremental/load.go", "m.s.Pending.Quarantine(r)",
		"_ = r"},
}

// TestLifeFindsPlantedBugs: TestLife finds each bug, and shrinks the life that shows it
// to a script. The bug is put into the source by an overlay, so nothing of the program
// is made for it.
//
//	go test ./incremental -run TestLifeFindsPlantedBugs -planted -v
func TestLifeFindsPlantedBugs(t *testing.T) {
	tier.Heavy(t, "it compiles the package for each bug")
	bugs := plantedBugs
	if !*plantAll {
		bugs = bugs[:1]
	}
	for _, bug := range bugs {
		t.Run(strings.ReplaceAll(bug.name, " ", "_"), func(t *testing.T) {
			script := bug.found(t)
			lines := strings.Count(script, "\n")
			t.Logf("%d lines:\n%s", lines, script)
			assert.Less(t, lines, scriptLines, "it is not shrunk")
		})
	}
}

// TestPlantedBugsHaveTheirPlace: the text that a planted bug replaces is in the source, once.
func TestPlantedBugsHaveTheirPlace(t *testing.T) {
	for _, bug := range plantedBugs {
		source, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(bug.file)))
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(source), bug.good), "%s has another text now: %s", bug.file, bug.name)
	}
}

// found runs TestLife on the program with the bug, and returns a script that it wrote.
func (b plantedBug) found(t *testing.T) string {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	dir, path := t.TempDir(), filepath.Join(root, filepath.FromSlash(b.file))
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(source), b.good), "%s has another text now", b.file)
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(changed, []byte(strings.Replace(string(source), b.good, b.bad, 1)), 0o600))
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, replace, 0o600))
	out, err := exec.Command("go", "test", "-vet=off", "-overlay", overlay, "-run", "^TestLife$", ".", "-seed", "1", "-streams", "400",
		"-failures", "1", "-scripts", dir).CombinedOutput()
	require.Error(t, err, "it is not found:\n%s", out)
	scripts, err := filepath.Glob(filepath.Join(dir, "life_*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, scripts, "%s", out)
	text, err := os.ReadFile(scripts[0])
	require.NoError(t, err)
	return fmt.Sprintf("%s%s", text, lastLine(string(out), "life: "))
}

// lastLine returns the last line with a prefix.
func lastLine(text, prefix string) (last string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, prefix) {
			last = line
		}
	}
	return last
}
