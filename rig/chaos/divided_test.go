package chaos

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"anond/internal/testkit/programtest"
	"anond/shards/union"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// verdict holds each shard against what was sent to it, the shards against each other, and the
// union against the shards.
func (d *division) verdict() error {
	errs := d.union.p.unnamed(d.union.log.String())
	for _, s := range d.shards {
		errs = errors.Join(errs, s.unlessEnded(func() error { return errors.Join(s.p.unnamed(s.log.String()), s.verdict()) }))
	}
	if errs != nil {
		return errs
	}
	for _, check := range []func() error{d.apart, d.united, d.certified} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// apart holds that nobody is published by two shards.
func (d *division) apart() error {
	home := map[int]int{}
	for i, s := range d.shards {
		for person := range s.people {
			if other, twice := home[person]; twice {
				return fmt.Errorf("person %d is published by shards %d and %d", person, other, i)
			}
			home[person] = i
		}
	}
	return nil
}

// united holds that the newest release of the union is made of the newest of each shard, and
// shows what they show.
func (d *division) united() error {
	newest, all := d.union.archive.newest(), true
	for _, s := range d.shards {
		all = all && s.archive.newest() != ""
	}
	if newest == "" {
		if all {
			return errors.New("all shards have published, and the union has not")
		}
		return nil
	}
	current, err := os.ReadFile(filepath.Join(d.releases(), "CURRENT"))
	if err != nil {
		return err
	}
	if string(current) != newest+"\n" {
		return fmt.Errorf("CURRENT of the union does not name its newest release, %s", newest)
	}
	m, err := manifestOf(d.union.archive.files, newest)
	if err != nil {
		return err
	}
	want, records := map[string]int{}, 0
	for i, s := range d.shards {
		n, _ := strconv.Atoi(s.archive.newest()) // none: 0
		if e := m.Union.Shards[i]; e.Shard != i || e.Release != n {
			return fmt.Errorf("the union has release %d of shard %d, whose newest is %d", e.Release, e.Shard, n)
		}
		if n == 0 {
			continue
		}
		if records, err = d.add(want, records, s.archive); err != nil {
			return err
		}
	}
	got, err := shown(d.releases(), newest)
	if err != nil {
		return err
	}
	if !maps.Equal(got, want) || records != m.Records {
		return fmt.Errorf("the union shows %d records with the values %v, its shards %d with %v", m.Records, got, records, want)
	}
	if d.union.log.Has(0, canary) {
		return errors.New("the log of the union holds a person's value")
	}
	return nil
}

// add adds what the newest release of a shard shows.
func (d *division) add(to map[string]int, records int, a *archive) (int, error) {
	m, err := manifestOf(a.files, a.newest())
	if err != nil {
		return 0, err
	}
	values, err := shown(a.dir, a.newest())
	for ill, n := range values {
		to[ill] += n
	}
	return records + m.Records, err
}

// certified has the auditor look at the union and all chains, with the exports of the shards. One
// whose state is lost for good has none.
func (d *division) certified() error {
	if d.union.archive.newest() == "" {
		return nil
	}
	o := audit.Options{Releases: d.releases(), Ledger: d.union.ledger(), Exports: filepath.Join(d.dir, "exports"), RequireCertified: true}
	for i, s := range d.shards {
		if s.ended {
			o.Exports, o.RequireCertified = "", false
			break
		}
		to := filepath.Join(o.Exports, fmt.Sprintf("shard-%d", i))
		if err := writeExports(to, s.exports); err != nil {
			return err
		}
		ledger, err := os.ReadFile(s.config.Release.Ledger)
		if err == nil { // who has left is in no export, and sealed by it
			err = os.WriteFile(filepath.Join(to, "ledger"), ledger, 0o600)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return certified("the union", o)
}

// uniting is anond union of a division, one attempt after another.
type uniting struct {
	*division
	clock   *clock
	log     *programtest.Text
	archive *archive
	p       *played
	next    []*fault
}

func newUniting(d *division) *uniting {
	return &uniting{division: d, clock: newClock(), log: &programtest.Text{}, archive: newArchive(d.releases()), p: newPlayed()}
}

// take are the faults of the next attempt.
func (u *uniting) take() []*fault {
	next := slices.DeleteFunc(slices.Clone(u.next), func(f *fault) bool { return f.took })
	u.next = waiting(next)
	return next
}

func (u *uniting) ledger() string { return filepath.Join(u.disk(), "elsewhere", "union.ledger") }

// drive makes attempts, the first with faults, until one succeeds.
func (u *uniting) drive(faults []*fault) error {
	for range attempts {
		from := u.log.Len()
		e, err := u.attempt(faults)
		if err != nil {
			return err
		}
		faults = nil
		switch {
		case e == ended:
			return nil
		case u.damagedShards() && e != killed: // by any error: it looks at what others may have changed
			if err := u.restoreShards(); err != nil {
				return err
			}
		case !u.p.explain(e, from):
			return fmt.Errorf("a union ended (%s), which no fault explains", e)
		}
	}
	return fmt.Errorf("the union does not recover in %d attempts", attempts)
}

// attempt makes one, as anond union --once does.
func (u *uniting) attempt(faults []*fault) (ending, error) {
	a := arm(faults, u.log.Len, u.trace)
	u.mirror.Disk.Forgets = nil // the disk of the shards has lied for them
	a.aside = u.overtake
	err := u.unite(plant(u.planted.united, snapshot.FS(&disk{u.mirror, a})))
	if err != nil {
		fmt.Fprintf(u.log, "error: %v\n", err)
	}
	if err := u.see(); err != nil {
		return unexpected, err
	}
	if a.cut != nil {
		for _, s := range u.shards {
			s.settled = false // their disk has lost power, too
		}
		if err := u.mirror.Cut(u.shards[0].keeping(a.cut.Draw)); err != nil {
			return unexpected, err
		}
	}
	if err == nil && a.died() {
		err = errKilled // in the midst of what it need not do
	}
	return endingOf(err), nil
}

func (u *uniting) unite(files snapshot.FS) error {
	_, err := union.Run(context.Background(), union.Options{FS: files, Dir: u.releases(), Ledger: u.ledger(), Shards: len(u.shards),
		Once: true, Keep: u.plan.World.Keep, Log: slog.New(slog.NewJSONHandler(u.log, nil)), Now: u.clock.Now})
	return err
}

// overtake lets another union do all that there is to do before the next change of a slow one.
func (u *uniting) overtake() error {
	u.clock.turn(time.Minute) // so that it would not decide the same
	return u.unite(plant(u.planted.united, snapshot.FS(u.mirror)))
}

// see copies what is new, and holds that the vector of shard releases never goes back.
func (u *uniting) see() error {
	if err := u.archive.see(false); err != nil {
		return fmt.Errorf("the union: %w", err)
	}
	before := map[int]int{}
	for _, path := range slices.Sorted(maps.Keys(u.archive.files)) {
		if release, name := filepath.Split(path); name != "manifest.json" || len(release) != len("000001/") {
			continue
		}
		m, err := manifestOf(u.archive.files, path[:6])
		if err != nil {
			return err
		}
		for _, s := range m.Union.Shards {
			if s.Release < before[s.Shard] {
				return fmt.Errorf("release %s of the union has release %d of shard %d, and had %d before", path[:6], s.Release, s.Shard,
					before[s.Shard])
			}
			before[s.Shard] = s.Release
		}
	}
	return nil
}

func (u *uniting) damagedShards() bool {
	return slices.ContainsFunc(u.shards, func(s *shard) bool { return s.damaged })
}

// restoreShards restores the files of shards that are damaged, as an operator does.
func (u *uniting) restoreShards() error {
	for _, s := range u.shards {
		if !s.damaged {
			continue
		}
		if err := s.restoreReleases(); err != nil {
			return err
		}
		s.p.repaired(s.log.String())
	}
	return nil
}
