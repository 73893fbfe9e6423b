package replay

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/state"
	"anond/snapshot"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

var rewrite = flag.Bool("rewrite", false, "record the decisions of an algorithm with a new number")

const recorded = "testdata/decisions.txt"

// TestRecordedDecisions: this program decides and writes as the recording says that its algorithm does. Whoever
// changes a decision, or a byte of a part, gives the algorithm the next number: a replay by the new program
// would call the decisions of the old one a breach.
func TestRecordedDecisions(t *testing.T) {
	now := fmt.Sprintf("algorithm %d\n", incremental.Algorithm) + strings.Join(decisions(t), "")
	text, err := os.ReadFile(recorded)
	require.NoError(t, err)
	had, _, _ := strings.Cut(string(text), "\n")
	same := strings.HasPrefix(now, had+"\n")
	if *rewrite && !same {
		require.NoError(t, os.WriteFile(recorded, []byte(now), 0o644))
		return
	}
	require.True(t, same, "the number of the algorithm has changed: go test ./snapshot/replay -run TestRecordedDecisions -rewrite")
	require.Equal(t, string(text), now, "decisions or bytes have changed: give incremental.Algorithm the next number, and record them anew "+
		"(go test ./snapshot/replay -run TestRecordedDecisions -rewrite)")
}

// decisions are a line for each of some streams and for what becomes of it, with a digest.
func decisions(t *testing.T) (out []string) {
	streams := map[string]func() *stream{
		"hold in cuts": func() *stream { return newStream(t, nil).whole() },
		"hold in time": func() *stream {
			return newStream(t, func(o *incremental.Options) { o.Policy.HoldInCuts, o.Policy.MaxHold = false, 90 }).whole()
		},
		"by count": func() *stream {
			return newStream(t, func(o *incremental.Options) { o.Policy.OnUpdate, o.Policy.CutEvery = false, 90 }).whole()
		},
		"diversity": func() *stream {
			return newStream(t, func(o *incremental.Options) {
				o.Policy.Requirement.Extra = []equivclass.Principle{equivclass.DistinctL{L: 3}, equivclass.EntropyL{L: 2}}
			}).whole()
		},
		"sub-pools": func() *stream {
			f := newStream(t, func(o *incremental.Options) { o.Policy.OnUpdate = false })
			f.feed(8000, f.mixed)
			f.cut(state.Triggered)
			return f
		},
		"a first pool that is quarantined": func() *stream {
			f := newStream(t, nil)
			f.feed(150, same)
			f.cut(state.Triggered)
			f.feed(300, f.mixed)
			f.cut(state.AtEnd)
			return f
		},
		"newcomers are missing": func() *stream { return slots(t, nil) },
		"hierarchies that grow": func() *stream { return growing(t) },
	}
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		r := streams[name]().read()
		require.NotEmpty(t, r.intents)
		digest := func(what string, list ...any) {
			out = append(out, fmt.Sprintf("%s, %s: %x\n", name, what, sha256.Sum256([]byte(fmt.Sprintln(list...)))))
		}
		var cuts, classes, releases []any
		for _, a := range r.attempts {
			cuts = append(cuts, a.Records, a.First, a.Last, a.Cuts, a.Occasion == state.AtEnd, a.Outcome, a.Need)
		}
		for _, c := range r.classes {
			classes = append(classes, c.Born, c.Bucket, c.Members)
		}
		for _, i := range r.intents {
			releases = append(releases, i.Release, i.Cut, i.Records, i.Classes, i.Newcomers)
		}
		digest("cuts", cuts...)
		digest("classes and buckets", classes...)
		digest("quarantined pools", r.pools)
		digest("releases", releases...)
		policy := snapshot.Policy{K: r.options.Policy.Requirement.K, L: r.options.Policy.Requirement.L, Republication: "append"}
		for _, recoding := range []render.Recoding{render.Buckets(), render.BucketAnatomy(), render.DrawnValues([32]byte{5})} {
			var files []any
			for n := uint32(1); n <= r.published; n++ {
				v, err := r.change(n)
				require.NoError(t, err)
				part, err := render.Births(publish.Of(v), &render.Settings{Policy: policy, Recoding: recoding, Seed: render.Secret{5}})
				require.NoError(t, err)
				for _, f := range part {
					files = append(files, f.Name, f.SHA256)
				}
			}
			digest(recoding.Name(), files...)
		}
	}
	return out
}
