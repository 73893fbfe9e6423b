package attack

import (
	"anond/lab/attacker"
	"anond/lab/figures"
)

// sampled has numbers under which every claim holds: of extract, then of level L2.
func sampled() *figure {
	f := &figure{Input: figures.Input{Scale: 1}}
	for i, by := range []attacker.Program{attacker.Extract(), attacker.Buckets()} {
		share := attacker.Estimate{Value: .2, Low: .2, High: .2}
		row := scoreRow{method: by.Name(), want: settings[0], n: largest, Score: attacker.Score{Records: 100, Share: share}}
		row.Guess = attacker.Estimate{Value: .2, Low: .19, High: .21}
		unchanged := attacker.Estimate{Value: 1, Low: .9, High: 1}
		if i == 0 {
			row.Guess = attacker.Estimate{Value: .24, Low: .23, High: .25}
			row.Above9, row.Gain = share, share
			unchanged = attacker.Estimate{Value: .5, Low: .4, High: .6}
		}
		f.optimum, f.replay = append(f.optimum, row), append(f.replay, row)
		f.swaps = append(f.swaps, swapRow{by.Name(), settings[0], largest, attacker.InClass, unchanged, 10})
	}
	return f
}
