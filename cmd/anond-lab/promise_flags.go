package main

import (
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/equivclass"
	"anond/internal/cli"
)

// promiseFlags are the promises of a one-off release as flags.
type promiseFlags struct {
	k, l, distinct int
	entropy, t     float64
	recursive      string
	ground         string
	given          func(flag string) bool // whether the command line names a flag
}

func (f *promiseFlags) register(c *cobra.Command) {
	flags := c.Flags()
	f.given = flags.Changed
	flags.IntVarP(&f.k, "k", "k", 0, "minimum number of records in a class; default: policy.k")
	flags.IntVarP(&f.l, "l", "l", 0, "no sensitive value has more than 1/l of a class; 1: no such promise; default: policy.l")
	flags.IntVarP(&f.distinct, "distinct", "p", 0, "minimum number of different values in a class (p-sensitive, distinct l-diversity)")
	flags.Float64Var(&f.entropy, "entropy", 0, "entropy l-diversity")
	flags.Float64VarP(&f.t, "closeness", "t", 0, "t-closeness to the table: largest distance of a class's shares from the table's")
	flags.StringVar(&f.ground, "ground", "equal", "ground distance of -t: equal, ordered (buckets), hierarchical (hierarchy)")
	flags.StringVar(&f.recursive, "recursive", "", "recursive (c,l)-diversity, written `C,L`")
}

// requirement joins the flags with the policy of the configuration; a flag wins
// over its key. A flag given as 0 is refused like any number that promises
// nothing: if it were ignored silently, a user could take it for a promise.
func (f *promiseFlags) requirement(cfg *config.OneOff) (equivclass.Requirement, error) {
	want := equivclass.Requirement{K: cfg.K, L: cfg.L, Extra: cfg.Extra}
	if f.given("k") {
		want.K = f.k
	}
	if f.given("l") {
		want.L = f.l
	}
	extra, err := f.extra()
	if err != nil {
		return want, err
	}
	want.Extra = append(want.Extra, extra...)
	switch {
	case want.K == 0 && !f.given("k"):
		return want, cli.Usage("add -k 10, or policy.k to the configuration", "neither -k nor policy.k says how many records a class must have")
	case want.K < 2:
		return want, cli.Usage("the minimum is -k 2", "at k = %d a class may be one person", want.K)
	case want.L < 0 || want.L == 0 && f.given("l"):
		return want, cli.Usage("-l 1 means no l-diversity", "l = %d is not a promise", want.L)
	case f.given("closeness") && !(f.t > 0 && f.t < 1):
		return want, cli.Usage("write for instance -t 0.2", "t = %g is not between 0 and 1", f.t)
	case want.L == 0 && len(want.Extra) == 0 && f.t == 0:
		return want, cli.Usage("add -l 3, or -l 1 for a release that is only k-anonymous",
			"no option says how well sensitive values are protected")
	}
	want.L = max(1, want.L)
	return want, nil
}

func (f *promiseFlags) extra() (out []equivclass.Principle, err error) {
	if f.given("distinct") {
		if f.distinct < 2 {
			return nil, cli.Usage("the minimum is -p 2", "every class satisfies -p %d", f.distinct)
		}
		out = append(out, equivclass.DistinctL{L: f.distinct})
	}
	if f.given("entropy") {
		if !(f.entropy > 1) {
			return nil, cli.Usage("write a number above 1", "every class satisfies --entropy %g", f.entropy)
		}
		out = append(out, equivclass.EntropyL{L: f.entropy})
	}
	if f.given("recursive") {
		left, right, _ := strings.Cut(f.recursive, ",")
		c, cErr := strconv.ParseFloat(left, 64)
		l, lErr := strconv.Atoi(right)
		if cErr != nil || lErr != nil || !(c > 0) || math.IsInf(c, 1) || l < 2 {
			return nil, cli.Usage("write for instance --recursive 3,3", "--recursive needs a c above 0 and an l of at least 2")
		}
		out = append(out, equivclass.RecursiveL{C: c, L: l})
	}
	return out, nil
}
