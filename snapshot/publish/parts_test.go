package publish_test

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
	"anond/snapshot/verify"
)

// growing is a chain that grows release by release.
type growing struct {
	name     string
	settings *render.Settings
	next     func(t *testing.T, release int) *incremental.View // the whole history
}

// growingChains are chains of every recoding, those of cells with dead classes.
func growingChains(seed uint64) []growing {
	var out []growing
	for _, recoding := range recodings() {
		c := &chain{r: rand.New(rand.NewPCG(seed, 3))}
		s := settings(recoding)
		s.Policy.Diversity, s.Policy.SubjectRepeat = nil, ""
		out = append(out, growing{recoding.Name(), s, func(t *testing.T, release int) *incremental.View {
			c.grow(release, seed%2 == 0)
			if release > 1 && c.r.IntN(3) > 0 {
				c.regroup(release)
			}
			return buried(testView(t, uint32(release), hospital(t), c.persons, c.classes), c.dead...)
		}})
	}
	for _, recoding := range sharedRecodings() {
		c := &sharedChain{r: rand.New(rand.NewPCG(seed, 5))}
		out = append(out, growing{sharedName(recoding), sharedSettings(recoding), func(t *testing.T, release int) *incremental.View {
			c.grow(t, release, (uint64(release)+seed)%3 > 0)
			return c.view(t, uint32(release))
		}})
	}
	return out
}

// change is what of a view is new, as Machine.Change has it.
func change(v *incremental.View) *incremental.View {
	out := *v
	out.Since = v.Intent.Release - 1
	out.Classes = slices.DeleteFunc(slices.Clone(v.Classes), func(c state.ClassView) bool { return c.Born <= out.Since })
	out.Dead = slices.DeleteFunc(slices.Clone(v.Dead), func(c state.ClassView) bool { return c.Died <= out.Since })
	return &out
}

// TestPartsAreTheWhole grows chains through compactions and regroupings. What is
// carried from release to release equals what is counted anew after restarts, to
// the byte; what a manifest says equals a table of all living classes; and so do
// the rows of the parts.
func TestPartsAreTheWhole(t *testing.T) {
	tier.NotShort(t, "it renders many chains")
	releases := tier.Of(t, 1, 12, 23)
	for seed := range uint64(tier.Of(t, 1, 1, 2)) {
		for _, c := range growingChains(seed) {
			t.Run(fmt.Sprintf("%s/%d", c.name, seed), func(t *testing.T) {
				steady, restarted := publisherOf(t), publisherOf(t)
				restarts := rand.New(rand.NewPCG(seed, 9))
				var before *incremental.View
				for release := 1; release <= releases-10*int(seed); release++ {
					v := c.next(t, release)
					out, err := steady.Publish(publish.Of(change(v)), c.settings)
					require.NoError(t, err, "release %d", release)
					if restarts.IntN(3) > 0 {
						require.NoError(t, restarted.Open()) // forgets
					}
					if before != nil && restarts.IntN(2) == 0 {
						_, err = restarted.Resume(publish.Of(before), c.settings)
						require.NoError(t, err)
					}
					again, err := restarted.Publish(publish.Of(v), c.settings)
					require.NoError(t, err)
					require.Equal(t, out.SHA256, again.SHA256, "release %d", release)

					whole := memory{}
					table, err := render.Table(publish.Of(v), c.settings, whole)
					require.NoError(t, err)
					require.Equal(t, table.Quality, out.Manifest.Quality, "release %d", release)
					require.Equal(t, table.Privacy, out.Manifest.Privacy, "release %d", release)
					require.Equal(t, []int{v.Intent.Records, v.Intent.Classes}, []int{out.Manifest.Records, out.Manifest.Classes})
					require.Equal(t, blocks(t, wholeParts(whole)), blocks(t, diskParts(t, steady.Dir, &out.Manifest)), "release %d", release)
					before = v
				}
				a, err := readTree(steady.Dir)
				require.NoError(t, err)
				b, err := readTree(restarted.Dir)
				require.NoError(t, err)
				require.Equal(t, a, b)
				verified, err := verify.Dir(steady.FS, steady.Dir, steady.Ledger)
				require.NoError(t, err)
				require.Empty(t, verified.Findings)
			})
		}
	}
}

func publisherOf(t *testing.T) *publish.Publisher {
	root := t.TempDir()
	p := publisher(unsynced{FS: snapshot.OS()}, root)
	p.Gate = openGate{}
	require.NoError(t, p.Open())
	return p
}

// partText is the files of a part, with the classes of it that are dead.
type partText struct {
	files map[string]string
	dead  []uint32
}

func wholeParts(m memory) []partText {
	p := partText{files: map[string]string{}}
	for name := range m {
		p.files[name] = m.text(name)
	}
	return []partText{p}
}

func diskParts(t *testing.T, dir string, m *snapshot.Manifest) (out []partText) {
	for i := range m.Parts {
		p := partText{map[string]string{}, m.Parts[i].Dead}
		for _, f := range m.Parts[i].Files {
			data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%06d", m.Release), m.Parts[i].Part, f.Name))
			require.NoError(t, err)
			p.files[f.Name] = string(data)
		}
		out = append(out, p)
	}
	return out
}

// blocks are the living classes of parts, each as its rows in all files without
// its number, and with the content of buckets in place of theirs; sorted.
func blocks(t *testing.T, parts []partText) (out []string) {
	for _, p := range parts {
		bags := map[string]string{} // number of a bucket, to what is in it
		if text, ok := p.files["values.csv"]; ok {
			for _, row := range parse(t, text) {
				bags[row[0]] += row[1] + row[2] + "x" + row[3] + "|"
			}
		}
		classes := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(p.files)) {
			if name == "values.csv" || name == "buckets.csv" || name == "pools.csv" {
				continue
			}
			rows, err := csv.NewReader(strings.NewReader(p.files[name])).ReadAll()
			require.NoError(t, err)
			at := slices.IndexFunc(rows[0], func(s string) bool { return s == "class" || s == "group" })
			byClass := map[string][]string{}
			for _, row := range rows[1:] {
				number := row[at]
				for j := range row {
					if bag, ok := bags[row[j]]; ok && rows[0][j] == "bucket" {
						row[j] = bag
					}
				}
				row[at] = name
				byClass[number] = append(byClass[number], strings.Join(row, ";"))
			}
			for number, lines := range byClass {
				sort.Strings(lines)
				classes[number] += strings.Join(lines, "\n")
			}
		}
		for number, text := range classes {
			n, err := strconv.Atoi(number)
			require.NoError(t, err)
			if !slices.Contains(p.dead, uint32(n)) {
				out = append(out, text)
			}
		}
	}
	sort.Strings(out)
	return out
}

func parse(t *testing.T, text string) [][]string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	return rows[1:]
}
