package main

import (
	"fmt"
	"path/filepath"
	"strconv"

	"anond/internal/cli"
	"anond/internal/fault"
	"anond/lab/figures"
)

// conclude prints the verdicts. Figures that could not be measured fail the run;
// claims that do not hold are results.
func (r *figureRun) conclude(report *figures.Report) error {
	if r.asJSON {
		if err := cli.WriteJSON(r.env.Stdout, figureResults(report)); err != nil {
			return err
		}
	} else if err := r.print(report); err != nil {
		return err
	}
	tally := report.Tally()
	if tally.Failed == 0 {
		return nil
	}
	hint := "the report has the reason"
	for _, o := range report.Outcomes {
		if o.Absent() {
			hint = "remove --data: the program contains the datasets; the report says what is missing in the directory"
		}
	}
	return fault.Errorf(fault.Failed, hint, "%d of %s not measured", tally.Failed, cli.Count(tally.Figures, "figure"))
}

// verdictColumns are the headings of the verdicts.
var verdictColumns = map[figures.Verdict]string{
	figures.Holds: "holds", figures.HoldsNot: "does not", figures.Depends: "depends", figures.Undecided: "not decided",
}

func (r *figureRun) print(report *figures.Report) error {
	columns := []cli.Column{cli.Left("id", 6)}
	for _, v := range figures.Verdicts() {
		columns = append(columns, cli.Right(verdictColumns[v], 0))
	}
	t := cli.NewTable(r.env.Stdout, append(columns, cli.Right("seconds", 0), cli.Left("what is measured", 0))...)
	t.Header()
	for _, o := range report.Outcomes {
		title, cells := o.Figure.Title, []string{o.Figure.ID}
		for _, v := range figures.Verdicts() {
			cells = append(cells, strconv.Itoa(o.Count(v)))
		}
		if o.Err != nil {
			title = "not measured: " + o.Err.Error()
		}
		t.Row(append(cells, fmt.Sprintf("%.1f", o.Took.Seconds()), title)...)
	}
	sums := []string{"all"}
	for _, v := range figures.Verdicts() {
		sums = append(sums, strconv.Itoa(report.Tally().Of(v)))
	}
	t.Row(append(sums, fmt.Sprintf("%.1f", report.Took().Seconds()))...)
	if t.Err != nil {
		return t.Err
	}
	if report.Partial() {
		fmt.Fprintf(r.env.Stdout, "\nmeasured at %g of the papers' sizes: verdicts are valid at --scale 1 only\n", report.Scale)
	}
	_, err := fmt.Fprintf(r.env.Stdout, "\n%s\n", filepath.Join(r.out, figures.ReportFile))
	return err
}

// figureResult is a measured figure as --json prints it.
type figureResult struct {
	figureLine
	Error   string        `json:"error,omitempty"`
	Seconds float64       `json:"seconds"`
	Claims  []figureClaim `json:"claims"`
	Panels  []figurePanel `json:"panels"`
	Notes   []string      `json:"notes"`
}

type figureClaim struct {
	Claim    string          `json:"claim"`
	Verdict  figures.Verdict `json:"verdict"`
	Numbers  string          `json:"numbers"`
	Why      string          `json:"why,omitempty"`
	ToHold   string          `json:"to_hold,omitempty"`  // what would have to be different
	Readings []figureReading `json:"readings,omitempty"` // where the paper's words allow several
}

type figureReading struct {
	Words   string          `json:"words"`
	Verdict figures.Verdict `json:"verdict"`
	Numbers string          `json:"numbers"`
	Against string          `json:"against,omitempty"` // what in the paper excludes it: a variant, which does not count
}

func figureClaimOf(c figures.Claim) figureClaim {
	out := figureClaim{Claim: c.Text, Verdict: c.Verdict(), Numbers: c.Numbers(), Why: c.Why, ToHold: c.ToHold}
	if len(c.Readings) > 1 {
		for _, r := range c.Readings {
			out.Readings = append(out.Readings, figureReading{r.Words, r.Verdict, r.Numbers, r.Against})
		}
	}
	return out
}

type figurePanel struct {
	Name   string     `json:"name"`
	Timed  bool       `json:"timed"`
	Header []string   `json:"header"`
	Rows   [][]string `json:"rows"`
}

func figureResults(report *figures.Report) []figureResult {
	out := make([]figureResult, 0, len(report.Outcomes))
	for _, o := range report.Outcomes {
		f := o.Figure
		line := figureResult{figureLine: figureLine{f.ID, f.Paper, f.Title, f.Data}, Seconds: o.Took.Seconds(), Claims: []figureClaim{},
			Panels: []figurePanel{}, Notes: []string{}}
		if o.Err != nil {
			line.Error = o.Err.Error()
		} else {
			for _, c := range o.Result.Claims {
				line.Claims = append(line.Claims, figureClaimOf(c))
			}
			for _, p := range o.Result.Panels {
				line.Panels = append(line.Panels, figurePanel{p.Name, p.Timed, p.Header, p.Rows})
			}
			line.Notes = append(line.Notes, o.Result.Notes...)
		}
		out = append(out, line)
	}
	return out
}

// figureProgress shows on stderr what is measured: on a terminal in one line that
// changes, elsewhere in one line per figure.
type figureProgress struct {
	env      *environment
	terminal bool
	all      int
	done     int
}

func (p *figureProgress) begin(i int, id string) func(step string) {
	p.done = i
	if !p.terminal {
		return nil
	}
	show := func(step string) {
		fmt.Fprintf(p.env.Stderr, "\r\x1b[K[%d/%d] %s %s", i+1, p.all, id, step)
	}
	show("")
	return show
}

func (p *figureProgress) clear() {
	if p.terminal {
		fmt.Fprint(p.env.Stderr, "\r\x1b[K")
	}
}

func (p *figureProgress) end(o figures.Outcome) {
	p.clear()
	what := fmt.Sprintf("%d hold, %d do not, %d depend on the reading, %d not decided", o.Count(figures.Holds), o.Count(figures.HoldsNot),
		o.Count(figures.Depends), o.Count(figures.Undecided))
	if o.Err != nil {
		what = "not measured: " + o.Err.Error()
	}
	fmt.Fprintf(p.env.Stderr, "[%d/%d] %s %.1f s: %s\n", p.done+1, p.all, o.Figure.ID, o.Took.Seconds(), what)
}
