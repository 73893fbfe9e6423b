package crashtest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	streets = "c1;west;*\nc2;west;*\nd1;east;*\nd2;east;*\n"
	// New leaves come first, between and last, and one under a new inner label.
	moreStreets = "a0;north;*\nc1;west;*\nc15;west;*\nc2;west;*\nd1;east;*\nd2;east;*\ne9;east;*\n"
	ills        = "flu;lung;*\ncold;lung;*\ngout;joint;*\n"
	moreIlls    = "ache;joint;*\nflu;lung;*\ncold;lung;*\ngout;joint;*\n"
)

// town is a clinic whose streets and illnesses have hierarchies; k 3, l 3.
func town(recoding string) string {
	c := strings.Replace(clinic(csvFile), "{name: city, role: quasi, type: categorical}",
		"{name: city, role: quasi, hierarchy: tree/city.csv}", 1)
	c = strings.Replace(c, "{name: ill, role: sensitive, type: categorical}", "{name: ill, role: sensitive, hierarchy: tree/ill.csv}", 1)
	return strings.Replace(c, "ledger: ./ledger,", "ledger: ./ledger, recoding: "+recoding+",", 1)
}

func newTown(t *testing.T, recoding string) *site {
	s := newSite(t, town(recoding))
	s.write("tree/city.csv", streets)
	s.write("tree/ill.csv", ills)
	s.write("in.csv", "id,age,city,ill\n")
	return s
}

// people appends n people of a city, with the values given in turn.
func (s *site) people(from, n int, city string, ills ...string) {
	for i := range n {
		s.append("in.csv", fmt.Sprintf("p%d,%d,%s,%s\n", from+i, 30+(from+i)%40, city, ills[i%len(ills)]))
	}
}

func (s *site) once() result {
	s.t.Helper()
	r := s.run("", "run", "--once")
	require.Equal(s.t, 0, r.code, r.stderr)
	return r
}

// bytesOf reads every file of a release.
func (s *site) bytesOf(release string) map[string]string {
	s.t.Helper()
	out := map[string]string{}
	root := s.path("releases/" + release)
	require.NoError(s.t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, root)] = string(data)
		return err
	}))
	require.NotEmpty(s.t, out)
	return out
}

// TestAHierarchyGrows: new leaves are taken in from then on, in a chain that is
// certified and verified as a whole, whatever the recoding; published classes and
// older copies stay as they are, and restarts know both numberings.
func TestAHierarchyGrows(t *testing.T) {
	chosen.Demand(t)
	for _, recoding := range []string{"generalization", "anatomy"} {
		t.Run(recoding, func(t *testing.T) {
			s := newTown(t, recoding)
			s.people(0, 9, "c1", "flu", "cold", "gout")
			s.people(9, 9, "d2", "flu", "cold", "gout")
			s.people(18, 2, "e9", "flu") // not there yet
			s.once()
			require.Equal(t, 18, s.counts().Published)
			first := s.bytesOf("000001")

			s.write("tree/city.csv", moreStreets)
			s.people(20, 9, "e9", "flu", "cold", "gout")
			s.people(29, 9, "a0", "gout", "cold", "flu")
			s.people(38, 3, "c15", "gout", "cold", "flu")
			require.Equal(t, 0, s.run("", "config", "check").code)
			s.once()
			require.Equal(t, 39, s.counts().Published)
			require.Equal(t, "000002\n", s.read("releases/CURRENT"))
			s.once() // reads stored codes again
			s.certified()
			s.people(41, 6, "a0", "gout", "cold", "flu")
			s.once()
			require.Equal(t, "000003\n", s.read("releases/CURRENT"))
			s.certified()
			r := s.run("", "release", "verify")
			require.Equal(t, 0, r.code, r.stdout+r.stderr)
			require.Equal(t, 0, s.run("", "state", "check").code)
			assert.Equal(t, first, s.bytesOf("000001"))

			copies, err := filepath.Glob(s.path("releases/hierarchies/city*.csv"))
			require.NoError(t, err)
			require.Len(t, copies, 2)
			assert.Equal(t, streets, s.read("releases/hierarchies/city.csv"))
			assert.Contains(t, s.read("releases/000001/manifest.json"), `"hierarchies/city.csv"`)
			assert.Contains(t, s.read("releases/000003/manifest.json"), `"hierarchies/city-`)
			assert.Contains(t, s.read("releases/000003/manifest.json"), `"hierarchies/ill.csv"`)

			for _, release := range []string{"000001", "000003"} {
				r := s.lab("evaluate", "--release", "releases/"+release)
				assert.NotEqual(t, 1, r.code, r.stderr)
			}
			s.write("tree/city.csv", streets)
			r = s.run("", "run", "--once")
			assert.Equal(t, 78, r.code, "leaves may not go again")
			assert.Contains(t, r.stderr, `"city"`)
		})
	}
}

// TestWhatIsNoGrowthIsRefused: after release 1 every leaf keeps its whole path.
func TestWhatIsNoGrowthIsRefused(t *testing.T) {
	chosen.Demand(t)
	s := newTown(t, "generalization")
	s.people(0, 9, "c1", "flu", "cold", "gout")
	s.once()
	for name, file := range map[string]string{
		"moved":   "c1;west;*\nc2;west;*\nd1;west;*\nd2;east;*\n",
		"renamed": "c1;west;*\nc2;west;*\nd1;ost;*\nd2;ost;*\n",
		"deeper":  "c1;near;west;*\nc2;near;west;*\nd1;east;*\nd2;east;*\n",
		"gone":    "c1;west;*\nc2;west;*\nd1;east;*\n",
	} {
		t.Run(name, func(t *testing.T) {
			s.write("tree/city.csv", file)
			r := s.run("", "run", "--once")
			require.Equal(t, 78, r.code)
			assert.Contains(t, r.stderr, `the hierarchy of attribute "city"`)
			switch name {
			case "moved":
				assert.Contains(t, r.stderr, "tree/city.csv:3;")
			case "gone":
				assert.Contains(t, r.stderr, "1 are gone")
			}
		})
	}
	s.write("tree/city.csv", "d2;east;*\nd1;east;*\nc2;west;*\nc1;west;*\n")
	s.people(9, 6, "d1", "flu", "cold", "gout")
	s.once()
	assert.Equal(t, 15, s.counts().Published, "the order of lines is free")
	s.certified()
}

// TestBeforeReleaseOneAHierarchyMayChange: in any way that leaves no record
// without its leaf.
func TestBeforeReleaseOneAHierarchyMayChange(t *testing.T) {
	chosen.Demand(t)
	s := newTown(t, "generalization")
	s.people(0, 3, "c1", "flu")
	require.Equal(t, 3, s.run("", "run", "--once").code)
	s.write("tree/city.csv", "c2;west;*\nd1;east;*\n")
	r := s.run("", "run", "--once")
	require.Equal(t, 78, r.code, "a record has c1")
	s.write("tree/city.csv", "x1;far;*\nd1;near;*\nc1;near;*\n")
	s.people(3, 6, "x1", "cold", "gout")
	s.once()
	assert.Equal(t, 9, s.counts().Published)
	assert.Contains(t, s.read("releases/hierarchies/city.csv"), "near")
	s.certified()
}

// TestTheSensitiveHierarchyGrows: a new value is valid from then on. Records that
// arrived before cannot have it, so none of them shares a class with it.
func TestTheSensitiveHierarchyGrows(t *testing.T) {
	chosen.Demand(t)
	s := newTown(t, "generalization")
	s.people(0, 9, "c1", "flu", "cold", "gout")
	s.once()
	s.people(9, 2, "c2", "flu", "ache") // the second is refused
	s.once()
	require.Equal(t, 9, s.counts().Published)
	s.write("tree/ill.csv", moreIlls)
	s.people(11, 1, "c2", "ache")
	s.people(12, 1, "c2", "cold")
	r := s.once()
	assert.Equal(t, 9, s.counts().Published, "the one that waits arrived before the value: %s", r.stderr)
	s.people(13, 1, "c2", "gout")
	s.once()
	assert.Equal(t, 12, s.counts().Published)
	s.certified()
	s.people(14, 2, "d1", "cold", "gout")
	s.once()
	assert.Equal(t, 15, s.counts().Published)
	s.certified()
	require.Equal(t, 0, s.run("", "release", "verify").code)
	require.Equal(t, 0, s.run("", "state", "check").code)
}
