package audit

import (
	"fmt"
	"slices"
)

// AttributePromise is what one attribute promises, what the files show, and
// whether it is established. The attributes are judged each on its own: a bucket
// that fails breaks its attribute and no other.
type AttributePromise struct {
	Attribute string  `json:"attribute"`
	Role      string  `json:"role"`
	L         int     `json:"l,omitempty"`
	T         float64 `json:"t,omitempty"`
	Distance  string  `json:"distance,omitempty"`
	Buckets   int     `json:"buckets"` // of the newest release
	Records   int     `json:"records"` // whose value is in one of them
	// Crossing buckets neither lie inside one class nor are unions of classes.
	Crossing int `json:"crossing_buckets,omitempty"`
	// TopShare is the largest share of one value in a bucket; Posterior the
	// largest probability of a person's value, given the class (Lemma 2 of Li, He
	// and Sun). Under a promise t nothing bounds it but the reference.
	TopShare  float64 `json:"top_share"`
	Posterior float64 `json:"posterior"`
	// AchievedT is the largest distance of a bucket from the reference; AchievedL
	// the largest l that all buckets keep.
	AchievedT *float64 `json:"achieved_t,omitempty"`
	AchievedL int      `json:"achieved_l,omitempty"`
	// Someone who keeps every release and knows a person's class in each
	// (attackerLink) cannot exclude this many values at least; and so many people
	// have fewer than l of them (fewer than 2 under a promise t), or one.
	MinValues  int    `json:"min_candidates"`
	BelowL     int    `json:"below_l"`
	ExactlyOne int    `json:"exactly_one"`
	Status     string `json:"status"` // certified, consistent, violated, not established
	Why        string `json:"why,omitempty"`
}

// statusUnknown: the attribute's own buckets are fine, but something else in the
// chain is broken that its argument needs.
const statusUnknown = "not established"

// promises fills the report of a chain by local generalization and
// bucketization.
func (a *auditor) promises() {
	if a.in.first.Recoding != recodingLGB || a.last == nil || a.last.tab.local == nil {
		return
	}
	for j, l := range a.in.s.local {
		p := AttributePromise{Attribute: l.name, Role: "semi", L: l.promise.L, T: l.promise.T, Distance: l.promise.Distance}
		if l.col < 0 {
			p.Role = "sensitive"
		}
		p.measure(l, a.last.tab, j)
		a.judge(&p)
		a.report.Attributes = append(a.report.Attributes, p)
	}
}

// measure takes the figures from the newest release: buckets never change, so it
// shows those of all releases.
func (p *AttributePromise) measure(l *localAttr, t *table, j int) {
	b := &t.local.attrs[j]
	p.Buckets = b.m
	p.Crossing, _ = b.crossing(t)
	for i := range uint32(b.m) {
		p.Records += int(b.size[i])
		p.TopShare = max(p.TopShare, share(int(b.top[i]), int(b.size[i])))
		if n := int(b.size[i] / b.top[i]); l.close == nil && (p.AchievedL == 0 || n < p.AchievedL) {
			p.AchievedL = n
		}
		if l.close != nil {
			values, counts := b.entries(i)
			d := l.close.distance(values, counts)
			if p.AchievedT == nil || d > *p.AchievedT {
				p.AchievedT = &d
			}
		}
	}
	for c := range t.m {
		p.Posterior = max(p.Posterior, t.local.topShare(t, c, j))
		n := t.local.candidates(t, c, j)
		if n == 0 {
			continue
		}
		if p.MinValues == 0 || n < p.MinValues {
			p.MinValues = n
		}
		if n < max(p.L, 2) {
			p.BelowL += t.size(c)
		}
		if n == 1 {
			p.ExactlyOne += t.size(c)
		}
	}
}

// candidates counts the values that a member of a class may have: what someone
// who knows the class, in each release, cannot exclude (attackerLink).
func (l *localTable) candidates(t *table, c, j int) int {
	b := &l.attrs[j]
	rows := b.rows(t, c)
	if rows[0] > 0 && same(rows) {
		return int(b.start[rows[0]] - b.start[rows[0]-1])
	}
	set := map[uint32]bool{}
	for _, r := range rows {
		if r > 0 {
			values, _ := b.entries(r - 1)
			for _, v := range values {
				set[v] = true
			}
		}
	}
	return len(set)
}

// judge draws the verdict of one attribute. Findings that name another local
// attribute do not touch it; all others do.
func (a *auditor) judge(p *AttributePromise) {
	own, others := 0, 0
	for _, v := range a.f.list {
		switch {
		case v.Attribute == p.Attribute || p.Role == "sensitive" && v.Attribute == "" && sensitiveKinds[v.Kind]:
			own++
		case slices.ContainsFunc(a.in.s.local, func(l *localAttr) bool { return l.name == v.Attribute }):
		case v.Attribute == "" && sensitiveKinds[v.Kind]: // the sensitive attribute's
		default:
			others++
		}
	}
	switch {
	case own > 0:
		p.Status, p.Why = VerdictViolated, fmt.Sprintf("%d findings name it", own)
	case others > 0:
		p.Status, p.Why = statusUnknown, "findings about the classes or the chain, which its argument needs"
	case a.nothing != "":
		p.Status, p.Why = VerdictConsistent, a.nothing
	case p.Crossing > 0:
		p.Status, p.Why = VerdictConsistent, "level rows"
	case !a.linked || a.in.records == nil:
		p.Status, p.Why = VerdictConsistent, "that takes the members and records exports"
	case len(a.f.list) == 0 && a.report.Certificates.OtherRecords > 0:
		p.Status, p.Why = statusUnknown, "some classes have no certificate"
	default:
		p.Status = VerdictCertified
	}
	if p.Status == VerdictCertified && p.T > 0 {
		p.Why = "posterior is the share in the bucket; no 1/l is claimed"
	}
}

// sensitiveKinds are findings about the sensitive attribute alone that carry no
// attribute's name.
var sensitiveKinds = map[string]bool{kindValueAboveL: true, kindDifference: true, kindPosterior: true, kindFrozenBagChanged: true}

func (t *textWriter) promises(list []AttributePromise) {
	if len(list) == 0 {
		return
	}
	t.line("")
	t.line("Bucketed attributes, each with its own promise (share = largest of one value in a bucket; " +
		"posterior = largest probability of a person's value, given the class):")
	for _, p := range list {
		promise, achieved := fmt.Sprintf("l = %d", p.L), fmt.Sprintf("l = %d", p.AchievedL)
		if p.T > 0 {
			promise, achieved = fmt.Sprintf("t = %g (%s)", p.T, p.Distance), "no value"
			if p.AchievedT != nil {
				achieved = fmt.Sprintf("t = %.4f", *p.AchievedT)
			}
		}
		why := ""
		if p.Why != "" {
			why = " (" + p.Why + ")"
		}
		if p.BelowL > 0 {
			why += fmt.Sprintf("; someone who knows the class narrows %d people down to fewer than %d values, %d to one", p.BelowL, max(p.L, 2),
				p.ExactlyOne)
		}
		t.line("  %s (%s): promised %s, achieved %s, share %.4f, posterior %.4f, %d values in %d buckets: %s%s",
			p.Attribute, p.Role, promise, achieved, p.TopShare, p.Posterior, p.Records, p.Buckets, p.Status, why)
		if p.Crossing > 0 {
			t.line("    %d of its buckets cross classes: they share some rows, but not all, with a class, and have rows of another.", p.Crossing)
			t.line("    The posterior is that of a reader who counts the ways to assign people to rows (Lemma 2 of Li, He and Sun).")
			t.line("    A reader who counts the assignments of values to people may find a value likelier.")
		}
	}
}
