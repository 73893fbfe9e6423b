package audit

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
	"anond/snapshot/audit/shares"
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
	} else if union && len(o.Others) > 0 {
		return nil, errors.New("the releases are of a union, and shards share no subject ledger with other datasets")
	} else if union {
		return unpruned(o.Releases, func() (*Report, error) { return unionDir(o) })
	}
	a, err := dir(o, nil)
	if err != nil {
		return nil, err
	}
	return a.report, a.report.viewed(o)
}

// dir is Dir of releases that are no union. Of the releases that are wanted it keeps the
// histograms.
func dir(o Options, wanted map[int]bool) (*auditor, error) {
	return unpruned(o.Releases, func() (*auditor, error) { return once(o, wanted) })
}

// unpruned makes an attempt, and again if it failed while releases were pruned.
func unpruned[T any](dir string, attempt func() (T, error)) (T, error) {
	for again := 2; ; again-- {
		before, _ := format.ListReleases(dir)
		out, err := attempt()
		after, _ := format.ListReleases(dir)
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
	if err := errors.Join(a.published(o), a.datasets(o)); err != nil {
		return nil, err
	}
	a.analyse()
	a.finish().replayed(o.Replay)
	return a, nil
}

// published checks what follows the rename of a release: CURRENT and ledger.
func (a *auditor) published(o Options) error {
	newest := a.in.newest()
	if err := a.beside.look(); err != nil {
		return err
	}
	named, last, err := readNaming(o, newest)
	if err != nil {
		return err
	}
	if last > newest {
		a.skip("releases %d to %d: they were published after the audit began, or after its exports were made", newest+1, last)
	}
	a.unread = last > newest || len(a.in.gone) > 0
	if err := a.beside.check(o.Ledger, false, a.hierarchies, !a.unread, &a.f); err != nil {
		return err
	}
	if o.Ledger == "" {
		a.skip("the ledger: none was given")
	} else {
		if err := a.checkGone(&named.seals); err != nil {
			return err
		}
		a.sealedBy(&named.seals)
	}
	if named.check(a.made, newest, last, &a.f) {
		a.skip("that release %d is fully published: CURRENT or the ledger does not name it yet; the daemon finishes this at its next start",
			newest)
	}
	return nil
}

// auditor is the state of one run over a chain.
type auditor struct {
	in          *input
	f           format.Faults
	report      *Report
	linked      bool // the members export covers every release
	eras        []*era
	before      *format.Manifest    // of the release before
	arrivals    []arrival           // per release
	arrivedIn   uint32              // most changes of settings, as the export counts them, before somebody arrived who is published
	made        map[int]format.Seal // of each release whose manifest was read
	replay      *Replay
	rendered    int  // parts that a replay rendered again
	unseen      bool // files of releases were not seen
	departed    int  // whom releases up to there published first have left, and the exports know nothing of them; 0: nobody
	beside      beside
	hierarchies map[string]bool // the copies that manifests name
	unread      bool            // there are releases whose manifests were not read
	ofShard
}

// arrival is how many distinct values there are among the newcomers of a release, and the l that was promised to them.
type arrival struct{ values, l int }

// ofShard has the releases for whose histograms the union asks, and these.
type ofShard struct {
	wanted     map[int]bool
	histograms map[int][]int // of everybody who was published up to a release
}

func newAuditor(o Options) (*auditor, error) {
	a := &auditor{made: map[int]format.Seal{}, hierarchies: map[string]bool{}, ofShard: ofShard{histograms: map[int][]int{}}, replay: o.Replay}
	var err error
	if a.beside, err = besideOf(o.Releases); err != nil {
		return nil, err
	}
	if a.in, err = open(o, &a.f); err != nil {
		return nil, err
	}
	for i := range a.in.eras {
		a.eras = append(a.eras, newEra(a, &a.in.eras[i]))
	}
	m := a.in.eras[len(a.in.eras)-1].first
	a.report = &Report{
		Dataset: m.Dataset, Recoding: m.Recoding, Seeded: m.Seeded, Grown: m.Privacy.Grown, declared: declaredBy(m),
		requireCertified: o.RequireCertified, Releases: []releaseRow{},
		Violations: []format.Violation{}, Attackers: []shares.Attacker{}, NotChecked: []string{},
	}
	a.report.shape = a.shape()
	a.coverage()
	if a.any((*format.Manifest).Strata) {
		same := !a.any(func(m *format.Manifest) bool { return m.Privacy.Settle != a.in.eras[0].first.Privacy.Settle })
		if same {
			observedAlike(a.in.records, m, &a.f)
		}
		observed := ""
		switch {
		case a.any(func(m *format.Manifest) bool { return m.Privacy.Settle == "end" }):
			observed = "for how long people were observed (until their source ended, so for different times), and "
		case a.in.records == nil || !same:
			observed = "that people were observed for the same time, and "
		}
		a.skip("%sthat their strata follow from what they sent (exports have what is published of a person)", observed)
	}
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
		if in.expired > 0 && in.members.Class[1] == nil {
			a.departed = in.expired
			for _, e := range a.eras {
				e.carry.Departed(in.expired)
			}
		}
		for _, n := range in.numbers {
			if man, err := in.manifest(n); err == nil && n > a.departed && man.ShowsNobody(a.departed) { // the export has nobody to name
				in.members.Class[n] = []chain.Address{}
			}
			if in.members.Class[n] == nil && n > a.departed {
				missing++
			}
		}
		for _, n := range format.SortedKeys(in.members.Class) {
			if !slices.Contains(in.numbers, n) && in.gone[n] == "" {
				a.f.Add("microdata", format.KindMembersMismatch, n, 0, "release", "the members export names a release that is not here")
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
	} else if in.records.Subject == nil {
		a.skip("one record of a subject per class (rule S): no subject column in the records export; every record counts as a person")
	}
	for _, e := range in.eras {
		if _, unknown := e.first.Policy.Principles(); unknown > 0 {
			a.skip("%d declared diversity principles this auditor does not know", unknown)
		}
	}
	if in.first.Policy.MaxRegroups == nil {
		a.skip("regroup budget (rule E): the manifest declares none")
	}
	if slices.ContainsFunc(in.eras, func(e eraInput) bool { return e.s.Loose }) {
		a.skip("tightness of cells: an attribute generalizes in a way this auditor does not know")
	}
	if in.first.ClaimsL2() && (a.replay == nil || a.replay.Outcome == ReplayNone) {
		a.skip("level L2: that classes, times and pools follow from quasi-identifiers, arrival and published data alone, that sub-pools " +
			"have equal size, and that values decide nothing but which classes share a bucket. Files cannot show it; " +
			"anond audit --replay shows it, with the state")
	}
	a.coverDraws()
	a.skip("information-loss figures in the manifests")
}

// release audits one release and its step from the one before.
func (a *auditor) release(number int) error {
	dir := filepath.Join(a.in.dir, format.DirName(number))
	man, err := a.in.manifest(number)
	if err != nil {
		return err
	}
	a.made[number] = man.Seal()
	before := a.before
	if before != nil {
		format.CheckContract(before, man, &a.f)
		if err := format.CheckGrowth(a.in.dir, before, man, &a.f); err != nil {
			return err
		}
		if err := a.noteValues(before, man, number); err != nil {
			return err
		}
	}
	format.CheckLink(a.in.predecessor(before, number), man, number, &a.f)
	man.Release = number // findings name directories
	format.CheckForm(man, &a.f)
	man.Copies(a.hierarchies)
	a.checkRendered(man)
	format.CheckWindow(before, man, a.in.times, &a.f)
	a.before = man
	if !format.CheckEras(before, man, &a.f) {
		a.skip("the files of release %d: its eras are not those of the release before, or of its parts, which is reported", number)
		return nil
	}
	sections := man.ByEra()
	of := make([]*era, len(sections))
	for i, s := range sections {
		if of[i] = a.eraOf(s); of[i] == nil {
			return nil // an earlier release has told of it otherwise
		}
		if format.OtherForm(of[i].first, s) {
			a.skip("the files of release %d: it is of another level or recoding than the first, which is reported", number)
			return nil
		}
	}
	a.unseenLineage(before, man)
	if man.Pruned != nil && man.Pruned.Lack != "" {
		return nil // prunedOnes says it
	}
	if m := a.in.members; m != nil && (m.Bucket != nil) != man.AtL2() {
		return format.Unreadable(m.File, 1, "names buckets, or does not, and release %d is of another level", number)
	}
	row := &releaseRow{Release: number, Pending: man.Pending, Parts: len(man.Parts), Waiting: -1, Pruned: man.Pruned != nil,
		Certificate: man.Privacy.Certificate}
	if man.Policy.Level != format.LevelTwo {
		row.WaitingTopShare = new(float64)
	}
	var placed [][]uint32
	for i, s := range sections {
		classOf, err := of[i].release(dir, s, row)
		if err != nil {
			return err
		}
		placed = append(placed, classOf)
	}
	a.report.Releases = append(a.report.Releases, *row)
	if m := a.in.members; m != nil && m.Class[number] != nil {
		if a.in.records != nil {
			a.waiting(man, placed, &a.report.Releases[len(a.report.Releases)-1])
		}
		m.Class[number] = []chain.Address{} // it is not needed again
		if m.Bucket != nil {
			m.Bucket[number] = nil
		}
	}
	return nil
}

// waiting counts the people who arrived and are not published. At level L1 it finds the largest
// share of one value among them, too: nothing is promised about it, so it is reported. At level L2 it is
// not (rule B, buckets): if two of four people who are published later have a share of 1, and the bucket has
// the values a, a, b and c, both have a; and who knows that some pool would be ineligible could wait with it.
// A person who was forgotten while waiting counted until then, and the exports do not tell when that was; nor when one lapsed who came
// before settings changed for those who come later.
func (a *auditor) waiting(man *format.Manifest, placed [][]uint32, row *releaseRow) {
	counts := make([]int, len(a.in.s.Sa.Text))
	in := func(rec int) bool {
		return slices.ContainsFunc(placed, func(classOf []uint32) bool { return rec < len(classOf) && classOf[rec] != 0 })
	}
	left := func(rec int) bool { return slices.ContainsFunc(a.eras, func(e *era) bool { return e.carry.Left(rec) }) }
	n, top, forgotten, newest := 0, 0, 0, uint32(0)
	if of := a.in.records.Era; len(of) > 0 {
		newest = slices.Max(of)
	}
	for rec, known := range a.in.records.Known {
		arrived := int(a.in.records.Arrived[rec])
		beyond := a.in.records.Beyond != nil && a.in.records.Beyond[rec]
		if known && !beyond && arrived > 0 && arrived <= man.Release && !in(rec) && !left(rec) {
			if a.in.records.Forgotten[rec] || newest > 0 && a.in.records.Era[rec] < newest {
				forgotten++
				continue
			}
			if n++; row.WaitingTopShare != nil {
				v := a.in.records.Sa[rec]
				counts[v]++
				top = max(top, counts[v])
			}
		}
	}
	if row.Waiting = n; row.WaitingTopShare != nil {
		a.report.Private = a.report.Private || n > 0
		*row.WaitingTopShare = format.Share(top, n)
	}
	if (!a.linked || a.unseen) && (man.Expired > 0 || man.Withdraws()) {
		return // who has left is not known
	}
	if a.departed > 0 || a.any((*format.Manifest).Strata) {
		// Who has departed may have waited then, published later or forgotten, and who settles is pending: the exports do not know them.
		forgotten = max(forgotten, man.Pending-n)
	}
	if man.Release < a.departed {
		row.Waiting = -1
	}
	if man.Pending < n || man.Pending > n+forgotten {
		a.f.Add("files", format.KindCountMismatch, man.Release, 0, "pending", "the manifest's number differs from the exports")
	}
}

// finish draws the verdict.
func (a *auditor) finish() *Report {
	r := a.report
	r.Violations = append(r.Violations, a.f.Sorted()...)
	full := a.linked && a.in.records != nil && a.drawsShown()
	state := "not checked"
	switch found := verdict(r.Violations); {
	case found != VerdictConsistent:
		r.Verdict, state = found, found
	case full && r.Certificates.OtherRecords == 0 && a.judgedNow():
		r.Verdict, state = VerdictCertified, "certified"
	case full && r.Certificates.OtherRecords == 0 && a.passedThen():
		r.Verdict, state = VerdictSealed, VerdictSealed
	default:
		r.Verdict = VerdictConsistent
	}
	r.Level = Level{L0: state, L1: state, L2: a.levelTwo(state)}
	for i, e := range a.eras {
		of := e.ofBuckets()
		if i == len(a.eras)-1 {
			r.ofBuckets = of
			continue
		}
		r.Eras = append(r.Eras, eraRow{Until: e.until, Recoding: e.first.Recoding, declared: declaredBy(e.first), ofBuckets: of})
	}
	r.NotPromised = r.notPromised()
	return r
}
