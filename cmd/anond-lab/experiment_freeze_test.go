package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/cli"
)

// frozenScale is the share of the papers' sizes at which every figure takes a
// moment and still has more than one run where it draws several.
const frozenScale = "0.02"

// quickFigures take a second. Figures of times take most of a minute at any scale.
var quickFigures = []string{"wang-3", "wang-4"}

// allFigures is how many the papers have.
const allFigures = 27

// TestFiguresAreFrozen holds every number, claim and note of every figure, and
// the bytes of its files, at a small scale and one seed. Times are left out: they
// are all that may differ between runs. Verdicts count at scale 1 only
// (lab/docs/FIGURES.md); this test says that the program still measures the same. The
// full tier and -rewrite measure all papers, the others quickFigures.
func TestFiguresAreFrozen(t *testing.T) {
	tier.NotShort(t, "it draws figures")
	t.Parallel()
	papers := []string{"wang", "zhu", "lgb", "sun", "pa"}
	dir, command, frozen := t.TempDir(), []string{"all"}, requireFrozen
	if n := tier.Of(t, 0, len(quickFigures), allFigures); n < allFigures && !*rewrite {
		papers = papers[:1]
		command = append([]string{"run"}, quickFigures...)
		frozen = requireQuickFrozen
	}
	r := lab(t, append(append([]string{"experiment"}, command...), "--scale", frozenScale, "--out", dir, "--json")...)
	require.Equal(t, cli.OK, r.code, r.stderr)
	var measured []figureResult
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &measured))

	have := map[string]*bytes.Buffer{}
	for _, f := range measured {
		paper, _, _ := strings.Cut(f.ID, "-")
		if have[paper] == nil {
			have[paper] = &bytes.Buffer{}
		}
		freezeFigure(t, have[paper], f, dir)
	}
	if len(papers) > 1 {
		require.Len(t, measured, allFigures)
	}
	require.ElementsMatch(t, papers, slices.Collect(maps.Keys(have)))
	for paper, figures := range have {
		frozen(t, paper+".golden", figures.Bytes())
	}
}

// requireQuickFrozen compares quickFigures with their part of the recording of a paper.
func requireQuickFrozen(t *testing.T, name string, got []byte) {
	t.Helper()
	all, err := os.ReadFile(filepath.Join("testdata", "figures", name))
	require.NoError(t, err)
	var want strings.Builder
	for _, figure := range strings.SplitAfter(strings.ReplaceAll(string(all), "\n== ", "\n\x00== "), "\x00") {
		figure = strings.TrimSuffix(figure, "\x00")
		id, _, _ := strings.Cut(strings.TrimPrefix(figure, "== "), ":")
		if slices.Contains(quickFigures, id) {
			want.WriteString(figure)
		}
	}
	require.NotEmpty(t, want.String())
	require.Equal(t, want.String(), string(got), "if it is meant, run with -rewrite and look at the difference")
}

func TestFigureListIsFrozen(t *testing.T) {
	requireFrozen(t, "list.golden", []byte(lab(t, "experiment", "list").stdout))
	requireFrozen(t, "list.json.golden", []byte(lab(t, "experiment", "list", "--json").stdout))
}

func requireFrozen(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "figures", name)
	if *rewrite {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "if it is meant, run with -rewrite and look at the difference")
}

// freezeFigure writes a figure as text, without its times.
func freezeFigure(t *testing.T, out *bytes.Buffer, f figureResult, dir string) {
	t.Helper()
	fmt.Fprintf(out, "== %s: %s\n", f.ID, f.Title)
	timed := 0
	for _, p := range f.Panels {
		freezePanel(t, out, f.ID, p, dir)
		if p.Timed {
			timed++
		}
	}
	for _, c := range f.Claims {
		if timed == len(f.Panels) || strings.Contains(c.Claim, " time ") {
			fmt.Fprintf(out, "claim: %s\n  of times\n", c.Claim)
			continue
		}
		fmt.Fprintf(out, "claim: %s\n  %s: %s\n", c.Claim, c.Verdict, c.Numbers)
		if c.Why != "" {
			fmt.Fprintf(out, "  why: %s\n", c.Why)
		}
		if c.ToHold != "" {
			fmt.Fprintf(out, "  to hold: %s\n", c.ToHold)
		}
	}
	for _, n := range f.Notes {
		if strings.HasPrefix(n, "Time grows ") || strings.Contains(n, "update is quicker") {
			n = "(of times)"
		}
		fmt.Fprintf(out, "note: %s\n", n)
	}
}

// freezePanel writes the numbers of a panel, and the digests of its files.
func freezePanel(t *testing.T, out *bytes.Buffer, id string, p figurePanel, dir string) {
	t.Helper()
	name := id
	if p.Name != "" {
		name += "-" + p.Name
	}
	digest := func(ending string) string {
		text, err := os.ReadFile(filepath.Join(dir, name+ending))
		require.NoError(t, err)
		return fmt.Sprintf("%x", sha256.Sum256(text))[:16]
	}
	rows := csv.NewWriter(out)
	if p.Timed {
		fmt.Fprintf(out, "panel %s: %d rows of times\n", name, len(p.Rows))
		require.FileExists(t, filepath.Join(dir, name+".svg"))
		require.NoError(t, rows.WriteAll([][]string{p.Header}))
		return
	}
	fmt.Fprintf(out, "panel %s: csv %s svg %s\n", name, digest(".csv"), digest(".svg"))
	require.NoError(t, rows.WriteAll(append([][]string{p.Header}, p.Rows...)))
}
