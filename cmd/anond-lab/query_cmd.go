package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/internal/cli"
	"anond/lab/estimate"
	"anond/snapshot/readback"
)

// unseen stands in place of a number that the promise hides.
const unseen = "cannot be seen at this promise"

// answer is what query prints for programs.
type answer struct {
	Release  uint32 `json:"release"`
	Recoding string `json:"recoding"`
	Query    string `json:"query"`
	// Estimator is "model", or "shares" by flag and where no model reads the recoding: then there are no intervals.
	Estimator string `json:"estimator"`
	Pending   int    `json:"pending"` // records that the release does not show
	// Absent are the values asked for that the release shows nowhere.
	Absent   []query.AbsentValue `json:"absent,omitempty"`
	*Numbers `json:",omitempty"`
	By       []string  `json:"by,omitempty"`
	Cells    []Numbers `json:"cells,omitempty"`
}

// Numbers is what is said of one question; encoding/json fills no embedded pointer that is not exported.
type Numbers struct {
	Group    []string `json:"group,omitempty"` // by attribute of By
	Estimate *float64 `json:"estimate"`        // null: it cannot be seen at this promise, or nobody can match
	// Low and High are the 95 % interval.
	Low    *float64 `json:"low,omitempty"`
	High   *float64 `json:"high,omitempty"`
	Lower  *float64 `json:"lower"` // bounds; null: nobody can match
	Upper  *float64 `json:"upper"`
	Hidden bool     `json:"hidden,omitempty"`
}

// asking is what the command line says.
type asking struct {
	dir, text string
	by        []string
	shares    bool
}

func newQueryCommand(env *environment) *cobra.Command {
	var f asking
	var asJSON, asCSV bool
	c := &cobra.Command{
		Use:   "query RELEASE_DIR QUERY",
		Short: "Estimate counts, sums, means and crosstabs from a release alone",
		Long: `query answers from the release alone, like an analyst without the original. The
bounds hold for all possible published records.

  count where age in [40,70] and sex = F and disease = flu
  sum(age) where disease in {flu, cold} and sex != M
  mean(income) where age < 40 and sex = F

--by ATTRIBUTE answers for each of its values, and --by A,B for each pair of values:
a crosstab in one call, as a table, CSV or JSON. Numbers are divided into the
intervals that they were declared with, or into quarters.

The estimate is that of a model which is fitted to this release alone: how values
depend on the quasi-identifiers, as all buckets tell it. The interval holds the true
answer of the published records about 95 times of 100, as measured on five tables.
Where model and shares of buckets are far apart, the promise hides the answer: the
line says that it ` + unseen + `, and gives the interval alone.
--shares estimates by the shares of buckets, without an interval: that is simple to
retrace, and too small wherever a value and a quasi-identifier are related.

A mean is the estimated sum over the estimated count of those who have a number. Its
bounds are the least and the largest mean that the matching people can have, each
bucket with numbers of its own bag: with few people they are wide.

Conditions: = != < <= > >=, in [A,B] (round brackets exclude a bound),
in {V, W}, not in {V, W}. A label of a hierarchy stands for all values below it.
A category that the release does not contain matches nothing: the answer is 0,
with a warning. A value of a hierarchy that did not occur may still be inside a
generalized cell, and counts there. Put names and values with spaces or signs in
double quotes.

Where people are published with their histories, say where in them to look: in any
record, in the first one, or at all of them; V then W are two that follow each other.

  count where illness ever = flu
  count where illness first in {flu, cold} and ward = 3
  count where illness whole = flu then cold
  count where illness ever = flu then cold

Counts are of people. != and not in ask for all other people: illness ever != flu for
those who never had it. --by illness counts whole histories.

A query may name any sensitive attribute of the release, and several. What two have
together is fitted to the bags and the pair table of each pool that has one; without
a table the values of a bucket count as independent. With values: exact, sums and
means use the numbers themselves.

The model is inference about groups: what it says of a small group can exceed 1/l,
and to take it for a fact about a person in the group is a guess (docs/ANALYSTS.md).`,
		Example: "  anond-lab query ./release 'count where age in [40,70] and sex = F'\n" +
			"  anond-lab query ./release 'mean(income)' --by sex,region --csv",
		Args: cobra.ExactArgs(2),
		RunE: cli.Answering(func(_ *cobra.Command, args []string) error {
			if asJSON && asCSV {
				return cli.Usage("leave one of them out", "--json and --csv exclude each other")
			}
			f.dir, f.text = args[0], args[1]
			a, err := f.ask()
			if err != nil {
				return err
			}
			for _, v := range a.Absent {
				fmt.Fprintf(env.Stderr, "warning: value %d of the condition on %q does not occur in the release: it counts as 0\n", v.Value,
					v.Attribute)
			}
			switch {
			case asJSON:
				return cli.WriteJSON(env.Stdout, a)
			case asCSV:
				return env.csvAnswer(a)
			}
			return env.printAnswer(a)
		}),
	}
	cli.JSONFlag(c, &asJSON)
	flags := c.Flags()
	flags.BoolVar(&asCSV, "csv", false, "print CSV, with a header")
	flags.StringSliceVar(&f.by, "by", nil, "answer for each value of this `attribute`, or of two, as A,B")
	flags.BoolVar(&f.shares, "shares", false, "estimate by the shares of buckets, without a model")
	return c
}

// mostCells bounds a crosstab.
const mostCells = 10_000

var errNobody = cli.Usage("ask for the count first", "nobody in the release can match, so there is no mean")

// ask answers.
func (f *asking) ask() (*answer, error) {
	eras, err := readback.OpenEras(f.dir)
	for i := 0; err == nil && i < len(eras); i++ {
		err = eras[i].Load(nil)
	}
	if err != nil {
		return nil, err
	}
	q, err := query.Parse(f.text)
	if err != nil {
		return nil, cli.Usage("anond-lab query --help shows the language", "%s", err)
	}
	if len(eras) > 1 {
		return f.over(eras, q)
	}
	return f.of(eras[0], q)
}

// of answers from the parts of one era.
func (f *asking) of(r *readback.Release, parsed query.Query) (*answer, error) {
	out := &answer{Release: r.Manifest.Release, Recoding: r.Manifest.Recoding, Query: f.text, Pending: r.Manifest.Pending, By: f.by,
		Estimator: "model"}
	joint, modelled := r.Joint()
	about, dicts := r, r.Dicts
	var err error
	if modelled && (!f.shares || len(f.by) > 0) {
		dicts = joint.Dicts
	} else if about, err = r.About(parsed); err == nil {
		dicts = about.Dicts
	}
	var bound *query.Bound
	if err == nil {
		bound, err = query.Bind(parsed, dicts)
	}
	var wrong *query.Error
	if errors.As(err, &wrong) {
		return nil, cli.Usage("anond-lab query --help shows the language", "%s", err)
	} else if err != nil {
		return nil, err
	}
	out.Absent = bound.Absent
	histories := func(name string) bool {
		return slices.ContainsFunc(dicts, func(d *equivclass.Dictionary) bool { return d.Attribute().Name == name && d.Records() > 0 })
	}
	if modelled && (!f.shares || len(f.by) > 0) && !slices.ContainsFunc(f.by, histories) {
		joint, bound = joint.Seen(bound)
		dicts = joint.Dicts
	}
	queries, groups := []*query.Bound{bound}, [][]string{nil}
	var models *estimate.Joint
	if modelled {
		models = estimate.NewJoint(joint)
	}
	if len(f.by) > 0 {
		if !modelled {
			return nil, cli.Usage("ask with conditions, value by value", "--by does not know a release by %s", r.Manifest.Recoding)
		}
		if queries, groups, err = f.crosstab(models, dicts, bound); err != nil {
			return nil, err
		}
	}
	var replies []estimate.Reply
	if modelled && !f.shares {
		replies = models.Answers(queries)
	} else {
		out.Estimator = "shares"
		from := about.Estimator()
		if len(f.by) > 0 {
			from = joint
		}
		for _, q := range queries {
			replies = append(replies, estimate.Reply{Answer: from.Estimate(q)})
		}
	}
	for i, a := range replies {
		out.Cells = append(out.Cells, out.say(groups[i], a))
	}
	if len(f.by) > 0 {
		return out, nil
	}
	if replies[0].Nobody() {
		return nil, errNobody
	}
	out.Numbers, out.Cells = &out.Cells[0], nil
	return out, nil
}

// say makes the numbers of a reply.
func (a *answer) say(group []string, r estimate.Reply) Numbers {
	out := Numbers{Group: group}
	if r.Nobody() {
		return out
	}
	out.Lower, out.Upper, out.Hidden = &r.Lower, &r.Upper, r.Hidden
	if a.Estimator == "model" {
		out.Low, out.High = &r.Low, &r.High
	}
	if !r.Hidden {
		out.Estimate = &r.Estimate
	}
	return out
}

// crosstab asks a query of each group, or pair of groups.
func (f *asking) crosstab(j *estimate.Joint, dicts []*equivclass.Dictionary, bound *query.Bound) (queries []*query.Bound, labels [][]string,
	err error) {
	queries, labels = []*query.Bound{bound}, [][]string{nil}
	if len(f.by) > 2 {
		return nil, nil, cli.Usage("--by A,B", "--by takes one attribute or two, not %d", len(f.by))
	}
	for i, name := range f.by {
		at := slices.IndexFunc(dicts, func(d *equivclass.Dictionary) bool { return d.Attribute().Name == name })
		if at < 0 || slices.Contains(f.by[:i], name) {
			return nil, nil, cli.Usage("name columns of the release, each once", "--by cannot be by %q: the release has no such column, "+
				"or it is there already", name)
		}
		groups := j.Groups(at)
		if len(groups)*len(queries) > mostCells {
			return nil, nil, cli.Usage("ask by other attributes, or with conditions", "a crosstab by %s has more than %d cells",
				strings.Join(f.by, " and "), mostCells)
		}
		var next []*query.Bound
		var names [][]string
		for n, q := range queries {
			for _, g := range groups {
				next, names = append(next, q.With(g.Pred)), append(names, append(slices.Clone(labels[n]), g.Label))
			}
		}
		queries, labels = next, names
	}
	return queries, labels, nil
}

func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

// csvAnswer writes a line for each number.
func (e *environment) csvAnswer(a *answer) error {
	w := csv.NewWriter(e.Stdout)
	rows := a.Cells
	if a.Numbers != nil {
		rows = []Numbers{*a.Numbers}
	}
	err := w.Write(append(slices.Clone(a.By), "estimate", "low", "high", "lower", "upper", "note"))
	for _, s := range rows {
		note := ""
		switch {
		case s.Hidden:
			note = unseen
		case s.Lower == nil:
			note = "nobody can match"
		}
		if err == nil {
			err = w.Write(append(slices.Clone(s.Group), number(s.Estimate), number(s.Low), number(s.High), number(s.Lower), number(s.Upper), note))
		}
	}
	w.Flush()
	return errors.Join(err, w.Error())
}

func (e *environment) printAnswer(a *answer) error {
	var b strings.Builder
	if s := a.Numbers; s != nil {
		fmt.Fprintf(&b, "estimate  %s\n", s.text())
		if s.Low != nil {
			fmt.Fprintf(&b, "95 %%      %.2f to %.2f\n", *s.Low, *s.High)
		}
		fmt.Fprintf(&b, "bounds    %s to %s\n", number(s.Lower), number(s.Upper))
	} else if err := e.printCells(a); err != nil {
		return err
	}
	fmt.Fprintf(&b, "from      release %d, recoding %s, by %s\n", a.Release, a.Recoding,
		map[bool]string{true: "a model of it", false: "shares"}[a.Estimator == "model"])
	if a.Pending > 0 {
		fmt.Fprintf(&b, "waiting   %d records that the release does not contain; the bounds do not count them\n", a.Pending)
	}
	_, err := e.Stdout.Write([]byte(b.String()))
	return err
}

// text is the estimate, or why there is none.
func (s *Numbers) text() string {
	switch {
	case s.Hidden:
		return unseen
	case s.Estimate == nil:
		return "nobody can match"
	}
	return strconv.FormatFloat(*s.Estimate, 'f', 2, 64)
}

func (e *environment) printCells(a *answer) error {
	var columns []cli.Column
	for _, name := range a.By {
		columns = append(columns, cli.Left(name, 16))
	}
	columns = append(columns, cli.Right("estimate", 12))
	if a.Estimator == "model" {
		columns = append(columns, cli.Right("95 % from", 12), cli.Right("to", 12))
	}
	t := cli.NewTable(e.Stdout, append(columns, cli.Right("at least", 12), cli.Right("at most", 12))...)
	t.Header()
	short := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'f', 1, 64)
	}
	hidden := false
	for _, s := range a.Cells {
		cells := append(slices.Clone(s.Group), map[bool]string{true: "unseen", false: short(s.Estimate)}[s.Hidden])
		hidden = hidden || s.Hidden
		if a.Estimator == "model" {
			cells = append(cells, short(s.Low), short(s.High))
		}
		t.Row(append(cells, short(s.Lower), short(s.Upper))...)
	}
	if hidden && t.Err == nil {
		_, t.Err = fmt.Fprintf(e.Stdout, "unseen    the number %s: only its interval is known\n", unseen)
	}
	return t.Err
}
