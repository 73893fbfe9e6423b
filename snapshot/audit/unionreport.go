package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/shares"
)

// unionReport is what a report says of the shards of a union.
type unionReport struct {
	Of     int          `json:"of"`
	People int          `json:"people"` // different subjects in the exports of all shards; -1: not known
	Shards []shardAudit `json:"shards"`
}

// shardAudit is the audit of the chain of one shard.
type shardAudit struct {
	Shard   int     `json:"shard"`
	Release int     `json:"release"` // that the newest release of the union has; 0: none
	Records int     `json:"records"` // published in it
	Pending int     `json:"pending"`
	Report  *Report `json:"report,omitempty"`
}

// finish draws the verdict: no better than that of any shard.
func (u *unionAudit) finish() *Report {
	r, m := u.report, u.newest().man
	r.Dataset, r.Recoding, r.Seeded, r.Grown, r.K, r.L = m.Dataset, m.Recoding, m.Seeded, m.Privacy.Grown, m.Policy.K, m.Policy.L
	r.Promises, r.Settle, r.MaxRecords, r.Attributes = m.Says(), m.Privacy.Settle, m.Privacy.MaxRecords, attributeRows(m, m.Privacy.Attributes)
	r.shape = shape{m.WantK1() != "rows", m.ClaimsL2(), m.Several(), m.Promises()[0].L}
	r.Union = &unionReport{Of: m.Union.Of, People: -1}
	if u.persons.checked() && u.persons.subjects {
		r.Union.People = len(u.persons.all)
	}
	for _, s := range m.Union.Shards {
		of := shardAudit{Shard: s.Shard, Release: s.Release, Records: s.Records, Pending: s.Pending}
		if own := u.chains[s.Shard]; own != nil {
			of.Report = own.report
		}
		r.Union.Shards = append(r.Union.Shards, of)
	}
	u.gather()
	r.Violations = append(r.Violations, u.f.Sorted()...)
	slices.SortStableFunc(r.Violations, func(a, b format.Violation) int { return cmp.Compare(a.Release, b.Release) })
	u.verdict()
	u.notChecked()
	r.NotPromised = append(r.notPromised(), "people of whom two shards have records under different subjects")
	return r
}

// verdict is certified if all shards are, and nobody is in two; sealed if the ledgers are believed of a shard's releases, or of
// the union's.
func (u *unionAudit) verdict() {
	r := u.report
	certified, unseen := u.persons.checked(), r.Sealed != nil && len(r.Sealed.Releases) > 0
	l2 := ""
	for _, s := range r.Union.Shards {
		if s.Report == nil {
			certified = certified && s.Release == 0
			continue
		}
		certified = certified && (s.Report.Verdict == VerdictCertified || s.Report.Verdict == VerdictSealed)
		unseen = unseen || s.Report.Verdict == VerdictSealed
		if l2 == "" || s.Report.Level.L2 != levelStructure {
			l2 = s.Report.Level.L2
		}
	}
	state := "not checked"
	switch found := verdict(r.Violations); {
	case found != VerdictConsistent:
		r.Verdict, state, l2 = found, found, found
	case certified && unseen:
		r.Verdict, state = VerdictSealed, VerdictSealed
	case certified:
		r.Verdict, state = VerdictCertified, "certified"
	default:
		r.Verdict = VerdictConsistent
	}
	if !r.claimsL2 {
		l2 = "not claimed"
	}
	r.Level = Level{L0: state, L1: state, L2: l2}
}

// gather adds up what the reports of the shards count.
func (u *unionAudit) gather() {
	r := u.report
	for _, shard := range slices.Sorted(maps.Keys(u.chains)) {
		of := u.chains[shard].report
		r.Private = r.Private || of.Private
		for _, v := range of.Violations {
			v.Shard = &shard
			r.Violations = append(r.Violations, v)
		}
		for _, a := range of.Attackers {
			r.attacker(a)
		}
		if of.Certificates != nil {
			r.Certificates = r.Certificates.plus(of.Certificates)
		}
	}
}

// attacker adds the counts of a shard. Who attacks knows the shard of everybody: it
// follows from the subject.
func (r *Report) attacker(a shares.Attacker) {
	i := slices.IndexFunc(r.Attackers, func(x shares.Attacker) bool { return x.Name == a.Name })
	if i < 0 {
		r.Attackers = append(r.Attackers, a)
		return
	}
	x := &r.Attackers[i]
	x.People, x.BelowL, x.ExactlyOne = x.People+a.People, x.BelowL+a.BelowL, x.ExactlyOne+a.ExactlyOne
	x.BelowLShare, x.ExactlyOneShare = format.Share(x.BelowL, x.People), format.Share(x.ExactlyOne, x.People)
	x.MinCandidates = min(x.MinCandidates, a.MinCandidates)
}

// plus adds the components of two shards, which have none in common.
func (c *certificates) plus(o *certificates) *certificates {
	if c == nil {
		out := *o
		return &out
	}
	for _, add := range []struct{ to, of *int }{{&c.FrozenRecords, &o.FrozenRecords}, {&c.FrozenClasses, &o.FrozenClasses},
		{&c.PureRecords, &o.PureRecords}, {&c.PureComponents, &o.PureComponents}, {&c.OtherRecords, &o.OtherRecords},
		{&c.OtherComponents, &o.OtherComponents}} {
		*add.to += *add.of
	}
	c.MaxPosterior, c.RowLink = max(c.MaxPosterior, o.MaxPosterior), max(c.RowLink, o.RowLink)
	c.TrajectoryK = min(c.TrajectoryK, o.TrajectoryK)
	return c
}

// notChecked lists what the shards' audits could not check, each once, and what no file
// of a union shows.
func (u *unionAudit) notChecked() {
	var order []string
	whose := map[string][]string{}
	for _, shard := range slices.Sorted(maps.Keys(u.chains)) {
		for _, what := range u.chains[shard].report.NotChecked {
			if whose[what] == nil {
				order = append(order, what)
			}
			whose[what] = append(whose[what], strconv.Itoa(shard))
		}
	}
	for _, what := range order {
		u.skip("shards " + strings.Join(whose[what], ", ") + ": " + what)
	}
	if n := len(u.persons.unknown); n > 0 {
		u.skip(fmt.Sprintf("that nobody is in two shards: %d shards have no exports (--exports)", n))
	}
	if n := len(u.persons.nameless); n > 0 {
		u.skip(fmt.Sprintf("that nobody is in two shards: the records exports of %d shards have no subjects", n))
	}
	if !u.persons.subjects && len(u.persons.unknown) == 0 {
		u.skip("that nobody is in two shards, but for partitions: the schema has no subject, so every record counts as a person")
	}
	if n := len(u.persons.keyless); n > 0 && u.persons.shards > 1 {
		u.skip(fmt.Sprintf("that nobody is in two shards: %d shards have no subject.key, so a person may have another digest in each", n))
	}
	if m := u.newest().man; slices.ContainsFunc(m.Union.Shards, func(s format.UnionShard) bool { return s.Expired > 0 }) {
		u.skip("that nobody who has left was in two shards: the exports have them no more (release.window)")
	}
	if u.report.claimsL2 {
		u.skip("that the shards draw by different seeds, on which level L2 rests: seeds are in no file that is published or exported")
	}
}

// shards writes a line for each shard.
func (t *textWriter) shards(r *Report) {
	if r.Union == nil {
		return
	}
	t.line("")
	t.line("The releases are a union of %d shards. The chain of each was audited by itself:", r.Union.Of)
	t.table(func(w *tabwriter.Writer) {
		fmt.Fprintln(w, "shard\trelease\trecords\twaiting\tverdict\t")
		for _, s := range r.Union.Shards {
			verdict := "no release"
			if s.Report != nil {
				verdict = s.Report.Verdict
			}
			fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%s\t\n", s.Shard, s.Release, s.Records, s.Pending, verdict)
		}
	})
	if r.Union.People >= 0 {
		t.line("%d different people are in the exports of the shards.", r.Union.People)
	}
}
