package naive

import (
	"context"

	"anond/lab/attacker"
)

// Reader is what someone learns who has read the program of level L1 and did not
// run it again (attacker.LocalOptimum).
type Reader struct {
	Method    string  `json:"method"`
	Published int     `json:"published"`
	Told      int     `json:"told_above_9"` // people whose value is told with more than .9
	Right     int     `json:"of_them_right"`
	Guess     float64 `json:"guess"` // share of the people whose most probable value is theirs
	Share     float64 `json:"share"` // the same by the published shares alone
}

// effort suffices for the stream of anond demo, and takes a few seconds.
var effort = attacker.Effort{Chains: 2, Cycles: 40, Rise: 25, Hold: 10}

// readProgram lets the default of level L1 form classes of all people at once, and the reader of its program
// attack them.
func (s *stream) readProgram(ctx context.Context, seed uint64) (*Reader, error) {
	by := attacker.Extract()
	release := attacker.Publish(by, s.points, s.want, seed)
	beliefs, err := attacker.LocalOptimum(ctx, release, effort, seed)
	if err != nil {
		return nil, err
	}
	var scorer attacker.Scorer
	scorer.Add(release, beliefs)
	got := scorer.Score()
	return &Reader{Method: by.Name(), Published: got.Records, Told: got.Told9, Right: int(got.Right9.Value*float64(got.Told9) + .5),
		Guess: got.Guess.Value, Share: got.Share.Value}, nil
}
