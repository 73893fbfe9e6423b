package dataset

import (
	"anond/incremental/state"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass/extract"
	"anond/incremental"
	"anond/internal/fault"
)

const levelledConfig = `version: 1
dataset: ward
source: {type: stdin}
schema:
  attributes:
    - {name: age, role: quasi, type: integer}
    - {name: ill, role: sensitive, type: categorical}
policy: {k: 4, l: 2, %s}
initial: {%s}
release: {dir: out}
`

func policyOf(t *testing.T, policy, initial string) state.Policy {
	t.Helper()
	path := filepath.Join(t.TempDir(), "anond.yaml")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, levelledConfig, policy, initial), 0o600))
	c, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	return PolicyOf(c)
}

// TestPolicyOfLevel1: extraction forms the classes.
func TestPolicyOfLevel1(t *testing.T) {
	p := policyOf(t, "level: L1", "min_records: 20")
	assert.Equal(t, state.L1, p.Level)
	assert.Equal(t, state.Regroup, p.Republication)
	assert.IsType(t, extract.Extract{}, p.Initial)
	assert.IsType(t, extract.Extract{}, p.Local)
	assert.Equal(t, 20, p.InitialMin)
}

// TestRuleBPolicyOfLevel2: no partitioner that sees values reaches the machine, and
// each answer to a refused first pool is its own.
func TestRuleBPolicyOfLevel2(t *testing.T) {
	p := policyOf(t, "level: L2, min_pool: 30", "min_pool: 8, max_records: 50")
	assert.Equal(t, state.L2, p.Level)
	assert.Equal(t, state.Append, p.Republication)
	assert.Equal(t, []int{30, 8, 50, 0}, []int{p.MinPool, p.InitialMin, p.InitialMax, p.MaxRegroups})
	assert.Nil(t, p.Initial)
	assert.Nil(t, p.Local)
	assert.Equal(t, state.StopRefused, p.OnRefusal)
	for word, want := range map[string]state.OnRefusal{"stop": state.StopRefused,
		"quarantine": state.QuarantineRefused, "grow": state.GrowRefused} {
		assert.Equal(t, want, policyOf(t, "level: L2", "on_refusal: "+word).OnRefusal, word)
	}
}

// TestHintOfLevels names the level that the state has.
func TestHintOfLevels(t *testing.T) {
	for level, want := range map[state.Level]string{state.L1: "level: L1", state.L2: "level: L2"} {
		err := fmt.Errorf("state: %w", &incremental.LevelError{State: level})
		assert.Contains(t, fault.Hint(err), "write "+want+" under policy")
		assert.Contains(t, err.Error(), "was made at level "+want[len(want)-2:])
	}
}
