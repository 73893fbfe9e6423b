package incremental_test

import (
	"fmt"
	"math"
	"strings"
)

// illness is skewed, and correlated with the place.
func (g *generator) illness(values int, skew float64) func(float64) string {
	weights, sum, correlation := make([]float64, values), 0.0, g.rng.Float64()*0.3
	for i := range weights {
		weights[i] = math.Pow(float64(i+1), -skew)
		sum += weights[i]
	}
	return func(where float64) string {
		v, x := 0, g.rng.Float64()*sum
		for v = range weights {
			if x -= weights[v]; x < 0 {
				break
			}
		}
		if g.rng.Float64() < correlation {
			v = int(where * float64(values))
		}
		if g.made++; g.waves && g.made/80%4 == 2 && g.made%5 > 0 {
			v = 0
		}
		return fmt.Sprintf("v%d", v)
	}
}

// textOf makes values of a kind of attribute.
func (g *generator) textOf(kind string) func(float64) string {
	n := float64(2 + g.rng.IntN(90))
	leaves := strings.Split(strings.TrimSpace(zones), "\n")
	return map[string]func(float64) string{
		"int":     func(x float64) string { return fmt.Sprint(int(x*n) - 20) },
		"steps":   func(x float64) string { return fmt.Sprint(int(x * n)) },
		"decimal": func(x float64) string { return fmt.Sprint(math.Round(x*n*4) / 4) },
		"date": func(x float64) string {
			return fmt.Sprintf("20%02d-%02d-%02d", int(x*30), 1+int(n)%12, 1+int(x*1000)%28)
		},
		"zone": func(x float64) string { return strings.SplitN(leaves[int(x*float64(len(leaves)))], ";", 2)[0] },
		"word": func(x float64) string { return fmt.Sprintf("w%d", int(x*float64(1+int(n)%9))) },
	}[kind]
}

// mixed follows the place in half of the records only.
func (g *generator) mixed(text func(float64) string) func(float64) string {
	return func(where float64) string {
		if g.rng.IntN(2) == 0 {
			where = g.rng.Float64()
		}
		return text(where)
	}
}

// refusable is at times missing or, for a kind that does not take every word, wrong.
func (g *generator) refusable(text func(float64) string) func(float64) string {
	return func(where float64) string {
		switch g.rng.IntN(400) {
		case 0:
			return ""
		case 1:
			return "nowhere"
		}
		return text(where)
	}
}
