package figures

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	text "text/template"
	"time"
)

// Report is a run of figures as people read it.
type Report struct {
	Seed     uint64
	Scale    float64
	Version  string // of the program, as it prints it
	Machine  string // what the times were taken on
	Outcomes []Outcome
}

//go:embed report.html.tmpl
var reportSource string

//go:embed claims.md.tmpl
var claimsSource string

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"svg": inlined, "mark": mark, "column": column, "plural": plural, "class": class, "seconds": seconds, "files": fileName,
	"verdicts": Verdicts,
}).Parse(reportSource))

var claimsTemplate = text.Must(text.New("claims").Funcs(text.FuncMap{
	"cell": cell, "item": item, "verdicts": Verdicts, "heading": heading, "reasons": reasons, "paper": paperFigures.short,
}).Parse(claimsSource))

// writeHTML writes the report as one page that needs nothing else: no script, no
// font, no picture from elsewhere.
func (r *Report) writeHTML(w io.Writer) error { return reportTemplate.Execute(w, r) }

// writeMarkdown writes the claims and verdicts as tables, paper by paper.
func (r *Report) writeMarkdown(w io.Writer) error { return claimsTemplate.Execute(w, r) }

// paperFigures is the figures of one paper.
type paperFigures struct {
	Name     string
	Outcomes []Outcome
}

// short is the paper's authors.
func (p paperFigures) short() string {
	authors, _, _ := strings.Cut(p.Name, `, "`)
	return authors
}

// Papers groups the outcomes by paper, in order.
func (r *Report) Papers() []paperFigures {
	var out []paperFigures
	for _, o := range r.Outcomes {
		if len(out) == 0 || out[len(out)-1].Name != o.Figure.Paper {
			out = append(out, paperFigures{Name: o.Figure.Paper})
		}
		last := &out[len(out)-1]
		last.Outcomes = append(last.Outcomes, o)
	}
	return out
}

// verdictTally counts the claims of a run.
type verdictTally struct {
	Figures, Failed int
	of              map[Verdict]int
}

// Of is the number of claims with a verdict.
func (t verdictTally) Of(v Verdict) int { return t.of[v] }

// Claims is the number of claims.
func (t verdictTally) Claims() (n int) {
	for _, v := range Verdicts() {
		n += t.of[v]
	}
	return n
}

// verdictTally counts all claims of the report.
func (r *Report) Tally() verdictTally { return tally(r.Outcomes) }

// verdictTally counts the claims of the paper.
func (p paperFigures) Tally() verdictTally { return tally(p.Outcomes) }

func tally(outcomes []Outcome) verdictTally {
	t := verdictTally{Figures: len(outcomes), of: map[Verdict]int{}}
	for _, o := range outcomes {
		for _, v := range Verdicts() {
			t.of[v] += o.Count(v)
		}
		if o.Err != nil {
			t.Failed++
		}
	}
	return t
}

// Took is the time of all figures together.
func (r *Report) Took() (d time.Duration) {
	for _, o := range r.Outcomes {
		d += o.Took
	}
	return d
}

// Partial reports whether the figures ran below the papers' sizes.
func (r *Report) Partial() bool { return r.Scale < 1 }

// inlined draws a panel's chart for the page.
func inlined(p Panel) (template.HTML, error) {
	if p.Chart == nil {
		return "", nil
	}
	var b bytes.Buffer
	err := p.Chart.WriteSVG(&b)
	return template.HTML(b.String()), err //nolint:gosec // the chart escapes its texts
}

// The words and marks of the verdicts in the page: over a column, and below a
// number of claims.
var (
	marks   = map[Verdict]string{Holds: "✓", HoldsNot: "✗", Depends: "◐", Undecided: "?"}
	columns = map[Verdict]string{Holds: "holds", HoldsNot: "does not", Depends: "depends", Undecided: "not decided"}
	plurals = map[Verdict]string{Holds: "hold", HoldsNot: "do not hold", Depends: "depend on the reading", Undecided: "not decided"}
)

func mark(v Verdict) string { return marks[v] }

func column(v Verdict) string { return marks[v] + " " + columns[v] }

func plural(v Verdict) string { return marks[v] + " " + plurals[v] }

func heading(v Verdict) string { return plurals[v] }

func class(v Verdict) string { return strings.ReplaceAll(string(v), " ", "-") }

// seconds writes a time with its significant digits.
func seconds(d time.Duration) string {
	if d >= 10*time.Second {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// reasons writes why a claim does not hold, and what would have to be different.
func reasons(id string, c Claim) string {
	text := fmt.Sprintf("**%s**, \"%s\": %s", id, c.Text, c.Why)
	if c.ToHold != "" {
		text += " **To hold:** " + c.ToHold
	}
	return cell(text)
}

// cell writes text into a cell of a Markdown table.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}
