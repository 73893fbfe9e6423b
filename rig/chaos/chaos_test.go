package chaos

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/testkit/programtest"
)

// TestPlansHold plays plans; make sim plays more.
func TestPlansHold(t *testing.T) {
	hold(t, tier.Of(t, 3, 4, 8), 0, 1, func(*planSetting) bool { return true })
}

// hold plays so many plans, every by-th from one on, whose setting must be of a kind. Each of them holds, and not
// without faults.
func hold(t *testing.T, plans, from, by int, is func(*planSetting) bool) {
	took := 0
	for i := range plans {
		p := generate(plantedSeed, from+i*by, false)
		require.True(t, is(&p.World), p)
		r := play(t, p, planted{})
		require.NoError(t, r.Err, "%s%s", p, r.Log)
		took += len(r.Faults)
	}
	require.NotZero(t, took)
}

// holdsWith plays a plan, which holds, and in which these faults take effect.
func holdsWith(t *testing.T, plan string, faults ...string) {
	plans, err := Parse(plan)
	require.NoError(t, err)
	r := play(t, plans[0], planted{})
	require.NoError(t, r.Err, r.Log)
	require.ElementsMatch(t, faults, r.Faults)
}

// TestPlansWithProcessesHold plays some with the program.
func TestPlansWithProcessesHold(t *testing.T) {
	tier.Heavy(t, "it runs the program")
	require.NoError(t, programtest.LookAtSources())
	dir := t.TempDir()
	program, err := programtest.Build(dir, "anond-deliver")
	require.NoError(t, err)
	for number := range 2 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			p := generate(plantedSeed, number, true)
			r := playReal(p, t.TempDir(), program)
			require.NoError(t, r.Err, "%s%s", p, r.Log)
		})
	}
}

// TestPlansAsText: a plan is a function of seed and number, and its text gives it back.
func TestPlansAsText(t *testing.T) {
	var all strings.Builder
	var want []*chaosPlan
	for number := range 200 {
		p := generate(7, number, number%2 == 0)
		require.Equal(t, p, generate(7, number, number%2 == 0))
		all.WriteString(p.String())
		want = append(want, p)
	}
	for number := range 100 {
		p := generateErasing(7, number)
		require.Equal(t, p, generateErasing(7, number))
		all.WriteString(p.String())
		want = append(want, p)
	}
	got, err := Parse(all.String())
	require.NoError(t, err)
	require.Equal(t, want, got)
	for _, wrong := range []string{"feed 1 2\n", "plan|1|inside\n", "plan|1|inside|L1|anatomy|x|0s|1|keep 0\nhope 1 2\n",
		"plan|1|inside|L1|anatomy|x|0s|1|keep 0\nsigkill 1 2\n", "plan|1|inside|L1|anatomy|x|0s|1|keep 0\nfeed 1\n",
		"plan|1|inside|L1|anatomy|x|0s|1|keep 0,hope\nfeed 1 1\n", "plan|1|inside|L1|anatomy|x|0s|1\nfeed 1 1\n"} {
		_, err := Parse(wrong)
		require.Error(t, err, wrong)
	}
}

// TestEveryFaultComesUp: seeds reach all kinds of faults, levels and triggers.
func TestEveryFaultComesUp(t *testing.T) {
	seen := map[string]bool{}
	for number := range 400 {
		p := generate(3, number, number%2 == 0)
		seen[p.World.Level], seen[p.World.Recoding], seen[p.World.Trigger] = true, true, true
		for _, s := range p.Steps {
			seen[s.Do] = true
		}
	}
	for name := range kinds {
		assert.True(t, seen[name], name)
	}
	assert.True(t, seen["L1"] && seen["L2"] && seen["buckets"] && seen["generalization"] && seen["anatomy"] && seen["permutation"])
	for _, on := range []string{"records", "update", "interval", "cron"} {
		found := false
		for text := range seen {
			found = found || strings.HasPrefix(text, "on: "+on)
		}
		assert.True(t, found, on)
	}
}

// TestOnlyWhatTookEffectCounts: a kill at a moment that never comes is no fault.
func TestOnlyWhatTookEffectCounts(t *testing.T) {
	holdsWith(t, "plan|x|inside|L1|generalization|on: records, every: 25|1 releases|1|keep 0\n"+
		"feed 60 1\nkill-effect 9000 1\nflip-older 1 5\nrun 1 1\n"+
		"feed 30 1\nkill-effect 3 1\nrun 1 1\n", "kill-effect")
}

// TestTheFirstCommitWaitsForRoom: a limit below what the first commit needs is told, and a
// reload with more room goes on.
func TestTheFirstCommitWaitsForRoom(t *testing.T) {
	holdsWith(t, "plan|x|inside|L1|generalization|on: records, every: 25|1 releases|1|keep 0\n"+
		"feed 60 1\nquota-pauses 1 1\nlive 1 1\n", "quota-pauses")
}

// TestJoiningALedgerDoesNotWaitForRoom: a state without room for its seed is told at once, though it would wait for room later: before the
// loop runs nobody could raise the limit.
func TestJoiningALedgerDoesNotWaitForRoom(t *testing.T) {
	holdsWith(t, "plan|x|inside|L2|buckets|on: records, every: 25|1 releases|1|keep 0,claims\n"+
		"feed 60 1\nquota-pauses 1 1\nlive 1 1\n", "quota-pauses")
}

// TestAClockFallsWhileACommitWaitsForRoom: that there is no room is told at once, and not when the clock is again where
// it was.
func TestAClockFallsWhileACommitWaitsForRoom(t *testing.T) {
	holdsWith(t, "plan|x|inside|L1|permutation|on: update, min_interval: 2s|0s|3|keep 0\n"+
		"feed 87 1\nquota-pauses 1 1\nclock-falls 1 299\nlive 1 1\n", "quota-pauses", "clock-falls")
}

// TestAnOlderStateIsNotWritten: a state loses its newest commits, and with them a pool that was quarantined. Somebody was
// forgotten since. The start refuses it before it forgets in it.
func TestAnOlderStateIsNotWritten(t *testing.T) {
	for _, commits := range []string{"3", "4"} { // lost, as the classes are now
		holdsWith(t, "plan|x|inside|L2|buckets|on: update, min_interval: 2s|15m|1|keep 0,deletes\n"+
			"feed 160 1\nrun 1 1\nspell 206 1\nforget 1 7\nrun 1 1\nlie-state "+commits+" 2\nrun 1 1\n", "lie-state")
	}
}

// TestClocksWaitForTheLoop: a shard that follows its journal commits before it looks at its clock.
func TestClocksWaitForTheLoop(t *testing.T) {
	holdsWith(t, "plan|x|inside|L1|anatomy|on: interval, every: 1h|30m|2|keep 0,shards 2,journal\n"+
		"feed 120 1\nclock-falls 1 7\nlive 1 1\n", "clock-falls")
}

// TestFaultsAreDocumented: rig/docs/CHAOS.md has every kind, and docs/RUN.md or
// docs/EVENTS.md every line of the log that has to name one.
func TestFaultsAreDocumented(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		require.NoError(t, err)
		return string(text)
	}
	chaos, operations := read("rig/docs/CHAOS.md"),
		read("docs/RUN.md")+read("docs/EXIT_CODES.md")+read("docs/RECOVER.md")+read("docs/EVENTS.md")
	for name, k := range kinds {
		assert.Contains(t, chaos, "`"+name+"`")
		for _, text := range k.named {
			if event, ok := strings.CutPrefix(text, `"event":"`); ok {
				text = "`" + strings.TrimSuffix(event, `"`) + "`"
			}
			if text != errSource.Error() { // no source that anond has
				assert.Contains(t, operations, text, name)
			}
		}
	}
}
