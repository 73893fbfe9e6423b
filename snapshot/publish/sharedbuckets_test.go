package publish_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
	"anond/snapshot/verify"
)

func TestGoldenShared(t *testing.T) {
	for _, r := range sharedRecodings() {
		t.Run(r.Name(), func(t *testing.T) {
			s := sharedSettings(r)
			s.Policy.MinPool = 9
			files, _ := rendering(t, shelter().view(t, 1), s, nil)
			for name := range files {
				golden(t, filepath.Join("golden", sharedName(r), name), files.text(name))
			}
			assert.Equal(t, []string{"datapackage.json", "manifest.json", "part-000001/buckets.csv", "part-000001/data.csv", "part-000001/pools.csv",
				"part-000001/values.csv", "receiver.md"}, slices.Sorted(maps.Keys(files)))
		})
	}
}

// TestRuleBFilesShowBagsOfBucketsOnly: whoever of a bucket has which of its values, and
// which class has which of its bags, every file is the same, permuted values included;
// and the private side is the same, too.
func TestRuleBFilesShowBagsOfBucketsOnly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for trial := range 20 {
		c := &sharedChain{r: r, same: trial%5 == 4}
		c.grow(t, 1, trial%2 == 0)
		for _, recoding := range sharedRecodings() {
			s := sharedSettings(recoding)
			want, before := rendering(t, c.view(t, 1), s, nil)
			others := []*sharedContent{c.dealt(r), c.dealt(r)}
			for a, b := range c.buckets {
				if other := slices.Index(c.buckets[:a], b); other >= 0 {
					others = append(others, c.exchanged(other, a))
				}
			}
			for _, other := range others {
				got, after := rendering(t, other.view(t, 1), s, nil)
				for name := range want {
					require.Equal(t, want.text(name), got.text(name), "trial %d %s %s", trial, recoding.Name(), name)
				}
				require.Equal(t, before.Placed, after.Placed)
			}
		}
	}
}

// TestRuleFNothingOfLevelL2DependsOnNumbers: the bytes are the same whatever the numbers of
// records, classes, buckets and dictionary codes, and the workers.
func TestRuleFNothingOfLevelL2DependsOnNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for trial := range 20 {
		c := &sharedChain{r: r, same: trial%5 == 4}
		c.grow(t, 1, trial%2 == 0)
		for _, recoding := range sharedRecodings() {
			s := sharedSettings(recoding)
			want, _ := rendering(t, c.view(t, 1), s, nil)
			for range 4 {
				s.Workers = 1 + r.IntN(4)
				got, _ := rendering(t, c.again(r).view(t, 1), s, nil)
				for name := range want {
					require.Equal(t, want.text(name), got.text(name), "trial %d %s %s", trial, recoding.Name(), name)
				}
			}
		}
	}
}

// TestFilesOfLevelL2SayWhatTheViewSays reads files back: a row a record with its class's
// cells and its bucket, and each bucket its members' values. Numbers are those of
// Membership.
func TestFilesOfLevelL2SayWhatTheViewSays(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range 12 {
		c := &sharedChain{r: r}
		c.grow(t, 1, r.IntN(2) == 0)
		for _, recoding := range sharedRecodings() {
			s := sharedSettings(recoding)
			files, out := rendering(t, c.view(t, 1), s, nil)
			alone, err := render.NewMembership(publish.Of(c.view(t, 1)), s).Of(1)
			require.NoError(t, err)
			require.Equal(t, bucketOf(out.Placed), bucketOf(alone))
			bags, drawn, sizes, all := map[string][]string{}, map[string][]string{}, map[string]int{}, map[string]int{}
			for _, row := range parse(t, files.text("data.csv")) {
				bucket := row[len(row)-1]
				switch sizes[bucket]++; recoding.Name() {
				case "permutation":
					drawn[bucket] = append(drawn[bucket], row[len(row)-3])
				case "anatomy":
					require.Contains(t, people(c.persons), strings.Join(row[:6], ";"))
				}
			}
			for _, row := range parse(t, files.text("values.csv")) {
				n, err := strconv.Atoi(row[3])
				require.NoError(t, err)
				bags[row[0]] = append(bags[row[0]], slices.Repeat([]string{row[2]}, n)...)
				all[row[1]+" "+row[2]] += n
			}
			for _, row := range parse(t, files.text("buckets.csv")) {
				require.Equal(t, []string{"1", strconv.Itoa(sizes[row[0]])}, row[1:])
			}
			for _, row := range parse(t, files.text("pools.csv")) {
				require.Equal(t, []string{"1", strconv.Itoa(all[row[1]+" "+row[2]])}, []string{row[0], row[3]})
				delete(all, row[1]+" "+row[2])
			}
			require.Empty(t, all)
			for bucket, values := range drawn {
				require.ElementsMatch(t, bags[bucket], values)
			}
			want := map[string][]string{}
			for record, bucket := range bucketOf(out.Placed) {
				number := strconv.Itoa(int(bucket))
				want[number] = append(want[number], c.persons[record][6])
			}
			require.Len(t, bags, len(want))
			for bucket, values := range want {
				require.ElementsMatch(t, values, bags[bucket])
				require.Equal(t, len(values), sizes[bucket])
			}
			require.Equal(t, len(want), out.Manifest.Buckets)
		}
	}
}

func people(persons []person) (out []string) {
	for _, p := range persons {
		out = append(out, strings.Join(p[:6], ";"))
	}
	return out
}

// bucketOf is the bucket of each record that is placed.
func bucketOf(placed []render.Placement) map[uint32]uint32 {
	out := map[uint32]uint32{}
	for _, p := range placed {
		for i, r := range p.Records {
			out[r] = p.Buckets[i]
		}
	}
	return out
}

// TestValuesAreDrawnFromTheBag: the values of rows follow the seed and the birth, and
// not the persons; over many seeds each row has each value as often as the bag has it.
func TestValuesAreDrawnFromTheBag(t *testing.T) {
	c := &sharedContent{}
	for i := range 12 {
		c.persons = append(c.persons, person{strconv.Itoa(20 + i/3), "60", "1990-01-01", "1011", "a", "5", []string{"x", "x", "y", "z"}[i%4]})
	}
	for i := range state.RecordID(4) {
		c.add(1, 1, 3*i, 3*i+1, 3*i+2)
	}
	seeds := tier.Of(t, 1000, 1000, 4000)
	x, first := 0, ""
	for seed := range seeds {
		files, _ := rendering(t, c.view(t, 1), sharedSettings(render.DrawnValues([32]byte{byte(seed), byte(seed >> 8), 1})), nil)
		rows := parse(t, files.text("data.csv"))
		for _, row := range rows[:3] {
			if row[6] == "x" {
				x++
			}
		}
		if seed == 0 {
			first = fmt.Sprint(rows)
		}
	}
	assert.InDelta(t, 0.5, float64(x)/float64(3*seeds), 1.6/math.Sqrt(float64(seeds))) // five standard deviations
	for i := range c.classes {
		c.classes[i].Born = 2
	}
	_, before := rendering(t, shelter().view(t, 1), sharedSettings(render.DrawnValues([32]byte{0, 0, 1})), nil)
	c.persons = append(slices.Clone(shelter().persons), c.persons...)
	for i := range c.classes {
		for j := range c.classes[i].Members {
			c.classes[i].Members[j] += 12
		}
		c.buckets[i] = 20
	}
	for i, class := range shelter().classes {
		c.add(1, shelter().buckets[i], class.Members...)
	}
	files, _ := rendering(t, c.view(t, 2), sharedSettings(render.DrawnValues([32]byte{0, 0, 1})), before)
	assert.NotEqual(t, first, fmt.Sprint(parse(t, files.text("part-000002/data.csv"))), "another birth has draws of its own")
}

// TestPrivacyOfLevelL2: what a manifest claims.
func TestPrivacyOfLevelL2(t *testing.T) {
	for name, x := range map[string]struct {
		spoil func(v *incremental.View)
		level string
		grown bool
	}{
		"":       {func(*incremental.View) {}, "L0+L1+L2", false},
		"seeded": {func(v *incremental.View) { v.Seeded = true }, "L0+L1", false},
		"grown":  {func(v *incremental.View) { v.Grown = true }, "L0+L1", true},
	} {
		v := shelter().view(t, 1)
		x.spoil(v)
		_, out := rendering(t, v, sharedSettings(render.Buckets()), nil)
		m := &out.Manifest
		want := snapshot.Privacy{KMin: 3, MaxFrequency: 0.5, Certificate: "frozen", Level: x.level, Grown: x.grown, K1: "rows",
			Attributes: []snapshot.AttributePrivacy{{Name: "diagnosis", TopShare: "1/2", TopOdds: "4/1", Cap: "1/2"}}}
		assert.Equal(t, want, m.Privacy, name)
		assert.Equal(t, "L2", m.Policy.Level)
		assert.Equal(t, []int{2, 3, 9, 6}, []int{m.Buckets, m.Classes, m.Records, m.Quality.BucketMedian})
	}
}

// replaced is a column with another code of one record.
func replaced(c *equivclass.Column, r int, code equivclass.Code) equivclass.Column {
	codes := slices.Clone(c.Codes())
	codes[r] = code
	return equivclass.ColumnOf(codes)
}

// TestRuleBBadViews: what rule B excludes is not rendered, and said without a value.
func TestRuleBBadViews(t *testing.T) {
	for name, spoil := range map[string]func(v *incremental.View){
		"another level":        func(v *incremental.View) { v.Level = state.L1 },
		"no bucket":            func(v *incremental.View) { v.Classes[1].Bucket = 0 },
		"a class of k+1":       func(v *incremental.View) { v.Classes[0].Members = append(v.Classes[0].Members, 8); v.Intent.Records++ },
		"a class of k-1":       func(v *incremental.View) { v.Classes[2].Members = v.Classes[2].Members[:2]; v.Intent.Records-- },
		"a frequent value":     func(v *incremental.View) { v.SA[0] = replaced(&v.SA[0], 9, v.SA[0].At(10)) },
		"refined":              func(v *incremental.View) { v.Classes[0].Bucket = 5 },
		"two births":           func(v *incremental.View) { v.Classes[0].Born = 0 },
		"a class that is dead": func(v *incremental.View) { v.Classes[0].Died = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			for _, recoding := range sharedRecodings() {
				v := shelter().view(t, 1)
				spoil(v)
				_, err := renderBehind(publish.Of(v), sharedSettings(recoding), nil, memory{})
				require.ErrorIs(t, err, render.ErrView)
				noValues(t, err.Error())
			}
		})
	}
	v := hospitalView(t)
	_, err := renderBehind(publish.Of(v), settings(render.Buckets()), nil, memory{})
	require.ErrorIs(t, err, render.ErrView)
}

// TestRuleBNoBucketSpansBirths: neither with the whole history nor with what is new
// alone; and a chain keeps its level.
func TestRuleBNoBucketSpansBirths(t *testing.T) {
	for _, since := range []uint32{0, 1} {
		p := publisherOf(t)
		s := sharedSettings(render.Buckets())
		c := shelter()
		_, err := p.Publish(publish.Of(c.view(t, 1)), s)
		require.NoError(t, err)
		c.persons = append(c.persons, c.persons[9:12]...)
		c.add(2, 9, 12, 13, 14)
		v := c.view(t, 2)
		if v.Since = since; since > 0 {
			v.Classes = v.Classes[3:]
		}
		_, err = p.Publish(publish.Of(v), s)
		require.ErrorIs(t, err, render.ErrView)
		noValues(t, err.Error())
		v.Classes[len(v.Classes)-1].Bucket = 10
		_, err = p.Publish(publish.Of(v), s)
		require.NoError(t, err)
		next := testView(t, 3, hospital(t), patients, hospitalClasses())
		next.Since, next.Classes = 2, next.Classes[:1]
		next.Classes[0].Born = 3
		_, err = p.Publish(publish.Of(next), settings(render.Generalization()))
		require.ErrorIs(t, err, render.ErrView)
	}
}

// TestRuleRSeedOfValuesIsNotPrinted: as of the other recodings that draw.
func TestRuleRSeedOfValuesIsNotPrinted(t *testing.T) {
	r := render.DrawnValues([32]byte{0xde, 0xad, 0xbe, 0xef})
	for _, format := range []string{"%v", "%+v", "%#v"} {
		assert.Equal(t, "permutation", fmt.Sprintf(format, r))
	}
}

// TestJoinedPartsOfLevelL2: joined parts number classes and buckets through, the manifest
// says where those of each replaced part went, and Members names what the files say.
func TestJoinedPartsOfLevelL2(t *testing.T) {
	for _, recoding := range sharedRecodings() {
		c := &sharedChain{r: rand.New(rand.NewPCG(4, 9))}
		p, s := publisherOf(t), sharedSettings(recoding)
		var out *render.Rendered
		counts := []int{0} // buckets up to each release
		for release := 1; release <= 12; release++ {
			c.grow(t, release, release%2 == 0)
			var err error
			out, err = p.Publish(publish.Of(c.view(t, uint32(release))), s)
			require.NoError(t, err)
			counts = append(counts, out.Manifest.Buckets)
		}
		joined := out.Manifest.Parts[0]
		require.Equal(t, "part-000001-000010", joined.Part)
		for i, x := range joined.Replaces {
			require.Equal(t, []int{counts[i] + 1, counts[i+1] - counts[i]}, []int{int(x.FirstBucket), x.Buckets})
		}
		placed, err := render.NewMembership(publish.Of(c.view(t, 12)), s).Of(12)
		require.NoError(t, err)
		for at, part := range diskParts(t, p.Dir, &out.Manifest) {
			private, public := map[string]int{}, map[string]int{}
			for i := range placed[at].Records {
				key := fmt.Sprint(placed[at].Buckets[i])
				if recoding.Name() != "permutation" {
					key = fmt.Sprint(placed[at].Classes[i], " ", key)
				}
				private[key]++
			}
			for _, row := range parse(t, part.files["data.csv"]) {
				if n := len(row); recoding.Name() != "permutation" {
					public[row[n-2]+" "+row[n-1]]++
				} else {
					public[row[n-1]]++
				}
			}
			require.Equal(t, private, public, part)
		}
	}
}

// TestStaleNamesTheBuckets: what the manifest says of stale people is by the numbers that buckets have in their parts, through
// compactions, and after a restart.
func TestStaleNamesTheBuckets(t *testing.T) {
	c := &sharedChain{r: rand.New(rand.NewPCG(5, 9))}
	steady, restarted, s := publisherOf(t), publisherOf(t), sharedSettings(render.Buckets())
	stale := map[state.BucketID]int{}
	for release := 1; release <= 12; release++ {
		for b, members := range c.byBucket() {
			if b%3 == 0 {
				stale[b] = min(stale[b]+1, len(members))
			}
		}
		c.grow(t, release, release%2 == 0)
		v := c.view(t, uint32(release))
		v.Stale = maps.Clone(stale)
		out, err := steady.Publish(publish.Of(change(v)), s)
		require.NoError(t, err)
		require.NoError(t, restarted.Open())
		again, err := restarted.Publish(publish.Of(v), s)
		require.NoError(t, err)
		require.Equal(t, out.SHA256, again.SHA256)

		placed, err := render.NewMembership(publish.Of(v), s).Of(uint32(release))
		require.NoError(t, err)
		bucket := map[state.RecordID]state.BucketID{}
		for b, members := range c.byBucket() {
			for _, r := range members {
				bucket[r] = b
			}
		}
		want, have := map[string]int{}, map[string]int{}
		for _, p := range placed {
			for i, r := range p.Records {
				if n := stale[bucket[state.RecordID(r)]]; n > 0 {
					want[fmt.Sprint(p.Part, " ", p.Buckets[i])] = n
				}
			}
		}
		for _, p := range out.Manifest.Parts {
			for _, x := range p.Stale {
				have[fmt.Sprint(p.Part, " ", x[0])] = int(x[1])
			}
		}
		require.Equal(t, want, have, "release %d", release)
	}
	require.Greater(t, len(stale), 3)
}

// TestWithdrawnBucketsLeaveTheirParts: a part is what it was but for the lines of the buckets that left, through a compaction
// and after restarts; numbers keep their gaps; what the manifest counts is what a table of the rest has.
func TestWithdrawnBucketsLeaveTheirParts(t *testing.T) {
	c, whole := &sharedChain{r: rand.New(rand.NewPCG(6, 9))}, publisherOf(t)
	steady, restarted, s := publisherOf(t), publisherOf(t), sharedSettings(render.Buckets())
	died := map[state.BucketID]uint32{}
	for release := uint32(1); release <= 12; release++ {
		if release == 4 || release == 8 || release == 11 || release == 12 {
			for b := range c.byBucket() {
				if died[b] == 0 && uint32(b)%5 == release%5 {
					died[b] = release
				}
			}
		}
		c.grow(t, int(release), release%2 == 0)
		all := c.view(t, release)
		full, err := whole.Publish(publish.Of(change(all)), s)
		require.NoError(t, err)

		v := withdrawn(all, died)
		out, err := steady.Publish(publish.Of(change(v)), s)
		require.NoError(t, err)
		require.NoError(t, restarted.Open())
		again, err := restarted.Publish(publish.Of(v), s)
		require.NoError(t, err)
		require.Equal(t, out.SHA256, again.SHA256, "release %d", release)

		table, err := render.Table(publish.Of(v), s, memory{})
		require.NoError(t, err)
		require.Equal(t, table.Privacy.MaxFrequency, out.Manifest.Privacy.MaxFrequency)
		require.Equal(t, table.Quality.CDM, out.Manifest.Quality.CDM)
		require.Equal(t, snapshot.CertificateFrozen, out.Manifest.Privacy.Certificate)

		left := 0
		was, now := diskParts(t, whole.Dir, &full.Manifest), diskParts(t, steady.Dir, &out.Manifest)
		for i, p := range out.Manifest.Parts {
			left += len(p.Withdrawn)
			require.Equal(t, full.Manifest.Parts[i].Classes, p.Classes)
			for name, text := range was[i].files {
				require.Equal(t, without(text, name, p.Withdrawn), now[i].files[name], "release %d %s", release, name)
			}
		}
		require.Len(t, died, left)
	}
	verified, err := verify.Dir(steady.FS, steady.Dir, steady.Ledger)
	require.NoError(t, err)
	require.Empty(t, verified.Findings)
	require.Greater(t, len(died), 5)
}

// without takes the lines of buckets from a file.
func without(text, file string, buckets []uint32) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), ",")
		name := fields[0]
		if file == "data.csv" {
			name = fields[len(fields)-1]
		}
		n, _ := strconv.Atoi(name)
		if file == "pools.csv" || !slices.Contains(buckets, uint32(n)) {
			out.WriteString(line)
		}
	}
	return out.String()
}
