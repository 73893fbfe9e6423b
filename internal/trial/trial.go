// Package trial publishes a sample of a table once with each of some settings, in a directory that is removed again, and says
// what came of it: who is refused and why, what is lost, how far counts are off, what becomes of strong relations, who waits.
//
// Guarantee: the machine, the publisher and the gate are those of a run, each with a seed that is drawn for it and goes with
// the directory (rule R, randomness): a trial tells nothing about the draws of a release. What it reports has attributes, counts,
// shares and, in crosstabs, values that at least as many people have as a class holds; no row, and no bag or bucket of a draft (rule V,
// values). It compares with the records themselves, so it is for the owner of the data alone. Settings that are chosen by it reveal
// something about the people of the table (profile.Channel).
//
// Cost: for each setting that of a run over the sample, which Options.Most bounds, and of 1,000 queries.
package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"anond/config"
	"anond/equivclass"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/daemon"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/internal/profile"
	"anond/snapshot/readback"
)

// Private is said on whatever a trial writes.
const Private = "PRIVATE: made from the records themselves. Not for those who get the releases."

// Options of a trial.
type Options struct {
	Config   string // path
	Lookup   config.Lookup
	Data     string // a file, or - for Stdin
	Stdin    io.Reader
	Most     int64   // bytes of the data that are looked at
	PerDay   float64 // people who come in a day; 0: not known
	Settings []Setting
	AtKill   func(func())      // is given what to do before the process is killed; may be nil
	Progress func(what string) // may be nil

	seed *[32]byte // of a test
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
	format   string // empty: that of the configuration
	table    *profile.Table
	releases []*readback.Release // by outcome; nil: there is none
}

// Run makes a trial. Nothing of it is left when it returns.
func Run(ctx context.Context, o Options) (out *Report, err error) {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	t := &run{Options: o}
	var remove func() error
	if t.dir, remove, err = place(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if o.AtKill != nil {
		o.AtKill(func() { _ = remove() })
		defer o.AtKill(nil)
	}
	c, err := t.begin(ctx)
	if err != nil {
		return nil, err
	}
	out = t.report(c)
	if len(t.Settings) == 0 {
		t.Settings = []Setting{{}}
	}
	for i := range t.Settings {
		one, err := t.try(ctx, i)
		if err != nil {
			return nil, err
		}
		out.Outcomes = append(out.Outcomes, *one)
	}
	t.Progress("strong relations")
	out.Relations, err = profile.Interruptible(ctx, func() []Relation { return t.relations(out.Outcomes) })
	return out, err
}

// begin copies the sample and reads it as a table.
func (t *run) begin(ctx context.Context) (c *config.Config, err error) {
	t.Progress("read " + t.Data)
	t.sample = filepath.Join(t.dir, "sample")
	if c, err = t.load(nil, t.dir); err != nil {
		return nil, err
	}
	if t.format = formatOf(t.Data, string(c.Source.Format)); t.format != "" {
		if c, err = t.load(nil, t.dir); err != nil {
			return nil, err
		}
	}
	if t.whole, err = sample(ctx, &t.Options, t.sample); err != nil {
		return nil, err
	}
	t.table, err = profile.ReadFor(ctx, c, profile.Input{Name: t.sample, Format: decode.Format(c.Source.Format), Complete: t.whole})
	return c, t.named(err)
}

// named is an error about the sample as one about the data.
func (t *run) named(err error) error {
	if err == nil || !strings.Contains(err.Error(), t.sample) {
		return err
	}
	return &sampleError{err, strings.ReplaceAll(err.Error(), t.sample, t.Data)}
}

type sampleError struct {
	error
	text string
}

func (e *sampleError) Error() string { return e.text }
func (e *sampleError) Unwrap() error { return e.error }

// formatOf is the format of a file where its name contradicts that of the configuration; empty: it does not.
func formatOf(name, configured string) string {
	name = strings.TrimSuffix(strings.ToLower(name), ".gz")
	inJSON := strings.HasSuffix(name, ".ndjson") || strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json")
	switch {
	case inJSON && configured == string(config.CSV):
		return string(decode.JSON)
	case strings.HasSuffix(name, ".csv") && configured != string(config.CSV):
		return string(decode.CSV)
	}
	return ""
}

// load is the configuration with a setting, for a run in a directory: what it reads and writes is there, and nothing is
// served, delivered, encrypted or shared with other processes.
func (t *run) load(s *Setting, dir string) (*config.Config, error) {
	edit := func(text string, path ...string) config.Edit { return config.Edit{Path: path, YAML: text} }
	quoted := func(elements ...string) string {
		return strconv.Quote(strings.ReplaceAll(filepath.Join(append([]string{dir}, elements...)...), "${", "$${"))
	}
	edits := []config.Edit{
		edit("file", "source", "type"), edit("", "source", "kafka"), edit("", "source", "max_records_per_second"),
		edit(fmt.Sprintf("{path: %s, complete: %t}", strconv.Quote(strings.ReplaceAll(t.sample, "${", "$${")), t.whole), "source", "file"),
		edit("file", "dead_letter", "type"), edit(quoted("dead-letter"), "dead_letter", "path"), edit("", "dead_letter", "topic"),
		edit("", "dead_letter", "payload"), edit("1", "dead_letter", "max_share"),
		edit("{path: "+quoted("state", "anond.db")+"}", "state"), edit(quoted("releases"), "release", "dir"),
		edit(quoted("state", "ledger"), "release", "ledger"), edit("", "release", "keep"), edit("", "release", "max_bytes_per_second"),
		edit("", "initial", "on_refusal"), edit("", "subject", "key"),
	}
	for _, block := range []string{"encryption", "control", "http", "outputs", "shard", "log"} {
		edits = append(edits, edit("", block))
	}
	if t.format != "" {
		edits = append(edits, edit(t.format, "source", "format"))
		if t.format != string(config.CSV) {
			edits = append(edits, edit("", "source", "csv"))
		}
	}
	if s != nil {
		more, err := s.edits()
		if err != nil {
			return nil, err
		}
		edits = append(edits, more...)
	}
	c, _, err := config.LoadEdited(t.Config, t.Lookup, config.ReadRegular, edits)
	return c, err
}

// try publishes the sample with a setting and measures the release. An outcome may be that nothing is published.
func (t *run) try(ctx context.Context, i int) (*Outcome, error) {
	dir := filepath.Join(t.dir, strconv.Itoa(i))
	c, err := t.load(&t.Settings[i], dir)
	if err != nil {
		return nil, err
	}
	out := &Outcome{Setting: t.Settings[i].name(c), K: c.Policy.K, L: c.Policy.L,
		Pools: profile.PoolsOf(t.table, c)}
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
		out.Why, out.Hint, err = err.Error(), hint, nil
	}
	if err != nil {
		return nil, t.named(err)
	}
	out.counts(&last)
	t.releases = append(t.releases, nil)
	if out.Why != "" {
		return out, nil
	}
	return out, t.measure(ctx, c, dir, out)
}

func (s *Setting) edits() (out []config.Edit, err error) {
	if s.K > 0 {
		out = append(out, config.Edit{Path: []string{"policy", "k"}, YAML: strconv.Itoa(s.K)})
	}
	if s.L > 0 {
		out = append(out, config.Edit{Path: []string{"policy", "l"}, YAML: strconv.Itoa(s.L)})
	}
	if s.Promise == "" {
		return out, nil
	}
	promises, err := config.Mapping(s.Promise)
	if err != nil {
		return nil, fault.With(fault.Usage, "--promise 'income: {gain: 2}'", err)
	}
	for _, p := range promises {
		out = append(out, config.Edit{Path: []string{"schema", "attributes", p.Path[0], "promise"}, YAML: p.YAML})
	}
	return out, nil
}

// name says what a setting has, in a few words.
func (s *Setting) name(c *config.Config) string {
	out := fmt.Sprintf("k %d", c.Policy.K)
	if c.Policy.L > 0 {
		out += fmt.Sprintf(", l %d", c.Policy.L)
	}
	if s.Promise != "" {
		out += ", " + s.Promise
	}
	return out
}

// columns are the quasi-identifiers of the table and then the sensitive attributes, as releases have them.
func (t *run) columns() *equivclass.Table {
	return t.table.Columns(append(append([]int{}, t.table.Schema.Quasi()...), t.table.Schema.Sensitive()...)...)
}
