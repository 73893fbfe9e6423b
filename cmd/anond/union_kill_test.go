package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/shards/union"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// killedAt is the durable step behind which a union in a child process is killed.
const killedAt = "ANOND_TEST_UNION_KILLED_AT"

// unionHook kills this process behind a step, if a test has asked for that.
func unionHook() func(publish.Step) error {
	step := os.Getenv(killedAt)
	if step == "" {
		return nil
	}
	return func(s publish.Step) error {
		if string(s) == step {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				_ = self.Kill()
			}
			select {}
		}
		return nil
	}
}

// TestUnionKilledAtEachStep kills the real process behind each durable step. The next
// union ends where one that was not killed does, but for the time of the decision.
func TestUnionKilledAtEachStep(t *testing.T) {
	tier.NotShort(t, "it kills the program")
	t.Parallel()
	u := newUnited(t, 2, "L1")
	u.admit(800, 0, 1)
	require.Equal(t, exitOK, u.unite().code)
	u.admit(400, 0, 1)
	program, err := os.Executable()
	require.NoError(t, err)
	steps := []publish.Step{publish.StepCheck, union.StepIntent, publish.StepRender, publish.StepGate,
		publish.StepSync, publish.StepRename, publish.StepCurrent, publish.StepLedger, union.StepTrim, union.StepPrune}
	for _, step := range steps {
		top := t.TempDir()
		dir := filepath.Join(top, "releases")
		require.NoError(t, os.CopyFS(dir, os.DirFS(u.dir)))
		ledger, err := os.ReadFile(u.ledger())
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(top, "ledger"), ledger, 0o600))
		args := []string{"union", "--dir", dir, "--shards", "2", "--once", "--ledger", filepath.Join(top, "ledger")}
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = append(os.Environ(), childVariable+"=1", killedAt+"="+string(step))
		err = cmd.Run()
		var ended *exec.ExitError
		require.ErrorAs(t, err, &ended, step)
		require.Equal(t, syscall.SIGKILL, ended.Sys().(syscall.WaitStatus).Signal(), step)

		decided, _ := os.ReadFile(filepath.Join(dir, "intents/000002/intent.json"))
		require.Equal(t, step == publish.StepCheck, decided == nil, step)
		r := anond(t, args...)
		require.Equal(t, exitOK, r.code, r.stderr)
		m, err := snapshot.Show(snapshot.OS(), dir, 0)
		require.NoError(t, err)
		require.Equal(t, uint32(2), m.Release, step)
		if decided != nil {
			require.Contains(t, string(decided), m.CreatedAt, step)
		}
		r = anond(t, "release", "verify", "--dir", dir, "--ledger", filepath.Join(top, "ledger"))
		require.Equal(t, exitOK, r.code, "%s: %s", step, r.stdout)
		r = anond(t, "audit", "--releases", dir, "--ledger", filepath.Join(top, "ledger"))
		require.Equal(t, exitOK, r.code, "%s: %s", step, r.stdout)
	}
}
