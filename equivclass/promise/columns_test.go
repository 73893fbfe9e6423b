package promise

import (
	"compress/gzip"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/extract"
	"anond/equivclass/merge"
	"anond/testdata"
)

// natural is a table with sensitive columns as people have them, most of them with a value that more than half of the people have.
type natural struct {
	file      string
	quasi     string
	sensitive map[string]*Promise
}

// bounded is twice the odds of the pool's own bag, and no more than a share of a value.
func bounded(t testing.TB, value, most string) *Promise {
	return &Promise{Gain: ratio(t, "2"), AtMost: map[string]Ratio{value: ratio(t, most)}}
}

func naturals(t testing.TB) []natural {
	const adult, acs = "age workclass education-num marital-status race native-country", "AGEP SEX MSP HISP RAC1P NPF OWN_RENT EDU"
	income, sex := bounded(t, ">50K", "0.5"), bounded(t, "Female", "0.6")
	sick := &Promise{Gain: ratio(t, "2"), AtMost: map[string]Ratio{"1": ratio(t, "0.4")}}
	out := []natural{
		{testdata.Adult, adult, map[string]*Promise{"income": income}},
		{testdata.Adult, adult, map[string]*Promise{"sex": sex}},
		{testdata.Adult, adult, map[string]*Promise{"income": income, "sex": sex}},
		{testdata.Adult, adult, map[string]*Promise{"income": income, "sex": sex, "occupation": Frequency(5)}},
		{testdata.ACS, acs, map[string]*Promise{"DPHY": sick}},
		{testdata.ACS, acs, map[string]*Promise{"DPHY": sick, "PINCP_DECILE": {L: 2, Gain: ratio(t, "2")}}},
	}
	if os.Getenv("ANOND_DATA") == "" {
		return out
	}
	const diabetes, cars = "race gender age admission_type_id time_in_hospital", "Area VehPower VehAge DrivAge VehGas Region"
	readmitted := bounded(t, "<30", "0.3")
	tested := &Promise{Gain: ratio(t, "2"), AtMost: map[string]Ratio{">8": ratio(t, "0.3")}}
	return append(out,
		natural{"diabetes130.csv.gz", diabetes, map[string]*Promise{"readmitted": readmitted}},
		natural{"diabetes130.csv.gz", diabetes, map[string]*Promise{"A1Cresult": tested}},
		natural{"diabetes130.csv.gz", diabetes, map[string]*Promise{"readmitted": readmitted, "A1Cresult": tested}},
		natural{"fremtpl2.csv.gz", cars, map[string]*Promise{"claim": {Gain: ratio(t, "2"), AtMost: map[string]Ratio{"yes": ratio(t, "0.8")}}}})
}

// table reads columns; a claim is a rate above zero.
func table(t testing.TB, name string) (column map[string]int, rows [][]string) {
	header, rows, err := testdata.Rows(name)
	if err != nil {
		f, err := os.Open(filepath.Join(os.Getenv("ANOND_DATA"), name))
		require.NoError(t, err)
		defer f.Close()
		z, err := gzip.NewReader(f)
		require.NoError(t, err)
		all, err := csv.NewReader(z).ReadAll()
		require.NoError(t, err)
		header, rows = all[0], all[1:]
	}
	column = map[string]int{}
	for i, name := range header {
		column[name] = i
	}
	if rate, of := column["ClaimRate"]; of {
		column["claim"] = len(header)
		for i, r := range rows {
			rows[i] = append(slices.Clone(r), map[bool]string{true: "no", false: "yes"}[r[rate] == "0"])
		}
	}
	return column, rows[:min(len(rows), 20_000)]
}

// TestNaturalColumnsCanBePromised: yes or no, skewed, several at once. Each pool is eligible and has many buckets, all of which
// keep what is promised; and pools like it need not be large.
func TestNaturalColumnsCanBePromised(t *testing.T) {
	tier.NotShort(t, "classes of 20,000 people, six times")
	for _, c := range naturals(t) {
		var names []string
		for name := range c.sensitive {
			names = append(names, name)
		}
		slices.Sort(names)
		t.Run(c.file+" "+strings.Join(names, ","), func(t *testing.T) {
			column, rows := table(t, c.file)
			var quasi []int
			for _, name := range strings.Fields(c.quasi) {
				quasi = append(quasi, column[name])
			}
			classes, _ := extract.Blind{Workers: 2}.Classes(equivtest.NumberPool(rows, column[names[0]], quasi).Points(), 10)
			subPools, _ := merge.Division(len(classes), merge.SubPoolClasses, 5)
			classes = classes[:len(classes)/subPools*subPools]

			var all Attributes
			bags := make([]merge.Bag, len(classes))
			first := uint32(0)
			for _, name := range names {
				texts, codes := make([]string, len(rows)), make([]uint32, len(rows)) // a code for each row: equal texts have one rank
				for i, r := range rows {
					texts[i], codes[i] = r[column[name]], uint32(i)
				}
				order := merge.NewOrder(texts).After(first)
				for i, members := range classes {
					bags[i] = append(bags[i], merge.BagOf(order, codes, members)...)
				}
				slices.Sort(texts)
				texts = slices.Compact(texts)
				all, first = append(all, Attribute{Name: name, Promise: c.sensitive[name], Values: texts}), first+uint32(len(texts))
			}
			people, whole := len(classes)*10, merge.Bag{}
			counts := map[uint32]uint32{}
			for _, b := range bags {
				for _, x := range b {
					counts[x.Value] += x.N
				}
			}
			for v := range first {
				if counts[v] > 0 {
					whole = append(whole, merge.Count{Value: v, N: counts[v]})
				}
			}
			requirement := merge.Requirement{Caps: all.Caps(whole, people)}
			require.True(t, requirement.Holds(whole, people), "%+v", all.Verdicts(whole, people))
			need := all.Need(whole, people)
			assert.True(t, need.Possible)
			assert.LessOrEqual(t, need.People, 5000)

			draws := merge.NewDraws([32]byte{1}, merge.Key{Release: 1})
			buckets, _ := merge.Pool(bags, 10, subPools, requirement, draws, merge.Run{Workers: 2})
			sizes := []int{}
			for _, b := range buckets {
				var of merge.Bag
				sum := map[uint32]uint32{}
				for _, class := range b {
					for _, x := range bags[class] {
						sum[x.Value] += x.N
					}
					sizes = append(sizes, 10*len(b))
				}
				for v := range first {
					if sum[v] > 0 {
						of = append(of, merge.Count{Value: v, N: sum[v]})
					}
				}
				require.True(t, requirement.Holds(of, 10*len(b)))
			}
			slices.Sort(sizes)
			t.Logf("need %d (%s), %d buckets, the median person's has %d people, the largest %d", need.People, need.Attribute, len(buckets),
				sizes[len(sizes)/2], sizes[len(sizes)-1])
			assert.Greater(t, len(buckets), 20)
		})
	}
}
