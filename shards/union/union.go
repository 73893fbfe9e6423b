// Package union runs anond union: it makes one release of all shards, once or again and
// again, says what it does in the log, and raises an alarm for shards that are late.
//
// Guarantee: what type union promises. Run decides when, and by which errors it ends: those after which a further
// attempt could only repeat a fault or hide it.
package union

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"anond/internal/ops/duty"
	"anond/internal/retry"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/audit/format"
	"anond/snapshot/publish"
)

// Options says what to unite, and how often.
type Options struct {
	FS         snapshot.FS
	Dir        string // releases directory; the shards publish below its directory shards
	Ledger     string // empty: none is kept
	Shards     int
	Without    []int         // shards that release 1 need not have
	Once       bool          // one attempt; else one each Every, until the context is done
	Every      time.Duration // between the ends and begins of attempts
	Keep       int           // so many releases keep their files; 0: all
	StaleAfter time.Duration // alarm for a shard whose newest release is older; 0: none
	Log        *slog.Logger
	Now        func() time.Time
	Hook       func(publish.Step) error // for tests
	// Duty is told what is done, and Board what came of it; may be nil.
	Duty  *duty.Duty
	Board *Board
}

// stepPatience is how long one step of an attempt may take before the process counts as stuck. The
// gate reads every file that is new: with gigabytes of a first release on a slow disk, minutes.
const stepPatience = 15 * time.Minute

// Outcome is what an attempt left.
type Outcome struct {
	Published bool    `json:"published"` // a release was added
	Release   uint32  `json:"release"`   // the newest; 0: none
	SHA256    string  `json:"sha256,omitempty"`
	Records   int     `json:"records"`
	Pending   int     `json:"pending"`
	Shards    []shard `json:"shards"`

	dataset, createdAt string
	waiting            []int
}

// shard is what is known of a shard.
type shard struct {
	Shard     int    `json:"shard"`
	Release   uint32 `json:"release"` // in the newest release of the union; 0: none
	CreatedAt string `json:"created_at,omitempty"`
	Stale     bool   `json:"stale"`
}

// Late are the shards that an alarm is for: too old, or without any release.
func (o *Outcome) Late() (out []int) {
	for _, s := range o.Shards {
		if s.Stale {
			out = append(out, s.Shard)
		}
	}
	return out
}

// Run unites until the context is done, or once.
func Run(ctx context.Context, o Options) (*Outcome, error) {
	owner := make([]byte, 8)
	_, _ = rand.Read(owner) // it never fails
	r := &runner{Options: o, stale: map[int]bool{}}
	r.union = &union{Directory: publish.Directory{FS: o.FS, Dir: o.Dir, Ledger: o.Ledger, Owner: hex.EncodeToString(owner)}, Of: o.Shards,
		Without: o.Without, Gate: audited, Keep: publish.KeepRule{Releases: o.Keep}, Hook: r.hook}
	out, err := r.attempt()
	if o.Once {
		return out, err
	}
	// Settings that differ at the start are a fault of the configuration. Later they may
	// be shards that are restarted one after another: the newest release stays meanwhile.
	for first, silence := true, (retry.Silence{}); ; first = false {
		switch {
		case err != nil && (final(err) || first && errors.Is(err, ErrShards)):
			return out, err
		case err != nil:
			if tries, told := silence.Broken(time.Now(), o.Every); told {
				r.Log.Error("the next attempt follows", "event", "union_failed", "error", err.Error(), "tries", tries)
			}
		default:
			silence = retry.Silence{}
		}
		select {
		case <-ctx.Done():
			return out, nil
		case <-time.After(o.Every):
		}
		out, err = r.attempt()
	}
}

// final errors would only come again.
func final(err error) bool {
	classes := []error{ErrForked, publish.ErrBehind, publish.ErrRefused, publish.ErrDifferent, snapshot.ErrDamaged}
	return slices.ContainsFunc(classes, func(class error) bool { return errors.Is(err, class) })
}

// runner remembers what was said already.
type runner struct {
	Options
	union   *union
	waiting []int
	stale   map[int]bool
	newest  *Outcome // of the newest attempt that succeeded
}

// hook notes the progress of an attempt.
func (r *runner) hook(step publish.Step) error {
	r.does("uniting, behind step "+string(step), stepPatience)
	if r.Hook != nil {
		return r.Hook(step)
	}
	return nil
}

func (r *runner) does(what string, patience time.Duration) {
	if r.Duty != nil {
		r.Duty.Does(what, patience)
	}
}

// attempt makes one, and raises the alarm for what is known of the shards, also if it failed.
func (r *runner) attempt() (*Outcome, error) {
	began := r.Now()
	r.does("uniting", stepPatience)
	out, err := r.publish(began)
	r.does("", 0)
	if err == nil {
		r.newest = out
	}
	if r.newest != nil {
		for i := range r.newest.Shards {
			r.newest.Shards[i].Stale = r.late(r.newest.Shards[i], began)
		}
		r.alarm(r.newest, began)
	}
	r.Board.tried(began, out, err)
	return out, err
}

func (r *runner) publish(began time.Time) (*Outcome, error) {
	found, err := r.union.publish(began)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(found.Waiting, r.waiting) {
		r.waiting = found.Waiting
		if len(found.Waiting) > 0 {
			r.Log.Warn("shards have no release yet", "event", "union_waiting", "shards", texts(found.Waiting), "begun", found.Manifest != nil)
		}
	}
	out := &Outcome{Published: found.Published, waiting: found.Waiting}
	for n := range r.Shards {
		out.Shards = append(out.Shards, shard{Shard: n})
	}
	if m := found.Manifest; m != nil {
		out.Release, out.SHA256, out.Records, out.Pending = m.Release, hex.EncodeToString(found.SHA256[:]), m.Records, m.Pending
		out.dataset, out.createdAt = m.Dataset, m.CreatedAt
		for i, s := range m.Union.Shards {
			out.Shards[i] = shard{Shard: s.Shard, Release: s.Release, CreatedAt: s.CreatedAt}
		}
	}
	if found.Published {
		m := found.Manifest
		r.Log.Info("a release of all shards is published", "event", "union_published", "release", m.Release, "records", m.Records,
			"pending", m.Pending, "classes", m.Classes, "shards", r.Shards-len(found.Waiting), "ms", r.Now().Sub(began).Milliseconds())
	}
	return out, nil
}

// late reports a shard whose newest release is too old, or that has none.
func (r *runner) late(s shard, now time.Time) bool {
	if r.StaleAfter <= 0 {
		return false
	}
	created, err := time.Parse(time.RFC3339, s.CreatedAt)
	return err != nil || now.Sub(created) > r.StaleAfter
}

// alarm tells of each shard once that it is late, and once that it is no more.
func (r *runner) alarm(out *Outcome, now time.Time) {
	for _, s := range out.Shards {
		if s.Stale == r.stale[s.Shard] {
			continue
		}
		r.stale[s.Shard] = s.Stale
		if !s.Stale {
			r.Log.Info("it has published again", "event", "shard_fresh", "shard", s.Shard, "release", s.Release)
			continue
		}
		age := "never published"
		if created, err := time.Parse(time.RFC3339, s.CreatedAt); err == nil {
			age = now.Sub(created).Truncate(time.Second).String()
		}
		r.Log.Warn("the union keeps its old parts", "event", "shard_stale", "shard", s.Shard, "release", s.Release, "age", age)
	}
}

func texts(shards []int) []string {
	out := make([]string, len(shards))
	for i, n := range shards {
		out[i] = fmt.Sprint(n)
	}
	return out
}

// audited has the independent auditor let a release pass, or refuses it with what that found.
func audited(releases, rendered string) error {
	violations, err := audit.GateUnion(releases, rendered)
	if err != nil {
		return err
	}
	return publish.Refuse(format.Summary(violations))
}
