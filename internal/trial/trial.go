// Package trial publishes a sample of a table once with each of some settings, in a directory that is removed again, and says
// what came of it: who is refused and why, what is lost, how far counts are off, what becomes of strong relations, who waits.
//
// Guarantee: the machine, the publisher and the gate are those of a run, each with a seed that is drawn for it and goes with
// the directory (rule R, randomness): a trial tells nothing about the draws of a release. What it reports has attributes, counts,
// shares and, in crosstabs, values that at least as many people have as a class holds; no row, and no bag or bucket of a draft (rule V,
// values). It compares with the records themselves, so it is for the owner of the data alone. Settings that are chosen by it reveal
// something about the people of the table (profile.Channel).
//
// Cost: for each setting that of a run over the sample, whose size is bounded, and of 1,000 queries.
package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.yaml.in/yaml/v3"

	"anond/config"
	"anond/equivclass"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/abandon"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/disk"
	"anond/internal/fault"
	"anond/internal/ops/diskuse"
	"anond/internal/profile"
	"anond/snapshot/readback"
)

// private is said on whatever a trial writes.
const private = "PRIVATE: made from the records themselves. Not for those who get the releases."

// Options of a trial.
type Options struct {
	Config   string // path
	Lookup   config.Lookup
	Data     string // a file, or - for Stdin
	Stdin    io.Reader
	PerDay   float64      // people who come in a day; 0: not known
	Settings []Setting    // at least one
	AtKill   func(func()) // is given what to do before the process is killed; may be nil
	Progress func(what string)

	seed *[32]byte // of a test
	most int       // of a test: bytes of the data that are looked at
}

// Setting is what a trial sets in the configuration; what is empty stays as it is.
type Setting struct {
	K, L    int
	Promise string // YAML: {attribute: promise, ...}
}

// run is a trial at work.
type run struct {
	Options
	dir      string
	sample   string // path
	whole    bool
	format   string // once it is known
	table    *profile.Table
	columns  *equivclass.Table   // of it: the quasi-identifiers and then the sensitive attributes, as releases have them
	releases []*readback.Release // by outcome; nil: there is none
}

// noRoom says of a full disk where it is: what a run would do about it, start again, does not help a trial, which keeps nothing.
func noRoom(err error) error {
	if !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	return fault.With(0, "a trial works in "+os.TempDir()+" and has removed what it had there: make room, or set TMPDIR", err)
}

// Run makes a trial. Nothing of it is left when it returns.
func Run(ctx context.Context, o Options) (out *Report, err error) {
	t := &run{Options: o}
	var remove func() error
	if t.dir, remove, err = place(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(noRoom(err), remove()) }()
	if o.AtKill != nil {
		o.AtKill(func() { _ = remove() })
		defer o.AtKill(nil)
	}
	c, err := t.begin(ctx)
	if err != nil {
		return nil, err
	}
	out = t.report(c)
	for i, s := range t.Settings {
		one, err := t.try(ctx, i, s)
		if err != nil {
			return nil, err
		}
		out.Outcomes = append(out.Outcomes, *one)
	}
	out.name()
	t.Progress("strong relations")
	out.Relations, err = abandon.At(ctx, func() ([]relation, error) { return t.relations(out.Outcomes), nil })
	return out, err
}

// prefix begins the name of a trial's directory.
const prefix = "anond-try-"

// place makes the directory of a trial, and says how to remove it. Those of trials that were killed are removed first: nobody
// holds their lock.
func place() (dir string, remove func() error, err error) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	for _, old := range left {
		const makes = time.Minute // time in which one that was just made gets its lock
		if info, err := os.Lstat(old); err != nil || !info.IsDir() || time.Since(info.ModTime()) < makes {
			continue
		}
		unlock, taken := diskuse.Lock(old)
		if !taken {
			_ = os.RemoveAll(old) // of another user, if that fails
		}
		_ = unlock()
	}
	if dir, err = os.MkdirTemp("", prefix); err != nil {
		return "", nil, err
	}
	unlock, _ := diskuse.Lock(dir)
	return dir, func() (err error) {
		for range 10 { // what is still at work may have made something in it
			if err = os.RemoveAll(dir); err == nil {
				break
			}
		}
		return errors.Join(err, unlock())
	}, nil
}

// begin copies the sample and reads it as a table.
func (t *run) begin(ctx context.Context) (c *config.Config, err error) {
	t.Progress("read " + t.Data)
	t.sample = filepath.Join(t.dir, "sample")
	if c, err = t.load(Setting{}, t.dir); err == nil {
		t.format = formatOf(t.Data, string(c.Source.Format))
		c, err = t.load(Setting{}, t.dir)
	}
	if err != nil {
		return nil, err
	}
	read, err := abandon.At(ctx, func() (*profile.Sample, error) {
		return profile.ReadSample(t.Data, t.Stdin, cmp.Or(t.most, profile.SampleBytes))
	})
	if err == nil {
		t.whole, err = read.Whole, disk.Replace(t.sample, 0o600, disk.Bytes(read.Text))
	}
	if err != nil {
		return nil, err
	}
	t.table, err = profile.ReadFor(ctx, c, profile.Input{Name: t.sample, Format: decode.Format(c.Source.Format), Complete: t.whole})
	if err != nil {
		return nil, t.named(err)
	}
	t.columns = t.table.Columns(append(append([]int{}, t.table.Schema.Quasi()...), t.table.Schema.Sensitive()...)...)
	return c, nil
}

// named is an error about the sample as one about the data.
func (t *run) named(err error) error {
	if err == nil || !strings.Contains(err.Error(), t.sample) {
		return err
	}
	kind, hint := fault.Of(err)
	return fault.Errorf(kind, hint, "%s", strings.ReplaceAll(err.Error(), t.sample, t.Data))
}

// formatOf is that of the configuration, unless the name of a file contradicts it.
func formatOf(name, configured string) string {
	switch end := filepath.Ext(strings.TrimSuffix(strings.ToLower(name), ".gz")); end {
	case ".csv":
		return string(decode.CSV)
	case ".ndjson", ".jsonl", ".json":
		if configured == string(decode.CSV) {
			return string(decode.JSON)
		}
	}
	return configured
}

// unused are the keys that a trial does without: nothing is served, delivered, encrypted, slowed down or shared with other
// processes.
var unused = strings.Fields("encryption control http outputs shard log source.kafka source.max_records_per_second dead_letter.topic " +
	"dead_letter.payload release.keep release.max_bytes_per_second initial.on_refusal subject.key subject.ledger")

// load is the configuration with a setting, for a run in a directory: what it reads and writes is there.
func (t *run) load(s Setting, dir string) (*config.Config, error) {
	var edits []config.Edit
	set := func(key string, value any) {
		edits = append(edits, config.Edit{Path: strings.Split(key, "."), Value: value})
	}
	literal := func(path ...string) string { return strings.ReplaceAll(filepath.Join(path...), "${", "$${") }
	for _, key := range unused {
		set(key, nil)
	}
	set("source.type", "file")
	set("source.file", map[string]any{"path": literal(t.sample), "complete": t.whole})
	set("dead_letter.type", "file")
	set("dead_letter.path", literal(dir, "dead-letter"))
	set("dead_letter.max_share", 1)
	set("state", map[string]any{"path": literal(dir, "state", "anond.db")})
	set("release.dir", literal(dir, "releases"))
	set("release.ledger", literal(dir, "state", "ledger"))
	if t.format != "" {
		set("source.format", t.format)
		if t.format != string(config.CSV) {
			set("source.csv", nil)
		}
	}
	if s.K > 0 {
		set("policy.k", s.K)
	}
	if s.L > 0 {
		set("policy.l", s.L)
	}
	var promises map[string]yaml.Node
	if yaml.Unmarshal([]byte(s.Promise), &promises) != nil {
		return nil, fault.Errorf(fault.Usage, "--promise 'income: {gain: 2}'", "--promise is no YAML mapping of attributes")
	}
	for name, promise := range promises {
		edits = append(edits, config.Edit{Path: []string{"schema", "attributes", name, "promise"}, Value: &promise})
	}
	c, _, err := config.LoadEdited(t.Config, t.Lookup, config.ReadRegular, edits)
	if err != nil {
		return nil, err
	}
	for i := range c.Release.Views { // wherever the configuration has them
		v := &c.Release.Views[i]
		v.Dir, v.Ledger, v.Mode, v.Since = viewDir(dir, v.Name), filepath.Join(dir, "state", "ledger-"+v.Name), 0, time.Time{}
	}
	return c, nil
}

// viewDir is where a trial in a directory has a view.
func viewDir(dir, name string) string { return filepath.Join(dir, "view-"+name) }

// try publishes the sample with a setting and measures the release. An outcome may be that nothing is published.
func (t *run) try(ctx context.Context, i int, s Setting) (*Outcome, error) {
	dir := filepath.Join(t.dir, strconv.Itoa(i))
	c, err := t.load(s, dir)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Setting: s.in(c), K: c.Policy.K, L: c.Policy.L, Pools: profile.PoolsOf(t.table, c)}
	t.Progress(out.Setting)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	var last ingest.Report
	err = daemon.Run(ctx, c, dataset.Options{Log: slog.New(slog.DiscardHandler), Once: true, Lookup: t.Lookup, Seed: t.seed,
		Observe: func(r ingest.Report) { last = r }})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if kind, hint := fault.Of(err); kind == fault.Privacy {
		out.Why, out.Hint = err.Error(), hint
	} else if err != nil {
		return nil, t.named(err)
	}
	out.counts(&last, t.PerDay)
	t.releases = append(t.releases, nil)
	if out.Why != "" {
		return out, nil
	}
	t.releases[i], err = abandon.At(ctx, func() (*readback.Release, error) { return t.measure(filepath.Join(dir, "releases"), out) })
	for _, v := range c.Release.Views {
		if err == nil {
			err = out.measureView(v.Name, viewDir(dir, v.Name))
		}
	}
	return out, err
}

// in says what a configuration with the setting has, in a few words.
func (s *Setting) in(c *config.Config) string {
	out := fmt.Sprintf("k %d", c.Policy.K)
	if c.Policy.L > 0 {
		out += fmt.Sprintf(", l %d", c.Policy.L)
	}
	if s.Promise != "" {
		out += ", " + s.Promise
	}
	return out
}
