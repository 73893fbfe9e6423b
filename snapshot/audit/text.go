package audit

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// Text writes the report in plain words, for someone who answers for the data
// and does not know the code. It returns the first write error.
func (r *Report) Text(w io.Writer) error {
	t := &textWriter{w: w}
	t.line("Audit of %s: %s", orUnnamed(r.Dataset), strings.ToUpper(r.Verdict))
	t.line("")
	if r.Private {
		t.line("This report is private: it tells the share of a value among people who wait, to whom nothing is promised (level L1).\n")
	}
	t.line("%s", r.meaning())
	t.promises(r)
	t.eras(r)
	t.violations(r.Violations)
	t.shards(r)
	t.releases(r)
	t.pruned(r)
	t.sealed(r)
	t.certificates(r)
	t.buckets(r)
	t.views(r)
	t.replay(r)
	t.attackers(r)
	t.extras(r)
	t.list("Not checked:", r.NotChecked)
	t.list("Not promised, by this or any verdict:", r.NotPromised)
	return t.err
}

// views says what was found of views.
func (t *textWriter) views(r *Report) {
	for _, v := range r.Views {
		t.line("")
		t.line("View %s (%s): %d releases were compared with the release of their number. Where nothing is said of it above, each is",
			v.Name, v.Dir, v.Releases)
		t.line("a function of the releases: who has all of the view and all of the releases knows what the releases say, and nothing more.")
	}
}

// pruned says what became of releases without a directory.
func (t *textWriter) pruned(r *Report) {
	if len(r.Pruned) == 0 {
		return
	}
	t.line("")
	t.line("The files of %s were pruned; the manifests are there and chained to the newest.", ranges(r.Pruned))
	for _, row := range r.Releases {
		if row.Pruned {
			t.line("All rows were found in release %d, with the hashes that those manifests name, so that they were audited too.",
				r.Pruned[len(r.Pruned)-1]+1)
			return
		}
	}
}

// meaning is the verdict in one paragraph.
func (r *Report) meaning() string {
	switch r.Verdict {
	case VerdictCertified:
		return fmt.Sprintf("Someone who keeps all %d releases, knows everybody's quasi-identifiers, when each record arrived "+
			"and in which class each\n"+
			"published record is, and believed the same of everybody before, cannot tell %s with\n"+
			"probability above %s (levels L0 and L1: certified; L2: %s). Every class of every release has at least %d %s.",
			len(r.Releases), r.told(), r.bound(), r.Level.L2, r.leastK(), r.unit())
	case VerdictSealed:
		return fmt.Sprintf("What is there is as a certificate asks, and the ledger says of the rest that it passed when it was made (see\n"+
			"below). If that is so, nobody who keeps all releases and believed the same of everybody before can tell\n"+
			"%s with probability above %s (levels L0 and L1: sealed; L2: %s).", r.told(), r.bound(), r.Level.L2)
	case VerdictConsistent:
		return "Nothing was found that breaks the contract, but not everything could be checked (see below). This is not a certificate:\n" +
			"that takes the members and records exports, and a replay where values stand in rows by draw (recoding permutation at level L2)."
	}
	if r.Verdict == verdictUnreadable {
		return "Nothing was found that breaks the contract, but there are files that nothing names (see below), so there is no verdict.\n" +
			"Whoever sees them may learn anything from them. Remove them, or give them a name with a leading dot, and audit again."
	}
	return "The releases break their contract. Releases that are out cannot be called back; stop publishing and look at the findings below."
}

// told is what is promised against.
func (r *Report) told() string {
	if r.MaxRecords > 1 {
		return "that a value ever occurs in a published person's history"
	}
	return "any published person's sensitive value"
}

// unit is what is counted.
func (r *Report) unit() string {
	if r.MaxRecords > 1 {
		return "people"
	}
	return "records"
}

// bound is what no probability is above.
func (r *Report) bound() string {
	if len(r.Eras) > 0 {
		return "what its era promises"
	}
	if len(r.Promises) > 0 {
		return "what is promised"
	}
	return fmt.Sprintf("1/%d", r.L)
}

// leastK is the least k of all eras.
func (r *Report) leastK() int {
	k := r.K
	for _, e := range r.Eras {
		k = min(k, e.K)
	}
	return k
}

// eras says under what the parts of each era were published.
func (t *textWriter) eras(r *Report) {
	if len(r.Eras) == 0 {
		return
	}
	var items []string
	says := func(when, recoding string, d declared) {
		text := fmt.Sprintf("%s: k %d, recoding %s", when, d.K, recoding)
		if d.L > 1 {
			text += fmt.Sprintf(", no probability above 1/%d", d.L)
		}
		for _, p := range d.Promises {
			text += "; " + p
		}
		if d.Settle != "" {
			text += "; observed for " + d.Settle
		}
		if d.MaxRecords > 1 {
			text += fmt.Sprintf("; histories of up to %d records", d.MaxRecords)
		}
		items = append(items, text)
	}
	for _, e := range r.Eras {
		says(fmt.Sprintf("who was published up to release %d", e.Until), e.Recoding, e.declared)
	}
	says("who was published since", r.Recoding, r.declared)
	t.list("Settings have changed (eras). Each part was checked by those under which it was published:", items)
}

// promises says what is promised of each attribute that has a promise of its own.
func (t *textWriter) promises(r *Report) {
	if len(r.Promises) > 0 && r.L > 1 {
		t.list(fmt.Sprintf("Promised of sensitive attributes (of others: no probability above 1/%d):", r.L), r.Promises)
	} else {
		t.list("Promised of sensitive attributes:", r.Promises)
	}
}

type textWriter struct {
	w   io.Writer
	err error
}

func (t *textWriter) line(text string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, text+"\n", args...)
	}
}

func (t *textWriter) list(title string, items []string) {
	if len(items) == 0 {
		return
	}
	t.line("")
	t.line("%s", title)
	for _, s := range items {
		t.line("  - %s", s)
	}
}

func (t *textWriter) violations(list []format.Violation) {
	if len(list) == 0 {
		return
	}
	var items []string
	for _, v := range list {
		at := ""
		if v.Release > 0 {
			at = " in " + v.Place()
		}
		if v.Attribute != "" {
			at += ", " + v.Attribute
		}
		items = append(items, fmt.Sprintf("%s (rule %s)%s: %s [%d]", v.Kind, v.Rule, at, v.Detail, v.Count))
	}
	t.list(fmt.Sprintf("Violations (%d; in brackets how often each occurs, the class is the first one):", len(list)), items)
}

func (t *textWriter) table(write func(w *tabwriter.Writer)) {
	if t.err != nil {
		return
	}
	tw := tabwriter.NewWriter(t.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	write(tw)
	t.err = tw.Flush()
}

func (t *textWriter) releases(r *Report) {
	t.line("")
	t.line("Releases (k = smallest class; top = largest share of one value in the bucket, or class, that has it; new top = among newcomers):")
	t.table(func(w *tabwriter.Writer) {
		fmt.Fprintln(w, "release\trecords\twaiting\tclasses\tkept\tk\ttop\tnewcomers\tnew top\t")
		for _, x := range r.Releases {
			kept := strconv.Itoa(x.ClassesKept)
			if r.Union != nil {
				kept = "-" // the shards' own audits compare classes
			}
			fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%s\t%d\t%.3f\t%d\t%.3f\t\n", x.Release, x.Records, x.Pending, x.Classes, kept, x.KMin,
				x.MaxFrequency, x.Newcomers, x.NewcomersTop)
		}
	})
	t.parts(r)
	if n := len(r.Releases); n > 0 && r.Releases[n-1].Waiting > 0 {
		last := r.Releases[n-1]
		t.line("")
		if last.WaitingTopShare == nil {
			t.line("%d people are waiting. Nothing is promised to them beyond not being published, and nothing is shown of their values.",
				last.Waiting)
			return
		}
		t.line("%d people are waiting; the most frequent value among them has a share of %.3f. "+
			"Nothing is promised to them beyond not being published.", last.Waiting, *last.WaitingTopShare)
	}
}

// parts says what the parts of the newest release show.
func (t *textWriter) parts(r *Report) {
	if n := len(r.Releases); n == 0 || r.Releases[n-1].Parts == 0 {
		return
	}
	last := r.Releases[len(r.Releases)-1]
	t.line("")
	if t.line("Release %d has %d parts.", last.Release, last.Parts); last.DeadClasses > 0 {
		t.line("%d of their classes are dead: they were regrouped since, and readers skip them.", last.DeadClasses)
	}
	if r.Verdict != verdictViolated && r.Union == nil {
		t.line("Older parts have the same bytes as in the release before, or the same classes in a compaction (rule A, frozen classes).")
		if last.DeadClasses > 0 {
			t.line("Dead classes held every value of a set equally often (rule P, pure classes).")
		}
	}
}

func (t *textWriter) certificates(r *Report) {
	c := r.Certificates
	if c == nil {
		return
	}
	t.line("")
	t.line("Published people by the argument that protects them:")
	t.line("  %d in %d classes that never changed (rule A)", c.FrozenRecords, c.FrozenClasses)
	t.line("  %d in %d groups of classes that always show the same values equally often (rule P)", c.PureRecords, c.PureComponents)
	if c.OtherRecords > 0 {
		t.line("  %d in %d groups without such an argument: nothing bounds what is told of them", c.OtherRecords, c.OtherComponents)
	} else if len(r.Promises)+len(r.Eras) > 0 {
		t.line("Largest proven probability of a person's value, given all releases: %.4f.", c.MaxPosterior)
	} else {
		t.line("Largest proven probability of a person's value, given all releases: %.4f (allowed: %.4f).", c.MaxPosterior, 1/float64(r.L))
	}
	if c.RowLink > 0 {
		t.line("Largest probability that a row with a sensitive value is a certain person's: %.4f (allowed: %.4f).", c.RowLink,
			1/float64(r.leastK()))
	}
	t.line("At least %d people share a person's classes in all releases.", c.TrajectoryK)
}

// buckets says what the buckets of level L2 show.
func (t *textWriter) buckets(r *Report) {
	b := r.Buckets
	if b == nil { // of a union the shards' audits show the buckets
		t.reached(r.Attributes)
		return
	}
	t.line("Values stand in %d buckets of whole classes. The bucket of the median person has %d people, the largest %d.", b.Buckets, b.Median,
		b.Largest)
	t.reached(r.Attributes)
	t.told(r.Told)
	for _, e := range r.Eras {
		if e.Buckets != nil {
			t.line("Of who was published up to release %d, values stand in %d buckets.", e.Until, e.Buckets.Buckets)
			t.reached(e.Attributes)
			t.told(e.Told)
		}
	}
	if r.claimsL2 && r.Verdict != verdictViolated {
		size := strconv.Itoa(r.K)
		if len(r.Eras) > 0 {
			size = "k, which each era has of its own"
		}
		t.line("The files have the structure that level L2 needs: classes of exactly %s, buckets of whole classes born together, "+
			"nothing divided, joined or changed since.", size)
		if r.Replay == nil {
			t.line("What they cannot show of level L2 is certified by anond audit --replay, with the state.")
		}
	}
}

// told says what pair tables tell.
func (t *textWriter) told(of []table.Told) {
	for _, x := range of {
		t.line("To who knows their value of %s, the pair tables make %s certain for %d of %d people, and above .8 for %d. That is not promised "+
			"against.", x.One, x.Other, x.Certain, x.People, x.Likely)
	}
}

// reached says what buckets reach, by sensitive attribute.
func (t *textWriter) reached(rows []attributeRow) {
	for _, x := range rows {
		reached := ""
		if x.AchievedL > 1 { // one whose values may have more than half of a bucket reaches no l
			reached = fmt.Sprintf(" (l = %d)", x.AchievedL)
		}
		if x.gain && x.TopOdds != "1/0" {
			reached += fmt.Sprintf(", and the odds of a value are at most %.4g times those of its reference", x.TopOdds.Float())
		}
		t.line("Of %s the largest share of one value in a bucket is %.4f%s. The value that may have most may have %.4f.", x.Attribute,
			x.TopShare.Float(), reached, x.Cap.Float())
	}
}

func (t *textWriter) attackers(r *Report) {
	t.line("")
	switch {
	case r.firstL < 2:
		t.line("Attackers who keep every release, and the people they narrow down to exactly one value:")
	case len(r.Eras) > 0:
		t.line("Attackers who keep every release and know the era of each, and the people they narrow down to fewer values than the l of it, " +
			"or to exactly one:")
	default:
		t.line("Attackers who keep every release, and the people they narrow down to fewer than %d values, or to exactly one:", r.firstL)
	}
	t.table(func(w *tabwriter.Writer) {
		if r.firstL < 2 {
			fmt.Fprintln(w, "attacker\tpeople\texactly one\t\t")
		} else {
			fmt.Fprintln(w, "attacker\tpeople\tfewer than l\t\texactly one\t\t")
		}
		for _, a := range r.Attackers {
			fmt.Fprintf(w, "%s\t%d\t", a.Name, a.People)
			if r.firstL >= 2 {
				fmt.Fprintf(w, "%d\t%.2f %%\t", a.BelowL, 100*a.BelowLShare)
			}
			fmt.Fprintf(w, "%d\t%.2f %%\t\n", a.ExactlyOne, 100*a.ExactlyOneShare)
		}
	})
	for _, a := range r.Attackers {
		t.line("  %s knows %s.", a.Name, a.Knows)
	}
	if len(r.Attributes) > 1 {
		t.line("  They look for the value of %s, the first sensitive attribute. What is not bounded of another may be seen.",
			r.Attributes[0].Attribute)
	}
}

func (t *textWriter) extras(r *Report) {
	if c := r.Corruption; c != nil {
		t.line("")
		of := "value"
		if len(r.Attributes) > 1 {
			of = "value of " + r.Attributes[0].Attribute
		}
		t.line("If one person's %s becomes known, another's may be told with probability up to %.3f (computed for %d of %d people), "+
			"and with more by someone who replays the program.", of, c.Max, c.ClosedForm, c.ClosedForm+c.NotComputed)
	}
	if len(r.Regroups) > 0 {
		var parts []string
		for n, people := range r.Regroups {
			parts = append(parts, fmt.Sprintf("%d times: %d", n, people))
		}
		t.line("People by how often their class changed: %s.", strings.Join(parts, ", "))
	}
}

func orUnnamed(s string) string {
	if s == "" {
		return "an unnamed dataset"
	}
	return s
}
