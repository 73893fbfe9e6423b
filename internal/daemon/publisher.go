package daemon

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"anond/config"
	"anond/equivclass/promise"
	"anond/incremental"
	"anond/ingest"
	"anond/internal/pace"
	"anond/snapshot"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/gate"
	"anond/snapshot/publish"
	"anond/snapshot/render"
)

// publisher is the ingest.Publisher over package snapshot.
type publisher struct {
	inner    *publish.Publisher
	disk     *publish.Closable
	settings *render.Settings
	gate     *auditGate
	standing *recheck   // of the newest release
	faults   chan error // what rechecks found, for the loop
	twins    *twins
	views    *views                                  // the views of each release
	sized    func(snapshot.Sizes)                    // is told the sizes of each release
	told     func(release uint32, manifest [32]byte) // is told each release; may be nil
	limit    *pace.Limit                             // release.max_bytes_per_second; nil: none
	run      context.Context
}

// Close waits for the step in progress, and lets no other follow.
func (p *publisher) Close() error {
	p.disk.Close()
	p.views.wait.Wait()
	return nil
}

// directory is that of the releases, for who writes next to them between two releases.
func (p *publisher) directory() (of publish.Directory, done func()) {
	of = p.inner.Directory()
	of.FS, done = p.paced(p.run, p.disk)
	return of, done
}

// Publish renders the view, has the gate check the files, and makes the release
// durable, once the newest release has been read again. After ctx has ended it
// stops before the next disk operation.
func (p *publisher) Publish(ctx context.Context, v *incremental.View) (ingest.Release, error) {
	return p.publish(ctx, v, nil)
}

// Republish publishes what a process before has published, or may have, with this manifest.
func (p *publisher) Republish(ctx context.Context, v *incremental.View, manifest [32]byte) (ingest.Release, error) {
	return p.publish(ctx, v, &manifest)
}

func (p *publisher) publish(ctx context.Context, v *incremental.View, repeats *[32]byte) (ingest.Release, error) {
	if err := ctx.Err(); err != nil {
		return ingest.Release{}, err
	}
	if err := p.standing.await(ctx); err != nil {
		return ingest.Release{}, err
	}
	until := *p.inner
	disk := publish.NewClosable(p.disk)
	until.Repeats = repeats
	defer context.AfterFunc(ctx, disk.Close)()
	var done func()
	until.FS, done = p.paced(ctx, disk)
	defer done()
	out, err := until.Publish(publish.Of(v), p.settings)
	if err != nil {
		return ingest.Release{}, unrepeated(err)
	}
	p.views.follow(ctx, until.Directory())
	p.gate.audit.Commit()
	p.sized(p.inner.Sizes())
	p.twins.look(v)
	m := &out.Manifest
	if p.told != nil {
		p.told(m.Release, out.SHA256)
	}
	return ingest.Release{Manifest: out.SHA256, Buckets: m.Buckets, KMin: m.Privacy.KMin, MaxFrequency: m.Privacy.MaxFrequency,
		Allowed: m.Privacy.Allowed(m.Policy.L), Reached: m.Reached(), NCP: m.Quality.NCP}, nil
}

// unrepeated marks an error that another attempt would find again.
func unrepeated(err error) error {
	if err != nil && !errors.Is(err, ingest.ErrParked) && permanent(err) {
		return errors.Join(ingest.ErrPermanent, err)
	}
	return err
}

// paced is a disk at the pace of release.max_bytes_per_second. What would have to wait for it
// when the run is told to stop is left to the next start: a stop must not take as long as a
// slow release, nor write faster than it may. The waiting is outside of Closable, so that
// Close does not wait for it.
func (p *publisher) paced(ctx context.Context, disk snapshot.FS) (files snapshot.FS, done func()) {
	waiting, end := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(p.run, func() { end(ingest.ErrParked) })
	return p.limit.Files(waiting, disk), func() {
		unhook()
		end(nil)
	}
}

// auditGate is the publish.Gate over the independent auditor.
type auditGate struct{ audit *gate.Gate }

func newGate(c *config.Config) *auditGate {
	budget := c.Policy.MaxRegroups
	if c.Policy.Republication == config.Append {
		budget = 0
	}
	g := gate.New(format.Policy{K: c.Policy.K, L: c.Policy.L, Republication: string(c.Policy.Republication),
		Level: string(c.Policy.Level), MaxRegroups: &budget})
	g.Promised = promisedBy(c)
	return &auditGate{g}
}

// erasureOf is when the configuration lets buckets leave; nil: never.
func erasureOf(c *config.Config) *format.Erasure {
	if c.Erasure.Mode != config.WithdrawBuckets {
		return nil
	}
	return &format.Erasure{Every: int64(c.Erasure.Every / time.Second), Count: c.Erasure.Count}
}

// promisedBy is what the configuration promises of sensitive attributes, as the auditor takes it. It shares no code with what
// writes manifests.
func promisedBy(c *config.Config) *gate.Promised {
	out, promises, order := &gate.Promised{Window: c.Release.Window.String(), Erasure: erasureOf(c)}, c.Promises(), map[string]int{}
	for _, i := range c.Schema().Sensitive() {
		a := &c.Schema().Attributes()[i]
		order[a.Name] = len(order)
		held := format.Column{Name: a.Name}
		if a.Exact {
			held.Values = "exact"
		}
		if a.Optional {
			held.Missing = "value"
		}
		if p := promises[i]; p != nil {
			held.Promise = auditedPromise(p)
		}
		out.Attributes = append(out.Attributes, held)
	}
	byOrder := func(a, b string) int { return cmp.Compare(order[a], order[b]) }
	for _, pair := range c.Tables() {
		out.Tables = append(out.Tables, slices.SortedFunc(slices.Values(pair[:]), byOrder))
	}
	slices.SortFunc(out.Tables, func(a, b []string) int { return slices.CompareFunc(a, b, byOrder) })
	return out
}

// auditedPromise is a promise in the auditor's words.
func auditedPromise(p *promise.Promise) *format.Promise {
	ratio := func(r promise.Ratio) format.Ratio {
		if r == (promise.Ratio{}) {
			return ""
		}
		return format.RatioOf(uint64(r.Num()), uint64(r.Den()))
	}
	out := &format.Promise{L: p.L, Gain: ratio(p.Gain), Most: ratio(p.Most), Open: p.Open}
	for _, value := range slices.Sorted(maps.Keys(p.AtMost)) {
		out.AtMost = append(out.AtMost, format.ValueShare{Value: value, Share: ratio(p.AtMost[value])})
	}
	if p.Reference != nil {
		out.Reference = &format.Declared{}
	}
	for _, value := range slices.Sorted(maps.Keys(p.Reference)) {
		out.Reference.Counts = append(out.Reference.Counts, format.Reference{Value: value, Count: int(p.Reference[value])})
	}
	return out
}

// Check lets a release pass, or refuses it with what the auditor found.
func (g *auditGate) Check(dir string, placed []render.Placement) error {
	violations, err := g.audit.Check(dir, placements(placed))
	if err != nil {
		return err
	}
	return publish.Refuse(format.Summary(violations))
}

// placements are who is in which class, as the auditor takes it.
func placements(placed []render.Placement) []gate.Placement {
	out := make([]gate.Placement, len(placed))
	for i, p := range placed {
		out[i] = gate.Placement{Part: p.Part, Records: p.Records, Classes: p.Classes}
	}
	return out
}
