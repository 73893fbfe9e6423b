package chaos

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

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
	if strings.Contains(d.union.log.String(), canary) {
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
		if err := writeExports(filepath.Join(o.Exports, fmt.Sprintf("shard-%d", i)), s.exports); err != nil {
			return err
		}
	}
	return certified("the union", o)
}
