package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/ingest/decode"
	"anond/internal/cli"
	"anond/lab/methods"
	"anond/lab/oneoff"
	"anond/snapshot"
)

// Recodings that need flags of their own.
const (
	recodingSlicing       = "slicing"
	recodingRandomization = "randomization"
	recodingLGB           = "lgb"
)

// anonymizeFlags is what the command line says.
type anonymizeFlags struct {
	config, method, recoding, out, format, slices string
	semi                                          string
	promise                                       promiseFlags
	retention                                     float64
	seed                                          uint64
	seeded, strict, list, json                    bool
	lines                                         lineFlags
}

func newAnonymizeCommand(env *environment) *cobra.Command {
	var f anonymizeFlags
	c := &cobra.Command{
		Use:   "anonymize [flags] IN --out DIR",
		Short: "Anonymize one CSV or NDJSON file once, by a method of your choice",
		Long: `anonymize partitions the records of IN (a file, compressed or not, or - for
standard input) into classes by a method and writes them into the empty
directory DIR. It reports the achieved k, l and other principles, the
information loss, and which records were held or refused and why. The schema
block of the configuration describes the columns. Its policy block gives k, l
and diversity unless flags do.

Generalization, anatomy and permutation are written as release 1 in one part,
DIR/000001/part-000001. The recodings of papers that anond run does not publish
in are plain files, DIR/table.json and a CSV file or two: slicing (--slices names
the columns that stay together), randomization (--retention), the method ng, and
lgb, which the methods lgb-mdp, lgb-ncp and lgb-fixed write. With lgb, --semi
FILE names quasi-identifiers that are sensitive for the people whose flag says so:
{"pay": {"flag": "pay_private", "l": 3}}, or t in place of l, with distance and
reference (counts by value). Randomization, ng, and slices that join the sensitive
attribute with others have no promise; table.json and the report say so.

What is written keeps its promise only by itself. Together with another release of
the same people it promises nothing: for data that grow, use anond run.

Exit 3: the requested promise cannot be kept; nothing is written.`,
		Example: "  anond anonymize --list\n  anond anonymize --method mondrian -k 10 -l 3 -c anond.yaml patients.csv --out release",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			f.seeded = c.Flags().Changed("seed")
			if err := checkFormat(f.format); err != nil {
				return err
			}
			switch {
			case f.list:
				return env.listMethods(f.json)
			case len(args) == 0:
				return usage("anond anonymize IN --out DIR; anond anonymize --list shows the methods", "anonymize needs a file to read")
			case f.out == "":
				return usage("add --out DIR", "anonymize needs a directory to write to")
			}
			return env.anonymize(c.Context(), &f, args[0])
		},
	}
	f.register(c)
	return c
}

func (f *anonymizeFlags) register(c *cobra.Command) {
	configFlag(c, &f.config)
	cli.JSONFlag(c, &f.json)
	flags := c.Flags()
	flags.StringVar(&f.method, "method", "extract", "how classes are formed; --list shows the methods")
	flags.StringVar(&f.recoding, "recoding", "", "how classes are written; default: the recoding that the method was made for")
	flags.StringVar(&f.slices, "slices", "", "with --recoding slicing: columns that stay together, for instance age+sex,postcode; the "+
		"sensitive attribute is alone unless it is named")
	flags.StringVar(&f.semi, "semi", "", "with --recoding lgb: `file` of semi-sensitive attributes, a JSON object")
	flags.Float64Var(&f.retention, "retention", 0, "with --recoding randomization: probability that a sensitive value is kept")
	flags.StringVar(&f.out, "out", "", "`directory` for the release; must be empty or not exist")
	flags.StringVar(&f.format, "format", "", "csv or json; default: by the name of the file")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the random draws, for tests: marks the release as seeded")
	flags.BoolVar(&f.strict, "strict", false, "fail if a line is refused")
	flags.BoolVar(&f.list, "list", false, "list the methods")
	f.promise.register(c)
	f.lines.register(c)
}

func (e *environment) listMethods(asJSON bool) error {
	all := methods.All()
	if asJSON {
		return cli.WriteJSON(e.Stdout, all)
	}
	t := cli.NewTable(e.Stdout, cli.Left("method", 18), cli.Left("made for", 14), cli.Left("guarantee", 80),
		cli.Left("source", 0))
	t.Header()
	for _, m := range all {
		t.Row(m.Name, m.Recoding, m.Guarantee, m.Source)
	}
	return t.Err
}

func (e *environment) anonymize(ctx context.Context, f *anonymizeFlags, in string) error {
	o, cfg, err := e.anonymizeOptions(f, in)
	if err != nil {
		return err
	}
	input := oneoff.Input{Name: in, Stdin: e.Stdin, Format: decode.Format(f.format), Multiline: f.lines.multiline, Complete: f.lines.complete,
		Semi: o.Semi}
	t, err := oneoff.Read(ctx, input, cfg.Schema)
	if err != nil {
		return err
	}
	e.printRefused(in, t)
	if n := len(t.Refused); n > 0 && f.strict {
		return failure(exitFailed, fmt.Errorf("%s of %d refused, and --strict allows none", cli.Count(n, "line"), t.Read),
			"correct the lines above, or remove --strict: they are then left out and counted")
	}
	if t.Unread.Unterminated > 0 && f.strict {
		return failure(exitFailed, errors.New("the last line of the file may be incomplete, and --strict requires every line"),
			"end it with a line break, or add --complete")
	}
	show, done := e.Progressing("classes")
	o.Progress = func(at, all int) { show(int64(at), int64(all)) }
	report, err := oneoff.Anonymize(ctx, t, *o)
	done()
	if err != nil {
		return err
	}
	if f.json {
		return cli.WriteJSON(e.Stdout, report)
	}
	return report.Text(e.Stdout)
}

// anonymizeOptions joins flags and configuration.
func (e *environment) anonymizeOptions(f *anonymizeFlags, in string) (*oneoff.Options, *config.OneOff, error) {
	o := &oneoff.Options{Recoding: f.recoding, Dir: f.out, Now: time.Now, Seeded: f.seeded}
	var err error
	if o.Method, err = methods.Find(f.method); err != nil {
		return nil, nil, usage("anond anonymize --list describes the methods", "%s", err)
	}
	if o.Recoding == "" {
		o.Recoding = o.Method.Recoding
	}
	if err := oneoff.CheckRecoding(o.Method, o.Recoding); err != nil {
		return nil, nil, usage("", "%s", err)
	}
	if err := checkEmpty(f.out); err != nil {
		return nil, nil, err
	}
	cfg, warnings, err := e.loadOneOff(f.config)
	cli.Warn(&e.Env, warnings)
	if err != nil {
		return nil, nil, err
	}
	if o.Want, err = f.promise.requirement(cfg); err != nil {
		return nil, nil, err
	}
	if err := oneoff.CheckGround(cfg.Schema, f.promise.ground); f.promise.t != 0 && err != nil {
		return nil, nil, usage("", "%s", err)
	}
	if err := f.recodingOptions(o, cfg); err != nil {
		return nil, nil, err
	}
	o.T, o.Ground, o.References = f.promise.t, f.promise.ground, cfg.References
	if o.Dataset = cfg.Dataset; o.Dataset == "" {
		o.Dataset = datasetOf(in)
	}
	for _, h := range cfg.Hierarchies {
		o.Hierarchies = append(o.Hierarchies, snapshot.HierarchyFile{Attribute: h.Attribute, File: h.Path, Content: h.Content})
	}
	if f.seeded {
		binary.LittleEndian.PutUint64(o.Seed[:], f.seed)
		return o, cfg, nil
	}
	_, err = rand.Read(o.Seed[:])
	return o, cfg, err
}

// recodingOptions reads the options that the recoding needs, and refuses those of
// other recodings.
func (f *anonymizeFlags) recodingOptions(o *oneoff.Options, cfg *config.OneOff) error {
	if f.semi != "" {
		if o.Recoding != recodingLGB {
			return usage("use --method "+methods.Words(methods.MadeFor(recodingLGB), "or"), "only recoding lgb publishes semi-sensitive attributes")
		}
		var err error
		if o.Semi, err = oneoff.ReadSemi(f.semi); err == nil {
			err = oneoff.CheckSemi(cfg.Schema, o.Semi)
		}
		if err != nil {
			return usage("", "--semi: %s", err)
		}
	}
	switch {
	case o.Method.Name == "ng" && o.Want.L < 2:
		return usage("add -l 2 or more", "method ng covers l neighbours in each row, and with l = 1 a row would show one person exactly")
	case o.Recoding == recodingSlicing && f.slices == "":
		return usage("add for instance --slices age+sex,postcode", "recoding slicing needs to know which columns stay together")
	case o.Recoding != recodingSlicing && f.slices != "":
		return usage("remove it, or add --recoding slicing", "--slices does not belong to recoding %s", o.Recoding)
	case o.Recoding == recodingRandomization && !(f.retention > 0 && f.retention < 1):
		return usage("add for instance --retention 0.3",
			"recoding randomization needs the probability, between 0 and 1, with which a value is kept")
	case o.Recoding != recodingRandomization && f.retention != 0:
		return usage("remove it, or add --recoding randomization", "--retention does not belong to recoding %s", o.Recoding)
	}
	o.Retention = f.retention
	if f.slices != "" {
		for _, slice := range strings.Split(f.slices, ",") {
			o.Slices = append(o.Slices, strings.Split(slice, "+"))
		}
	}
	if err := oneoff.CheckSlices(cfg.Schema, o.Slices); err != nil {
		return usage("name each quasi-identifier once, for instance --slices age+sex,postcode", "--slices: %s", err)
	}
	return nil
}

// datasetOf names a dataset by its file.
func datasetOf(in string) string {
	name, _, _ := strings.Cut(filepath.Base(in), ".")
	if in == "-" || name == "" {
		return "table"
	}
	return name
}

// checkEmpty refuses a directory that holds anything: a release is never
// rewritten, and is not written next to others of the same people.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, syscall.ENOTDIR) {
		return usage("name a directory that does not exist yet", "%s is not a directory", dir)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return usage("name a directory that does not exist yet", "%s is not empty", dir)
	}
	return nil
}

// shownRefused is the number of refused lines that are listed.
const shownRefused = 20

// lineFlags say what a line of the file is.
type lineFlags struct{ multiline, complete bool }

func (f *lineFlags) register(c *cobra.Command) {
	c.Flags().BoolVar(&f.multiline, "multiline", false, "quoted CSV fields may contain line breaks; otherwise a record is one line")
	c.Flags().BoolVar(&f.complete, "complete", false, "read a last line without line break as complete; otherwise it is left unread")
}

// printRefused lists the lines that are not in the table.
func (e *environment) printRefused(in string, t *oneoff.Table) {
	e.printReasons(in, t.Refused)
	if n := t.Unread.Unterminated; n == 1 {
		fmt.Fprintf(e.Stderr,
			"%s:%d: left unread: the last line has no line break and may be incomplete; --complete reads it as complete\n", in, t.Last+1)
	} else if n > 1 {
		fmt.Fprintf(e.Stderr,
			"%s:%d: left unread: this quote is not closed in the file, so the %d lines from here on are not read; "+
				"--complete refuses this line only\n", in, t.Last+1, n)
	}
}

func (e *environment) printReasons(in string, refused []oneoff.Refused) {
	for i, r := range refused {
		if i == shownRefused {
			fmt.Fprintf(e.Stderr, "%s: %d more lines refused; --json lists them all\n", in, len(refused)-i)
			return
		}
		of, how := "", corrections[r.Reason]
		if r.Attribute != "" {
			of = fmt.Sprintf(" (attribute %q)", r.Attribute)
		}
		if how != "" {
			how = ": " + how
		}
		fmt.Fprintf(e.Stderr, "%s:%d: refused: %s%s%s\n", in, r.Line, r.Reason, of, how)
	}
}
