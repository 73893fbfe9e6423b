package audit

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Dir audits a releases directory.
//
// Guarantee: "certified" is returned only if both exports were given, cover
// every release, and every published record is in a component certified by rule
// A (frozen classes) or rule P (pure classes); then P(value of t = v | all releases) <= 1/l at levels L0 and L1.
// Every violation reported is derived from the files. An input that is
// malformed is an error.
//
// Cost: linear in the total size of the releases and exports, except the QI-only
// attacker (see qiAttack) and components without certificate (see decide).
//
// A daemon may be running: releases that it publishes meanwhile are left out, and listed
// as not checked. If it prunes releases meanwhile, the audit begins again.
//
// The directory of a union is audited with the chains of its shards: unionDir.
func Dir(o Options) (*Report, error) {
	if union, err := isUnion(o.Releases); err != nil {
		return nil, err
	} else if union {
		return unpruned(o.Releases, func() (*Report, error) { return unionDir(o) })
	}
	a, err := dir(o, nil)
	if err != nil {
		return nil, err
	}
	return a.report, nil
}

// dir is Dir of releases that are no union. Of the releases that are wanted it keeps the
// histograms.
func dir(o Options, wanted map[int]bool) (*auditor, error) {
	return unpruned(o.Releases, func() (*auditor, error) { return once(o, wanted) })
}

// unpruned makes an attempt, and again if it failed while releases were pruned.
func unpruned[T any](dir string, attempt func() (T, error)) (T, error) {
	for again := 2; ; again-- {
		before, _ := listReleases(dir)
		out, err := attempt()
		after, _ := listReleases(dir)
		if err == nil || again == 0 || len(before) == 0 || len(after) == 0 || before[0] == after[0] {
			return out, err
		}
	}
}

// once is one attempt of Dir.
func once(o Options, wanted map[int]bool) (*auditor, error) {
	a, err := newAuditor(o)
	if err != nil {
		return nil, err
	}
	a.wanted = wanted
	for i, n := range a.in.numbers {
		if err := a.release(n); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(i+1, len(a.in.numbers))
		}
	}
	if err := a.published(o); err != nil {
		return nil, err
	}
	a.analyse()
	a.finish().replayed(o.Replay)
	return a, nil
}

// published checks what follows the rename of a release: CURRENT and ledger.
func (a *auditor) published(o Options) error {
	newest := a.in.newest()
	now, err := listReleases(o.Releases)
	if err != nil {
		return err
	}
	last := now[len(now)-1]
	if last > newest {
		a.hierarchies = nil
		a.skip("releases %d to %d: they were published after the audit began, or after its exports were made", newest+1, last)
	}
	if err := checkTop(o, false, a.hierarchies, &a.f); err != nil {
		return err
	}
	unfinished, err := checkCurrent(o.Releases, newest, last, &a.f)
	if err != nil {
		return err
	}
	if o.Ledger == "" {
		a.skip("the ledger: none was given")
	} else {
		behind, err := checkLedger(o.Ledger, a.shas, newest, last, &a.f)
		if err != nil {
			return err
		}
		unfinished = unfinished || behind
	}
	if unfinished {
		a.skip("that release %d is fully published: CURRENT or the ledger does not name it yet; the daemon finishes this at its next start",
			newest)
	}
	return nil
}

// auditor is the state of one run over a chain.
type auditor struct {
	since    map[string]int // sensitive values by the release in which they became valid; epochs.go
	in       *input
	f        faults
	report   *Report
	linked   bool // the members export covers every release
	carry    *carry
	before   *Manifest // of the release before
	last     *release  // the newest one whose files were read
	views    []view
	matches  []reappearance // per release, against the one before
	arrivals []int          // per release: distinct values among its newcomers
	shas     map[int]string
	moved    bool // public view: some class has vanished so far
	replay   *Replay
	rendered int  // parts that a replay rendered again
	unseen   bool // something of a pruned release was not seen
	// hierarchies are the copies that manifests name.
	hierarchies map[string]bool
	// Of a shard: of which releases the union asks for the histogram, and these.
	wanted     map[int]bool
	histograms map[int][]int
}

func newAuditor(o Options) (*auditor, error) {
	a := &auditor{carry: newCarry(), shas: map[int]string{}, hierarchies: map[string]bool{}, histograms: map[int][]int{},
		replay: o.Replay}
	var err error
	if a.in, err = open(o, &a.f); err != nil {
		return nil, err
	}
	m := a.in.first
	a.report = &Report{
		Dataset: m.Dataset, Recoding: m.Recoding, Seeded: m.Seeded, Grown: m.Privacy.Grown,
		K: m.Policy.K, L: m.Policy.L,
		requireCertified: o.RequireCertified, exact: m.wantK1() != "rows", claimsL2: m.claimsL2(),
		Releases: []ReleaseRow{}, Violations: []Violation{}, Attackers: []Attacker{}, NotChecked: []string{},
	}
	a.coverage()
	return a, nil
}

func (a *auditor) skip(text string, args ...any) {
	a.report.NotChecked = append(a.report.NotChecked, fmt.Sprintf(text, args...))
}

// coverage decides what the exports allow to check and lists the rest.
func (a *auditor) coverage() {
	in := a.in
	missing := 0
	if in.members != nil {
		for _, n := range in.numbers {
			if in.members.class[n] == nil {
				missing++
			}
		}
		for _, n := range sortedKeys(in.members.class) {
			if !slices.Contains(in.numbers, n) {
				a.f.add("microdata", kindMembersMismatch, n, 0, "release", "the members export names a release that is not here")
			}
		}
	}
	a.linked = in.members != nil && missing == 0
	a.prunedOnes()
	switch {
	case in.members == nil:
		a.skip("who is in which class (no members export): certificates A and P, disappearance, regroup budgets, attackers")
	case missing > 0:
		a.skip("%d of %d releases are not in the members export: certificates A and P, disappearance, regroup budgets, attackers", missing,
			len(in.numbers))
	}
	if in.records == nil {
		a.skip("the microdata (no records export): members inside their cells, bags, subjects, people waiting")
	} else if in.records.subject == nil {
		a.skip("one record of a subject per class (rule S): no subject column in the records export; every record counts as a person")
	}
	if _, unknown := in.first.Policy.principles(); unknown > 0 {
		a.skip("%d declared diversity principles this auditor does not know", unknown)
	}
	if in.first.Policy.MaxRegroups == nil {
		a.skip("regroup budget (rule E): the manifest declares none")
	}
	if in.s.loose {
		a.skip("tightness of cells: an attribute generalizes in a way this auditor does not know")
	}
	if in.first.claimsL2() && (a.replay == nil || a.replay.Outcome == ReplayNone) {
		a.skip("level L2: that classes, times and pools follow from quasi-identifiers, arrival and published data alone, that sub-pools " +
			"have equal size, and that values decide nothing but which classes share a bucket. Files cannot show it; " +
			"anond audit --replay shows it, with the state")
	}
	a.coverDraws()
	a.skip("information-loss figures in the manifests")
}

// release audits one release and its step from the one before.
func (a *auditor) release(number int) error {
	dir := filepath.Join(a.in.dir, dirName(number))
	man, err := a.in.manifest(number)
	if err != nil {
		return err
	}
	a.shas[number] = man.sha
	before := a.before
	if before != nil {
		checkContract(before, man, &a.f)
		if err := checkGrowth(a.in.dir, before, man, &a.f); err != nil {
			return err
		}
		if err := a.noteValues(before, man, number); err != nil {
			return err
		}
	}
	checkLink(before, man, number, &a.f)
	man.Release = number // findings name directories
	checkForm(man, &a.f)
	man.copies(a.hierarchies)
	a.checkRendered(man)
	a.before = man
	if otherForm(a.in.first, man) {
		a.skip("the files of release %d: it is of another level or recoding than the first, which is reported", number)
		return nil
	}
	a.unseenLineage(before, man)
	if man.pruned != nil && man.pruned.lack != "" {
		return nil // prunedOnes says it
	}
	rel, err := loadParted(dir, man, a.in.s, a.last, &a.f)
	if err != nil {
		return err
	}
	if m := a.in.members; m != nil && (m.bucket != nil) != man.atL2() {
		return unreadable(m.file, 1, "names buckets, or does not, and release %d is of another level", number)
	}
	a.f.locate = rel.locate
	defer func() { a.f.locate = nil }()
	row := a.step(rel)
	row.Pruned = man.pruned != nil
	a.membership(rel, row)
	a.last = rel
	return nil
}

// step checks what public files show about the step to a release.
func (a *auditor) step(rel *release) *ReleaseRow {
	values := len(a.in.s.sa.text)
	before := &release{tab: &table{start: []uint32{0}, d: rel.tab.d}}
	if a.last != nil {
		before = a.last
	}
	d := bagDifference(before.tab.histogram(values), rel.tab.histogram(values))
	if a.wanted[rel.num] {
		a.histograms[rel.num] = rel.tab.histogram(values)
	}
	checkDifference(before.tab.histogram(values), rel.tab.histogram(values), rel.man, &a.f)
	a.arrivals = append(a.arrivals, len(d.support()))
	match := matchReleases(before, rel)
	a.matches = append(a.matches, match)
	a.moved = a.moved || len(match.vanished) > 0
	if !a.linked {
		checkPublic(before, rel, match, &a.f)
		checkPublicBuckets(a.in.s, before.tab, rel.tab, rel.num, &a.f)
		checkPublicCertificate(rel, a.moved, &a.f)
	}
	kept := 0
	for _, k := range match.kept {
		if k {
			kept++
		}
	}
	a.report.Releases = append(a.report.Releases, ReleaseRow{
		Release: rel.num, Records: rel.tab.rows(), Pending: rel.man.Pending, Classes: rel.tab.m,
		KMin: rel.man.Privacy.KMin, MaxFrequency: rel.man.Privacy.MaxFrequency, Certificate: rel.man.Privacy.Certificate,
		Newcomers: d.total, NewcomersTop: share(d.top, d.total), ClassesKept: kept, Waiting: -1,
	})
	row := &a.report.Releases[len(a.report.Releases)-1]
	row.Buckets = rel.man.Buckets
	if rel.man.Policy.Level != levelTwo {
		row.WaitingTopShare = new(float64)
	}
	row.Parts, row.DeadClasses = len(rel.man.Parts), len(rel.parts.lay.dead)
	return row
}

// membership checks what the exports show about a release.
func (a *auditor) membership(rel *release, row *ReleaseRow) {
	if a.in.members == nil || a.in.members.class[rel.num] == nil {
		return
	}
	classOf := a.classes(rel)
	fates := make([]fate, rel.tab.m)
	if a.linked {
		a.carry, fates = a.carry.advance(rel, classOf, a.in.s, &a.f)
		a.views = append(a.views, view{rel, classOf, fates})
	}
	if a.in.records != nil {
		checkMicrodata(a.in.s, a.in.records, rel, classOf, fates, &a.f)
		a.epochs(rel, classOf)
		a.waiting(rel, classOf, row)
	}
}

// classes translates the addresses of the export into indexes.
func (a *auditor) classes(rel *release) []uint32 {
	m := a.in.members
	named := m.class[rel.num]
	m.class[rel.num] = []address{} // it is not needed again
	classOf := make([]uint32, len(a.in.index.ids))
	lookup := make([]func(uint32) (int, standing), len(m.parts))
	for i, part := range m.parts {
		lookup[i] = rel.lookup(part)
	}
	unknown, dead := 0, 0
	for rec, at := range named {
		if at.class == 0 {
			continue
		}
		switch c, how := lookup[at.part](at.class); how {
		case standsAlive:
			classOf[rec] = uint32(c) + 1
		case standsDead:
			dead++
		default:
			unknown++
		}
	}
	a.f.addN("microdata", kindMembersMismatch, rel.num, 0, "class", "the members export names a class the release does not have", unknown)
	a.f.addN("P", kindDeadAlive, rel.num, 0, "dead", "a class is listed as dead, and people are in it", dead)
	if m.bucket != nil {
		a.f.addN("microdata", kindMembersMismatch, rel.num, 0, "bucket",
			"the members export names another bucket for a class than the release", rel.otherBuckets(classOf, m.bucket[rel.num]))
		m.bucket[rel.num] = nil
	}
	return classOf
}

// waiting counts the people who arrived and are not published. At level L1 it finds the largest
// share of one value among them, too: nothing is promised about it, so it is reported. At level L2 it is
// not (rule B, buckets): if two of four people who are published later have a share of 1, and the bucket has
// the values a, a, b and c, both have a; and who knows that some pool would be ineligible could wait with it.
// A person who was forgotten while waiting counted until then, and the exports do not tell when that was.
func (a *auditor) waiting(rel *release, classOf []uint32, row *ReleaseRow) {
	counts := make([]int, len(a.in.s.sa.text))
	n, top, forgotten := 0, 0, 0
	for rec, known := range a.in.records.known {
		arrived := int(a.in.records.arrived[rec])
		beyond := a.in.records.beyond != nil && a.in.records.beyond[rec]
		if known && !beyond && arrived > 0 && arrived <= rel.num && (rec >= len(classOf) || classOf[rec] == 0) {
			if a.in.records.forgotten[rec] {
				forgotten++
				continue
			}
			n++
			v := a.in.records.sa[rec]
			counts[v]++
			top = max(top, counts[v])
		}
	}
	if row.Waiting = n; row.WaitingTopShare != nil {
		a.report.Private = a.report.Private || n > 0
		*row.WaitingTopShare = share(top, n)
	}
	if rel.man.Pending < n || rel.man.Pending > n+forgotten {
		a.f.add("files", kindCountMismatch, rel.num, 0, "pending", "the manifest's number differs from the exports")
	}
}

// finish draws the verdict.
func (a *auditor) finish() *Report {
	r := a.report
	r.Violations = append(r.Violations, a.f.sorted()...)
	full := a.linked && a.in.records != nil && a.drawsShown() && (a.replay == nil || a.replay.Others == "")
	state := "not checked"
	switch found := verdict(r.Violations); {
	case found != VerdictConsistent:
		r.Verdict, state = found, found
	case full && r.Certificates.OtherRecords == 0 && !a.unseen:
		r.Verdict, state = VerdictCertified, "certified"
	default:
		r.Verdict = VerdictConsistent
	}
	r.Level = Level{L0: state, L1: state, L2: a.levelTwo(state)}
	if a.in.first.atL2() && a.last != nil && a.last.tab.shared != nil {
		r.Buckets = bucketFigures(a.last.tab)
	}
	r.NotPromised = r.notPromised()
	return r
}
