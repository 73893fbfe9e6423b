package chaos

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// TestEpochsHold plays plans of epochs; make chaos plays more.
func TestEpochsHold(t *testing.T) {
	tier.NotShort(t, "it plays whole plans")
	hold(t, tier.Of(t, 0, 1, 3), 7, 10, func(w *Setting) bool { return w.Epochs })
}

// TestEachStepOfAnEpoch: its end and its beginning are killed behind each step.
func TestEachStepOfAnEpoch(t *testing.T) {
	tier.NotShort(t, "it plays whole plans")
	for _, do := range []string{"epoch-close-killed 1", "epoch-close-killed 2", "epoch-close-killed 3", "epoch-close-killed 4",
		"epoch-begin-killed 1", "epoch-begin-killed 2"} {
		t.Run(do, func(t *testing.T) {
			t.Parallel()
			for _, waiting := range []string{" 2", " 3"} {
				plans, err := Parse("plan|x|inside|L1|generalization|on: records, every: 25|1 releases|2|keep 0,epochs\n" +
					"feed 120 1\nrun 1 1\nfeed 20 1\n" + do + waiting + "\nfeed 50 1\nrun 1 1\n")
				require.NoError(t, err)
				r := Play(plans[0], t.TempDir())
				require.NoError(t, r.Err, "%s%s", plans[0], r.Log)
				require.Len(t, r.Faults, 1)
			}
		})
	}
}
