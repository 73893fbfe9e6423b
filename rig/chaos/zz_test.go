package chaos

import (
	"fmt"
	"strings"
	"testing"
)

func TestZZ(t *testing.T) {
	n, looks := 0, 0
	w := map[string]int{}
	for i := 0; i < 60; i++ {
		p := simulated(2611, i)
		out := play(t, p, planted{})
		n += strings.Count(out.Log, `"event":"started"`)
		looks += strings.Count(out.Log, "\n")
		for _, x := range p.World.extras() {
			if x.text() != "" {
				w[x.name]++
			}
		}
		w[p.World.Level]++
	}
	fmt.Println("starts", n, "lines", looks, w)
}

func TestTwice(t *testing.T) {
	bad := 0
	for i := *simFrom; i < *simFrom+*simPlans; i++ {
		p := simulated(*simSeed, i)
		a, b := play(t, p, planted{}), play(t, p, planted{})
		if a.Trace != b.Trace || a.Log != b.Log {
			bad++
			x, y := strings.Split(a.Trace, "\n"), strings.Split(b.Trace, "\n")
			for k := range x {
				if k >= len(y) || x[k] != y[k] {
					fmt.Println("plan", i, "trace line", k, "of", len(x), len(y), "\n  ", x[k], "\n  ", y[min(k, len(y)-1)], "\n", p)
					break
				}
			}
			x, y = strings.Split(a.Log, "\n"), strings.Split(b.Log, "\n")
			for k := range x {
				if k >= len(y) || x[k] != y[k] {
					fmt.Println("plan", i, "log line", k, "of", len(x), len(y), "\n  ", x[k], "\n  ", y[min(k, len(y)-1)])
					break
				}
			}
		}
	}
	fmt.Println("differ", bad)
}
