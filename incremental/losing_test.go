package incremental_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/state"
	"anond/incremental/withdraw"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// asked has a person forgotten, as the daemon does, and tells whether a published row was theirs.
func (w *windowed) asked(person int) bool {
	w.t.Helper()
	require.NoError(w.t, w.m.Commit())
	d, _ := w.m.Forgetting().DigestOf(fmt.Append(nil, "p", person))
	e, err := w.m.Forget([]state.Digest{d})
	require.NoError(w.t, err)
	require.NoError(w.t, w.store.ForgetInPlace(e))
	w.reopen()
	return e.Published > 0
}

func (w *windowed) reopen() {
	m, err := w.m.Reopen(incremental.Options{Schema: w.schema, Policy: w.policy, Seed: w.seed, Seeded: true})
	require.NoError(w.t, err)
	w.m = m
	require.Empty(w.t, w.m.CheckInvariants())
	w.m.Tick(w.now)
}

// removed has the state lose who has left with a part, as the daemon does behind each release.
func (w *windowed) removed() bool {
	require.NoError(w.t, w.m.Commit())
	r := w.m.Removal()
	if r == nil {
		return false
	}
	before := w.m.Status()
	require.NoError(w.t, w.store.Remove(r))
	w.reopen()
	w.resume(w.m)
	after := w.m.Status()
	require.Equal(w.t, []int{before.Published, before.Expired, before.Withdrawn, before.Beyond},
		[]int{after.Published, after.Expired, after.Withdrawn, after.Beyond})
	return true
}

// TestBucketsLeaveByRequests runs feeds whose people ask to be erased: buckets leave whole, with a window and without, a release is made
// for that alone, a process that starts again goes on as one that never stopped, and the auditor certifies all of it.
func TestBucketsLeaveByRequests(t *testing.T) {
	const day = 86400
	for _, c := range []struct {
		window  string
		count   int
		removes bool
	}{{"", 1, false}, {"", 2, false}, {"7d", 1, false}, {"7d", 1, true}, {"5", 1, true}} {
		for _, recoding := range []render.Recoding{render.Buckets(), render.BucketAnatomy()} {
			t.Run(fmt.Sprint(c, recoding.Name()), func(t *testing.T) {
				w := newLosing(t, c.window, withdraw.Rule{Every: 3 * day, Count: c.count}, recoding)
				alone, gone, removed, both := 0, 0, 0, false
				for i := range tier.Of(t, 24, 40, 60) {
					w.now += day
					if i%4 != 3 {
						w.come(60)
					}
					for range 3 * c.count {
						if w.asked(1 + w.rng.IntN(w.person)) {
							gone++
						}
					}
					for range 3 {
						w.m.Outdate(fmt.Append(nil, "p", 1+w.rng.IntN(w.person)))
					}
					require.NoError(t, w.m.Commit())
					if i%7 == 6 {
						w.crash()
						w.m.Tick(w.now)
					}
					before := w.m.Status()
					due := w.m.Trigger().Leaves(w.now)
					intent := w.cut()
					require.False(t, w.m.Trigger().Leaves(w.now), "what is due has left")
					if intent == nil {
						require.False(t, due)
						continue
					}
					m, s := w.shown(intent.Release), w.m.Status()
					require.Equal(t, s.Sent, s.Accounted())
					require.Equal(t, s.Published, m.Records)
					require.Equal(t, s.Published+s.Expired+s.Withdrawn, m.PeopleEver)
					left := s.Withdrawn + s.Expired - before.Withdrawn - before.Expired
					require.GreaterOrEqual(t, left, 0)
					if intent.Newcomers == 0 {
						alone++
						require.Positive(t, left)
					}
					both = both || s.Withdrawn > 0 && s.Expired > 0
					if c.removes && w.removed() {
						removed++
					}
				}
				require.Positive(t, gone)
				require.Positive(t, alone, "releases for the sake of what leaves")
				require.Equal(t, c.window != "", both)
				if assert.Equal(t, c.removes, removed > 0); !c.removes {
					w.certify()
					return
				}
				report := w.audit(w.m, w.store)
				require.Empty(t, report.Violations)
				require.Equal(t, audit.VerdictSealed, report.Verdict, "%+v %+v", report.Sealed, report.Certificates)
			})
		}
	}
}

// altered is a copy of a chain of which a test changes a release.
type altered struct {
	t       *testing.T
	dir     string
	release uint32
	m       *snapshot.Manifest
}

func alter(t *testing.T, from string, release uint32) *altered {
	a := &altered{t: t, dir: filepath.Join(t.TempDir(), "releases"), release: release}
	require.NoError(t, os.CopyFS(a.dir, os.DirFS(from)))
	a.m = a.manifest(release)
	return a
}

func (a *altered) manifest(release uint32) *snapshot.Manifest {
	m, _, err := snapshot.ReadManifest(snapshot.OS(), a.dir, release)
	require.NoError(a.t, err)
	return m
}

// file changes the lines of a file of a part, and what the manifest says of it. The header stays.
func (a *altered) file(part int, name string, change func(rows []string) []string) {
	p := &a.m.Parts[part]
	path := filepath.Join(a.dir, fmt.Sprintf("%06d", a.release), p.Part, name)
	rows := readLines(a.t, path)
	rows = slices.Concat(rows[:1], change(slices.Clone(rows[1:len(rows)-1])), rows[len(rows)-1:])
	data := []byte(strings.Join(rows, "\n"))
	require.NoError(a.t, os.Remove(path))
	require.NoError(a.t, os.WriteFile(path, data, 0o444))
	i := slices.IndexFunc(p.Files, func(f snapshot.FileEntry) bool { return f.Name == name })
	p.Files = slices.Clone(p.Files)
	p.Files[i] = snapshot.FileEntry{Name: name, SHA256: fmt.Sprintf("%x", sha256.Sum256(data)), Bytes: int64(len(data)), Rows: len(rows) - 2}
	if name == "data.csv" {
		a.m.Records += len(rows) - 2 - p.Rows
		p.Rows = len(rows) - 2
	}
}

// again has a part be as an earlier release has it.
func (a *altered) again(part int, earlier uint32) {
	was := a.manifest(earlier)
	i := slices.IndexFunc(was.Parts, func(p snapshot.PartEntry) bool { return p.Part == a.m.Parts[part].Part })
	to := filepath.Join(a.dir, fmt.Sprintf("%06d", a.release), was.Parts[i].Part)
	require.NoError(a.t, os.RemoveAll(to))
	require.NoError(a.t, os.CopyFS(to, os.DirFS(filepath.Join(a.dir, fmt.Sprintf("%06d", earlier), was.Parts[i].Part))))
	a.m.Records += was.Parts[i].Rows - a.m.Parts[part].Rows
	a.m.Parts[part] = was.Parts[i]
}

func (a *altered) write() {
	data, err := a.m.Encode()
	require.NoError(a.t, err)
	path := filepath.Join(a.dir, fmt.Sprintf("%06d", a.release), snapshot.ManifestName)
	require.NoError(a.t, os.Remove(path))
	require.NoError(a.t, os.WriteFile(path, data, 0o444))
}

// TestTheAuditorFindsWhatMayNotBeWithdrawn alters releases of a chain whose buckets leave: the auditor names each change, and so does a
// gate that has been started again behind the release before.
func TestTheAuditorFindsWhatMayNotBeWithdrawn(t *testing.T) {
	const day = 86400
	w := newLosing(t, "", withdraw.Rule{Every: 2 * day, Count: 1}, render.Buckets())
	for range 9 {
		w.now += day
		w.come(60)
		require.NotNil(t, w.cut())
		w.asked(w.person - 1 - w.rng.IntN(50))
		w.asked(1 + w.rng.IntN(w.person))
	}
	w.certify()
	whole := w.exports(w.m, w.store)
	// release is one with which buckets leave a part that stays a part in the next one.
	release, at, gone := uint32(0), 0, uint32(0)
	for n := uint32(2); n < 9 && release == 0; n++ {
		for i, p := range w.shown(n).Parts {
			same := func(x snapshot.PartEntry) bool { return x.Part == p.Part }
			was := slices.IndexFunc(w.shown(n-1).Parts, same)
			if was >= 0 && len(p.Withdrawn) > 0 && len(w.shown(n - 1).Parts[was].Withdrawn) == 0 && slices.ContainsFunc(w.shown(n+1).Parts, same) {
				release, at, gone = n, i, p.Withdrawn[0]
			}
		}
	}
	require.NotZero(t, release)
	of := func(bucket uint32, last bool) func(row string) bool {
		return func(row string) bool {
			f := strings.Split(row, ",")
			if last {
				return f[len(f)-1] == fmt.Sprint(bucket)
			}
			return f[0] == fmt.Sprint(bucket)
		}
	}
	stays := gone%uint32(w.shown(release).Parts[at].Buckets) + 1 // a bucket of the part
	before := func(name string) []string {
		rows := readLines(t, filepath.Join(w.out.Dir, fmt.Sprintf("%06d", release-1), w.shown(release).Parts[at].Part, name))
		return rows[1 : len(rows)-1]
	}
	back := "" // a record of a bucket that left
	for _, line := range readLines(t, whole.Members) {
		f := strings.Split(line, ",")
		if f[0] == fmt.Sprint(release-1) && f[2] == w.shown(release).Parts[at].Part && f[4] == fmt.Sprint(gone) {
			back = f[1]
		}
	}
	require.NotEmpty(t, back)
	for _, c := range []struct {
		name, want string
		later      bool // it is the release after which is altered
		edit       func(a *altered)
	}{
		{name: "nothing", edit: func(*altered) {}},
		{name: "nothing later", later: true, edit: func(*altered) {}},
		{"a bucket left outside of an erasure release", format.KindErasureTime, false, func(a *altered) {
			a.m.CreatedAt = a.manifest(release - 1).CreatedAt
		}},
		{"a class left", format.KindWithdrawn, false, func(a *altered) {
			first := ""
			for _, name := range []string{"values.csv", "buckets.csv"} {
				a.file(at, name, func([]string) []string { return before(name) })
			}
			a.file(at, "data.csv", func(rows []string) []string { // of the bucket that leaves one class stays
				var out []string
				for _, row := range before("data.csv") {
					if f := strings.Split(row, ","); of(gone, true)(row) {
						if first == "" {
							first = f[len(f)-2]
						}
						if f[len(f)-2] == first {
							continue
						}
					}
					out = append(out, row)
				}
				return out
			})
		}},
		{"a class left, and no bucket", format.KindPartChanged, true, func(a *altered) {
			first := ""
			a.file(at, "data.csv", func(rows []string) []string {
				return slices.DeleteFunc(rows, func(row string) bool {
					f := strings.Split(row, ",")
					first = cmp.Or(first, f[len(f)-2])
					return f[len(f)-2] == first
				})
			})
		}},
		{"a part came back", format.KindWithdrawnBack, true, func(a *altered) { a.again(at, release-1) }},
		{"other bytes", format.KindWithdrawn, false, func(a *altered) {
			a.file(at, "data.csv", func(rows []string) []string {
				rows[0] = "\"[0,89]\"" + rows[0][strings.LastIndex(rows[0][:strings.LastIndex(rows[0], ",")], ","):]
				return rows
			})
		}},
		{"more rows left", format.KindWithdrawn, false, func(a *altered) {
			a.file(at, "values.csv", func(rows []string) []string { return slices.DeleteFunc(rows, of(stays, false)) })
		}},
		{"a table was recomputed", format.KindWithdrawn, false, func(a *altered) {
			a.file(at, "pools.csv", func(rows []string) []string {
				for i, row := range rows {
					f := strings.Split(row, ",")
					n, err := strconv.Atoi(f[len(f)-1])
					require.NoError(t, err)
					f[len(f)-1] = strconv.Itoa(n - 1)
					rows[i] = strings.Join(f, ",")
				}
				return rows
			})
		}},
		{"people ever fall", format.KindPeopleEver, false, func(a *altered) { a.m.PeopleEver-- }},
		{"another period", format.KindContractChanged, false, func(a *altered) { a.m.Erasure.Every++ }},
		{"a bucket left with the release that gave birth to it", format.KindWithdrawn, false, func(a *altered) {
			own := len(a.m.Parts) - 1
			p, rows := &a.m.Parts[own], a.m.Parts[own].Rows
			for _, name := range []string{"data.csv", "values.csv", "buckets.csv"} {
				a.file(own, name, func(rows []string) []string { return slices.DeleteFunc(rows, of(1, name == "data.csv")) })
			}
			p.Withdrawn = []uint32{1}
			a.m.PeopleEver += p.Rows - rows
		}},
		{"a bucket that never was", format.KindWithdrawn, false, func(a *altered) {
			p := &a.m.Parts[at]
			p.Withdrawn = append(slices.Clone(p.Withdrawn), uint32(p.Buckets)+1)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := release
			if c.later {
				n++
			}
			a := alter(t, w.out.Dir, n)
			c.edit(a)
			if a.m.Parts[at].Buckets < int(gone) || slices.Max(append([]uint32{0}, a.m.Parts[at].Withdrawn...)) > uint32(a.m.Parts[at].Buckets) {
				data, err := a.m.Encode()
				require.NoError(t, err)
				_, err = snapshot.DecodeManifest(data)
				require.Error(t, err)
			}
			a.write()
			report, err := audit.Dir(audit.Options{Releases: a.dir, Members: whole.Members, Records: whole.Records})
			require.NoError(t, err)
			w.says(c.want, report.Violations)
			violations, err := w.behind(a.dir, n-1).Check(filepath.Join(a.dir, fmt.Sprintf("%06d", n)), w.own(n))
			require.NoError(t, err)
			w.says(c.want, violations)
		})
	}
	t.Run("somebody whose bucket left is in a class again", func(t *testing.T) {
		n := release + 1
		members := readLines(t, whole.Members)
		for i, line := range members {
			if f := strings.Split(line, ","); f[0] == fmt.Sprint(n) && f[2] == fmt.Sprintf("part-%06d", n) {
				f[1] = back
				members[i] = strings.Join(f, ",")
				break
			}
		}
		o := audit.Options{Releases: w.out.Dir, Members: filepath.Join(t.TempDir(), "members.csv"), Records: whole.Records}
		require.NoError(t, os.WriteFile(o.Members, []byte(strings.Join(members, "\n")), 0o600))
		report, err := audit.Dir(o)
		require.NoError(t, err)
		w.says(format.KindRecordBack, report.Violations)
		own := w.own(n)
		own[0].Records[0] = w.leftBy(release)
		violations, err := w.behind(w.out.Dir, n-1).Check(filepath.Join(w.out.Dir, fmt.Sprintf("%06d", n)), own)
		require.NoError(t, err)
		w.says(format.KindRecordBack, violations)
	})
}

// says requires a kind of violation; empty: none.
func (w *windowed) says(want string, violations []format.Violation) {
	w.t.Helper()
	var kinds []string
	for _, v := range violations {
		kinds = append(kinds, v.Kind)
	}
	if want == "" {
		require.Empty(w.t, violations)
		return
	}
	require.Contains(w.t, kinds, want)
}

// behind is a gate that is started behind a release.
func (w *windowed) behind(dir string, release uint32) *gate.Gate {
	w.t.Helper()
	v, err := w.m.Releases().View(release)
	require.NoError(w.t, err)
	m, sum, err := snapshot.ReadManifest(snapshot.OS(), dir, release)
	require.NoError(w.t, err)
	carried, err := render.CarriedFrom(publish.Of(v), w.settings, m, sum)
	require.NoError(w.t, err)
	g := w.newGate()
	violations, err := g.Resume(filepath.Join(dir, fmt.Sprintf("%06d", release)), placements(carried.TakePlaced()), nil)
	require.NoError(w.t, err)
	require.Empty(w.t, violations)
	return g
}

// own is who is in the part that a release gave birth to.
func (w *windowed) own(release uint32) []gate.Placement {
	w.t.Helper()
	v, err := w.m.Releases().View(release)
	require.NoError(w.t, err)
	placed, err := render.NewMembership(publish.Of(v), w.settings).Of(release)
	require.NoError(w.t, err)
	return placements(placed[len(placed)-1:])
}

// leftBy is a record of a bucket that left with a release.
func (w *windowed) leftBy(release uint32) uint32 {
	v, err := w.m.Releases().View(release)
	require.NoError(w.t, err)
	require.NotEmpty(w.t, v.Dead)
	return uint32(v.Dead[0].Members[0])
}
