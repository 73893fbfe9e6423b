package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"anond/incremental/state"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/testkit/programtest"
	_ "anond/shards" // the daemons of this process have them
	"anond/shards/journal"
	"anond/shards/journal/journaltest"
	"anond/snapshot/snapshottest"
)

// division is a dataset in shards, and their union, inside this process. The shards run one
// after another; the disk of all releases is one.
type division struct {
	plan    *chaosPlan
	dir     string
	random  *rand.Rand
	feed    *feed
	mirror  *snapshottest.Mirror
	planted planted
	trace   *trace
	shards  []*shard
	union   *uniting
}

// shard is one of them, with the faults that happen to it.
type shard struct {
	*inside
	p     *played
	next  []*fault
	ended bool // its newest state is lost for good: the others go on
}

func newDivision(p *chaosPlan, dir string, random *rand.Rand, bug planted, t *trace) (*division, error) {
	d := &division{plan: p, dir: dir, random: random, planted: bug, trace: t, feed: newFeed(random, p.World.Partitions)}
	d.feed.keyed = true
	d.feed.heeds(&p.World)
	if err := os.MkdirAll(d.disk(), 0o700); err != nil {
		return nil, err
	}
	d.mirror = snapshottest.NewMirror(d.disk())
	for i := range p.World.Shards {
		s, err := d.newShard(i)
		if err != nil {
			return nil, err
		}
		d.shards = append(d.shards, s)
	}
	d.union = newUniting(d)
	return d, nil
}

func (d *division) disk() string { return filepath.Join(d.dir, "disk") }

func (d *division) releases() string { return filepath.Join(d.disk(), "releases") }

// releasesOf is the directory where a shard publishes.
func (d *division) releasesOf(i int) string {
	return filepath.Join(d.releases(), "shards", fmt.Sprint(i))
}

func (d *division) newShard(i int) (*shard, error) {
	w := &d.plan.World
	dir := filepath.Join(d.dir, fmt.Sprintf("shard-%d", i))
	if err := os.MkdirAll(filepath.Join(dir, "state"), 0o700); err != nil {
		return nil, err
	}
	s := &site{dir: dir, feed: d.feed.part(i, w.Shards), archive: newArchive(d.releasesOf(i)), log: &programtest.Text{}, source: sourceName}
	s.heeds(w)
	s.feed.strays = d.planted.strays && i == 0
	out := &shard{p: newPlayed(), inside: &inside{site: s, plan: d.plan, random: d.random, clock: newClock(), mirror: d.mirror,
		planted: d.planted, trace: d.trace}}
	s.put = out.place
	journal := ""
	if w.Journal {
		out.journal = journaltest.New()
		random := rand.New(rand.NewPCG(seedOf(d.plan), uint64(2+i))) // the daemon's goroutines write it
		out.journal.Twice = func() bool { return random.IntN(4) == 0 }
		journal = ", journal: {topic: decisions}"
	}
	return out, s.configure(w.configuration(sections{
		source: injectedSource,
		sink:   "{type: file, path: ./dead-letter, " + mostRefused + "}",
		dir:    "../disk/releases/shards/" + fmt.Sprint(i), ledger: "../disk/elsewhere/" + fmt.Sprint(i) + "/ledger",
		subject: []string{`key: "` + subjectKey + `"`},
		more:    fmt.Sprintf("shard: {index: %d, of: %d%s}\n", i, w.Shards, journal),
	}))
}

// play plays a plan of shards.
func (d *division) play() ([]*played, error) {
	err := d.plan.each(func(s step) error {
		if s.Do == stepRun || s.Do == stepLive {
			return d.round(s.Do == stepLive, s.Draw)
		}
		return d.prepare(s)
	})
	if err != nil {
		return d.played(), err
	}
	for _, s := range d.shards {
		if err := s.unlessEnded(func() error { return s.finish(s.p) }); err != nil {
			return d.played(), err
		}
	}
	if err := d.union.drive(nil); err != nil {
		return d.played(), fmt.Errorf("at the end: %w", err)
	}
	return d.played(), d.verdict()
}

func (d *division) played() []*played {
	out := []*played{d.union.p}
	for _, s := range d.shards {
		out = append(out, s.p)
	}
	return out
}

// unlessEnded does something with a shard that has not ended, and notes it if it does now.
func (s *shard) unlessEnded(do func() error) error {
	if s.ended {
		return nil
	}
	err := do()
	if errors.Is(err, errEnded) {
		s.ended = true
		return s.over()
	}
	if err != nil {
		return fmt.Errorf("shard %d: %w", s.feed.index, err)
	}
	return nil
}

// prepare does a step between runs. A fault happens to one shard, or to the union.
func (d *division) prepare(step step) error {
	switch step.Do {
	case stepFeed, stepSpell:
		if step.Do == stepSpell {
			d.feed.spell(step.N)
		} else {
			d.feed.more(step.N)
		}
		for _, s := range d.shards {
			s.feed.refresh()
		}
		return nil
	case stepPass, stepLinger:
		d.union.clock.turn(time.Duration(step.N) * time.Hour)
	}
	if _, ofUnion := unionKinds[step.Do]; ofUnion {
		f := newFault(step)
		d.union.p.faults, d.union.next = append(d.union.p.faults, f), append(d.union.next, f)
		return nil
	}
	for i, s := range d.shards {
		if every := step.Do == stepPass || step.Do == stepLinger || step.Do == stepBackup; !every && i != int(step.Draw>>16)%len(d.shards) {
			continue
		}
		err := s.unlessEnded(func() (err error) {
			s.next, err = s.prepare(s.p, step, s.next)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// round runs each shard, in any order, and the union in between.
func (d *division) round(live bool, draw uint32) error {
	moment := int(draw>>8) % (len(d.shards) + 1)
	for i, at := range d.random.Perm(len(d.shards)) {
		if i == moment {
			if err := d.union.drive(d.union.take()); err != nil {
				return err
			}
		}
		s := d.shards[at]
		err := s.unlessEnded(func() error { return s.drive(s.p, live, s.next) })
		if s.next = waiting(s.next); err != nil {
			return err
		}
	}
	if moment == len(d.shards) || draw%2 == 0 {
		return d.union.drive(d.union.take())
	}
	return nil
}

// log is what all have said.
func (d *division) log() string {
	var b strings.Builder
	for _, s := range d.shards {
		fmt.Fprintf(&b, "shard %d:\n%s", s.feed.index, s.log)
	}
	fmt.Fprintf(&b, "union:\n%s", d.union.log)
	return b.String()
}

// journaling stands in for the brokers of a journal; nil: there is none.
func (w *inside) journaling(a *armed) *dataset.JournalStandIn {
	if w.journal == nil {
		return nil
	}
	log := journal.Log(w.journal)
	if w.planted.log != nil {
		log = w.planted.log(w.journal)
	}
	return &dataset.JournalStandIn{Log: &entries{log, a}, Partitions: len(w.feed.parts),
		Open: func(_ context.Context, p state.Partition, at state.Position) (ingest.Source, error) {
			return onePartition(w.feed, p.ID, at, a), nil
		}}
}

// entries is a journal, on which the armed faults take effect.
type entries struct {
	journal.Log
	armed *armed
}

func (e *entries) Append(ctx context.Context, message []byte) error {
	if err := e.armed.appending(); err != nil {
		return err
	}
	if err := e.Log.Append(ctx, message); err != nil {
		return err
	}
	return e.armed.appended()
}

// appending and appended are asked around each entry of a journal.
func (a *armed) appending() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.takes("journal: entry", "entry")
	if a.dead || len(a.at("appending", "kill-before-entry")) > 0 {
		return a.kill(a.cut)
	}
	return nil
}

func (a *armed) appended() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.step = "journal: entry"
	if len(a.at("appended", "kill-after-entry")) > 0 {
		return a.kill(nil)
	}
	return nil
}
