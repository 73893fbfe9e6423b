package frontier

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The American Community Survey is in the program; a stream has as many batches as there
// are people for.
func TestACS(t *testing.T) {
	data, err := acs.load("", 1)
	require.NoError(t, err)
	require.Equal(t, 27253, data.Len())
	require.Equal(t, shape{load: 15000, batch: 500, batches: 24}, Options{K: 5}.shape(data))
	require.Equal(t, []string{"AGEP", "EDU"}, data.scales)
	widths := []float64{95, 1, 12, 6, 8}
	for j, d := range data.points.Space.Dims {
		require.Equal(t, widths[j], d.Width, acs.quasi[j])
	}
}

// Each patient counts once, with the first row; rows without a diagnosis do not count.
func TestDiabetesIsReadFromElsewhere(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(Elsewhere, "")
	_, err := diabetes.load("", 1)
	var absent *AbsentError
	require.ErrorAs(t, err, &absent)
	require.EqualError(t, err, "the program does not contain diabetes130, and the environment variable ANOND_DATA is not set")
	t.Setenv(Elsewhere, dir)
	_, err = diabetes.load("", 1)
	require.ErrorAs(t, err, &absent)
	require.ErrorContains(t, err, "there is no diabetes130.csv.gz in "+dir+", which ANOND_DATA names")

	const header = "patient_nbr,race,gender,age,admission_type_id,admission_source_id,time_in_hospital,number_diagnoses,diag_1\n"
	path := filepath.Join(dir, "few.csv")
	text := header + "1,Asian,Male,[20-30),1,7,3,9,250\n1,Asian,Male,[30-40),1,7,3,9,8\n2,,Female,[0-10),6,1,4,9,\n" +
		"3,,Male,[90-100),2,17,1,5,8\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	data, err := diabetes.load(path, 1)
	require.NoError(t, err)
	var rows []string
	for _, row := range data.rows {
		text := ""
		for _, cell := range row {
			text += string(cell) + " "
		}
		rows = append(rows, text)
	}
	require.ElementsMatch(t, []string{"0 0 2 1 7 3 9 250 ", "1 0 9 2 17 1 5 8 "}, rows)
}

func TestDatasetsHaveNames(t *testing.T) {
	for _, name := range append(DatasetNames(), "") {
		d, err := named(name)
		require.NoError(t, err)
		require.True(t, name == "" || d.name == name)
	}
	_, err := named("census")
	require.EqualError(t, err, `no dataset "census"; there are adult, acs, diabetes130`)
}
