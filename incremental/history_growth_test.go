package incremental_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/incremental/settle"
	"anond/incremental/state"
)

// grownFeed is a feed of people with histories of a value that has a hierarchy.
type grownFeed struct {
	*settling
	version byte
	want    []string // by record: its history
}

// under opens the state with another hierarchy.
func (f *grownFeed) under(values string) error {
	before := f.options
	f.version++
	f.options.Schema, f.options.Settings = withPeopleOf(f.t, values), settingsOf(f.version)
	m, err := incremental.Open(f.store, f.options)
	if err != nil {
		f.options = before
		return err
	}
	f.m = m
	f.holds()
	return nil
}

// holds requires that histories are what they were.
func (f *grownFeed) holds() {
	v := f.m.Releases().All()
	for r, want := range f.want {
		require.Equal(f.t, want, strings.Join(equivclass.Parts(v.Dictionaries[2].Text(v.SA[0].At(r))), ">"))
	}
	require.Empty(f.t, f.m.CheckInvariants())
}

// group sends histories of people with numbers from one on, and lets their windows end.
func (f *grownFeed) group(at int64, from int, histories ...string) {
	require.NoError(f.t, f.m.Stamp(source, at))
	for visit := range 2 {
		for i, h := range histories {
			if parts := strings.Split(h, ">"); visit < len(parts) {
				row := equivclass.Row{[]byte(strconv.Itoa(from + i)), []byte("7"), []byte(parts[visit]), fmt.Append(nil, from+i)}
				out, err := f.m.Apply(source, f.offset, row)
				require.NoError(f.t, err)
				require.Equal(f.t, incremental.Outcome{}, out)
				f.offset++
			}
		}
	}
	f.want = append(f.want, histories...)
	f.passes(at + 100)
}

func (f *grownFeed) passes(at int64) {
	require.NoError(f.t, f.m.Stamp(source, at))
	require.NoError(f.t, f.m.Intake().Ignore(source, f.offset, "tombstone"))
	f.offset++
	f.next()
}

// TestHistoriesOfAGrowingHierarchy: a state has histories as it took them in, however the leaves of the hierarchy are numbered since; each
// value of one is a leaf. Before a release a leaf may go that no history has; afterwards leaves are only added. Who was published under
// either version is in buckets of their own.
func TestHistoriesOfAGrowingHierarchy(t *testing.T) {
	p := bucketPolicy(2, 2)
	p.Settle, p.InitialMin = settle.Rule{For: 100, Max: 2}, 4
	f := &grownFeed{settling: &settling{poolFeed: &poolFeed{t: t, store: memstore.New(),
		options: incremental.Options{Policy: p, Seeded: true, Hierarchies: map[string]int{illKey: 2}, Encoding: encodingKey}}}}
	require.NoError(t, f.under("abcde"))
	_, err := equivclass.ParseHierarchy("h", strings.NewReader("a"+equivclass.Then+"b;*\n"))
	require.Error(t, err, "a leaf could be read as a history")
	f.group(1000, 0, "a>b", "b>a")
	require.NoError(t, f.under("dcba"), "nobody has e")
	require.Error(t, f.under("dca"), "somebody has b")
	out := f.send(1110, equivclass.Row{[]byte("5"), []byte("7"), []byte("e"), []byte("late")})
	require.Equal(t, equivclass.ReasonHierarchy, out.Reason)
	pairs := []string{"a>a", "b>b", "c>c", "d>d", "a>b", "c>d", "b>c", "d>a", "a", "b"}
	for i := range 100 {
		f.group(int64(1200+200*i), 100+10*i, pairs...)
	}
	require.NotNil(t, f.cut())
	f.next()
	require.Error(t, f.under("cba"))
	require.NoError(t, f.under("xdcba"))
	grown := f.m.Arrived()
	for i := range 150 {
		f.group(int64(100_000+200*i), 10_000+10*i, "a>x", "x>x", "c>c", "d>b", "a>b", "x>d", "b>c", "d>a")
	}
	for f.cut() != nil {
		f.next()
	}
	require.NoError(t, f.under("yabcdx"))
	v, err := f.m.Releases().Whole(f.m.Releases().Latest().Release)
	require.NoError(t, err)
	early, late, news := map[state.BucketID]bool{}, map[state.BucketID]bool{}, 0
	for _, c := range v.Classes {
		for _, r := range c.Members {
			if int(r) < grown {
				early[c.Bucket] = true
			} else if late[c.Bucket] = true; strings.Contains(f.want[r], "x") {
				news++
			}
		}
	}
	for b := range early {
		require.NotContains(t, late, b)
	}
	require.Positive(t, news)
}
