package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/internal/cli"
	"anond/internal/fault"
	"anond/lab/anonymize"
	"anond/lab/methods"
	"anond/snapshot/render"
)

// Recodings that need flags of their own.
const (
	recodingSlicing       = "slicing"
	recodingRandomization = "randomization"
	recodingLGB           = "lgb"
)

// anonymizeFlags is what the command line says.
type anonymizeFlags struct {
	config, method, recoding, out, slices string
	semi                                  string
	promise                               promiseFlags
	retention                             float64
	seed                                  uint64
	seeded, strict, list, json            bool
	in                                    anonymize.Input
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
		Example: "  anond-lab anonymize --list\n  anond-lab anonymize --method mondrian -k 10 -l 3 -c anond.yaml patients.csv --out release",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			f.seeded = c.Flags().Changed("seed")
			switch {
			case f.list:
				return env.listMethods(f.json)
			case len(args) == 0:
				return cli.Usage("anond-lab anonymize IN --out DIR; anond-lab anonymize --list shows the methods", "anonymize needs a file to read")
			case f.out == "":
				return cli.Usage("add --out DIR", "anonymize needs a directory to write to")
			}
			return env.anonymize(c.Context(), &f, args[0])
		},
	}
	f.register(c)
	return c
}

func (f *anonymizeFlags) register(c *cobra.Command) {
	c.Flags().StringVarP(&f.config, "config", "c", "anond.yaml", "configuration `file` whose schema describes the columns")
	cli.JSONFlag(c, &f.json)
	flags := c.Flags()
	flags.StringVar(&f.method, "method", "extract", "how classes are formed; --list shows the methods")
	flags.StringVar(&f.recoding, "recoding", "", "how classes are written; default: the recoding that the method was made for")
	flags.StringVar(&f.slices, "slices", "", "with --recoding slicing: columns that stay together, for instance age+sex,postcode; the "+
		"sensitive attribute is alone unless it is named")
	flags.StringVar(&f.semi, "semi", "", "with --recoding lgb: `file` of semi-sensitive attributes, a JSON object")
	flags.Float64Var(&f.retention, "retention", 0, "with --recoding randomization: probability that a sensitive value is kept")
	flags.StringVar(&f.out, "out", "", "`directory` for the release; must be empty or not exist")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of the random draws, for tests: marks the release as seeded")
	flags.BoolVar(&f.strict, "strict", false, "fail if a line is refused")
	flags.BoolVar(&f.list, "list", false, "list the methods")
	f.promise.register(c)
	f.in.Register(flags)
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
	f.in.Name, f.in.Stdin, f.in.Semi = in, e.Stdin, o.Semi
	t, err := anonymize.Read(ctx, f.in, cfg.Schema)
	if err != nil {
		return err
	}
	t.WriteRefused(e.Stderr, in, anonymize.Corrections)
	if n := len(t.Refused); n > 0 && f.strict {
		return fault.Errorf(fault.Failed, "correct the lines above, or remove --strict: they are then left out and counted",
			"%s of %d refused, and --strict allows none", cli.Count(n, "line"), t.Read)
	}
	if t.Unread.Unterminated > 0 && f.strict {
		return fault.Errorf(fault.Failed, "end it with a line break, or add --complete",
			"the last line of the file may be incomplete, and --strict requires every line")
	}
	show, done := e.Progressing("classes")
	o.Progress = func(at, all int) { show(int64(at), int64(all)) }
	report, err := anonymize.Run(ctx, t, *o)
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
func (e *environment) anonymizeOptions(f *anonymizeFlags, in string) (*anonymize.Options, *config.OneOff, error) {
	o := &anonymize.Options{Recoding: f.recoding, Dir: f.out, Now: time.Now, Seeded: f.seeded}
	var err error
	if o.Method, err = methods.Find(f.method); err != nil {
		return nil, nil, cli.Usage("anond-lab anonymize --list describes the methods", "%s", err)
	}
	if o.Recoding == "" {
		o.Recoding = o.Method.Recoding
	}
	if err := anonymize.CheckRecoding(o.Method, o.Recoding); err != nil {
		return nil, nil, cli.Usage("", "%s", err)
	}
	if err := checkEmpty(f.out); err != nil {
		return nil, nil, err
	}
	cfg, err := e.loadOneOff(f.config)
	if err != nil {
		return nil, nil, err
	}
	if o.Want, err = f.promise.requirement(cfg); err != nil {
		return nil, nil, err
	}
	if err := anonymize.CheckGround(cfg.Schema, f.promise.ground); f.promise.t != 0 && err != nil {
		return nil, nil, cli.Usage("", "%s", err)
	}
	if err := f.recodingOptions(o, cfg); err != nil {
		return nil, nil, err
	}
	o.T, o.Ground, o.References = f.promise.t, f.promise.ground, cfg.References
	if o.Dataset = cfg.Dataset; o.Dataset == "" {
		o.Dataset = datasetOf(in)
	}
	for _, h := range cfg.Hierarchies {
		o.Hierarchies = append(o.Hierarchies, render.HierarchyFile{Attribute: h.Attribute, File: h.Path, Content: h.Content})
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
func (f *anonymizeFlags) recodingOptions(o *anonymize.Options, cfg *config.OneOff) error {
	if f.semi != "" {
		if o.Recoding != recodingLGB {
			return cli.Usage("use --method "+methods.Words(methods.MadeFor(recodingLGB), "or"),
				"only recoding lgb publishes semi-sensitive attributes")
		}
		var err error
		if o.Semi, err = anonymize.ReadSemi(f.semi); err == nil {
			err = anonymize.CheckSemi(cfg.Schema, o.Semi)
		}
		if err != nil {
			return cli.Usage("", "--semi: %s", err)
		}
	}
	switch {
	case o.Method.Name == "ng" && o.Want.L < 2:
		return cli.Usage("add -l 2 or more", "method ng covers l neighbours in each row, and with l = 1 a row would show one person exactly")
	case o.Recoding == recodingSlicing && f.slices == "":
		return cli.Usage("add for instance --slices age+sex,postcode", "recoding slicing needs to know which columns stay together")
	case o.Recoding != recodingSlicing && f.slices != "":
		return cli.Usage("remove it, or add --recoding slicing", "--slices does not belong to recoding %s", o.Recoding)
	case o.Recoding == recodingRandomization && !(f.retention > 0 && f.retention < 1):
		return cli.Usage("add for instance --retention 0.3",
			"recoding randomization needs the probability, between 0 and 1, with which a value is kept")
	case o.Recoding != recodingRandomization && f.retention != 0:
		return cli.Usage("remove it, or add --recoding randomization", "--retention does not belong to recoding %s", o.Recoding)
	}
	o.Retention = f.retention
	if f.slices != "" {
		for _, slice := range strings.Split(f.slices, ",") {
			o.Slices = append(o.Slices, strings.Split(slice, "+"))
		}
	}
	if err := anonymize.CheckSlices(cfg.Schema, o.Slices); err != nil {
		return cli.Usage("name each quasi-identifier once, for instance --slices age+sex,postcode", "--slices: %s", err)
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
		return cli.Usage("name a directory that does not exist yet", "%s is not a directory", dir)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return cli.Usage("name a directory that does not exist yet", "%s is not empty", dir)
	}
	return nil
}
