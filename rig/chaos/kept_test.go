package chaos

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// kept are plans that found faults of the program. In the first one a release whose people had all left was followed
// by one of those who waited then, who have left, too: the auditor took their number for wrong. In the second one some of them were
// forgotten instead. In the third one an older state of a shard follows its journal, where windows end by time and the machine's time
// counts cuts: it took each time stamp for one far ahead.
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
plan|3004/629|inside|L2|buckets|on: records, every: 25|1 releases|3|keep 0,shards 3,history 2,settle 6h,journal
feed 22 6633480
run 1 266517
feed 14 15193109
backup 1 15835307
run 1 11085681
restore-old 1 10159770
live 1 15806324
`

// keptErasing are plans of datasets whose buckets leave on request, likewise. In the first one a bucket leaves of which people were
// stale: the gate took their number for one that fell. In the second one somebody asks of a part that a window would have leave with
// the release that was to withdraw the bucket: it was due for ever, and never made. In the third one buckets of shards leave, and
// earlier releases are pruned: the audit of the union missed the people.
const keptErasing = `plan|1/erasing/0|inside|L2|buckets|on: cron, at: "0 * * * *"|0s|3|keep 2,erasure 1h 1,deletes
feed 89 1574017
forget 1 12232209
forget 1 4596260
forget 1 6517314
forget 1 5115185
pass 10 8917596
feed 38 14079679
run 1 1300840
feed 53 7762514
pass 69 9295287
cut-prune 2 8123321
run 1 10523181
forget 1 8528304
forget 1 15934323
forget 1 2431545
pass 33 13402779
live 1 15569468
feed 55 7375364
run 1 14739131
backup 1 9740528
spell 231 9468106
run 1 15742400
restore-unjudged 1 3954038
sink-away 1 13803131
sink-away 3 11296883
run 1 16572998
forget 1 7031578
forget 1 6657848
forget 1 13781699
forget 1 7792032
pass 31 10041442
cut-effect 49 4817113
live 1 12049756
feed 30 4370213
pass 91 4390477
flip-state 1 3685200
flip-render 2 6109487
quota-ends 2 9551996
run 1 10589019
forget 1 223619
forget 1 2695980
forget 1 12940659
pass 16 9396108
feed 25 15042059
kill-effect 56 11661658
run 1 15806050
feed 39 10920737
pass 76 2228049
flip-older 1 10925096
kill-prune 8 12152718
fail-write 78 5416717
live 1 12635420
plan|1/erasing/50|inside|L2|buckets|on: interval, every: 1h|0s|1|keep 0,window 2,erasure 1h 1
feed 80 1
run 1 1
pass 3 1
feed 80 1
kill-effect 20 1
run 1 1
backup 1 1
forget 1 3
forget 1 5
pass 3 1
cut-effect 15 1
live 1 1
restore-old 1 1
run 1 1
plan|1/erasing/34|inside|L2|buckets|on: interval, every: 1h|30m|2|keep 1,shards 2,erasure 1h 1
feed 260 1
run 1 1
backup 1 1
forget 1 11
forget 1 65591
pass 3 1
kill-effect 9 1
run 1 1
restore-old 1 1
forget 1 65599
pass 3 1
union-cut 9 1
run 1 1
plan|3004/erasing/475|inside|L2|buckets|on: update, min_interval: 2s|30m|1|keep 1,window 2,erasure 1h 1,copies
feed 93 3933430
run 1 12870028
forget 1 15871644
pass 4 5645691
kill-after-commit 2 15768154
run 1 9155710
feed 53 8631795
quota-pauses 3 9494370
flip-newest 1 2137540
flip-render 6 6530650
run 1 7327529
plan|3005/erasing/15|inside|L2|buckets|on: records, every: 25|1 releases|1|keep 0,erasure 1h 1,settle 60 records,updates
feed 69 4302168
run 1 3799539
backup 1 9849879
forget 1 8069915
pass 18 2135459
forget 1 6020346
live 1 8951021
feed 23 2786753
full-state 4 5840737
full-state 3 15563467
run 1 16364791
plan|4003/erasing/127|inside|L2|buckets|on: update, min_interval: 2s|0s|1|keep 1,attributes 1,erasure 50h 1,settle 60 records,updates,views
feed 95 5971839
run 1 3930175
forget 1 15438188
pass 31 7234406
fail-sync 1 10863347 view: synced
run 1 7532106
`

// TestKeptPlans: plans that have found faults of the program hold.
func TestKeptPlans(t *testing.T) {
	plans, err := Parse(kept + keptErasing)
	require.NoError(t, err)
	for _, p := range plans {
		out := play(t, p, planted{})
		require.NoError(t, out.Err, "%s%s", p, out.Log)
	}
}
