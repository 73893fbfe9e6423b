package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/cli"
	"anond/lab/beliefs"
	"anond/testdata"
)

// TestAuditModel: what a model learns from a release exceeds its cap where values follow from quasi-identifiers, of people on whom it
// was not trained, too, and where they do not, nobody is believed anything. Only the private output knows who is right.
func TestAuditModel(t *testing.T) {
	for _, follows := range []float64{.7, 0} {
		s := newSite(t)
		s.write("anond.yaml", strings.NewReplacer("level: L1", "level: L2", "{max_records: 600}", "{max_records: 1200, min_pool: 60}",
			"every: 400", "every: 1200", ", hierarchy: hierarchies/postcode.csv", "").Replace(siteConfig))
		var feed strings.Builder
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range 1500 {
			age := 20 + rng.IntN(60)
			ill := rng.IntN(6)
			if rng.Float64() < follows {
				ill = (age - 20) / 10
			}
			fmt.Fprintf(&feed, `{"patient":"p%d","age":%d,"sex":"%s","postcode":"1001","admission":"a","diagnosis":"illness %d"}`+"\n",
				i, age, []string{"F", "M"}[rng.IntN(2)], ill)
		}
		s.write("admissions.ndjson", feed.String())
		s.publish()
		s.exports()

		args := []string{"audit-model", "--releases", s.path("releases")}
		asked := func(more ...string) (r beliefs.Report, text string) {
			out := lab(t, append(append(args, "--json"), more...)...)
			require.Equal(t, cli.OK, out.code, out.stderr)
			require.NoError(t, json.Unmarshal([]byte(out.stdout), &r))
			return r, out.stdout
		}
		public, text := asked("--public")
		assert.NotContains(t, text, `"right"`)
		assert.False(t, public.Private)
		private, _ := asked("--members", s.path("members.csv"), "--records", s.path("records.csv"))
		assert.True(t, private.Private)
		require.NotEmpty(t, public.Manifest)
		own, control := private.Attribute[0], private.Attribute[0].Control
		require.Equal(t, own.People, control.People)
		half := own.Above[1]
		if follows > 0 {
			assert.Greater(t, public.Attribute[0].Above[1].People, own.People/2, "each bucket shows at most a third of one value")
			assert.Greater(t, *half.Right, half.People*6/10)
			assert.Greater(t, *control.Above[1].Right, own.People/3)
		} else {
			assert.Less(t, half.People, own.People/20)
			assert.Less(t, control.Above[1].People, own.People/20)
		}
		printed := lab(t, append(args, "--members", s.path("members.csv"), "--records", s.path("records.csv"))...)
		assert.True(t, strings.HasPrefix(printed.stdout, "PRIVATE"), printed.stdout)
		assert.NotContains(t, lab(t, append(args, "--public")...).stdout, "right")

		s.write("records.csv", strings.Replace(s.read("records.csv"), "illness 1", "illness 2", 1))
		wrong := lab(t, append(args, "--members", s.path("members.csv"), "--records", s.path("records.csv"))...)
		assert.Contains(t, wrong.stderr, "not of this release")
		assert.NotContains(t, wrong.stderr, "illness")
	}
	assert.Equal(t, cli.Misused, lab(t, "audit-model", "--releases", "x").code)
	assert.Equal(t, cli.Misused, lab(t, "audit-model", "--releases", "x", "--public", "--members", "m").code)
}

// TestWhatAModelLearns measures the study that the report for signature quotes (package dpo, measured) and lab/docs/RIVALS.md shows.
// Each run has its own draws, so the figures may differ by some tenths of a percent.
func TestWhatAModelLearns(t *testing.T) {
	tier.Heavy(t, "it publishes tables of 15,000 people and trains six models on each")
	for _, c := range []struct {
		name        string
		trial       trial
		own, others [2]float64 // believed with more than .5: of all, and how many of these rightly; in percent
	}{
		{"Adult, occupation, l = 5", adultTrial("", occupation), [2]float64{14.8, 63}, [2]float64{9.1, 61}},
		{"ACS, education, l = 4", trial{file: testdata.ACS, numbers: "AGEP", texts: "SEX MSP RAC1P HISP OWN_RENT",
			sensitive: []string{"{name: EDU, role: sensitive, type: categorical, promise: {l: 4}}"}}, [2]float64{11, 77}, [2]float64{7.6, 82}},
	} {
		r := c.trial.reach(t)
		found, err := beliefs.Private(r.site.path("releases"), r.site.path("members.csv"), r.site.path("records.csv"))
		require.NoError(t, err)
		for i, b := range []*beliefs.Beliefs{&found.Attribute[0].Beliefs, found.Attribute[0].Control} {
			line := ""
			part := func(n, all int) float64 { return 100 * float64(n) / float64(max(1, all)) }
			for _, a := range b.Above {
				line += fmt.Sprintf(" | %.1f %%, %.0f %% of them rightly", part(a.People, b.People), part(*a.Right, a.People))
			}
			t.Logf("| %s | %s%s | %.1f %% |", c.name, []string{"published", "control"}[i], line, part(*b.Right, b.People))
			want, half := [][2]float64{c.own, c.others}[i], b.Above[1]
			assert.InDelta(t, want[0], part(half.People, b.People), 1.5)
			assert.InDelta(t, want[1], part(*half.Right, half.People), 5)
		}
	}
}
