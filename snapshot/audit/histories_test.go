package audit

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/snapshot/audit/format"
)

// historiesL2 is the standard chain of people who are published with their histories of up to three records. Some persist, others have
// another value in each record; no value has more people of a bucket than in the standard chain.
func historiesL2() *l2Plan {
	p := standardL2("buckets")
	p.strata, p.most = []string{"plain", "2", "3+updated", "2+fault"}, 3
	for n, births := range p.births {
		for _, b := range births {
			for _, class := range b {
				for _, i := range class {
					p.people[i].value = lived(p.people[i].value, []int{1, 2, 3, 2}[n])
				}
			}
		}
	}
	return p
}

// lived is a history that begins with a value: an a or e persists, and another value comes and goes.
func lived(value string, records int) string {
	other := strings.ToUpper(value)
	if strings.Contains("ae", value) {
		other = value
	}
	return strings.Join([]string{value, other, value}[:records], ">")
}

// TestHistories: the auditor and the gate certify a chain of people who are published with their histories, and the auditor says what is
// promised of these.
func TestHistories(t *testing.T) {
	p := historiesL2()
	r, refused := p.check(t, p.write(t))
	require.Empty(t, r.Violations)
	require.Empty(t, refused)
	require.Equal(t, VerdictCertified, r.Verdict)
	var text strings.Builder
	require.NoError(t, r.Text(&text))
	require.Contains(t, text.String(), "cannot tell that a value ever occurs in a published person's history")
	require.Contains(t, text.String(), "how often beyond 3 records")
	require.NotContains(t, text.String(), "m/l for m records")
	for _, settle := range []string{"end", "10 records"} {
		p.span = 10
		p.edit = since(1, func(r *testParts) { privacy(r)["settle"] = settle })
		r, err := Dir(p.write(t))
		require.NoError(t, err)
		require.Equal(t, VerdictCertified, r.Verdict)
		require.Contains(t, strings.Join(r.NotPromised, "\n"), "who comes back, when and how often")
		require.Contains(t, strings.Join(r.NotPromised, "\n"), "different times")
	}
}

// historyMutations damage the chain of histories. In part-000001 of release 3 are the buckets of release 1, in its second part those of
// release 2, and in its third those of release 3, whose people have three records.
var historyMutations = []l2Mutation{
	{name: "one value in too many histories, though no history is frequent", want: format.KindValueAboveL, plan: func(p *l2Plan) {
		for n, i := range p.births[2][0][0] { // of eight people
			p.people[i].value = []string{"c>a>c", "a>d>a", "e>a>e", "a>f>a"}[n]
		}
		p.people[p.births[2][0][1][1]].value = "b>a>b"
	}},
	{name: "one value in too many histories of a release", want: format.KindDifference, plan: func(p *l2Plan) {
		for n, i := range p.births[3][0][0] {
			p.people[i].value = []string{"c>a", "a>d", "e>a", "b>f"}[n]
		}
	}},
	{name: "lengths mixed in a bucket", want: format.KindHistoryLength, plan: func(p *l2Plan) {
		p.people[p.births[1][0][0][0]].value = "e"
	}},
	{name: "lengths mixed in a pool's bag", want: format.KindHistoryLength, edit: early(2, func(r *testParts) {
		row := r.parts[1].tables["pools.csv"][1]
		row[3] = ""
	})},
	{name: "another number of records than the stratum says", want: format.KindHistoryLength, edit: early(1, func(r *testParts) {
		part1(r).tables["buckets.csv"][1][4] = "2"
	})},
	{name: "a stratum of fewer records than the histories have", want: format.KindHistoryLength, edit: early(2, func(r *testParts) {
		set(r.parts[1], 3, "plain")
		set(r.parts[1], 4, "1")
	})},
	{name: "histories with another middle in a pool", want: format.KindPoolBag, edit: at(3, func(r *testParts) {
		rows := r.parts[2].tables["pools.csv"]
		rows[1][3] = "z"
	})},
	{name: "histories in another order", want: format.KindRowOrder, edit: at(3, func(r *testParts) {
		rows := r.parts[2].tables["values.csv"]
		rows[1], rows[2] = rows[2], rows[1]
	})},
	{name: "more records from here on", want: format.KindContractChanged, edit: at(2, func(r *testParts) {
		privacy(r)["max_records"] = 4
		for _, p := range r.parts {
			p.most = 4
			for _, name := range []string{"values.csv", "pools.csv"} {
				for i, row := range p.tables[name] {
					p.tables[name][i] = append(row[:5:5], map[bool]string{true: "value_4"}[i == 0], row[5])
				}
			}
		}
	})},
	{name: "the first record's value is said to be published", want: format.KindClaimFalse, edit: since(1, func(r *testParts) {
		policy(r)["subject_repeat"] = "first"
	})},
	{name: "the share of whole histories is claimed", want: format.KindCountMismatch, edit: since(3, func(r *testParts) {
		privacy(r)["max_frequency"] = .25
	})},
}

// TestHistoryMutations: each damage to a chain of histories is reported under its own kind, by the audit of the chain, with exports and
// without, and by the gate.
func TestHistoryMutations(t *testing.T) {
	for _, m := range historyMutations {
		t.Run(m.name, func(t *testing.T) {
			p := historiesL2()
			if m.plan != nil {
				m.plan(p)
			}
			p.edit = m.edit
			o := p.write(t)
			if m.name == "lengths mixed in a bucket" { // the export cannot be written so
				o.Members, o.Records = "", ""
			}
			r, refused := p.check(t, o)
			require.Equal(t, verdictViolated, r.Verdict)
			require.Contains(t, kinds(r.Violations), m.want)
			require.Contains(t, kinds(refused), m.want)
			o.Members, o.Records = "", ""
			public, err := Dir(o)
			require.NoError(t, err)
			require.Contains(t, kinds(public.Violations), m.want)
		})
	}
}

// TestHistoriesOfOthers: with the exports the audit finds a bucket that has other histories than its people, also where each value occurs
// in as many.
func TestHistoriesOfOthers(t *testing.T) {
	p := historiesL2()
	for n, i := range p.births[1][1][0] {
		p.people[i].value = []string{"a>b", "b>a", "c>d", "d>c"}[n]
	}
	o := p.write(t)
	r, err := Dir(o)
	require.NoError(t, err)
	require.Equal(t, VerdictCertified, r.Verdict)
	for n, i := range p.births[1][1][0] {
		p.people[i].value = []string{"a>b", "a>b", "c>d", "d>c"}[n]
	}
	other := p.write(t)
	o.Records = other.Records
	r, err = Dir(o)
	require.NoError(t, err)
	require.Equal(t, []string{format.KindBucketMismatch}, kinds(r.Violations))
}

// TestHistoriesThatCannotBeRead: what is no history, and manifests that say something else of them than they may, are told.
func TestHistoriesThatCannotBeRead(t *testing.T) {
	malformed := "privacy.unit, privacy.promise or privacy.max_records is malformed"
	for _, x := range []struct {
		want string
		edit func(r *testParts)
	}{
		{malformed, func(r *testParts) { delete(privacy(r), "unit") }},
		{malformed, func(r *testParts) { privacy(r)["promise"] = "record" }},
		{malformed, func(r *testParts) { privacy(r)["max_records"] = 16 }},
		{malformed, func(r *testParts) { privacy(r)["max_records"] = 0 }},
		{malformed, func(r *testParts) { delete(privacy(r), "settle"); delete(privacy(r), "updates") }},
		{malformed, func(r *testParts) { r.man["recoding"] = "anatomy" }},
		{malformed, func(r *testParts) { policy(r)["diversity"] = []any{map[string]any{"kind": "distinct", "l": 2}} }},
		{"stratum is none", func(r *testParts) { set(part1(r), 3, "4") }},
		{"a history has no first value", func(r *testParts) { part1(r).tables["values.csv"][1][2] = "" }},
		{"or one behind its end", func(r *testParts) { part1(r).tables["values.csv"][1][4] = "a" }},
		{"a value has a control character", func(r *testParts) { part1(r).tables["values.csv"][1][2] = "a\x1fb" }},
	} {
		p := historiesL2()
		p.edit = since(1, x.edit)
		_, err := Dir(p.write(t))
		require.ErrorContains(t, err, x.want)
	}
	p := historiesL2()
	p.most = 0 // the header has no further columns
	p.edit = since(1, func(r *testParts) {
		privacy(r)["unit"], privacy(r)["promise"], privacy(r)["max_records"] = "person", "ever", 3
	})
	_, err := Dir(p.write(t))
	require.Error(t, err)
	p = strataL2("buckets")
	p.edit = since(1, func(r *testParts) { privacy(r)["settle"] = "end" })
	_, err = Dir(p.write(t))
	require.ErrorContains(t, err, malformed)
}

// TestRandomHistories: of histories at random the auditor finds a value above its cap in a bucket, and in what a release adds, exactly
// where a count of the people who ever have it says so.
func TestRandomHistories(t *testing.T) {
	above, below := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := historiesL2()
		wide := 3 + int(seed%6)
		over, differs := false, false
		for n, births := range p.births {
			pool := map[string]int{}
			people := 0
			for _, b := range births {
				counts, size := map[string]int{}, 0
				for _, i := range slices.Concat(b...) {
					parts := make([]string, []int{1, 2, 3, 2}[n])
					for j := range parts {
						parts[j] = string(rune('a' + rng.IntN(wide)))
					}
					p.people[i].value = strings.Join(parts, ">")
					seen := map[string]bool{}
					for _, v := range parts {
						if !seen[v] {
							counts[v]++
							pool[v]++
						}
						seen[v] = true
					}
					size++
				}
				for _, c := range counts {
					over = over || c*p.l > size
				}
				people += size
			}
			for _, c := range pool {
				differs = differs || c*p.l > people
			}
		}
		r, refused := p.check(t, p.write(t))
		found := kinds(r.Violations)
		require.Equal(t, over, slices.Contains(found, format.KindValueAboveL), "seed %d", seed)
		require.Equal(t, differs, slices.Contains(found, format.KindDifference), "seed %d", seed)
		require.Equal(t, over || differs, len(refused) > 0, "seed %d", seed)
		if over {
			above++
		} else {
			below++
		}
	}
	require.Positive(t, above)
	require.Positive(t, below)
}
