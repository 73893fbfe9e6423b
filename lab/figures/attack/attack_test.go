package attack

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/lab/figures"
	"anond/lab/figures/figurestest"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden numbers of the attack")

// TestAttackIsAFigure: the figure at a small scale. What it finds there is frozen,
// and at level L2 that is nothing.
func TestAttackIsAFigure(t *testing.T) {
	tier.Heavy(t, "it measures for seconds")
	r := figurestest.Run(t, Figures(), "attack")
	require.Len(t, r.Panels, 4)
	require.Equal(t, []string{"method", "k", "l", "n", "share_above_5", "share_above_9", "guess", "share"}, r.Panels[0].Header)
	require.Len(t, r.Claims, 6)
	for _, i := range []int{1, 3, 5} {
		require.Contains(t, r.Claims[i].Text, "evel L2")
		require.Equal(t, figures.Holds, r.Claims[i].Verdict(), "%s: %s", r.Claims[i].Text, r.Claims[i].Numbers())
	}
	requireFrozen(t, frozen(t, r))
}

func TestAttackStops(t *testing.T) { figurestest.Stops(t, Figures(), "attack") }

// frozen is a result as text.
func frozen(t *testing.T, r *figures.Result) string {
	t.Helper()
	var out strings.Builder
	rows := csv.NewWriter(&out)
	for _, p := range r.Panels {
		fmt.Fprintf(&out, "panel %q\n", p.Name)
		require.NoError(t, rows.WriteAll(append([][]string{p.Header}, p.Rows...)))
	}
	for _, c := range r.Claims {
		fmt.Fprintf(&out, "claim: %s\n  %s: %s\n", c.Text, c.Verdict(), c.Numbers())
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&out, "note: %s\n", n)
	}
	return out.String()
}

func requireFrozen(t *testing.T, got string) {
	t.Helper()
	path := filepath.Join("testdata", "attack.golden")
	if *rewrite {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "if it is meant, run with -rewrite and look at the difference")
}

// TestClaimsFollowTheRows: each claim fails where the numbers refute it.
func TestClaimsFollowTheRows(t *testing.T) {
	f := sampled()
	for i, c := range f.claims() {
		require.Equal(t, figures.Holds, c.Verdict(), "%d: %s", i, c.Numbers())
	}
	for i, spoil := range []func(f *figure){
		func(f *figure) { f.swaps[0].share.High = 1 },
		func(f *figure) { f.swaps[1].share.Value = .9 },
		func(f *figure) { f.optimum[0].Guess.Low = .19 },
		func(f *figure) { f.optimum[1].Above5.Value = .001 },
		func(f *figure) { f.replay[0].Gain.Low = -.01 },
		func(f *figure) { f.replay[1].Gain.Value, f.replay[1].Gain.Low = .05, .04 },
	} {
		f := sampled()
		spoil(f)
		require.Equal(t, figures.HoldsNot, f.claims()[i].Verdict(), "claim %d", i)
	}
}
