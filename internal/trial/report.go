package trial

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"anond/config"
	"anond/incremental/plan"
	"anond/internal/cli"
	"anond/internal/profile"
)

// Report is what a trial says.
type Report struct {
	Private string `json:"private"` // to whom this may not go
	Channel string `json:"channel"` // what settings that are chosen by it tell
	Dataset string `json:"dataset"`
	Data    string `json:"data"`
	// Whole: the data were looked at to their end, not only the first Records of them.
	Whole    bool              `json:"whole"`
	Records  int               `json:"records"`
	Accepted int               `json:"accepted"` // of them, one for each person
	Repeats  int               `json:"repeats"`  // further ones of a person
	Refused  []profile.Refusal `json:"refused"`
	Advice   []profile.Remark  `json:"advice"`
	PerDay   float64           `json:"per_day,omitempty"`
	Outcomes []Outcome         `json:"outcomes"`
	// Relations are the strongest of the table, as it has them and as the releases tell them.
	Relations []relation `json:"relations"`
}

// Outcome is what a setting comes to.
type Outcome struct {
	Name    string `json:"name"` // Setting, or a letter in place of a long one
	Setting string `json:"setting"`
	K       int    `json:"k"`
	L       int    `json:"l,omitempty"`
	Why     string `json:"not_published,omitempty"` // why nothing is
	Hint    string `json:"hint,omitempty"`

	Read      int `json:"read"`
	Published int `json:"published"`
	Waiting   int `json:"waiting"`
	Refused   int `json:"refused"`
	Beyond    int `json:"beyond"`

	Loss      float64         `json:"loss"`
	Losses    []attributeLoss `json:"loss_by_attribute,omitempty"`
	Classes   *sizes          `json:"classes,omitempty"` // nil: there is no release
	Buckets   *sizes          `json:"buckets,omitempty"`
	Sensitive []sensitive     `json:"sensitive,omitempty"`
	Views     []viewLoss      `json:"views,omitempty"`
	Next      *next           `json:"next_pool,omitempty"`
	Pools     *profile.Pools  `json:"pools"`
}

// attributeLoss is the information loss of a quasi-identifier.
type attributeLoss struct {
	Name string  `json:"attribute"`
	Loss float64 `json:"loss"`
}

// viewLoss is what a view loses, over its own columns, and the largest shares of what it shows of sensitive attributes.
type viewLoss struct {
	Name   string          `json:"name"`
	Loss   float64         `json:"loss"`
	Losses []attributeLoss `json:"loss_by_attribute"`
	Shares []viewShare     `json:"shares"`
}

// viewShare is the largest share of a value, or of a label, in a bucket.
type viewShare struct {
	Name     string  `json:"attribute"`
	TopShare float64 `json:"top_share"`
}

// sizes are those of classes or buckets. Median and Curve are by people: Curve has the size at each twentieth of them.
type sizes struct {
	Count  int       `json:"count"`
	Min    int       `json:"min"`
	Median int       `json:"median_person"`
	Max    int       `json:"max"`
	Curve  []float64 `json:"curve"`
}

// sensitive is what a release reaches for a sensitive attribute.
type sensitive struct {
	Name     string     `json:"attribute"`
	TopShare float64    `json:"top_share"`
	Allowed  float64    `json:"allowed"`
	Error    queryError `json:"query_error"`
}

// queryError is the relative error of random counts. Curve has it at each twentieth of them.
type queryError struct {
	Asked  int       `json:"asked"`
	Mean   float64   `json:"mean"`
	Median float64   `json:"median"`
	Curve  []float64 `json:"curve,omitempty"`
}

// next is what the pool after the first release needs.
type next struct {
	plan.PoolNeed
	Days float64 `json:"days,omitempty"` // until so many have come
}

// relation is a crosstab: of those who have the value of a row, the share that has that of a column.
type relation struct {
	x, y      int         // places of the attributes
	Attribute string      `json:"attribute"`
	With      string      `json:"with"`
	Strength  float64     `json:"strength"` // Cramér's V
	Rows      []string    `json:"rows"`
	Columns   []string    `json:"columns"`
	Shares    [][]float64 `json:"shares"`
	Releases  []told      `json:"releases"`
}

// told is a relation as a release tells it.
type told struct {
	Outcome  int         `json:"outcome"` // its place in the list
	Strength float64     `json:"strength"`
	Shares   [][]float64 `json:"shares"`
}

// report begins the report with what the table tells.
func (t *run) report(c *config.Config) *Report {
	out := &Report{Private: private, Channel: profile.Channel, Dataset: c.Dataset, Data: filepath.Base(t.Data), Whole: t.whole,
		Records: t.table.Read, Accepted: t.table.Len(), Repeats: t.table.Repeats, Refused: t.table.Refusals(),
		Advice: append([]profile.Remark{}, profile.Remarks(t.table)...), PerDay: t.PerDay, Relations: []relation{}}
	if t.Data == "-" {
		out.Data = "standard input"
	}
	return out
}

// name gives the outcomes names for the heads of columns and for pictures: letters, where their settings are too long.
func (r *Report) name() {
	length := 0
	for _, o := range r.Outcomes {
		length += len([]rune(o.Setting))
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.Name = o.Setting; len(r.Outcomes) > 1 && length > 40 {
			o.Name = string(rune('A' + i))
		}
	}
}

// Released is the first outcome with a release; nil: nothing is published.
func (r *Report) Released() *Outcome {
	if i := slices.IndexFunc(r.Outcomes, func(o Outcome) bool { return o.Classes != nil }); i >= 0 {
		return &r.Outcomes[i]
	}
	return nil
}

// Looked says how much of the data was looked at.
func (r *Report) Looked() string {
	first, repeats := "", ""
	if !r.Whole {
		first = "only the first "
	}
	if r.Repeats > 0 {
		repeats = fmt.Sprintf("; %d more are of people who have one already", r.Repeats)
	}
	return fmt.Sprintf("%s: %s%d records, %d of them accepted%s", r.Data, first, r.Records, r.Accepted, repeats)
}

// figure is a figure of each outcome, in words; empty where there is none.
type figure struct {
	Name  string
	Cells []string
}

// Figures are those that settings are compared by, in the order of reading. What no outcome has is left out.
func (r *Report) Figures() (out []figure) {
	add := func(name string, cell func(*Outcome) string) {
		f := figure{Name: name}
		for i := range r.Outcomes {
			f.Cells = append(f.Cells, cell(&r.Outcomes[i]))
		}
		if strings.Join(f.Cells, "") != "" {
			out = append(out, f)
		}
	}
	released := func(name, format string, figure func(*Outcome) any) {
		add(name, func(o *Outcome) string {
			if o.Classes == nil {
				return ""
			}
			return fmt.Sprintf(format, figure(o))
		})
	}
	add("published people", func(o *Outcome) string { return fmt.Sprint(o.Published) })
	add("waiting", func(o *Outcome) string { return fmt.Sprint(o.Waiting) })
	if first := r.Released(); first != nil {
		released("loss, from 0 (exact) to 1", "%.4f", func(o *Outcome) any { return o.Loss })
		for j, a := range first.Losses {
			released("  "+a.Name, "%.4f", func(o *Outcome) any { return o.Losses[j].Loss })
		}
		released("classes", "%d", func(o *Outcome) any { return o.Classes.Count })
		if first.Buckets != nil {
			released("buckets", "%d", func(o *Outcome) any { return o.Buckets.Count })
			released("bucket of the median person", "%d", func(o *Outcome) any { return o.Buckets.Median })
			released("largest bucket", "%d", func(o *Outcome) any { return o.Buckets.Max })
		}
		for i, s := range first.Sensitive {
			const percent = "%.1f %%"
			released(s.Name+": top share", percent, func(o *Outcome) any { return 100 * o.Sensitive[i].TopShare })
			released(s.Name+": allowed", percent, func(o *Outcome) any { return 100 * o.Sensitive[i].Allowed })
			released(s.Name+": counts off by, median", percent, func(o *Outcome) any { return 100 * o.Sensitive[i].Error.Median })
			released(s.Name+": counts off by, mean", percent, func(o *Outcome) any { return 100 * o.Sensitive[i].Error.Mean })
		}
	}
	if first := r.Released(); first != nil {
		for i, v := range first.Views {
			released("view "+v.Name+": loss", "%.4f", func(o *Outcome) any { return o.Views[i].Loss })
			for j, a := range v.Losses {
				released("  "+a.Name, "%.4f", func(o *Outcome) any { return o.Views[i].Losses[j].Loss })
			}
			for j, s := range v.Shares {
				released("  "+s.Name+": top share", "%.1f %%", func(o *Outcome) any { return 100 * o.Views[i].Shares[j].TopShare })
			}
		}
	}
	add("people the next pool needs", func(o *Outcome) string {
		switch n := o.Next; {
		case n == nil:
			return ""
		case !n.Possible:
			return "none is enough"
		case n.Bounded:
			return fmt.Sprintf(">= %d", n.Records)
		default:
			return fmt.Sprint(n.Records)
		}
	})
	add(fmt.Sprintf("days until %g a day are so many", r.PerDay), func(o *Outcome) string {
		if o.Next == nil || o.Next.Days == 0 {
			return ""
		}
		return fmt.Sprintf("%.1f", o.Next.Days)
	})
	return out
}

// Text writes the report for a person.
func (r *Report) Text(w io.Writer) error {
	b := &bytes.Buffer{}
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	line("%s\n%s\n\n%s", r.Private, r.Channel, r.Looked())
	for _, x := range r.Refused {
		line("refused: %s", x)
	}
	for _, a := range r.Advice {
		line("%s", a)
	}
	line("")
	columns := []cli.Column{cli.Left("", 40)}
	for _, o := range r.Outcomes {
		if columns = append(columns, cli.Right(o.Name, 12)); o.Name != o.Setting {
			line("%s: %s", o.Name, o.Setting)
		}
	}
	t := cli.NewTable(b, columns...)
	t.Header()
	for _, f := range r.Figures() {
		t.Row(append([]string{f.Name}, f.Cells...)...)
	}
	for i, o := range r.Outcomes {
		if i == 0 || o.Why != "" {
			line("\n%s", o.Setting)
		}
		if o.Why != "" {
			line("  not published: %s\n  %s", o.Why, o.Hint)
		}
		if i == 0 {
			o.Pools.Text(b)
		}
	}
	for i := range r.Relations {
		r.Relations[i].text(b, r.Outcomes)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// text writes a crosstab: in each cell the share in the records, and behind it those that the releases tell.
func (r *relation) text(b *bytes.Buffer, outcomes []Outcome) {
	fmt.Fprintf(b, "\n%s and %s: strength %.2f in the records", r.Attribute, r.With, r.Strength)
	for _, x := range r.Releases {
		fmt.Fprintf(b, ", %.2f in the release with %s", x.Strength, outcomes[x.Outcome].Name)
	}
	fmt.Fprintf(b, " (0 none, 1 one tells the other)\npercent of each row in the records > in the release%s\n",
		map[bool]string{true: "s, in this order"}[len(r.Releases) > 1])
	columns := []cli.Column{cli.Left("", 26)}
	for _, name := range r.Columns {
		columns = append(columns, cli.Right(name, max(8, 4+5*len(r.Releases))))
	}
	t := cli.NewTable(b, columns...)
	t.Header()
	for i, name := range r.Rows {
		row := []string{"  " + name}
		for k := range r.Columns {
			cell := fmt.Sprintf("%.0f", 100*r.Shares[i][k])
			for _, x := range r.Releases {
				cell += fmt.Sprintf(" > %.0f", 100*x.Shares[i][k])
			}
			row = append(row, cell)
		}
		t.Row(row...)
	}
}
