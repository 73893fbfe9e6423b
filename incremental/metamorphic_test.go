package incremental_test

import (
	"anond/incremental/state"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/equivclass/extract"
	"anond/incremental"
	"anond/snapshot/render"
)

// zoneFile is the hierarchy of newSchema.
var zoneFile = render.HierarchyFile{Attribute: "zone", File: "zone.csv", Content: []byte("a;x;*\nb;x;*\nc;x;*\nd;y;*\ne;y;*\n")}

// delivery is one way to bring the same records to the machine.
type delivery struct {
	name    string
	commit  int     // records between two commits
	crash   float64 // chance, after a record, that the process dies
	repeat  float64 // chance that a record is delivered again
	idle    int     // idle ticks and empty commits, one in so many records
	pass    bool    // positions pass empty offsets in steps of their own
	between bool    // the process dies between intent and files, at every release
}

// TestDeliveryDoesNotMatter: with one partition and trigger `records` (cuts at
// fixed numbers of records) the data files are a function of the records alone,
// whatever the batches, commits, restarts, redeliveries and idle ticks.
func TestDeliveryDoesNotMatter(t *testing.T) {
	for seed := range uint64(tier.Of(t, 1, 1, 3)) {
		for _, mode := range []state.Republication{state.Append, state.Regroup} {
			p := policy(4, 2)
			p.Republication, p.MaxHold = mode, int64(seed%3)
			p.Local, p.CutEvery, p.InitialMax = extract.Extract{}, 40, 120
			want := ""
			for _, d := range []delivery{
				{name: "plain", commit: 1000}, {name: "commits", commit: 1}, {name: "crashes", commit: 7, crash: 0.04, between: true},
				{name: "redelivery", commit: 50, repeat: 0.5}, {name: "idle", commit: 13, idle: 3, pass: true},
				{name: "all", commit: 5, crash: 0.02, repeat: 0.2, idle: 9},
			} {
				got := deliver(t, seed, p, d)
				if want == "" {
					want = got
				}
				require.Equal(t, want, got, "seed %d, %v: %s", seed, mode, d.name)
			}
		}
	}
}

// deliver runs a stream and returns the digests of all data files.
func deliver(t *testing.T, seed uint64, p state.Policy, d delivery) string {
	var rows []equivclass.Row
	w := world{rng: rand.New(rand.NewPCG(seed, 77)), values: 14, subjects: true}
	for range 400 {
		rows = append(rows, w.row())
	}
	c := newChain(t, newSchema(t, true), p, render.Anatomy(), zoneFile)
	rng := rand.New(rand.NewPCG(seed, 3))
	staged := 0
	for at := 0; at < len(rows); {
		next, _ := c.m.Intake().Next(source)
		at = int(next) / 2 // every other offset holds no record
		if at >= len(rows) {
			break
		}
		c.apply(source, 2*int64(at), rows[at])
		if d.pass {
			c.m.Intake().Pass(source, 2*int64(at)+2)
		}
		for rng.Float64() < d.repeat {
			require.True(t, c.apply(source, 2*int64(rng.IntN(at+1)), rows[0]).Known)
		}
		if d.idle > 0 && at%d.idle == 0 {
			c.m.Tick(int64(at))
			require.NoError(t, c.m.Commit())
		}
		if staged++; staged >= d.commit {
			require.NoError(t, c.m.Commit())
			staged = 0
		}
		if c.m.Trigger().CutDue() {
			c.cutOrDie(d.between)
		} else if rng.Float64() < d.crash {
			c.crash()
			if c.m.Trigger().CutDue() { // as the host does at start
				c.cutOrDie(false)
			}
		}
		next, _ = c.m.Intake().Next(source)
		at = int(next+1) / 2
		if !d.pass {
			c.m.Intake().Pass(source, 2*int64(at))
		}
	}
	require.NotEmpty(t, c.m.Releases().Intents())
	c.certify()
	out := ""
	for _, i := range c.m.Releases().Intents() {
		out += fmt.Sprintf("%d %x %x\n", i.Records, sha256.Sum256(c.file(int(i.Release), "qit.csv")),
			sha256.Sum256(c.file(int(i.Release), "st.csv")))
	}
	return out
}

func (c *chain) cutOrDie(between bool) {
	if !between {
		c.cut()
		return
	}
	_, err := c.m.Cut(1_700_000_000+int64(len(c.m.Releases().Intents())), [32]byte{1})
	require.NoError(c.t, err)
	c.crash()
}

// TestTimeIsAnInput: where a tick is the host's time, the same ticks at the same
// records give the same releases, restarts included, and a clock that stands
// still or goes back after a restart changes no arrival.
func TestTimeIsAnInput(t *testing.T) {
	for seed := range uint64(tier.Of(t, 1, 3, 8)) {
		run := func(restart, back bool) string {
			p := policy(4, 2)
			p.Republication, p.HoldInCuts, p.MaxHold, p.Local = state.Regroup, false, 30, extract.Extract{}
			w := world{rng: rand.New(rand.NewPCG(seed, 6)), values: 6}
			c := newChain(t, newSchema(t, false), p, render.Anatomy(), zoneFile)
			at := rand.New(rand.NewPCG(seed, 7))
			tick, out := int64(1000), ""
			for i := range 360 {
				if tick += int64(at.IntN(3)); i%4 == 0 {
					c.m.Tick(tick)
				}
				c.apply(source, int64(i), w.row())
				if restart && i%37 == 5 {
					require.NoError(t, c.m.Commit())
					c.crash()
					if back { // else no tick at all before the next records
						c.m.Tick(tick - 500)
					}
				}
				if i >= 119 && i%30 == 29 {
					if intent := c.cut(); intent != nil {
						out += fmt.Sprintf("%d %x\n", intent.Records, sha256.Sum256(c.file(int(intent.Release), "qit.csv")))
					}
				}
			}
			require.Greater(t, len(c.m.Releases().Intents()), 2)
			c.certify()
			return out
		}
		want := run(false, false)
		require.Equal(t, want, run(true, false))
		require.Equal(t, want, run(true, true))
	}
}

// TestFailedCommitChangesNothing: after a commit that the medium refused, the
// machine cannot be used, and the store continues as if the step had not been tried.
func TestFailedCommitChangesNothing(t *testing.T) {
	c := lived(t, 1, 4)
	before := c.m.Status()
	require.NoError(t, c.m.Commit())
	c.put(7, 1)
	c.store.FailAt(1, state.ErrNoSpace)
	require.ErrorIs(t, c.m.Commit(), state.ErrNoSpace)
	_, err := c.m.Apply(source, 1<<20, equivclass.Row{[]byte("1"), []byte("a")})
	require.ErrorIs(t, err, incremental.ErrBroken)
	_, err = c.m.Cut(1, [32]byte{})
	require.ErrorIs(t, err, incremental.ErrBroken)
	require.ErrorIs(t, c.m.Refuse(state.DeadLetter{}), incremental.ErrBroken)
	c.crash()
	require.Equal(t, before, c.m.Status())
	c.certify()
}
