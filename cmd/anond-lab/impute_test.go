package main

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/cli"
	"anond/snapshot/readback"
)

// TestImputationsKeepTheRelease: in each table every bucket has the values of its bags, every class cells that the release shows of it,
// and nothing is empty; table 0 has what is certain alone; the same seed gives the same bytes, another one others.
func TestImputationsKeepTheRelease(t *testing.T) {
	s := publishedClinic(t)
	made := lab(t, "impute", s.path("releases"), "-n", "3")
	require.Equal(t, cli.OK, made.code, made.stderr)
	assert.Contains(t, made.stderr, "drawn by a model")
	assert.Equal(t, made.stdout, lab(t, "impute", s.path("releases"), "-n", "3").stdout)
	assert.NotEqual(t, made.stdout, lab(t, "impute", s.path("releases"), "-n", "3", "--seed", "2").stdout)
	rows, err := csv.NewReader(strings.NewReader(made.stdout)).ReadAll()
	require.NoError(t, err)

	r, err := readback.Open(s.path("releases"))
	require.NoError(t, err)
	require.NoError(t, r.Load(nil))
	joint, ok := r.Joint()
	require.True(t, ok)
	people := r.Manifest.Records
	require.Len(t, rows, 1+4*people)
	d := len(joint.Dicts) - len(joint.Sensitive)
	for i, d := range joint.Dicts {
		require.Equal(t, d.Attribute().Name+"_imputed", rows[0][4+i])
	}
	for table := range 4 {
		bags := make([]map[int][]string, len(joint.Sensitive))
		for i := range bags {
			bags[i] = map[int][]string{}
		}
		for n, row := range rows[1+table*people : 1+(table+1)*people] {
			require.Equal(t, []string{strconv.Itoa(table), strconv.Itoa(n + 1)}, row[:2])
			class, _ := strconv.Atoi(row[2])
			bucket, _ := strconv.Atoi(row[3])
			require.Equal(t, int(joint.Bucket[class-1]), bucket-1)
			require.Equal(t, table > 0, !slices.Contains(row[4:], ""), "%v", row)
			for q := range d {
				cell := joint.Columns[q].Cells[joint.Columns[q].Of[class-1]]
				if v, err := strconv.ParseFloat(row[4+q], 64); err == nil && cell.Codes == nil {
					require.LessOrEqual(t, cell.Lo, v)
					require.GreaterOrEqual(t, cell.Hi, v)
				} else if row[4+q] != "" && cell.Codes != nil {
					code, known := joint.Dicts[q].Named(row[4+q])
					require.True(t, known)
					require.Contains(t, cell.Codes, code)
				}
			}
			for i := range bags {
				bags[i][bucket-1] = append(bags[i][bucket-1], row[4+d+i])
			}
		}
		for i, of := range joint.Sensitive {
			for b, bag := range of.Bags {
				var want []string
				for _, c := range bag.Counts {
					want = append(want, slices.Repeat([]string{joint.Dicts[of.Attribute].Text(c.Code)}, c.N)...)
				}
				if table > 0 {
					require.ElementsMatch(t, want, bags[i][b])
				}
			}
		}
	}
	assert.Equal(t, cli.Misused, lab(t, "impute", s.path("releases"), "-n", "0").code)
}
