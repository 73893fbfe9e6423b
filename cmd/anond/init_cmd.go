package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/equivclass"
	"anond/ingest/decode"
	"anond/internal/abandon"
	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/internal/profile"
)

// start is what `anond init` is asked for.
type start struct {
	profile.Draft
	data, out string
	force     bool
	wishes    profile.Wishes
}

func newInitCommand(env *environment) *cobra.Command {
	var s start
	c := &cobra.Command{
		Use: "init [DATA]", Args: cobra.MaximumNArgs(1),
		Short: "Write a configuration for a table, with a guess of what each column is",
		Long: `init reads the beginning of a CSV or NDJSON file, of standard input (-) or of a topic, and writes a
commented anond.yaml: how the data are written, what each column may be, and why. Check the roles,
for they are guesses. k and l are yours: it asks for them on a terminal, and takes --k and --l.

The file may be shared: it has no value of a person, and nothing that follows from sensitive values but
how the text as a whole is written (encoding, delimiter, line breaks in quotes).
What the data allow is said on the terminal alone. Data of people who will be published tell
something about them by the settings that are chosen on them: docs/CHOOSING.md.`,
		Example: "  anond init people.csv\n  anond init people.csv --k 10 --l 5 --sensitive diagnosis\n" +
			"  anond init --kafka 127.0.0.1:9092 --topic admissions --k 10 --l 5",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				s.data = args[0]
			}
			return env.begin(c.Context(), &s)
		},
	}
	c.Flags().StringVarP(&s.out, "config", "c", "anond.yaml", "`file` to write")
	c.Flags().BoolVar(&s.force, "force", false, "replace the file if it exists")
	c.Flags().StringVar(&s.Brokers, "kafka", "", "read a topic: `host:port` of a broker, without encryption")
	c.Flags().StringVar(&s.Topic, "topic", "", "`name` of the topic, with --kafka")
	c.Flags().StringVar(&s.Registry, "registry", "", "`address` of the schema registry of its messages, without credentials")
	c.Flags().IntVar(&s.K, "k", 0, "so many people look alike")
	c.Flags().IntVar(&s.L, "l", 0, "no sensitive value has more than 1/l of a bucket")
	c.Flags().StringVar(&s.wishes.Sensitive, "sensitive", "", "`column` to protect")
	c.Flags().StringVar(&s.wishes.Person, "person", "", "`column` that says who the person is; - for none")
	c.Flags().StringSliceVar(&s.wishes.Quasi, "quasi", nil, "`columns` that others may know; no other is published then")
	return c
}

// begin is anond init.
func (e *environment) begin(ctx context.Context, s *start) error {
	asks := cli.IsTerminal(e.Stdin) && s.data != "-"
	if err := s.check(asks); err != nil {
		return err
	}
	sample, err := e.sample(ctx, s)
	if err != nil {
		return err
	}
	if s.Sketch, err = profile.Look(sample); err != nil {
		return fmt.Errorf("%s %w", s.name(), err)
	}
	s.Path = s.path()
	s.Guesses, err = s.Sketch.Guesses(s.wishes)
	in, questions := bufio.NewReader(e.Stdin), s.questions()
	if asks {
		err = e.ask(ctx, in, s, questions[:3])
	}
	if err == nil {
		s.Guesses, err = s.Sketch.Guesses(s.wishes)
	}
	var table *profile.Table
	if err == nil && (asks || cli.IsTerminal(e.Stdout)) {
		table, err = e.allowed(ctx, s, sample)
	}
	if err == nil && asks {
		err = e.ask(ctx, in, s, questions[3:])
	}
	if err != nil {
		return err
	}
	how := os.O_EXCL
	if s.force {
		how = os.O_TRUNC
	}
	f, err := os.OpenFile(s.out, os.O_WRONLY|os.O_CREATE|how, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(s.String())
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return e.written(s, table)
}

// check refuses what cannot be done before anything is read.
func (s *start) check(asks bool) error {
	switch {
	case (s.data == "") == (s.Brokers == ""):
		return cli.Usage("anond init people.csv, or anond init --kafka 127.0.0.1:9092 --topic people", "name either a file or a topic")
	case (s.Brokers == "") != (s.Topic == ""):
		return cli.Usage("anond init --kafka 127.0.0.1:9092 --topic people", "--kafka and --topic belong together")
	case !asks && (s.K == 0 || s.L == 0):
		return cli.Usage("--k 10 --l 5; docs/CHOOSING.md says what they cost",
			"without a terminal --k and --l are needed: they are nobody's guess")
	case s.K != 0 && s.K < 2, s.L != 0 && s.L < 2, s.K != 0 && s.L > s.K:
		return cli.Usage("--k 10 --l 5", "k and l are at least 2, and l is at most k")
	}
	if _, err := os.Lstat(s.out); err == nil && !s.force {
		return fault.Errorf(fault.Failed, "--force replaces it; -c FILE writes another one", "%s exists already", s.out)
	}
	return nil
}

// name is that of the input, for people.
func (s *start) name() string {
	return cmp.Or(map[string]string{"": "topic " + s.Topic, "-": "standard input"}[s.data], s.data)
}

// path is that of the input as the configuration has it: relative to its directory.
func (s *start) path() string {
	if s.data == "-" || filepath.IsAbs(s.data) {
		return s.data
	}
	here, wrong := filepath.Abs(filepath.Dir(s.out))
	there, err := filepath.Abs(s.data)
	relative, no := filepath.Rel(here, there)
	if errors.Join(wrong, err, no) != nil {
		return there
	}
	return relative
}

func (e *environment) sample(ctx context.Context, s *start) (*profile.Sample, error) {
	if s.data != "" {
		return abandon.At(ctx, func() (*profile.Sample, error) { return profile.ReadSample(s.data, e.Stdin, profile.SampleBytes) })
	}
	sample := &profile.Sample{}
	err := dataset.FirstMessages(ctx, []string{s.Brokers}, s.Topic, s.Registry, sample.Add)
	if err != nil {
		err = fault.With(fault.Failed,
			"check --kafka, --topic and --registry; of a broker that needs TLS or a password, save some messages to a file", err)
	}
	return sample, err
}

// allowed says on the terminal what could be promised of the sample, and what is seldom meant as it is written.
func (e *environment) allowed(ctx context.Context, s *start, sample *profile.Sample) (*profile.Table, error) {
	d := s.Draft
	d.K, d.L = cmp.Or(d.K, 2), cmp.Or(d.L, 2)
	c, _, err := config.Load(s.out, e.Lookup, func(name string) ([]byte, error) {
		if name == s.out {
			return []byte(d.String()), nil
		}
		return config.ReadRegular(name)
	})
	if err != nil {
		return nil, err
	}
	t, err := profile.ReadFor(ctx, c, profile.Input{Name: "-", Stdin: bytes.NewReader(sample.Text), Format: decode.Format(c.Source.Format)})
	if err != nil {
		return nil, err
	}
	t.WriteRefused(e.Stderr, s.name(), nil)
	profile.PoolsOf(t, c).ReachableText(e.Stdout)
	for _, remark := range profile.Remarks(t) {
		fmt.Fprintln(e.Stdout, remark)
	}
	fmt.Fprintln(e.Stdout, profile.Channel)
	return t, nil
}

// written says what comes next, and on the terminal whether k and l can be kept.
func (e *environment) written(s *start, t *profile.Table) error {
	roles := map[equivclass.Role]int{}
	for _, g := range s.Guesses {
		roles[g.Role]++
	}
	if t != nil {
		c, err := e.loadConfig(s.out)
		if err != nil {
			return err
		}
		p := profile.PoolsOf(t, c)
		p.NeedText(e.Stdout)
		if err := unreachable(c, p); err != nil {
			fmt.Fprintf(e.Stdout, "warning: %s\n", err)
			for _, line := range p.Reachable() {
				fmt.Fprintf(e.Stdout, "  instead: %s\n", line)
			}
		}
	}
	fmt.Fprintf(e.Stdout, "%s written: %s to know, %d to protect, %s not published. Check the roles in it.\n", s.out,
		cli.Count(roles[equivclass.Quasi], "column"), roles[equivclass.Sensitive],
		cli.Count(len(s.Guesses)-roles[equivclass.Quasi]-roles[equivclass.Sensitive], "column"))
	if roles[equivclass.Subject] == 0 {
		fmt.Fprintln(e.Stdout, "warning: no column names the person: each row counts as a person of its own, and who has several is "+
			"protected less.\n  If a column names people, give it role subject.")
	}
	if s.Sketch.Whole && s.Sketch.Total > 0 {
		fmt.Fprintf(e.Stdout, "warning: %s:%d: the last row looks like a total: take it out, or it is published as a person.\n", s.data,
			s.Sketch.Total)
	}
	file := ""
	if s.out != "anond.yaml" {
		file = " -c " + s.out
	}
	if t == nil && s.data != "" && s.data != "-" {
		fmt.Fprintf(e.Stdout, "What the data allow: anond config check%s --data %s\n", file, s.data)
		fmt.Fprintf(e.Stdout, "What comes of them: anond try%s %s\n", file, s.data)
	}
	_, err := fmt.Fprintf(e.Stdout, "To publish: anond run --once%s\n", file)
	return err
}

// question is asked on a terminal unless somebody has said it already.
type question struct {
	said bool
	text string
	role equivclass.Role // its columns are the guess, which an empty answer takes
	none string          // the guess where there are none
	set  func(answer string) error
}

// questions are three about the columns, then k and l.
func (s *start) questions() []question {
	column := func(of *string) func(string) error {
		return func(answer string) error {
			*of = answer
			return nil
		}
	}
	number := func(of, most *int) func(string) error {
		return func(answer string) (err error) {
			if *of, err = strconv.Atoi(answer); err != nil || *of < 2 || *of > *most {
				return fmt.Errorf("a whole number from 2 to %d", *most)
			}
			return nil
		}
	}
	many := math.MaxInt32
	return []question{
		{s.wishes.Sensitive != "", "Which column is to be protected, because nobody may learn it about a person?", equivclass.Sensitive, "",
			column(&s.wishes.Sensitive)},
		{s.wishes.Person != "", "Which column says who the person is? - for none: then each record is a person.", equivclass.Subject, "-",
			column(&s.wishes.Person)},
		{s.wishes.Quasi != nil, "Which columns may others know about a person? Those that are not named are not published.",
			equivclass.Quasi, "", func(answer string) error {
				if s.wishes.Quasi = nil; answer != s.columns(equivclass.Quasi) {
					for name := range strings.SplitSeq(answer, ",") {
						s.wishes.Quasi = append(s.wishes.Quasi, strings.TrimSpace(name))
					}
				}
				return nil
			}},
		{s.K != 0, "k: how many people look alike, at least 2 (10 is common)?", "", "", number(&s.K, &many)},
		{s.L != 0, "l: no sensitive value may have more than 1/l of a bucket; at least 2, at most k?", "", "",
			number(&s.L, &s.K)},
	}
}

// columns are the names of those of a role.
func (s *start) columns(role equivclass.Role) string {
	var names []string
	for _, g := range s.Guesses {
		if g.Role == role {
			names = append(names, g.Name)
		}
	}
	return strings.Join(names, ",")
}

// ask asks each question until its answer is accepted.
func (e *environment) ask(ctx context.Context, in *bufio.Reader, s *start, all []question) error {
	for _, q := range all {
		for !q.said {
			guess, shown := cmp.Or(s.columns(q.role), q.none), ""
			if guess != "" {
				shown = " [" + guess + "]"
			}
			fmt.Fprintf(e.Stderr, "%s%s ", q.text, shown)
			answer, err := abandon.At(ctx, func() (string, error) { return in.ReadString('\n') })
			if answer = strings.TrimSpace(answer); err != nil && answer == "" {
				return fmt.Errorf("no answer: %w", err)
			}
			found := s.Guesses
			if err = q.set(cmp.Or(answer, guess)); err == nil && q.role != "" {
				found, err = s.Sketch.Guesses(s.wishes)
			}
			if err == nil {
				s.Guesses, q.said = found, true
				continue
			}
			_, hint := fault.Of(err)
			fmt.Fprintln(e.Stderr, strings.TrimSuffix(fmt.Sprintf("%s: %s", err, hint), ": "))
		}
	}
	return nil
}
