package audit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anond/snapshot/audit/chain"
	"anond/snapshot/audit/format"
)

// Options says what to audit. Ledger, Members and Records may be empty.
type Options struct {
	Releases string // directory with CURRENT, 000001, ...
	Ledger   string // ledger file
	Members  string // members.csv
	Records  string // records.csv
	// Private are the texts of both exports where a caller has just made them, so
	// that they need not lie in files. Members and Records are not read then.
	Private          *Exports
	Replay           *Replay // what a replay of all decisions found; nil: none was asked for
	RequireCertified bool    // anything less than certified is a failure, and with a replay less than level L2
	// Exports, of a union: a directory with shard-I/members.csv and shard-I/records.csv
	// of each shard I, and shard-I/ledger if releases of the shard are gone.
	Exports string
	// Others are the records exports of other datasets of the same subject ledger.
	Others []string
	// Until leaves later releases out: the exports were made before they were published.
	// 0: none.
	Until    int
	Views    []string                 // directories of views of the releases
	Progress func(done, releases int) // is told how many releases were read; may be nil
}

// input is everything read for one audit.
type input struct {
	dir     string
	numbers []int // of all releases, pruned ones too
	here    []int // of those that have a directory
	pruned  []int
	vault   *format.Vault  // nil: none is pruned
	times   format.Times   // of releases, as far as manifests were read
	eras    []eraInput     // oldest first
	s       *format.Schema // of the newest era
	first   *format.Manifest
	index   *chain.RecordIndex
	members *chain.Members // nil without export
	records *chain.Records // nil without export; as the newest era has them
	expired int            // of the newest release: whom those up to it published first have left
	// gone are releases of which nothing is left but the ledger's line, which has the hash of the manifest.
	gone map[int]string
	// vouched: files were pruned of which parts have left since, and the ledger has sealed all releases before the oldest with files.
	vouched bool
}

// open lists the releases and reads schema, hierarchies and exports.
func open(o Options, f *format.Faults) (*input, error) {
	in := &input{dir: o.Releases, times: format.Times{}, index: &chain.RecordIndex{Ids: map[string]uint32{}}}
	var err error
	if err := in.list(o); err != nil {
		return nil, err
	}
	if in.first, err = in.manifest(in.numbers[0]); err != nil {
		return nil, err
	}
	newest, err := in.manifest(in.newest())
	if err != nil {
		return nil, err
	}
	in.expired = newest.Expired
	if err := in.listEras(newest); err != nil {
		return nil, err
	}
	for i := range in.eras {
		e := &in.eras[i]
		hier, err := format.LoadHierarchies(o.Releases, e.newest, f) // they contain the earlier ones: checkGrowth
		if err != nil {
			return nil, err
		}
		e.s = format.NewSchema(e.first, hier)
		in.s = e.s
	}
	in.checkPruned(f)
	if err := errors.Join(in.findGone(o), in.fill(o, f)); err != nil {
		return nil, err
	}
	return in, in.exports(o)
}

// eraInput is what is known of an era before its releases are read.
type eraInput struct {
	from, until   int              // releases; until 0: it has not ended
	first, newest *format.Manifest // of the era, in the first and the newest release that tells of it
	s             *format.Schema
	records       *chain.Records // as its columns say; nil without export
}

// listEras finds the eras of all releases. One of which all has left is in older manifests alone.
func (in *input) listEras(newest *format.Manifest) error {
	in.eras = []eraInput{{from: in.first.Release, first: in.first, newest: newest}}
	if len(newest.Eras) == 0 && newest.Expired == 0 && len(in.first.Eras) == 0 {
		return nil
	}
	in.eras = nil
	var before *format.Manifest
	for _, n := range in.numbers {
		man, err := in.manifest(n)
		if err != nil {
			return err
		}
		man.Release = n // findings name directories
		sections := man.ByEra()
		if last := len(in.eras) - 1; before != nil && last >= 0 && man.Begins(before) {
			in.eras[last].until = before.Release
		} else if last >= 0 {
			in.eras[last].newest = sections[len(sections)-1]
		}
		for _, s := range sections {
			i := slices.IndexFunc(in.eras, func(e eraInput) bool { return e.until == s.Until() })
			if i >= 0 {
				in.eras[i].newest = s
			} else if before == nil || !s.Former() {
				in.eras = append(in.eras, eraInput{from: n, until: s.Until(), first: s, newest: s})
			} // CheckEras
		}
		before = man
	}
	return nil
}

// list finds out which releases there are.
func (in *input) list(o Options) (err error) {
	if in.here, err = format.ListReleases(o.Releases); err != nil {
		return err
	}
	if o.Until > 0 {
		in.here = slices.DeleteFunc(in.here, func(n int) bool { return n > o.Until })
	}
	if len(in.here) == 0 {
		return format.Unreadable(o.Releases, 0, "holds no release that was published when the exports were made")
	}
	if in.pruned, err = listPruned(o.Releases, in.here); err != nil {
		return err
	}
	in.numbers = slices.Concat(in.pruned, in.here)
	slices.Sort(in.numbers)
	return nil
}

// newest is the last release that is looked at.
func (in *input) newest() int { return in.here[len(in.here)-1] }

// Exports are the private exports as texts.
type Exports struct{ Members, Records []byte }

func (in *input) exports(o Options) error {
	if o.Private != nil {
		o.Members, o.Records = "members.csv", "records.csv" // names for errors
	}
	if o.Members != "" {
		data, err := o.export(o.Members)
		if err != nil {
			return err
		}
		if in.members, err = chain.ParseMembers(o.Members, data, in.index); err != nil {
			return err
		}
	}
	if o.Records != "" {
		data, err := o.export(o.Records)
		if err != nil {
			return err
		}
		for i := range in.eras {
			e := &in.eras[i]
			if e.records, err = chain.ParseRecords(o.Records, data, e.s, in.index, len(in.eras) > 1); err != nil {
				return err
			}
			in.records = e.records
		}
	}
	return nil
}

// export returns the text of one of the exports.
func (o Options) export(name string) ([]byte, error) {
	switch {
	case o.Private == nil:
		return format.ReadFile(name)
	case name == o.Members:
		return o.Private.Members, nil
	}
	return o.Private.Records, nil
}

// naming is what names releases: CURRENT and the ledger.
type naming struct {
	current int // 0: there is none yet
	seals
}

// readNaming reads what names releases, and returns the last release that is there. It lists the releases after it has read the
// names: next to a daemon that publishes, whatever is named is there by then.
func readNaming(o Options, newest int) (n naming, last int, err error) {
	path := filepath.Join(o.Releases, "CURRENT")
	data, err := os.ReadFile(path)
	switch text, ok := strings.CutSuffix(string(data), "\n"); {
	case errors.Is(err, fs.ErrNotExist) && newest == 1:
	case err != nil:
		return n, 0, &format.UnreadableError{File: path, Reason: "cannot be read", Err: err}
	case !ok || format.ParseDirName(text) == 0:
		return n, 0, format.Unreadable(path, 1, "is not six digits and LF")
	default:
		n.current = format.ParseDirName(text)
	}
	if n.seals, err = readSeals(o.Ledger); err != nil {
		return n, 0, err
	}
	now, err := format.ListReleases(o.Releases)
	if err != nil {
		return n, 0, err
	}
	return n, now[len(now)-1], nil
}

// check tests that CURRENT names the newest release that was audited, or one up to last that was published meanwhile, and
// compares the ledger with the manifests found. CURRENT one behind, and a ledger without the newest release or with a torn
// line, is what a crash between the rename and the next steps leaves; the publisher finishes it at its next start, and pending says so.
func (n *naming) check(made map[int]format.Seal, newest, last int, f *format.Faults) (pending bool) {
	if n.current < newest-1 || n.current > last {
		f.Add("chain", format.KindCurrentMismatch, newest, 0, "CURRENT", "CURRENT does not name the newest release")
	} else {
		pending = n.current == newest-1
	}
	if n.lines == nil {
		return pending
	}
	return n.checkLedger(made, newest, last, f) || n.torn || pending
}

func (n *naming) checkLedger(made map[int]format.Seal, newest, last int, f *format.Faults) (pending bool) {
	lines, before := n.lines, format.Seal{}
	for _, n := range format.SortedKeys(lines) {
		line := lines[n]
		is, ok := made[n]
		switch {
		case n > last:
			f.Add("chain", format.KindLedgerAhead, n, 0, "ledger", "the ledger knows a release that is not here")
		case ok && is.Manifest != line.Manifest:
			f.Add("chain", format.KindLedgerMismatch, n, 0, "ledger", "the manifest is not the one in the ledger")
		case ok && line.Other(is):
			f.Add("chain", format.KindLedgerMismatch, n, 0, "ledger", "the ledger has sealed other data files, or another number of people")
		}
		if line.People < before.People || line.Digests < before.Digests {
			f.Add("chain", format.KindLedgerMismatch, n, 0, "ledger", "the ledger counts fewer people than in the release before")
		}
		before = line
	}
	for _, n := range format.SortedKeys(made) {
		if _, ok := lines[n]; ok {
			continue
		}
		if n == newest {
			pending = true
			continue
		}
		f.Add("chain", format.KindLedgerBehind, n, 0, "ledger", "the ledger does not know the release")
	}
	return pending
}
