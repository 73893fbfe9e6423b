package dataset

import (
	"anond/incremental/state"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"

	"anond/config"
	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/incremental"
	"anond/incremental/withdraw"
	"anond/snapshot"
	"anond/snapshot/render"
)

// PolicyOf translates the configuration's policy for the machine. At level L2 it names
// no partitioner: classes that depend on no value (rule B, buckets) are the machine's own.
func PolicyOf(c *config.Config) state.Policy {
	p := c.Policy
	out := state.Policy{Requirement: c.Requirement(), Republication: state.Republication(p.Republication),
		Threshold: p.Threshold, MaxHold: p.MaxHold.Time.Milliseconds(), HoldInCuts: p.MaxHold.Counted, MaxRegroups: p.MaxRegroups,
		Neighbours: p.Neighbours, NeighbourDims: p.NeighbourDims, Similar: p.Similar,
		References: c.References(),
		InitialMax: c.Initial.MaxRecords, InitialMin: c.Initial.MinRecords, MaxRecords: c.State.MaxRecords,
		OnUpdate: c.Release.Trigger.On == config.OnUpdate, Workers: runtime.GOMAXPROCS(0)}
	if p.MaxHold.Counted {
		out.MaxHold = int64(p.MaxHold.Releases)
	}
	if out.MaxWait = p.MaxWait.Time.Milliseconds(); p.MaxWait.Counted {
		out.MaxWait = int64(p.MaxWait.Releases)
	}
	if c.Release.Trigger.On == config.OnRecords {
		out.CutEvery = c.Release.Trigger.Records
	}
	if p.Level == config.L2 {
		out.Level, out.MinPool, out.OnRefusal = state.L2, p.MinPool, onRefusal[c.Initial.OnRefusal]
		out.InitialMin, out.MaxPool, out.Promises = c.Initial.MinPool, p.MaxPool, c.Promises()
		out.Window = c.Release.Window
		out.Settle = c.Settle
		out.Settle.Updates, out.Settle.Max = c.Updates == config.ApplyUpdates, c.MaxRecords
		if e := c.Erasure; e.Mode == config.WithdrawBuckets {
			out.Erasure = withdraw.Rule{Every: int64(e.Every / time.Second), Count: e.Count}
		}
		return out
	}
	out.Initial = extract.Extract{Workers: runtime.GOMAXPROCS(0)}
	out.Local = out.Initial
	return out
}

var onRefusal = map[config.OnRefusal]state.OnRefusal{config.RefusalStop: state.StopRefused,
	config.RefusalQuarantine: state.QuarantineRefused, config.RefusalGrow: state.GrowRefused}

// FormerOf are the settings of the eras before the newest one of which releases show something, oldest first.
func FormerOf(c *config.Config, m *incremental.Machine) (eras []*config.Config, out []*render.Settings, err error) {
	for kept := range m.Former() {
		before, err := c.Thawed(kept)
		if err != nil {
			return nil, nil, err
		}
		s, err := SettingsOf(before, m)
		if err != nil {
			return nil, nil, err
		}
		eras, out = append(eras, before), append(out, s)
	}
	return eras, out, nil
}

// SettingsOf translates the configuration for the manifest. The state's machine
// has the seed for recodings that draw, and knows which hierarchies have grown.
func SettingsOf(c *config.Config, m *incremental.Machine) (*render.Settings, error) {
	policy := PolicyOf(c)
	recoding, err := render.ParseRecoding(string(c.Release.Recoding), render.RecodingOptions{Seed: m.Seed(),
		Shared: policy.Level == state.L2})
	if err != nil {
		return nil, err
	}
	s := &render.Settings{Dataset: c.Dataset, Recoding: recoding, Seed: m.Seed(), Promises: policy.Promises, Tables: c.Tables(),
		Window: policy.Window.String(), Granule: policy.Window.Granule, Settle: policy.Settle.String(),
		Policy: snapshot.Policy{K: c.Policy.K, L: c.Policy.L,
			Diversity: render.DiversityOf(c.Requirement().Extra), Republication: string(c.Policy.Republication),
			MaxRegroups: c.Policy.MaxRegroups, SubjectRepeat: string(c.Repeat), MinPool: policy.MinPool}}
	if about := snapshot.About(c.Release.About); about != (snapshot.About{}) {
		s.About = &about
	}
	if policy.Settle.On() {
		s.Updates, s.MaxRecords = string(c.Updates), c.MaxRecords
	}
	if r := policy.Erasure; !r.Keeps() {
		s.Erasure = &snapshot.Erasure{Every: r.Every, Count: r.Count}
	}
	if c.Policy.Republication == config.Append {
		s.Policy.MaxRegroups = 0
	}
	for _, h := range c.Hierarchies {
		kept := func(a equivclass.Attribute) bool { return a.Name == h.Attribute && a.Role == equivclass.Kept }
		if slices.ContainsFunc(c.Schema().Attributes(), kept) {
			continue // no release shows its labels
		}
		s.Hierarchies = append(s.Hierarchies, render.HierarchyFile{Attribute: h.Attribute, File: h.Path, Content: h.Content,
			Grown: hasGrown(c, m, h)})
	}
	return s, nil
}

// hasGrown reports whether a hierarchy file differs from that of release 1.
func hasGrown(c *config.Config, m *incremental.Machine, h config.HierarchyFile) bool {
	attribute := slices.IndexFunc(c.Schema().Attributes(), func(a equivclass.Attribute) bool { return a.Name == h.Attribute })
	var first [32]byte
	for _, v := range m.Hierarchies()[attribute] { // the last one before release 1
		if v.Release == 0 {
			first = v.SHA256
		}
	}
	return first != [32]byte{} && first != sha256.Sum256(h.Content)
}

// PolicyDigest stands in each intent for everything that shapes a release.
func PolicyDigest(c *config.Config) [32]byte {
	digests := c.Digests()
	h := sha256.New()
	for _, k := range slices.Sorted(maps.Keys(digests)) {
		d := digests[k]
		fmt.Fprintf(h, "%s\x00%x\n", k, d)
	}
	return [32]byte(h.Sum(nil))
}

// seedOf draws the state's seed, or takes the given one (rule R, randomness).
func seedOf(o Options) (seed [32]byte, seeded bool, err error) {
	if o.Seed != nil {
		return *o.Seed, true, nil
	}
	_, err = rand.Read(seed[:])
	return seed, false, err
}

func reasonsOf(names []config.Reason) []equivclass.Reason {
	out := make([]equivclass.Reason, len(names))
	for i, n := range names {
		out[i] = equivclass.Reason(n)
	}
	return out
}
