package audit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
)

// Epochs of a dataset: chains that follow those of an epoch that was closed, with states of their own.
//
// Guarantee: together they are "certified" only if each is by itself, the manifests of each name the
// newest manifests of all chains of the one before, and nobody is published in two of them. Then Corollary
// V (docs/THREAT_MODEL.md) bounds every posterior by that of one chain.
//
// Cost: that of the audits one after another, and 16 bytes for each published person of all.

// Earlier is an earlier epoch: its releases, or those of its union, and its exports.
type Earlier struct {
	Releases string
	// Exports is a directory with members.csv and records.csv, of a union with those of each shard I in
	// shard-I; empty: there are none.
	Exports string
}

// Epochs is what a report says of earlier epochs.
type Epochs struct {
	Number int          `json:"number"` // of the epoch that was audited
	People int          `json:"people"` // different people published in all of them; -1: not known
	Before []EpochAudit `json:"before"` // oldest first
}

// EpochAudit is the audit of an earlier epoch.
type EpochAudit struct {
	Number   int     `json:"number"`
	Releases int     `json:"releases"`
	Records  int     `json:"records"` // published in its newest release
	Report   *Report `json:"report"`
}

// epochEntry says which epoch a chain belongs to, and how those of the epoch before have ended.
type epochEntry struct {
	Number  int          `json:"number"`
	Earlier []chainEntry `json:"earlier"`
}

type chainEntry struct {
	Shard   int    `json:"shard"`
	Release int    `json:"release"`
	SHA256  string `json:"sha256"`
}

func (e *epochEntry) wellFormed() bool {
	seen := map[int]bool{}
	for _, c := range e.Earlier {
		if c.Shard < 0 || seen[c.Shard] || c.Release < 0 || (c.Release > 0) != isSHA(c.SHA256) {
			return false
		}
		seen[c.Shard] = true
	}
	return e.Number > 1 && len(e.Earlier) > 0
}

func sameEpoch(a, b *epochEntry) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Number == b.Number && slices.Equal(a.Earlier, b.Earlier)
}

// epochNumber is that of a manifest's epoch, from 1.
func (m *Manifest) epochNumber() int {
	if m.Epoch == nil {
		return 1
	}
	return m.Epoch.Number
}

// epochOf is what is known of an epoch's releases.
type epochOf struct {
	man    *Manifest // the newest
	ends   []chainEntry
	people []personID // published, in order
	keys   map[string]bool
	lack   string // why not everybody is known; empty: everybody is
}

// withEarlier completes the report of an epoch by the audits of earlier ones, oldest first.
func withEarlier(o Options, now *Report) (*Report, error) {
	this, err := newestManifest(o.Releases)
	if err != nil {
		return nil, err
	}
	if len(o.Earlier) == 0 {
		if n := this.epochNumber(); n > 1 {
			now.NotChecked = append(now.NotChecked, fmt.Sprintf("that nobody was published in an earlier epoch, too: this is epoch %d, "+
				"and --earlier names none", n))
		}
		return now, nil
	}
	x := &epochsAudit{now: now, out: &Epochs{Number: this.epochNumber(), People: -1, Before: []EpochAudit{}}}
	for _, e := range o.Earlier {
		if err := x.before(o, e); err != nil {
			return nil, err
		}
	}
	if err := x.look(o.Releases, o.Exports, o); err != nil {
		return nil, err
	}
	x.compare()
	return now, nil
}

// epochsAudit joins the audits.
type epochsAudit struct {
	now    *Report
	out    *Epochs
	epochs []*epochOf
	f      faults
}

// before audits an earlier epoch by itself.
func (x *epochsAudit) before(o Options, e Earlier) error {
	of := Options{Releases: e.Releases, Quick: o.Quick, MaxExact: o.MaxExact}
	union, err := isUnion(e.Releases)
	switch {
	case err != nil:
		return err
	case union:
		of.Exports = e.Exports
	case e.Exports != "":
		of.Members, of.Records = filepath.Join(e.Exports, "members.csv"), filepath.Join(e.Exports, "records.csv")
	}
	report, err := alone(of)
	if err != nil {
		return err
	}
	if err := x.look(e.Releases, e.Exports, of); err != nil {
		return err
	}
	row := EpochAudit{Number: x.newest().man.epochNumber(), Releases: len(report.Releases), Report: report}
	if n := len(report.Releases); n > 0 {
		row.Records = report.Releases[n-1].Records
	}
	x.out.Before = append(x.out.Before, row)
	return nil
}

func (x *epochsAudit) newest() *epochOf { return x.epochs[len(x.epochs)-1] }

// look reads how the chains of an epoch end, and whom it has published.
func (x *epochsAudit) look(releases, exports string, o Options) (err error) {
	e := &epochOf{keys: map[string]bool{}}
	x.epochs = append(x.epochs, e)
	if e.man, err = newestManifest(releases); err != nil {
		return err
	}
	if e.man.Union == nil {
		e.ends = []chainEntry{{Release: e.man.Release, SHA256: e.man.sha}}
		if o.Private != nil {
			return e.add(o.Members, o.Private.Members, o.Records, o.Private.Records)
		}
		return e.read(o.Members, o.Records)
	}
	for shard := range e.man.Union.Of {
		dir := filepath.Join(releases, "shards", strconv.Itoa(shard))
		end := chainEntry{Shard: shard}
		if man, err := newestManifest(dir); err == nil {
			end.Release, end.SHA256 = man.Release, man.sha
		} else if e.man.Union.Shards[shard].Release > 0 {
			return err
		}
		e.ends = append(e.ends, end)
		members, records := "", ""
		if exports != "" && end.Release > 0 {
			in := filepath.Join(exports, shardName(shard))
			members, records = filepath.Join(in, "members.csv"), filepath.Join(in, "records.csv")
		}
		if end.Release == 0 {
			continue
		}
		if err := e.read(members, records); err != nil {
			return err
		}
	}
	return nil
}

// newestManifest reads the newest release's.
func newestManifest(releases string) (*Manifest, error) {
	numbers, err := listReleases(releases)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(releases, dirName(numbers[len(numbers)-1]), "manifest.json")
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return parseAs(path, data, func(m *Manifest) string {
		if m.FormatVersion == formatUnion {
			return m.checkUnion()
		}
		return m.check()
	})
}

func (e *epochOf) read(members, records string) error {
	if members == "" || records == "" {
		e.lack = "there are no exports of all its chains"
		return nil
	}
	m, err := readFile(members)
	if err != nil {
		return err
	}
	r, err := readFile(records)
	if err != nil {
		return err
	}
	return e.add(members, m, records, r)
}

// add takes in the people whom a chain has published: those of the records that its members export names.
func (e *epochOf) add(membersFile string, members []byte, recordsFile string, records []byte) error {
	csv, header, err := newCSV(membersFile, members)
	if err != nil {
		return err
	}
	at := slices.Index(header, "record")
	if at < 0 {
		return unreadable(membersFile, 1, "header is not release,record,part,class")
	}
	var published []personID
	for {
		ok, err := csv.next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		published = append(published, hashOf(csv.fields[at]))
		if len(published) > 2*cap(published)/3 { // a record is in each release behind its first
			published = distinct(published)
		}
	}
	return e.ofRecords(distinct(published), recordsFile, records)
}

func hashOf(text []byte) personID {
	sum := sha256.Sum256(text)
	return personID(sum[:16])
}

func distinct(list []personID) []personID {
	slices.SortFunc(list, comparePersons)
	return slices.Compact(list)
}

// ofRecords finds the subjects of published records.
func (e *epochOf) ofRecords(published []personID, file string, records []byte) error {
	csv, header, err := newCSV(file, records)
	if err != nil {
		return err
	}
	name := slices.IndexFunc(e.man.Schema, func(c Column) bool { return c.Role == "subject" })
	at := -1
	if name >= 0 {
		at = slices.Index(header, e.man.Schema[name].Name)
	}
	if at < 0 {
		e.lack = "its records exports have no subjects"
		return nil
	}
	for {
		ok, err := csv.next()
		if err != nil || !ok {
			e.people = distinct(e.people)
			return err
		}
		subject := csv.fields[at]
		if bytes.HasPrefix(subject, []byte("forgotten-")) {
			continue // it is nobody's any more
		}
		if _, found := slices.BinarySearchFunc(published, hashOf(csv.fields[0]), comparePersons); !found {
			continue
		}
		key, _, named := bytes.Cut(subject, []byte(":"))
		if !named {
			e.lack = "its digests of people are under a key of its seed (no subject.key)"
		}
		e.keys[string(key)] = true
		e.people = append(e.people, hashOf(subject))
	}
}

// compare tests what joins the epochs, and draws the verdict over all.
func (x *epochsAudit) compare() {
	complete := true
	for i, e := range x.epochs {
		complete = x.linked(i) && complete
		if e.lack != "" {
			x.skip("that nobody is published in two epochs: of epoch %d, %s", e.man.epochNumber(), e.lack)
			complete = false
		}
	}
	if complete {
		x.people()
	}
	r := x.now
	r.Epochs = x.out
	r.Violations = append(r.Violations, x.f.sorted()...)
	for _, b := range x.out.Before {
		for _, v := range b.Report.Violations {
			v.Detail = fmt.Sprintf("epoch %d: %s", b.Number, v.Detail)
			r.Violations = append(r.Violations, v)
		}
	}
	slices.SortStableFunc(r.Violations, func(a, b Violation) int { return cmp.Compare(a.Release, b.Release) })
	certified := complete && r.Verdict == VerdictCertified &&
		!slices.ContainsFunc(x.out.Before, func(b EpochAudit) bool { return b.Report.Verdict != VerdictCertified })
	state := "not checked"
	switch {
	case len(r.Violations) > 0:
		r.Verdict, state = VerdictViolated, "violated"
	case certified:
		r.Verdict, state = VerdictCertified, "certified"
	default:
		r.Verdict = VerdictConsistent
	}
	r.Level.L0, r.Level.L1 = state, state
	if state == "violated" && r.claimsL2 {
		r.Level.L2 = state
	}
}

func (x *epochsAudit) skip(format string, args ...any) {
	x.now.NotChecked = append(x.now.NotChecked, fmt.Sprintf(format, args...))
}

// linked tests that the manifests of an epoch name the ends of all chains of the one before. It
// reports whether everything that they name was there to be looked at.
func (x *epochsAudit) linked(i int) bool {
	e := x.epochs[i]
	broken := func(detail string) {
		x.f.add("chain", kindEpochLink, e.man.Release, 0, "epoch", detail)
	}
	if i == 0 {
		if n := e.man.epochNumber(); n > 1 {
			x.skip("epochs before number %d: --earlier names none of them", n)
			return false
		}
		return true
	}
	before := x.epochs[i-1]
	if e.man.Epoch == nil || e.man.Epoch.Number != before.man.epochNumber()+1 || e.man.Dataset != before.man.Dataset {
		broken("the manifests do not continue the epoch before, of this dataset")
		return true
	}
	for _, end := range before.ends {
		if !slices.Contains(e.man.Epoch.Earlier, end) && !x.partly(before, e, end) {
			broken("a chain of the epoch before ends with another release than the manifests name")
		}
	}
	named := len(slices.DeleteFunc(slices.Clone(e.man.Epoch.Earlier), func(c chainEntry) bool { return c.Release == 0 }))
	have := len(slices.DeleteFunc(slices.Clone(before.ends), func(c chainEntry) bool { return c.Release == 0 }))
	if have < named {
		x.skip("%d of %d chains of epoch %d: they are not below the directory of --earlier", named-have, named, before.man.epochNumber())
		return false
	}
	return true
}

// partly reports that the epoch before is that of one shard, whose number its own files do not tell.
func (x *epochsAudit) partly(before, e *epochOf, end chainEntry) bool {
	return before.man.Union == nil && slices.ContainsFunc(e.man.Epoch.Earlier, func(c chainEntry) bool {
		return c.Release == end.Release && c.SHA256 == end.SHA256
	})
}

// people tests that nobody is published in two epochs.
func (x *epochsAudit) people() {
	keys, all := map[string]bool{}, &persons{}
	for _, e := range x.epochs {
		for k := range e.keys {
			keys[k] = true
		}
		all.merge(e.people)
		e.people = nil
	}
	release := x.newest().man.Release
	x.f.addN("S", kindSubjectKeys, release, 0, "", "epochs name people under different subject keys", max(0, len(keys)-1))
	x.f.addN("S", kindSubjectEpochs, release, 0, "", "a subject is published in two epochs", all.twice)
	x.out.People = len(all.all)
}

// epochs writes a line for each earlier epoch.
func (t *textWriter) epochs(r *Report) {
	if r.Epochs == nil {
		return
	}
	t.line("")
	t.line("This is epoch %d. The earlier ones were audited by themselves:", r.Epochs.Number)
	for _, b := range r.Epochs.Before {
		t.line("  epoch %d: %d releases, %d records, %s", b.Number, b.Releases, b.Records, b.Report.Verdict)
	}
	if r.Epochs.People >= 0 {
		t.line("%d different people are published in all of them together.", r.Epochs.People)
	}
}
