package anonymize

import (
	"fmt"
	"io"
	"strings"
)

// printer writes lines and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// Text writes the report in words.
func (r *Report) Text(w io.Writer) error {
	p := &printer{w: w}
	seeded := ""
	if r.Seeded {
		seeded = ", seeded"
	}
	what := "release 1"
	if plain(r.Recoding, r.Method) {
		what = "table"
	}
	p.line("%s in %s: %d of %d records in %d classes (method %s, recoding %s%s)", what, r.Dir, r.Published, r.Read, r.Classes.Count,
		r.Method, r.Recoding, seeded)
	p.line("asked for: %s", r.asked())
	p.line("class sizes: %d to %d, median %d, mean %.2f", r.Classes.Min, r.Classes.Max, r.Classes.Median, r.Classes.Mean)
	r.textHeld(p)
	p.line("")
	switch {
	case r.Local != nil:
		p.line("Achieved by every local bucket of the sensitive attribute (k: by every class):")
	case r.Across != "":
		p.line("Achieved by every class, with less protection than the numbers suggest (see below):")
	default:
		p.line("Achieved by every class, asked for or not:")
	}
	r.Achieved.text(p)
	if r.K1 == "sensitive-only" {
		p.line("  presence             not hidden: exact quasi-identifiers show who is in the table; k holds for sensitive values only")
	}
	p.line("")
	if r.Local != nil {
		textLocal(p, r.Local)
		if r.Level == levelRows {
			p.line("")
			p.line("Level rows, weaker than L0: local buckets cross classes, as in the paper. For an adversary who counts the arrangements of " +
				"people in rows, no value")
			p.line("under l is likelier than 1/l. For one who counts each assignment of values once, some may be.")
			p.line("Method lgb-fixed keeps 1/l for both: its buckets lie inside one class or are unions of whole classes.")
		}
		p.line("")
	}
	r.Loss.text(p, r.Recoding)
	p.line("")
	if r.Across != "" {
		p.line("This release has no promise 1/l, neither by itself nor together with another release of the same people: %s.", r.Why)
		p.line("Use it for comparison, not for publication.")
		return p.err
	}
	p.line("This release keeps its promise only by itself. Together with another release of the same people it promises nothing.")
	return p.err
}

// textLocal describes each bucketed attribute.
func textLocal(p *printer, local []localReport) {
	p.line("Local buckets, by attribute:")
	for _, x := range local {
		if x.Buckets.Count == 0 {
			p.line("  %-20s %s; no value of it is sensitive", quoted(x.Attribute), x.Promise)
			continue
		}
		reached := fmt.Sprintf("l = %d", x.L)
		if x.T != nil {
			reached = fmt.Sprintf("t = %.4f", x.T.T)
		}
		p.line("  %-20s %s asked, %s reached: %d values in %d buckets of %d to %d, spanning %.4f of the domain on average",
			quoted(x.Attribute), x.Promise, reached, x.Sensitive, x.Buckets.Count, x.Buckets.Min, x.Buckets.Max, x.Width)
		if x.T != nil {
			p.line("  %-20s a value is as probable as its share of the bucket: no 1/l is claimed", "")
		}
		if x.Known > 0 {
			p.line("  %-20s %d of them are not flagged: too few people have the same flags, so these values are protected as well", "", x.Known)
		}
	}
}

func (r *Report) asked() string {
	parts := []string{fmt.Sprintf("k = %d", r.K)}
	if r.L > 1 {
		parts = append(parts, fmt.Sprintf("l = %d (frequency)", r.L))
	}
	return strings.Join(append(parts, r.Extra...), ", ")
}

func (r *Report) textHeld(p *printer) {
	if n := r.Unterminated; n > 0 {
		p.line("left unread: %d at the end of the file, which may be incomplete", n)
	}
	if r.Held == (Held{}) {
		p.line("held: nothing, every record is published")
		return
	}
	if n := r.Held.Refused; n > 0 {
		p.line("refused: %d, lines that do not fit the schema", n)
	}
	if n := r.Held.SubjectRepeat; n > 0 {
		p.line("held: %d, further records of people who have one in the release", n)
	}
	if n := r.Held.NoClass; n > 0 && r.Local != nil {
		p.line("held: %d, because fewer than k = %d people have the same flags: their class would be too small", n, r.K)
	} else if n > 0 {
		p.line("held: %d, in no class: the method found none that satisfies the requirement with them", n)
	}
}

func (a *Achieved) text(p *printer) {
	p.line("  k                    %d", a.K)
	p.line("  top share of a value %.4f, so frequency l = %d", a.MaxFrequency, a.FrequencyL)
	p.line("  distinct l (p)       %d", a.DistinctL)
	p.line("  entropy l            %.4f", a.EntropyL)
	p.line("  recursive (%g,l)      l = %d", a.RecursiveC, a.RecursiveL)
	for _, x := range a.T {
		p.line("  t                    %.4f from the reference shares, %s distances", x.T, x.Ground)
	}
}

func (l *loss) text(p *printer, recoding string) {
	p.line("Information loss:")
	p.line("  C_DM                 %d", l.CDM)
	p.line("  C_AVG                %.4f", l.CAVG)
	p.line("  C_MDM                %d", l.CMDM)
	p.line("  NCP of the classes   %.4f", l.NCP)
	if recoding != recodingLGB {
		p.line("  GLP                  %.4f", l.GLP)
	}
	p.line("  RE, RCE              %.1f, %.1f (least for this l: %.1f)", l.RE, l.RCE, l.Low)
	for _, x := range l.Phi2 {
		p.line("  phi^2 of %-12s %.4f, of %.4f in the table", quoted(x.Attribute), x.Preserved, x.Original)
	}
	if x := l.Presence; x != nil && x.Measured > 0 {
		p.line("  presence             some row shows a person's whole QI with probability %.4f, at most %.4f (delta of lemma 1: %.4f, %.4f; "+
			"over %d records)",
			x.MeanExact, x.MaxExact, x.MeanDelta, x.MaxDelta, x.Measured)
	}
}

func quoted(name string) string { return fmt.Sprintf("%q", name) }

// Text writes the evaluation in words.
func (e *Evaluation) Text(w io.Writer) error {
	p := &printer{w: w}
	what := fmt.Sprintf("release %d", e.Release)
	if e.Release == 0 {
		what = "table"
	}
	p.line("%s, recoding %s: %d of %d records in %d classes", what, e.Recoding, e.Published, e.Original, e.Classes.Count)
	asked := fmt.Sprintf("asked for: k = %d", e.K)
	if e.L > 0 { // else each attribute has a promise of its own
		asked += fmt.Sprintf(", l = %d", e.L)
	}
	p.line("%s", asked)
	p.line("class sizes: %d to %d, median %d, mean %.2f", e.Classes.Min, e.Classes.Max, e.Classes.Median, e.Classes.Mean)
	if b := e.Buckets; b != nil {
		p.line("%d buckets, sizes: %d to %d, median %d, mean %.2f", b.Count, b.Min, b.Max, b.Median, b.Mean)
	}
	p.line("")
	e.textAchieved(p)
	p.line("")
	e.Loss.text(p)
	for _, what := range e.Unmeasured {
		p.line("  not measurable       %s", what)
	}
	p.line("")
	p.line("%d random COUNT queries on %d attributes, covering about %.1f %% of the space each (seed %d):", e.Workload.Queries,
		e.Workload.Dims, 100*e.Workload.Volume, e.Workload.Seed)
	for _, a := range e.Attributes {
		e.named(p, a)
		a.Error.text(p)
	}
	for _, x := range e.Pairs {
		p.line("%s and %s, on at least 3 attributes, with their pair table:", quoted(x.Attributes[0]), quoted(x.Attributes[1]))
		x.Error.text(p)
		p.line("  without it           mean %.4f, median %.4f", x.Without.Mean, x.Without.Median)
	}
	if e.Published < e.Original {
		p.line("  %d records of the original are not in the release: the error includes them, the bounds do not", e.Original-e.Published)
	}
	return p.err
}

// named says which attribute follows, if there are several.
func (e *Evaluation) named(p *printer, a attribute) {
	if len(e.Attributes) > 1 {
		p.line("%s:", quoted(a.Name))
	}
}

func (e *errorRate) text(p *printer) {
	p.line("  relative error       mean %.4f, median %.4f, over %d queries (%d have the true answer 0)", e.Mean, e.Median, e.Asked, e.Empty)
	p.line("  bounds               on average %.4f times as wide as the true answer; they contain it in %d of %d", e.Width, e.Inside, e.Asked)
}

func (l *fileLoss) text(p *printer) {
	p.line("Information loss:")
	p.line("  C_DM                 %d", l.CDM)
	p.line("  C_AVG                %.4f", l.CAVG)
	p.line("  C_MDM                %d", l.CMDM)
	p.line("  NCP of the cells     %.4f", l.NCP)
	p.line("  NCP of the classes   %.4f", l.Box)
	if !l.noRE {
		p.line("  RE, RCE              %.1f, %.1f (least for this l: %.1f)", l.RE, l.RCE, l.Low)
	}
	if !l.noGLP {
		p.line("  GLP                  %.4f", l.GLP)
	}
	for _, x := range l.Phi2 {
		p.line("  phi^2 of %-12s %.4f, of %.4f in the table", quoted(x.Attribute), x.Preserved, x.Original)
	}
}

// textAchieved describes what the classes achieve, or says that there is no promise.
func (e *Evaluation) textAchieved(p *printer) {
	switch {
	case e.Across != "":
		p.line("The release has no promise. Achieved by its classes, with less protection than the numbers suggest:")
	case e.Local != nil:
		p.line("Achieved by every local bucket of the sensitive attribute (k: by every class):")
	case e.Buckets != nil:
		p.line("Achieved by every bucket, asked for or not (k: by every class):")
	default:
		p.line("Achieved by every class, asked for or not:")
	}
	for _, a := range e.Attributes {
		e.named(p, a)
		a.Achieved.text(p)
	}
	if e.Local != nil {
		p.line("")
		textLocal(p, e.Local)
	}
}
