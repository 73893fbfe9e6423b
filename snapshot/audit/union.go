package audit

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/shares"
)

// unionDir audits the releases of a union together with the chains of all its shards,
// which lie below shards/.
//
// Guarantee: "certified" is returned only if the chain of every shard is certified, with
// both of its exports, every release of the union is made of nothing but releases of
// these chains, and no person is in two shards. Then Corollary U (docs/PROOFS.md)
// bounds every posterior by that of one shard's chain, at the least level of the shards.
// "sealed" is the same of what is there; where releases of a shard or of the union are gone,
// their ledgers say that they passed (sealed.go).
//
// What files cannot show is listed as not checked: that the shards draw by different
// seeds (level L2 rests on it), and that the digests of their subjects are made with one
// key (without which a person in two shards has two digests).
//
// Cost: that of the shards' audits one after another, 16 bytes for each person of all
// shards, and each file of the union once.
func unionDir(o Options) (*Report, error) {
	u := &unionAudit{o: o, chains: map[int]*shardChain{}, report: &Report{requireCertified: o.RequireCertified,
		Releases: []releaseRow{}, Violations: []format.Violation{}, Attackers: []shares.Attacker{}, NotChecked: []string{}}}
	var err error
	if u.beside, err = besideOf(o.Releases); err != nil {
		return nil, err
	}
	if err := u.list(); err != nil {
		return nil, err
	}
	for _, audit := range []func() error{u.shards, u.each, u.published} {
		if err := audit(); err != nil {
			return nil, err
		}
	}
	u.persons.check(u.newest().number, &u.f)
	return u.finish(), nil
}

// list reads the manifests of all releases, pruned ones too.
func (u *unionAudit) list() error {
	here, err := format.ListReleases(u.o.Releases)
	if err != nil {
		return err
	}
	if u.o.Until > 0 {
		here = slices.DeleteFunc(here, func(n int) bool { return n > u.o.Until })
	}
	if len(here) == 0 {
		return format.Unreadable(u.o.Releases, 0, "holds no release that was published when the exports were made")
	}
	if u.report.Pruned, err = listPruned(u.o.Releases, here); err != nil {
		return err
	}
	if err := u.findGone(here[0]); err != nil {
		return err
	}
	for _, n := range u.report.Pruned {
		if n > here[0] {
			u.f.Add("chain", format.KindReleaseMissing, n, 0, "", "a release has no files, and an older one has: releases are pruned oldest first")
		}
	}
	for _, n := range slices.Sorted(slices.Values(slices.Concat(u.report.Pruned, here))) {
		read := readUnion
		if !slices.Contains(here, n) {
			read = readPrunedUnion
		}
		r, err := read(filepath.Join(u.o.Releases, format.DirName(n)), n)
		if err != nil {
			return err
		}
		u.releases = append(u.releases, r)
	}
	return nil
}

// unionAudit is the state of one audit of a union.
type unionAudit struct {
	o        Options
	releases []*unionRelease
	chains   map[int]*shardChain
	f        format.Faults
	report   *Report
	persons  *persons
	ever     int            // published up to the release before
	gone     map[int]string // releases of which the ledger alone is left: the hash of each manifest
	beside   beside
}

// shardChain is what the audit of a shard's chain has shown.
type shardChain struct {
	report     *Report
	made       map[int]format.Seal // of releases that are gone the hash of the manifest alone, by the ledger
	copies     map[string]bool     // that its manifests name
	unread     bool                // not all of them were read
	values     []string
	histograms map[int][]int
}

func (u *unionAudit) newest() *unionRelease { return u.releases[len(u.releases)-1] }

// shards audits each shard's chain, one after another, and keeps what the union needs.
func (u *unionAudit) shards() error {
	u.persons = newPersons()
	for _, s := range u.newest().man.Union.Shards {
		if s.Release == 0 || u.chains[s.Shard] != nil {
			continue
		}
		wanted := map[int]bool{}
		for _, r := range u.releases {
			for _, e := range r.man.Union.Shards {
				if e.Shard == s.Shard {
					wanted[e.Release] = true
				}
			}
		}
		o, err := u.exports(s)
		if err != nil {
			return err
		}
		a, err := dir(o, wanted)
		if err != nil {
			return err
		}
		if len(a.eras) > 1 {
			return format.Unreadable(o.Releases, 0, "the settings of the shard have changed, and a union has those of one era")
		}
		for n, sha := range a.in.gone {
			a.made[n] = format.Seal{Manifest: sha}
		}
		u.chains[s.Shard] = &shardChain{report: a.report, copies: a.hierarchies, unread: a.unread, made: a.made, values: a.in.s.Sa.Text,
			histograms: a.histograms}
		if o.Private == nil {
			u.persons.unknown = append(u.persons.unknown, s.Shard)
		} else if err := u.persons.add(s.Shard, o.Records, o.Private.Records, a.in.s.Subject); err != nil {
			return err
		}
		if u.o.Progress != nil {
			u.o.Progress(len(u.chains), len(u.newest().man.Union.Shards))
		}
	}
	return nil
}

// exports says how to audit a shard. Releases that it has published since its exports
// were made are left out, if the union has none of them.
func (u *unionAudit) exports(s format.UnionShard) (Options, error) {
	o := Options{Releases: filepath.Join(u.o.Releases, "shards", strconv.Itoa(s.Shard))}
	if u.o.Exports == "" {
		return o, nil
	}
	dir := filepath.Join(u.o.Exports, shardName(s.Shard))
	if ledger := filepath.Join(dir, "ledger"); isThere(ledger) {
		o.Ledger = ledger
	}
	o.Members, o.Records = filepath.Join(dir, "members.csv"), filepath.Join(dir, "records.csv")
	members, err := format.ReadFile(o.Members)
	if err != nil {
		return o, err
	}
	records, err := format.ReadFile(o.Records)
	if err != nil {
		return o, err
	}
	o.Private = &Exports{Members: members, Records: records}
	last, err := lastRelease(o.Members, members)
	if err != nil {
		return o, err
	}
	o.Until = max(last, s.Release)
	return o, nil
}

// lastRelease is the newest release that a members export names.
func lastRelease(file string, data []byte) (last int, err error) {
	csv, header, err := format.NewCSV(file, data)
	if err != nil || header[0] != "release" {
		return 0, err // parseMembers says what is wrong
	}
	for {
		ok, err := csv.Next()
		if err != nil || !ok {
			return last, err
		}
		n, _ := format.ParseCount(csv.Fields[0])
		last = max(last, int(n))
	}
}

// each tests every release of the union against the one before and against the chains.
func (u *unionAudit) each() error {
	seen := seenFiles{}
	var before *unionRelease
	hist := map[string]int{}
	for _, r := range u.releases {
		u.unsee(r)
		checkUnionRelease(before, r, &u.f)
		var link *format.Manifest
		if before != nil {
			link = before.man
		} else if sha := u.gone[r.number-1]; sha != "" {
			link = &format.Manifest{Release: r.number - 1, Sha: sha}
		}
		format.CheckLink(link, r.man, r.number, &u.f)
		r.man.Release = r.number // findings name directories
		format.CheckForm(r.man, &u.f)
		u.known(r)
		if err := u.hierarchies(r); err != nil {
			return err
		}
		if !r.pruned { // its parts are those of the shards' chains, by their hashes
			if err := checkUnionFiles(r, seen, &u.f); err != nil {
				return err
			}
		}
		hist = u.row(r, hist)
		before = r
	}
	return nil
}

// known tests that the chains of the shards have the releases of a vector.
func (u *unionAudit) known(r *unionRelease) {
	for _, s := range r.man.Union.Shards {
		own := u.chains[s.Shard]
		if s.Release == 0 || own == nil {
			continue // a vector that goes back is reported
		}
		u.f.Of(s.Shard, func() {
			if own.made[s.Release].Manifest != s.SHA256 {
				u.f.Add("F", format.KindVectorRelease, r.number, 0, "union.shards", "the chain of the shard has no such release")
			}
		})
	}
}

// hierarchies tests that the copies are there by which the cells are read.
func (u *unionAudit) hierarchies(r *unionRelease) error {
	_, err := format.LoadHierarchies(u.o.Releases, r.man, &u.f)
	return err
}

// row adds up what the tables of the shards hold and held, of those who have left, tests rule D (difference) on the sum,
// and notes what the report says of the release.
func (u *unionAudit) row(r *unionRelease, before map[string]int) map[string]int {
	now := map[string]int{}
	records := 0
	for _, s := range r.man.Union.Shards {
		if own := u.chains[s.Shard]; own != nil {
			for v, n := range own.histograms[s.Release] {
				now[own.values[v]] += n
				records += n
			}
		}
	}
	ever := r.man.Seal().People
	if records != ever && u.whole(r) {
		u.f.Add("claim", format.KindUnionSum, r.number, 0, "records", "the tables of the shards hold another number of records")
	}
	top, total := 0, 0
	for value, n := range now {
		news := n - before[value]
		total += news
		top = max(top, news)
	}
	for value, n := range before {
		if now[value] < n {
			u.f.AddN("N", format.KindRowsRemoved, r.number, 0, "", "rows of the release before are missing from the table", n-now[value])
		}
	}
	if !r.man.AtL2() && top*r.man.Policy.L > total && u.whole(r) { // at level L2 the shards' audits test it pool by pool
		u.f.Add("D", format.KindDifference, r.number, 0, "", "one value has more than 1/l of the records this release adds")
	}
	row := releaseRow{Release: r.number, Records: r.man.Records, Pending: r.man.Pending, Classes: r.man.Classes, Buckets: r.man.Buckets,
		Parts: len(r.man.Parts), KMin: r.man.Privacy.KMin, MaxFrequency: r.man.Privacy.MaxFrequency,
		Certificate: r.man.Privacy.Certificate, Newcomers: ever - u.ever, NewcomersTop: format.Share(top, total), Waiting: -1}
	if r.man.Policy.Level != format.LevelTwo {
		row.WaitingTopShare = new(float64)
	}
	for i := range r.man.Parts {
		row.DeadClasses += len(r.man.Parts[i].Dead)
	}
	u.report.Releases, u.ever = append(u.report.Releases, row), ever
	return now
}

// whole reports that the tables of all shards of a release were read.
func (u *unionAudit) whole(r *unionRelease) bool {
	return !slices.ContainsFunc(r.man.Union.Shards, func(s format.UnionShard) bool {
		return s.Release > 0 && (u.chains[s.Shard] == nil || u.chains[s.Shard].histograms[s.Release] == nil)
	})
}

// published checks what follows the rename of a release: CURRENT and ledger.
func (u *unionAudit) published() error {
	newest := u.newest().number
	if err := u.beside.look(); err != nil {
		return err
	}
	named, last, err := readNaming(u.o, newest)
	if err != nil {
		return err
	}
	copies, whole := u.copies()
	if err := u.beside.check(u.o.Ledger, true, copies, whole && last == newest, &u.f); err != nil {
		return err
	}
	made := map[int]format.Seal{}
	if u.o.Ledger == "" {
		u.skip("the ledger of the union: none was given")
	}
	for _, r := range u.releases {
		made[r.number] = r.man.Seal()
	}
	u.sealedBy(&named.seals)
	if named.check(made, newest, last, &u.f) {
		u.skip("that release " + strconv.Itoa(newest) + " is fully published: CURRENT or the ledger does not name it yet; " +
			"the next run of a union finishes this")
	}
	return nil
}

// copies are those that manifests name, of shards too: a union copies what they name before it decides. whole: all manifests were read.
func (u *unionAudit) copies() (out map[string]bool, whole bool) {
	out, whole = map[string]bool{}, true
	for _, r := range u.releases {
		r.man.Copies(out)
	}
	for _, s := range u.newest().man.Union.Shards {
		if own := u.chains[s.Shard]; own != nil {
			maps.Copy(out, own.copies)
			whole = whole && !own.unread
		} else {
			whole = false
		}
	}
	return out, whole
}

func (u *unionAudit) skip(what string) { u.report.NotChecked = append(u.report.NotChecked, what) }
