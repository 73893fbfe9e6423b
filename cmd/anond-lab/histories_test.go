package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/cli"
	"anond/lab/beliefs"
)

// TestHistoriesInTheLab: of people with histories, whose values have a hierarchy, a query asks by any node of it, the audit of a model
// counts beliefs that a value occurs anywhere, and evaluate says why it measures nothing.
func TestHistoriesInTheLab(t *testing.T) {
	s := newSite(t)
	var tree, feed strings.Builder
	for v := range 5 {
		fmt.Fprintf(&tree, "illness %d;group %d;*\n", v, v/3)
	}
	s.write("hierarchies/illness.csv", tree.String())
	s.write("anond.yaml", strings.NewReplacer("level: L1", "level: L2", "l: 3", "l: 2", "{max_records: 600}", "{min_pool: 60}",
		"every: 400", "every: 900", ", hierarchy: hierarchies/postcode.csv", "",
		"diagnosis, role: sensitive, type: categorical", "diagnosis, role: sensitive, hierarchy: hierarchies/illness.csv",
		"policy:", "subject: {settle: end, repeat: history, max_records: 2}\npolicy:").Replace(siteConfig))
	rng := rand.New(rand.NewPCG(1, 2))
	send := func(person int) {
		age, ill := 20+person*7%60, rng.IntN(5)
		if rng.Float64() < .8 {
			ill = (age - 20) / 12
		}
		fmt.Fprintf(&feed, `{"patient":"p%d","age":%d,"sex":"F","postcode":"1001","admission":"a","diagnosis":"illness %d"}`+"\n",
			person, age, ill)
	}
	for person := range 600 {
		if send(person); person%2 == 0 {
			send(person)
		}
	}
	s.write("admissions.ndjson", feed.String())
	s.publish()
	s.exports()
	releases := s.path("releases")

	of := func(args ...string) (r beliefs.Report) {
		out := lab(t, append([]string{"audit-model", "--releases", releases, "--json"}, args...)...)
		require.Equal(t, cli.OK, out.code, out.stderr)
		require.NoError(t, json.Unmarshal([]byte(out.stdout), &r))
		return r
	}
	public := of("--public").Attribute[0]
	private := of("--members", s.path("members.csv"), "--records", s.path("records.csv")).Attribute[0]
	require.Positive(t, private.People)
	require.Equal(t, private.People, public.People)
	half, others := private.Above[1], private.Control.Above[1]
	assert.Greater(t, half.People, private.People/2)
	assert.Greater(t, *half.Right, half.People*6/10)
	assert.Greater(t, *others.Right, max(50, others.People*6/10))
	for text, want := range map[string]string{`diagnosis ever = "group 1"`: "", `diagnosis first = "illness 2"`: "",
		"diagnosis ever = other": "does not occur"} {
		out := lab(t, "query", releases, "count where "+text)
		assert.Equal(t, cli.OK, out.code, "%s %s", out.stdout, out.stderr)
		assert.Contains(t, out.stdout+out.stderr, want)
	}
	out := lab(t, "evaluate", releases, "--original", s.path("admissions.ndjson"))
	assert.Equal(t, cli.Failed, out.code)
	assert.Contains(t, out.stderr, "no file says which records of a table came while they were observed")
}
