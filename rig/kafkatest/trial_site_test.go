package kafkatest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"anond/internal/dataset"
	"anond/internal/testkit/hospital"
	"anond/snapshot"
)

// trialSite is a directory with a configuration for each shard and all that they write.
type trialSite struct {
	t     *trial
	name  string
	dir   string
	topic *trialTopic
	of    int // shards; 0: one process that is no shard
	hosts int // processes of a group that divides the shards; 0: a process runs one shard
	group string
}

func (t *trial) newSite(name string, p *trialTopic, shards int) *trialSite {
	return &trialSite{t: t, name: name, dir: t.path(strings.ReplaceAll(name, ", ", "-")), topic: p, of: shards}
}

// processes is how many read the topic.
func (s *trialSite) processes() int { return max(1, s.of) }

// subjectKey is one for all shards. That is what it is for; a trial has nothing to hide.
const subjectKey = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

const configuration = `version: 1
dataset: hospital
source: {type: kafka, format: json, kafka: {brokers: [%[1]s], topic: %[2]s, session_timeout: 6s}}
dead_letter: {type: file, path: "%[3]s/dead-letter/%[4]s"}
%[5]sschema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer, range: [0, 130]}
    - {name: sex, role: quasi, type: categorical}
    - {name: postcode, role: quasi, type: categorical, hierarchy: postcode.csv}
    - {name: admission, role: quasi, type: categorical}
    - {name: diagnosis, role: sensitive, type: categorical}
subject: {key: "` + subjectKey + `"}
policy: {k: 10, l: 5}
initial: {min_pool: %[6]d, max_records: %[6]d}
release: {dir: "%[7]s", ledger: "%[3]s/state/%[4]s/ledger", trigger: {on: records, every: %[8]d}}
state: {path: "%[3]s/state/%[4]s/anond.db"%[9]s}
http: {listen: "off"}
log: {format: json}
`

// write writes the configurations. A process without shards makes its releases at the same
// moments: it counts the records of all.
func (s *trialSite) write() error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	every, pool := s.t.Every, s.t.Pool
	if s.of == 0 {
		every, pool = every*s.t.Shards, pool*s.t.Shards
	}
	errs := os.WriteFile(filepath.Join(s.dir, "postcode.csv"), []byte(hospital.Hierarchy()), 0o600)
	write := func(file, private, number, shard, releases, backup string) {
		text := fmt.Sprintf(configuration, `"`+strings.Join(s.t.Brokers, `","`)+`"`, s.topic.name, private, number, shard, pool, releases,
			every, backup)
		errs = errors.Join(errs, os.WriteFile(filepath.Join(s.dir, file), []byte(text), 0o600))
	}
	journal, backup := "", ""
	if s.hosts > 0 {
		journal, backup = fmt.Sprintf(", journal: {topic: %s}", s.group), ", backup: {dir: \"./backups/%s\"}"
	}
	for i := range s.processes() {
		shard, copies := "", ""
		if s.of > 0 {
			shard = fmt.Sprintf("shard: {index: %d, of: %d, key: subject%s}\n", i, s.of, journal)
		}
		if s.hosts > 0 {
			copies = fmt.Sprintf(backup, fmt.Sprint(i))
		}
		write(s.file(i), ".", fmt.Sprint(i), shard, s.releases(i), copies)
	}
	for i := range s.hosts {
		write(s.host(i)+".yaml", "./"+s.host(i), "${SHARD}", fmt.Sprintf("shard: {group: %s, of: %d, key: subject%s}\n", s.group, s.of, journal),
			"./releases/shards/${SHARD}", fmt.Sprintf(backup, "${SHARD}"))
	}
	return errs
}

// host is the name of a process of the group: of its configuration and of its directory.
func (s *trialSite) host(i int) string { return fmt.Sprintf("host-%d", i) }

func (s *trialSite) file(i int) string { return fmt.Sprintf("shard-%d.yaml", i) }

// releases is the releases directory of a shard, or of the one process.
func (s *trialSite) releases(i int) string {
	if s.of == 0 {
		return "./releases"
	}
	return fmt.Sprintf("./releases/shards/%d", i)
}

// prepare starts each process once, on the empty topic: it draws its seed. The first load ends by count, as soon as
// it has the people of initial.min_pool, so never where the topic happened to end at a start.
func (s *trialSite) prepare(ctx context.Context) error {
	if err := s.write(); err != nil {
		return err
	}
	for i := range s.processes() {
		if _, err := s.command(ctx, "run", "--once", "-c", s.file(i)); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// copied is a site that begins with copies of the states of this one.
func (s *trialSite) copied(name string) (*trialSite, error) {
	c := s.t.newSite(name, s.topic, s.of)
	if err := os.CopyFS(c.dir, os.DirFS(s.dir)); err != nil {
		return nil, err
	}
	return c, nil
}

// command runs a command that has to succeed and returns what it prints.
func (s *trialSite) command(ctx context.Context, args ...string) (string, error) {
	var out, log bytes.Buffer
	c := exec.CommandContext(ctx, s.t.Program, args...)
	c.Dir, c.Stdout, c.Stderr = s.dir, &out, &log
	if err := c.Run(); err != nil {
		return out.String(), fmt.Errorf("anond %s: %w\n%s%s", strings.Join(args, " "), err, tail(out.String()), tail(log.String()))
	}
	return out.String(), nil
}

// workers are the processes that read the topic.
func (s *trialSite) workers(once bool) (out []*worker) {
	for i := range s.hosts {
		out = append(out, &worker{name: s.host(i), program: s.t.Program, dir: s.dir, args: []string{"run", "-c", s.host(i) + ".yaml"},
			gone: hostGone})
	}
	if s.hosts > 0 {
		return out
	}
	for i := range s.processes() {
		args := []string{"run", "-c", s.file(i)}
		if once {
			args = append(args, "--once")
		}
		out = append(out, &worker{name: fmt.Sprintf("shard-%d", i), program: s.t.Program, dir: s.dir, args: args, once: once})
	}
	return out
}

// unions are processes that unite what the shards publish.
func (s *trialSite) unions(n int) (out []*worker) {
	for i := range n {
		out = append(out, &worker{name: fmt.Sprintf("union-%d", i), program: s.t.Program, dir: s.dir,
			args: append(s.unionArgs(), "--every", "1s", "--log-format", "json")})
	}
	return out
}

func (s *trialSite) unionArgs() []string {
	return []string{"union", "--dir", "releases", "--ledger", "union.ledger", "--shards", fmt.Sprint(s.of)}
}

// race has all processes read the full topic to its end and publish what they can, as fast as
// they can, with one union next to them. The time ends when the last of them has ended.
func (s *trialSite) race(ctx context.Context) (*trialRun, error) {
	readers, others := s.workers(true), s.unions(min(1, s.of))
	all, failed := errgroup.WithContext(ctx)
	united, stop := context.WithCancel(failed)
	defer stop()
	began := time.Now()
	for _, w := range others {
		all.Go(func() error { return w.run(united, began) })
	}
	reading, stopped := errgroup.WithContext(failed)
	for _, w := range readers {
		reading.Go(func() error { return w.run(stopped, began) })
	}
	err := reading.Wait()
	took := time.Since(began)
	stop()
	if err = errors.Join(err, all.Wait()); err != nil {
		return nil, err
	}
	return s.ran(took, readers, others), s.unite(ctx)
}

// follow runs all processes, kills them as the schedule says, and stops them when all that is
// in the topic is read, published as far as it can be, and united.
func (s *trialSite) follow(ctx context.Context, plan schedule, feed func(context.Context) error) (*trialRun, error) {
	readers, others := s.workers(false), s.unions(unions)
	all, failed := errgroup.WithContext(ctx)
	running, stop := context.WithCancel(failed)
	defer stop()
	began := time.Now()
	for i, w := range slices.Concat(readers, others) {
		if plan.kills != nil {
			w.kills = plan.kills[i]
		}
		all.Go(func() error { return w.run(running, began) })
	}
	if plan.bounce > 0 {
		all.Go(func() error { return s.t.bounce(failed, plan.bounce) })
	}
	all.Go(func() error {
		defer stop()
		if feed != nil {
			if err := feed(failed); err != nil {
				return err
			}
		}
		return s.settled(failed, readers, others)
	})
	err := all.Wait()
	took := time.Since(began)
	if err != nil {
		return nil, err
	}
	run := s.ran(took, readers, others)
	run.Bounced = plan.bounce > 0
	return run, s.unite(ctx)
}

// bounce kills a broker after a while and starts it again.
func (t *trial) bounce(ctx context.Context, after time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(after):
	}
	t.say("a broker is killed")
	if err := t.Bounce(ctx); err != nil {
		return fmt.Errorf("the broker that was killed: %w", err)
	}
	t.say("the broker is back")
	return nil
}

// quiet is how long nothing may have changed before a run is over: longer than the time
// between two writes of status.json.
const quiet = 2500 * time.Millisecond

// settled waits until every kill has happened, every shard has read all of its partitions and
// makes no release, and the union has the newest of each.
func (s *trialSite) settled(ctx context.Context, readers, others []*worker) error {
	late, since := time.After(trialPatience), time.Time{}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			return fmt.Errorf("not all was read and united within %v:\n%s", trialPatience, s.standing())
		case <-time.After(look):
		}
		switch {
		case !allKilled(readers) || !allKilled(others) || !s.done(readers):
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		case time.Since(since) > quiet:
			return nil
		}
	}
}

// allKilled reports whether each process was killed as often as it should be.
func allKilled(workers []*worker) bool {
	for _, w := range workers {
		if int(w.killed.Load()) < len(w.kills) {
			return false
		}
	}
	return true
}

// done looks at the shards and at the union once.
func (s *trialSite) done(readers []*worker) bool {
	vector := map[int]uint32{}
	if s.of > 0 {
		m, err := snapshot.Show(snapshot.OS(), filepath.Join(s.dir, "releases"), 0)
		if err != nil {
			return false
		}
		for _, e := range m.Union.Shards {
			vector[e.Shard] = e.Release
		}
	}
	for i := range s.processes() {
		status, err := s.status(i)
		runs := slices.ContainsFunc(readers, func(w *worker) bool { return int64(status.PID) == w.pid.Load() })
		if err != nil || !runs || time.Since(status.Time) > quiet ||
			int(status.Counts.Sent) != s.topic.of(i, s.of) || status.Counts.Outbox != 0 || status.Releasing != 0 {
			return false
		}
		m, err := snapshot.Show(snapshot.OS(), filepath.Join(s.dir, s.releases(i)), 0)
		if err != nil || s.of > 0 && vector[i] != m.Release {
			return false
		}
	}
	return true
}

// status is what a process last said of itself.
func (s *trialSite) status(i int) (out dataset.Status, err error) {
	err = os.ErrNotExist
	for _, path := range s.private(filepath.Join("state", fmt.Sprint(i), "status.json")) { // of the host that wrote last
		one, unread := dataset.ReadStatus(path)
		if unread == nil && one != nil && one.Time.After(out.Time) {
			out, err = *one, nil
		}
	}
	return out, err
}

// private are the files of a name that hosts have, each in its directory, and those of processes that run one shard.
func (s *trialSite) private(name string) (out []string) {
	for _, pattern := range []string{name, filepath.Join("host-*", name)} {
		found, _ := filepath.Glob(filepath.Join(s.dir, pattern))
		out = append(out, found...)
	}
	return out
}

// standing says how far each shard is.
func (s *trialSite) standing() string {
	var b strings.Builder
	for i := range s.processes() {
		status, err := s.status(i)
		fmt.Fprintf(&b, "shard %d: %d of %d read, release in progress %d (%v)\n", i, status.Counts.Sent, s.topic.of(i, s.of),
			status.Releasing, err)
	}
	return b.String()
}

// unite takes in what was published last.
func (s *trialSite) unite(ctx context.Context) error {
	if s.of == 0 {
		return nil
	}
	_, err := s.command(ctx, append(s.unionArgs(), "--once")...)
	return err
}

// ran is what a run has used.
func (s *trialSite) ran(took time.Duration, readers, others []*worker) *trialRun {
	r := &trialRun{Site: s.name, Processes: len(readers), Sharded: s.of > 0, Takeovers: takeovers(readers), Records: s.topic.sent(),
		Took: took}
	for _, w := range readers {
		r.Kills, r.CPU, r.Peaks = r.Kills+int(w.killed.Load()), r.CPU+w.cpu, append(r.Peaks, w.peak)
	}
	for _, w := range others {
		r.UnionKills, r.UnionCPU = r.UnionKills+int(w.killed.Load()), r.UnionCPU+w.cpu
	}
	return r
}
