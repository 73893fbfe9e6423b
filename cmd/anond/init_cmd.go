package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/equivclass"
	"anond/ingest/decode"
	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/internal/profile"
)

// start is what `anond init` is asked for.
type start struct {
	data, out, brokers, topic string
	force                     bool
	wishes                    profile.Wishes
	k, l                      int
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
	c.Flags().StringVar(&s.brokers, "kafka", "", "read a topic: `host:port` of a broker, without encryption")
	c.Flags().StringVar(&s.topic, "topic", "", "`name` of the topic, with --kafka")
	c.Flags().IntVar(&s.k, "k", 0, "so many people look alike")
	c.Flags().IntVar(&s.l, "l", 0, "no sensitive value is known with a probability above 1/l")
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
	sketch, err := profile.Look(sample)
	if err != nil {
		return fmt.Errorf("%s %w", s.name(), err)
	}
	q := &questions{ctx: ctx, in: bufio.NewReader(e.Stdin), out: e.Stderr}
	guesses, err := sketch.Guesses(s.wishes)
	if asks {
		guesses, err = q.roles(sketch, &s.wishes)
	}
	if err != nil {
		return err
	}
	d := &profile.Draft{Sketch: sketch, Guesses: guesses, K: cmp.Or(s.k, 2), L: cmp.Or(s.l, 2), Path: s.path(), Brokers: s.brokers,
		Topic: s.topic}
	var table *profile.Table
	if asks || cli.IsTerminal(e.Stdout) {
		if table, err = e.allowed(ctx, s, d, sample); err != nil {
			return err
		}
	}
	if asks {
		if s.k, err = q.number("k: how many people look alike, at least 2 (10 is common)?", s.k, math.MaxInt32); err == nil {
			s.l, err = q.number("l: nobody's sensitive value may be known with a probability above 1/l; at least 2, at most k?", s.l, s.k)
		}
		if err != nil {
			return err
		}
		d.K, d.L = s.k, s.l
	}
	if err := s.write(d.String()); err != nil {
		return err
	}
	return e.written(s, d, table)
}

// check refuses what cannot be done before anything is read.
func (s *start) check(asks bool) error {
	switch {
	case (s.data == "") == (s.brokers == ""):
		return cli.Usage("anond init people.csv, or anond init --kafka 127.0.0.1:9092 --topic people", "name either a file or a topic")
	case (s.brokers == "") != (s.topic == ""):
		return cli.Usage("anond init --kafka 127.0.0.1:9092 --topic people", "--kafka and --topic belong together")
	case !asks && (s.k == 0 || s.l == 0):
		return cli.Usage("--k 10 --l 5; docs/CHOOSING.md says what they cost",
			"without a terminal --k and --l are needed: they are nobody's guess")
	case s.k != 0 && s.k < 2, s.l != 0 && s.l < 2, s.k != 0 && s.l > s.k:
		return cli.Usage("--k 10 --l 5", "k and l are at least 2, and l is at most k")
	}
	if _, err := os.Lstat(s.out); err == nil && !s.force {
		return fault.Errorf(fault.Failed, "--force replaces it; -c FILE writes another one", "%s exists already", s.out)
	}
	return nil
}

// name is that of the input, for people.
func (s *start) name() string {
	switch s.data {
	case "":
		return "topic " + s.topic
	case "-":
		return "standard input"
	}
	return s.data
}

// path is that of the input as the configuration has it: relative to its directory.
func (s *start) path() string {
	if s.data == "-" || filepath.IsAbs(s.data) {
		return s.data
	}
	here, err := filepath.Abs(filepath.Dir(s.out))
	there, wrong := filepath.Abs(s.data)
	if relative, no := filepath.Rel(here, there); err == nil && wrong == nil && no == nil {
		return relative
	}
	return there
}

func (e *environment) sample(ctx context.Context, s *start) (*profile.Sample, error) {
	if s.data != "" {
		return cli.Awaiting(ctx, func() (*profile.Sample, error) { return profile.ReadSample(s.data, e.Stdin, profile.SampleBytes) })
	}
	sample := &profile.Sample{}
	err := dataset.FirstMessages(ctx, []string{s.brokers}, s.topic, sample.Add)
	if err != nil {
		err = fault.With(fault.Failed, "check --kafka and --topic; of a broker that needs TLS or a password, save some messages to a file", err)
	}
	return sample, err
}

// allowed says on the terminal what could be promised of the sample, and what is seldom meant as it is written.
func (e *environment) allowed(ctx context.Context, s *start, d *profile.Draft, sample *profile.Sample) (*profile.Table, error) {
	text := d.String()
	c, _, err := config.Load(s.out, e.Lookup, func(name string) ([]byte, error) {
		if name == s.out {
			return []byte(text), nil
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
	if err := profile.PoolsFor(t, d.K, d.L, nil, profile.MostPool(c)).ReachableText(e.Stdout); err != nil {
		return nil, err
	}
	for _, remark := range profile.Remarks(t) {
		fmt.Fprintln(e.Stdout, remark)
	}
	fmt.Fprintln(e.Stdout, profile.Channel)
	return t, nil
}

func (s *start) write(text string) error {
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if s.force {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(s.out, how, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// written says what comes next, and on the terminal whether k and l can be kept.
func (e *environment) written(s *start, d *profile.Draft, t *profile.Table) error {
	roles := map[equivclass.Role]int{}
	for _, g := range d.Guesses {
		roles[g.Role]++
	}
	if t != nil {
		p := profile.PoolsFor(t, d.K, d.L, nil, 20*max(1000, 20*d.K*d.L))
		if err := p.NeedText(e.Stdout); err != nil {
			return err
		}
		if why := p.Unreachable(false); why != "" {
			fmt.Fprintf(e.Stdout, "warning: what is promised cannot be kept: %s\n", why)
			for _, line := range p.Reachable() {
				fmt.Fprintf(e.Stdout, "  instead: %s\n", line)
			}
		}
	}
	fmt.Fprintf(e.Stdout, "%s written: %s to know, %d to protect, %s not published. Check the roles in it.\n", s.out,
		cli.Count(roles[equivclass.Quasi], "column"), roles[equivclass.Sensitive],
		cli.Count(len(d.Guesses)-roles[equivclass.Quasi]-roles[equivclass.Sensitive], "column"))
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

// questions are asked on a terminal, five at most.
type questions struct {
	ctx context.Context
	in  *bufio.Reader
	out io.Writer
}

// ask asks until take accepts an answer; an empty one is the guess.
func (q *questions) ask(question, guess string, take func(answer string) error) error {
	for {
		shown := ""
		if guess != "" {
			shown = " [" + guess + "]"
		}
		fmt.Fprintf(q.out, "%s%s ", question, shown)
		answer, err := cli.Awaiting(q.ctx, func() (string, error) { return q.in.ReadString('\n') })
		if err != nil && strings.TrimSpace(answer) == "" {
			return fmt.Errorf("no answer: %w", err)
		}
		if err := take(cmp.Or(strings.TrimSpace(answer), guess)); err == nil {
			return nil
		} else if _, hint := fault.Of(err); hint != "" {
			fmt.Fprintf(q.out, "%s: %s\n", err, hint)
		} else {
			fmt.Fprintln(q.out, err)
		}
	}
}

// roles asks for what nobody has said of the columns.
func (q *questions) roles(k *profile.Sketch, w *profile.Wishes) (guesses []profile.Guess, err error) {
	named := func(role equivclass.Role) string {
		var names []string
		for _, g := range guesses {
			if g.Role == role {
				names = append(names, g.Name)
			}
		}
		return strings.Join(names, ",")
	}
	again := func() error {
		found, err := k.Guesses(*w)
		if err == nil {
			guesses = found
		}
		return err
	}
	_ = again() // without a guess there is a question
	set := func(to *string) func(string) error {
		return func(answer string) error {
			*to = answer
			return again()
		}
	}
	if w.Sensitive == "" {
		err = q.ask("Which column is to be protected, because nobody may learn it about a person?", named(equivclass.Sensitive),
			set(&w.Sensitive))
	}
	if w.Person == "" && err == nil {
		err = q.ask("Which column says who the person is? - for none: then each record is a person.", cmp.Or(named(equivclass.Subject), "-"),
			set(&w.Person))
	}
	if w.Quasi == nil && err == nil {
		guess := named(equivclass.Quasi)
		err = q.ask("Which columns may others know about a person? Those that are not named are not published.", guess,
			func(answer string) error {
				if w.Quasi = nil; answer != guess {
					for _, name := range strings.Split(answer, ",") {
						w.Quasi = append(w.Quasi, strings.TrimSpace(name))
					}
				}
				return again()
			})
	}
	return guesses, cmp.Or(err, again())
}

// number asks for k or l, unless it is given.
func (q *questions) number(question string, given, most int) (n int, err error) {
	if given != 0 {
		return given, nil
	}
	return n, q.ask(question, "", func(answer string) error {
		n, err = strconv.Atoi(answer)
		if err != nil || n < 2 || n > most {
			return fmt.Errorf("a whole number from 2 to %d", most)
		}
		return nil
	})
}
