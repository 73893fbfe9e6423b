package trial

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"anond/config"
	"anond/internal/ops/diskuse"
	"anond/internal/profile"
)

// Report is what a trial says.
type Report struct {
	Private string `json:"private"` // to whom this may not go
	Channel string `json:"channel"` // what settings that are chosen by it tell
	Dataset string `json:"dataset"`
	Data    string `json:"data"`
	// Whole: the data were looked at to their end, not the first Bytes of them.
	Whole    bool              `json:"whole"`
	Bytes    int64             `json:"most_bytes"`
	Records  int               `json:"records"`
	Accepted int               `json:"accepted"` // of them, one for each person
	Repeats  int               `json:"repeats"`  // further ones of a person
	Refused  []profile.Refusal `json:"refused"`
	Advice   []profile.Remark  `json:"advice"`
	PerDay   float64           `json:"per_day,omitempty"`
	Outcomes []Outcome         `json:"outcomes"`
	// Relations are the strongest of the table, as it has them and as the releases tell them.
	Relations []Relation `json:"relations"`
}

// Outcome is what a setting comes to.
type Outcome struct {
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
	Losses    []AttributeLoss `json:"loss_by_attribute,omitempty"`
	Classes   *Sizes          `json:"classes,omitempty"`
	Buckets   *Sizes          `json:"buckets,omitempty"`
	Sensitive []Sensitive     `json:"sensitive,omitempty"`
	Next      *Next           `json:"next_pool,omitempty"`
	Pools     *profile.Pools  `json:"pools"`
}

// AttributeLoss is the information loss of a quasi-identifier.
type AttributeLoss struct {
	Name string  `json:"attribute"`
	Loss float64 `json:"loss"`
}

// Sizes are those of classes or buckets. Median and Curve are by people: Curve has the size at each twentieth of them.
type Sizes struct {
	Count  int       `json:"count"`
	Min    int       `json:"min"`
	Median int       `json:"median_person"`
	Max    int       `json:"max"`
	Curve  []float64 `json:"curve"`
}

// Sensitive is what a release reaches for a sensitive attribute.
type Sensitive struct {
	Name     string     `json:"attribute"`
	TopShare float64    `json:"top_share"`
	Allowed  float64    `json:"allowed"`
	Error    QueryError `json:"query_error"`
}

// QueryError is the relative error of random counts. Curve has it at each twentieth of them.
type QueryError struct {
	Asked  int       `json:"asked"`
	Mean   float64   `json:"mean"`
	Median float64   `json:"median"`
	Curve  []float64 `json:"curve,omitempty"`
}

// Next is what the pool after the first release needs.
type Next struct {
	People   int     `json:"people"`
	Possible bool    `json:"possible"`
	Bounded  bool    `json:"bounded,omitempty"` // by policy.max_pool: what is published asks for more
	Asks     string  `json:"asks_most,omitempty"`
	Days     float64 `json:"days,omitempty"` // until so many have come
}

// Relation is a crosstab: of those who have the value of a row, the share that has that of a column.
type Relation struct {
	Attribute string      `json:"attribute"`
	With      string      `json:"with"`
	Strength  float64     `json:"strength"` // Cramér's V
	Rows      []string    `json:"rows"`
	Columns   []string    `json:"columns"`
	Shares    [][]float64 `json:"shares"`
	Releases  []Told      `json:"releases"`
}

// Told is a relation as a release tells it.
type Told struct {
	Outcome  int         `json:"outcome"` // its place in the list
	Strength float64     `json:"strength"`
	Shares   [][]float64 `json:"shares"`
}

// report begins the report with what the table tells.
func (t *run) report(c *config.Config) *Report {
	out := &Report{Private: Private, Channel: profile.Channel, Dataset: c.Dataset, Data: filepath.Base(t.Data), Whole: t.whole,
		Bytes:   t.Most,
		Records: t.table.Read, Accepted: t.table.Len(), Repeats: t.table.Repeats, Refused: t.table.Refusals(),
		Advice: append([]profile.Remark{}, profile.Remarks(t.table)...),
		PerDay: t.PerDay, Outcomes: []Outcome{}, Relations: []Relation{}}
	if t.Data == "-" {
		out.Data = "standard input"
	}
	return out
}

// Looked says how much of the data was looked at.
func (r *Report) Looked() string {
	text := fmt.Sprintf("%s: %d records, %d of them accepted", r.Data, r.Records, r.Accepted)
	if !r.Whole {
		text = fmt.Sprintf("%s: only the first %s were tried (--sample): %d records, %d of them accepted", r.Data, diskuse.Bytes(r.Bytes),
			r.Records, r.Accepted)
	}
	if r.Repeats > 0 {
		text += fmt.Sprintf("; %d more are of people who have one already", r.Repeats)
	}
	return text
}

// text writes lines, and keeps the first error.
type text struct {
	w   io.Writer
	err error
}

func (t *text) line(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintln(t.w, strings.TrimRight(fmt.Sprintf(format, args...), " "))
	}
}

// Text writes the report for a person.
func (r *Report) Text(w io.Writer) error {
	t := &text{w: w}
	t.line("%s", r.Private)
	t.line("%s", r.Channel)
	t.line("")
	t.line("%s", r.Looked())
	for _, x := range r.Refused {
		of, do := "", ""
		if x.Attribute != "" {
			of = fmt.Sprintf(" of %q", x.Attribute)
		}
		if x.Do != "" {
			do = ": " + x.Do
		}
		t.line("refused: %s%s, %d of the lines, first line %d%s", x.Reason, of, x.Lines, x.First, do)
	}
	for _, a := range r.Advice {
		t.line("%s", a.String())
	}
	t.line("")
	names, lettered := r.Names()
	for i := range names {
		if lettered {
			t.line("%s: %s", names[i], r.Outcomes[i].Setting)
		}
	}
	line := func(name string, cells []string) {
		text := fmt.Sprintf("%-40s", name)
		for i, c := range cells {
			text += fmt.Sprintf("  %*s", max(12, len([]rune(names[i]))), c)
		}
		t.line("%s", text)
	}
	line("", names)
	for _, f := range r.Figures() {
		line(f.Name, f.Cells)
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if i == 0 || o.Why != "" {
			t.line("")
			t.line("%s", o.Setting)
		}
		if o.Why != "" {
			t.line("  not published: %s", o.Why)
			t.line("  %s", o.Hint)
		}
		if i == 0 && t.err == nil {
			t.err = o.Pools.Text(t.w)
		}
	}
	for i := range r.Relations {
		r.Relations[i].text(t, names)
	}
	return t.err
}

// Names are short ones of the outcomes, for the heads of columns and for pictures: letters, where their settings are too long.
func (r *Report) Names() (out []string, lettered bool) {
	length := 0
	for _, o := range r.Outcomes {
		out, length = append(out, o.Setting), length+len([]rune(o.Setting))
	}
	if len(out) == 1 || length <= 40 {
		return out, false
	}
	for i := range out {
		out[i] = string(rune('A' + i))
	}
	return out, true
}

// Figure is a figure of each outcome, in words; empty where there is none.
type Figure struct {
	Name  string
	Cells []string
}

// Figures are those that settings are compared by, in the order of reading. What no outcome has is left out.
func (r *Report) Figures() (out []Figure) {
	add := func(name string, cell func(*Outcome) string) {
		f, any := Figure{Name: name}, false
		for i := range r.Outcomes {
			f.Cells = append(f.Cells, cell(&r.Outcomes[i]))
			any = any || f.Cells[i] != ""
		}
		if any {
			out = append(out, f)
		}
	}
	released := func(name string, cell func(*Outcome) string) {
		add(name, func(o *Outcome) string {
			if o.Classes == nil {
				return ""
			}
			return cell(o)
		})
	}
	sized := func(name string, of func(*Sizes) int) {
		released(name, func(o *Outcome) string {
			if o.Buckets == nil {
				return ""
			}
			return fmt.Sprint(of(o.Buckets))
		})
	}
	add("published people", func(o *Outcome) string { return fmt.Sprint(o.Published) })
	add("waiting", func(o *Outcome) string { return fmt.Sprint(o.Waiting) })
	released("loss, from 0 (exact) to 1", func(o *Outcome) string { return fmt.Sprintf("%.4f", o.Loss) })
	for j, name := range r.attributes() {
		released("  "+name, func(o *Outcome) string { return fmt.Sprintf("%.4f", o.Losses[j].Loss) })
	}
	released("classes", func(o *Outcome) string { return fmt.Sprint(o.Classes.Count) })
	sized("buckets", func(s *Sizes) int { return s.Count })
	sized("bucket of the median person", func(s *Sizes) int { return s.Median })
	sized("largest bucket", func(s *Sizes) int { return s.Max })
	for i, name := range r.Sensitive() {
		released(name+": top share", func(o *Outcome) string { return percent(o.Sensitive[i].TopShare) })
		released(name+": allowed", func(o *Outcome) string { return percent(o.Sensitive[i].Allowed) })
		released(name+": counts off by, median", func(o *Outcome) string { return percent(o.Sensitive[i].Error.Median) })
		released(name+": counts off by, mean", func(o *Outcome) string { return percent(o.Sensitive[i].Error.Mean) })
	}
	add("people the next pool needs", func(o *Outcome) string { return o.Next.needs() })
	add(fmt.Sprintf("days until %g a day are so many", r.PerDay), func(o *Outcome) string { return o.Next.days() })
	return out
}

func (n *Next) needs() string {
	switch {
	case n == nil:
		return ""
	case !n.Possible:
		return "none is enough"
	case n.Bounded:
		return fmt.Sprintf(">= %d", n.People)
	}
	return fmt.Sprint(n.People)
}

func (n *Next) days() string {
	if n == nil || n.Days == 0 || !n.Possible {
		return ""
	}
	return fmt.Sprintf("%.1f", n.Days)
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }

// attributes are the quasi-identifiers, if there is a release.
func (r *Report) attributes() (out []string) {
	for _, o := range r.Outcomes {
		for _, l := range o.Losses {
			out = append(out, l.Name)
		}
		if out != nil {
			break
		}
	}
	return out
}

// Sensitive are the sensitive attributes, if there is a release.
func (r *Report) Sensitive() (out []string) {
	for _, o := range r.Outcomes {
		for _, s := range o.Sensitive {
			out = append(out, s.Name)
		}
		if out != nil {
			break
		}
	}
	return out
}

// text writes a crosstab: in each cell the share in the records, and behind it those that the releases tell.
func (r *Relation) text(t *text, names []string) {
	t.line("")
	told := ""
	for _, x := range r.Releases {
		told += fmt.Sprintf(", %.2f in the release with %s", x.Strength, names[x.Outcome])
	}
	t.line("%s and %s: strength %.2f in the records%s (0 none, 1 one tells the other)", r.Attribute, r.With, r.Strength, told)
	t.line("percent of each row in the records > in the release%s", map[bool]string{true: "s, in this order"}[len(r.Releases) > 1])
	width := 8
	for _, name := range r.Columns {
		width = max(width, len([]rune(name)), 4+5*len(r.Releases))
	}
	line := fmt.Sprintf("  %-24s", "")
	for _, name := range r.Columns {
		line += fmt.Sprintf("  %*s", width, name)
	}
	t.line("%s", line)
	for i, name := range r.Rows {
		line := fmt.Sprintf("  %-24s", name)
		for k := range r.Columns {
			cell := fmt.Sprintf("%.0f", 100*r.Shares[i][k])
			for _, x := range r.Releases {
				cell += fmt.Sprintf(" > %.0f", 100*x.Shares[i][k])
			}
			line += fmt.Sprintf("  %*s", width, cell)
		}
		t.line("%s", line)
	}
}

// Published reports whether a setting publishes something.
func (r *Report) Published() bool {
	for _, o := range r.Outcomes {
		if o.Classes != nil {
			return true
		}
	}
	return false
}
