package snapshot_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/incremental"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// localChain grows a clinic by births of classes, and of buckets over the
// records born together.
type localChain struct {
	r       *rand.Rand
	content clinicContent
	private [][2]bool // by person: ward, sex
	arrived []int
	own     bool // the buckets of the diagnosis are the classes
	nested  bool // no bucket crosses classes
}

func (c *localChain) birth(t *testing.T, release int) {
	var pool [4][]incremental.RecordID
	for range 2 + c.r.IntN(3) {
		private := [2]bool{c.r.IntN(2) == 0, c.r.IntN(2) == 0}
		x := testClass{regime: incremental.Frozen, born: uint32(release)}
		first := c.r.IntN(4)
		for i := range 4 {
			x.members = append(x.members, c.person(release, first+i, private))
		}
		c.content.classes = append(c.content.classes, x)
		for at, in := range []bool{private[0], true, private[1], true} {
			if in {
				pool[at] = append(pool[at], x.members...)
			}
			if in && c.nested && at != 2 && (at != 3 || !c.own) { // the four members have four values
				c.content.local[at] = append(c.content.local[at], c.assign(t, slices.Clone(x.members), []int{1, 2, 4, 5}[at])...)
			}
		}
		if c.own {
			c.content.local[3] = append(c.content.local[3], x.members)
		}
	}
	if c.r.IntN(2) == 0 {
		c.person(release, 0, [2]bool{}) // waits
	}
	for at, column := range map[int]int{0: 1, 1: 2, 3: 5} {
		if !c.nested && (at != 3 || !c.own) {
			c.content.local[at] = append(c.content.local[at], c.assign(t, pool[at], column)...)
		}
	}
	if len(pool[2]) > 0 {
		c.content.local[2] = append(c.content.local[2], pool[2])
	}
}

func (c *localChain) person(release, i int, private [2]bool) incremental.RecordID {
	pick := func(values ...string) string { return values[i%len(values)] }
	c.content.persons = append(c.content.persons, person{strconv.Itoa(20 + c.r.IntN(4)), pick("a", "b,", "c", "d"), pick("1.5", "20", "9"),
		pick("1011", "2011"), pick("F", "M"), pick("x", "y", "z", "w")})
	c.private = append(c.private, private)
	c.arrived = append(c.arrived, release)
	return incremental.RecordID(len(c.content.persons) - 1)
}

// assign shuffles until pairs differ: the buckets keep l = 2.
func (c *localChain) assign(t *testing.T, pool []incremental.RecordID, column int) (out [][]incremental.RecordID) {
	for range 100000 {
		out = nil
		c.r.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
		for i := 0; i < len(pool); i += 2 {
			if c.content.persons[pool[i]][column] == c.content.persons[pool[i+1]][column] {
				break
			}
			out = append(out, slices.Clone(pool[i:i+2]))
		}
		if 2*len(out) == len(pool) {
			return out
		}
	}
	require.Fail(t, "no pairs")
	return nil
}

func (c *localChain) exports(t *testing.T, dir string, members [][]snapshot.Placement) audit.Options {
	var r strings.Builder
	m := memberExport(members)
	r.WriteString("record,arrived_in_release,age,ward,weight,postcode,sex,diagnosis,ward_private,sex_private\n")
	for i, p := range c.content.persons {
		fmt.Fprintf(&r, "s:0:%d,%d", i, c.arrived[i])
		for _, v := range p {
			r.WriteString(`,"` + v + `"`)
		}
		fmt.Fprintf(&r, ",%t,%t\n", c.private[i][0], c.private[i][1])
	}
	o := audit.Options{Members: filepath.Join(dir, "members.csv"), Records: filepath.Join(dir, "records.csv")}
	require.NoError(t, os.WriteFile(o.Members, []byte(m), 0o600))
	require.NoError(t, os.WriteFile(o.Records, []byte(r.String()), 0o600))
	return o
}

// TestAuditorAgreesOnLGB publishes random chains of recoding lgb, full of classes
// and buckets that look alike, through the gate, and has the auditor certify
// them with every attribute on its own; where buckets cross classes the manifest
// says so, and the auditor finds them consistent.
func TestAuditorAgreesOnLGB(t *testing.T) {
	certified, rows := 0, 0
	for trial := range 45 {
		c := &localChain{r: rand.New(rand.NewPCG(uint64(trial), 4)), own: trial%2 == 0, nested: trial%3 > 0}
		root := t.TempDir()
		s := settings(snapshot.LGB(testSeed))
		s.Policy = snapshot.Policy{K: 4, L: 2, Republication: "append", Diversity: []snapshot.Diversity{}}
		p := publisher(newRecorder(root), root)
		p.Gate = auditGate{audit.NewGate(audit.Policy{K: 4, L: 2, Republication: "append", MaxRegroups: new(int), Rows: !c.nested})}
		require.NoError(t, p.Open())
		var members [][]snapshot.Placement
		var reference *incremental.View
		for release := 1; release <= 3; release++ {
			c.birth(t, release)
			v := clinicView(t, &c.content)
			v.Intent.Release, v.Intent.CreatedAt = uint32(release), v.Intent.CreatedAt+int64(release)
			if reference == nil {
				reference = v
			}
			v.References = reference.References
			if len(c.content.local[2]) == 0 { // nobody's sex is private so far: no reference can be fixed
				break
			}
			_, err := p.Publish(snapshot.Of(v), s)
			require.NoError(t, err, "trial %d release %d", trial, release)
			p.Gate.(auditGate).Commit()
			members = append(members, everybody(t, v, s))
		}
		if len(members) == 0 {
			continue
		}
		o := c.exports(t, root, members)
		o.Releases, o.Ledger = p.Dir, p.Ledger
		report, err := audit.Dir(o)
		require.NoError(t, err)
		require.Empty(t, report.Violations, "trial %d", trial)
		require.Len(t, report.Attributes, 4)
		crossing := 0
		for _, a := range report.Attributes {
			crossing += a.Crossing
			require.Equal(t, map[bool]string{true: audit.VerdictCertified, false: audit.VerdictConsistent}[a.Crossing == 0], a.Status, a.Attribute)
		}
		require.Equal(t, crossing > 0, report.ByRows)
		if crossing > 0 {
			require.False(t, c.nested)
			require.Equal(t, audit.VerdictConsistent, report.Verdict)
			rows++
		} else {
			require.Equal(t, audit.VerdictCertified, report.Verdict)
			certified++
		}
		o.Members, o.Records = "", ""
		report, err = audit.Dir(o)
		require.NoError(t, err)
		require.Empty(t, report.Violations, "trial %d, public files", trial)
	}
	require.Greater(t, certified, 20)
	require.Greater(t, rows, 8)
}

// TestAuditorReadsWhatPromisesNothing: releases that say so are read, counted and
// let through by the gate once, but never certified; the reason is given.
func TestAuditorReadsWhatPromisesNothing(t *testing.T) {
	for _, name := range []string{"mixed", "ng", "randomization"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "releases")
			require.NoError(t, os.CopyFS(filepath.Join(dir, "000001"), os.DirFS(filepath.Join("testdata", "golden", name))))
			files, err := filepath.Glob(filepath.Join(dir, "000001", "part-000001", "*"))
			require.NoError(t, err)
			for _, f := range files {
				require.NoError(t, os.Chmod(f, 0o444))
			}
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "hierarchies"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "hierarchies", "postcode.csv"), []byte(postcodes), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "CURRENT"), []byte("000001\n"), 0o600))
			report, err := audit.Dir(audit.Options{Releases: dir})
			require.NoError(t, err)
			require.Empty(t, report.Violations)
			require.Equal(t, audit.VerdictConsistent, report.Verdict)
			require.Contains(t, report.NotChecked[0], "any promise: ")

			gate := audit.NewGate(audit.Policy{K: 3, L: 2, Republication: "regroup", MaxRegroups: new(2)})
			found, err := gate.Check(filepath.Join(dir, "000001"), nil)
			require.NoError(t, err)
			require.Empty(t, found)
			gate.Commit()
			found, err = gate.Check(filepath.Join(dir, "000001"), nil)
			require.NoError(t, err)
			require.True(t, slices.ContainsFunc(found, func(v audit.Violation) bool { return v.Kind == "across_releases_none" }))
		})
	}
}
