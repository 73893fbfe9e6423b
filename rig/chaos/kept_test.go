package chaos

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// kept are plans that found faults of the program. In the first one a release whose people had all left was followed
// by one of those who waited then, who have left, too: the auditor took their number for wrong. In the second one some of them were
// forgotten instead.
const kept = `plan|101/836|inside|L2|buckets|on: interval, every: 1h|30m|1|keep 0,window 30h
feed 84 2458416
feed 29 11314343
flip-older 1 8534472
fail-write 57 1315163
live 1 14630650
feed 32 364561
pass 88 9040577
cut-commit 9 13811925
live 1 13799732
feed 25 5633067
cut-commit 13 724185
flip-render 4 12431879
clock-falls 3 3926
live 1 12758566
feed 56 14385641
run 1 10001876
backup 1 6683469
spell 242 5100552
run 1 10434234
restore-unjudged 1 16658554
kill-before-commit 12 11546606
clock-leaps 3 15688264
live 1 15208739
plan|103/1057|inside|L2|buckets|on: cron, at: "0 * * * *"|0s|2|keep 0,window 30h,deletes
feed 60 11588754
feed 62 8866283
cut-effect 21 13195985
kill-removal 1 1240410
clock-leaps 4 9529814
live 1 14088883
feed 33 7130329
cut-effect 80 362142
fail-sync 26 16485808
clock-leaps 4 10644806
live 1 9480372
feed 47 14654638
pass 70 10946835
flip-older 1 14441825
run 1 9657396
feed 59 13825513
run 1 15937691
backup 1 4210347
spell 232 9769786
run 1 13932526
restore-unjudged 1 1968918
clock-falls 4 12242532
live 1 608632
`

// TestKeptPlans: plans that have found faults of the program hold.
func TestKeptPlans(t *testing.T) {
	plans, err := Parse(kept)
	require.NoError(t, err)
	for _, p := range plans {
		out := play(p, t.TempDir())
		require.NoError(t, out.Err, "%s%s", p, out.Log)
	}
}
