package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"anond/equivclass/query"
	"anond/internal/cli"
	"anond/lab/estimate"
	"anond/snapshot/readback"
)

// answer is what query prints for programs.
type answer struct {
	Release  uint32  `json:"release"`
	Recoding string  `json:"recoding"`
	Query    string  `json:"query"`
	Estimate float64 `json:"estimate"`
	// Model is the estimate of a model that is fitted to the release, if asked for.
	Model   *float64 `json:"model,omitempty"`
	Lower   float64  `json:"lower"`
	Upper   float64  `json:"upper"`
	Pending int      `json:"pending"` // records that the release does not show
	// Absent are the values asked for that the release shows nowhere.
	Absent []query.AbsentValue `json:"absent,omitempty"`
}

func newQueryCommand(env *environment) *cobra.Command {
	var asJSON, model bool
	c := &cobra.Command{
		Use:   "query RELEASE_DIR QUERY",
		Short: "Estimate a count, a sum or a mean from a release alone",
		Long: `query answers from the release alone, like an analyst without the original. It
assumes uniform values inside generalized cells, and group shares under anatomy
and permutation. The bounds hold for all possible published records.

  count where age in [40,70] and sex = F and disease = flu
  sum(age) where disease in {flu, cold} and sex != M
  mean(income) where age < 40 and sex = F

A mean is the estimated sum over the estimated count of those who have a number. Its
bounds are the least and the largest mean that the matching people can have, each
bucket with numbers of its own bag: with few people they are wide.

Conditions: = != < <= > >=, in [A,B] (round brackets exclude a bound),
in {V, W}, not in {V, W}. A label of a hierarchy stands for all values below it.
A category that the release does not contain matches nothing: the answer is 0,
with a warning. A value of a hierarchy that did not occur may still be inside a
generalized cell, and counts there. Put names and values with spaces or signs in
double quotes.

A query may name any sensitive attribute of the release, and several. What two have
together is fitted to the bags and the pair table of each pool that has one; without
a table the values of a bucket count as independent. With values: exact, sums and
means use the numbers themselves.

--model adds the estimate of a model that is fitted to this release alone. It
learns from all classes and buckets how values depend on the quasi-identifiers,
and keeps to the published counts. Where classes share buckets, its errors are
about half as large. Needs public files only; a release by generalization,
buckets, anatomy or permutation, and at most one sensitive attribute. This is inference about groups: what it says of
a small group can exceed 1/l, and to take it for a fact about a person in the
group is a guess (docs/ANALYSTS.md).`,
		Example: "  anond-lab query ./release 'count where age in [40,70] and sex = F'",
		Args:    cobra.ExactArgs(2),
		RunE: cli.Answering(func(_ *cobra.Command, args []string) error {
			a, err := ask(args[0], args[1], model)
			if err != nil {
				return err
			}
			for _, v := range a.Absent {
				fmt.Fprintf(env.Stderr, "warning: value %d of the condition on %q does not occur in the release: it counts as 0\n", v.Value,
					v.Attribute)
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, a)
			}
			return env.printAnswer(a)
		}),
	}
	cli.JSONFlag(c, &asJSON)
	c.Flags().BoolVar(&model, "model", false, "add the estimate of a model that is fitted to the release")
	return c
}

func ask(dir, text string, model bool) (*answer, error) {
	r, err := readback.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := r.Load(nil); err != nil {
		return nil, err
	}
	out := &answer{Release: r.Manifest.Release, Recoding: r.Manifest.Recoding, Query: text, Pending: r.Manifest.Pending}
	r, err = r.About(text)
	var a query.Answer
	if err == nil && model {
		a, err = askModel(r, text, out)
	} else if err == nil {
		a, out.Absent, err = r.Ask(text)
	}
	var wrong *query.Error
	if errors.As(err, &wrong) {
		return nil, cli.Usage("anond-lab query --help shows the language", "%s", err)
	}
	switch {
	case err != nil:
		return nil, err
	case a.Nobody():
		return nil, cli.Usage("ask for the count first", "nobody in the release can match, so there is no mean")
	}
	out.Estimate, out.Lower, out.Upper = a.Estimate, a.Lower, a.Upper
	return out, nil
}

func askModel(r *readback.Release, text string, out *answer) (a query.Answer, err error) {
	if _, joint := r.Estimator().(*query.JointRelease); joint {
		return a, cli.Usage("leave out --model", "the model is of one sensitive attribute, and the query names several")
	}
	buckets, ok := r.AsBuckets()
	if !ok {
		return a, cli.Usage("leave out --model, or publish generalization, buckets, anatomy or permutation",
			"no model reads a release by %s", r.Manifest.Recoding)
	}
	bound, err := r.Bind(text)
	if err != nil {
		return a, err
	}
	a = r.Estimator().Estimate(bound)
	within := estimate.NewModel(buckets).Estimate(bound)
	if math.IsNaN(within) { // a mean of people whom the model does not see
		within = a.Estimate
	}
	within = min(max(within, a.Lower), a.Upper) // the bounds hold
	out.Model, out.Absent = &within, bound.Absent
	return a, nil
}

func (e *environment) printAnswer(a *answer) error {
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	model := ""
	if a.Model != nil {
		model = fmt.Sprintf("model     %.2f\n", *a.Model)
	}
	_, err := fmt.Fprintf(e.Stdout, "estimate  %.2f\n%sbounds    %s to %s\nfrom      release %d, recoding %s\n", a.Estimate, model,
		number(a.Lower), number(a.Upper), a.Release, a.Recoding)
	if err == nil && a.Pending > 0 {
		_, err = fmt.Fprintf(e.Stdout, "waiting   %d records that the release does not contain; the bounds do not count them\n", a.Pending)
	}
	return err
}
