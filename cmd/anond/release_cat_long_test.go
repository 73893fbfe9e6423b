package main

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/internal/cli"
	"anond/snapshot"
)

// TestLongCatKeepsBags: the weights of a person sum to 1 for each attribute, those of a value in a bucket to its count in values.csv, and
// the ends of ranges stand as numbers.
func TestLongCatKeepsBags(t *testing.T) {
	for _, recoding := range []string{"buckets", "anatomy", "permutation"} {
		s := newSite(t, fileSource, "on: records, every: 60", "")
		s.edit("level: L1", "level: L2")
		s.edit("policy: {", "initial: {max_records: 120, min_pool: 30}\npolicy: {")
		s.edit("release: {", "release: {recoding: "+recoding+", ")
		for n := 200; n <= 600; n += 200 {
			s.write("admissions.ndjson", ndjson(1, n))
			s.must("run --once")
		}
		rows, err := csv.NewReader(strings.NewReader(s.must("release cat --long"))).ReadAll()
		require.NoError(t, err)
		at := map[string]int{}
		for i, name := range rows[0] {
			at[name] = i
		}
		people, bags := map[[2]string]float64{}, map[[4]string]float64{}
		for _, row := range rows[1:] {
			weight, err := strconv.ParseFloat(row[at["weight"]], 64)
			require.NoError(t, err)
			people[[2]string{row[at["person"]], row[at["attribute"]]}] += weight
			bags[[4]string{row[at["part"]], row[at["bucket"]], row[at["attribute"]], row[at["value"]]}] += weight
			lo, err := strconv.ParseFloat(row[at["age_lo"]], 64)
			require.NoError(t, err)
			hi, err := strconv.ParseFloat(row[at["age_hi"]], 64)
			require.NoError(t, err)
			mid, err := strconv.ParseFloat(row[at["age_mid"]], 64)
			require.NoError(t, err)
			require.InDelta(t, (lo+hi)/2, mid, 1e-9)
			require.Contains(t, row[at["age"]], row[at["age_lo"]])
			require.Contains(t, row[at["age"]], row[at["age_hi"]])
		}
		for p, sum := range people {
			require.InDelta(t, 1, sum, 1e-9, p)
		}
		values, err := csv.NewReader(strings.NewReader(s.must("release cat --file values.csv"))).ReadAll()
		require.NoError(t, err)
		require.Greater(t, len(values), 10)
		assert.Len(t, bags, len(values)-1)
		for _, row := range values[1:] {
			n, err := strconv.Atoi(row[4])
			require.NoError(t, err)
			require.InDelta(t, n, bags[[4]string(slices.Clone(row[:4]))], 1e-9)
		}
		var first map[string]any
		line, _, _ := strings.Cut(s.must("release cat --long --json"), "\n")
		require.NoError(t, json.Unmarshal([]byte(line), &first))
		assert.IsType(t, 0., first["age_lo"])
		assert.IsType(t, 0., first["weight"])
		assert.IsType(t, "", first["value"])
		assert.Equal(t, cli.Misused, anond(t, "release", "cat", "--long", "--file", "values.csv", "--dir", s.path("releases")).code)
	}
	s := newSite(t, fileSource, "on: records, every: 60", "")
	s.write("admissions.ndjson", ndjson(1, 200))
	s.runFrozen()
	assert.Equal(t, cli.Misused, anond(t, "release", "cat", "--long", "--dir", s.path("releases")).code, "level L1")
}

// TestLongCatOfHistories: a row for each person and history of their bucket, record by record, whose weight is its share.
func TestLongCatOfHistories(t *testing.T) {
	m := &snapshot.Manifest{Recoding: snapshot.NameBuckets, Policy: snapshot.Policy{Level: snapshot.PolicyL2},
		Privacy: snapshot.Privacy{Settle: "90d", MaxRecords: 3}, Schema: []snapshot.SchemaEntry{
			{Name: "ward", Role: equivclass.Quasi, Type: equivclass.Categorical},
			{Name: "illness", Role: equivclass.Sensitive, Type: equivclass.Categorical}},
		Parts: []snapshot.PartEntry{{Files: []snapshot.FileEntry{{Name: snapshot.DataName}, {Name: snapshot.ValuesName}}}}}
	files := map[string]string{
		snapshot.DataName: "part,ward,class,bucket\npart-000001,a,1,1\npart-000001,a,1,1\n",
		snapshot.ValuesName: "part,bucket,attribute,value,value_2,value_3,count\n" +
			"part-000001,1,illness,cold,flu,,1\npart-000001,1,illness,flu,gout,,1\n",
		snapshot.BucketsName: "part,bucket,pool,people,stratum,records\npart-000001,1,1,2,2,2\n",
	}
	stream := func(file string, to io.Writer) error { _, err := io.WriteString(to, files[file]); return err }
	var out strings.Builder
	require.NoError(t, writeLong(&out, m, stream, false))
	require.Equal(t, `part,class,bucket,person,ward,attribute,value,value_2,value_3,weight
part-000001,1,1,1,a,illness,cold,flu,,0.5
part-000001,1,1,1,a,illness,flu,gout,,0.5
part-000001,1,1,2,a,illness,cold,flu,,0.5
part-000001,1,1,2,a,illness,flu,gout,,0.5
`, out.String())
	out.Reset()
	require.NoError(t, writeTable(&out, m, snapshot.BucketsName, true, stream))
	require.JSONEq(t, `{"part":"part-000001","bucket":1,"pool":1,"people":2,"stratum":"2","records":2}`, out.String())
}
