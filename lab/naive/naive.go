// Package naive shows whom common ways of refreshing a table expose: the same people, as they
// arrived in the releases of a dataset, are published by methods that keep k and l in each release
// by itself and ignore what was published before.
//
// It reads the releases and the exports of anond (state members, state records), and writes releases
// that must not be published.
//
// Source: the literal update of Wang, Xu and Sun, and a new partition of everything for each release.
package naive

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/internal/disk"
	"anond/internal/fault"
	"anond/lab/attacker/posterior"
	"anond/lab/literal"
	"anond/lab/topdown"
	"anond/snapshot"
	"anond/snapshot/audit"
	"anond/snapshot/audit/shares"
	"anond/snapshot/publish"
	"anond/snapshot/readback"
	"anond/snapshot/render"
)

// Options name the releases of a dataset with its two exports, and where to write.
type Options struct {
	Releases, Members, Records string
	Out                        string // a directory that does not exist yet
	Seed                       uint64 // of the attack on level L1
}

// Exposure is what the attackers of the audit learn from one way of refreshing a
// table.
type Exposure struct {
	Method    string `json:"method"`
	Releases  int    `json:"releases"`
	Published int    `json:"published"`
	// Exposed counts the people for whom some value has a proven probability above
	// 1/l; what the search cannot decide is not counted. Of a certified chain nobody is.
	Exposed   int               `json:"exposed"`
	NCP       float64           `json:"ncp"`
	Attackers []shares.Attacker `json:"attackers"`
}

// Comparison is what someone learns from the releases of a dataset, from the same table refreshed
// in other ways, and from the program of level L1.
type Comparison struct {
	K      int        `json:"k"`
	L      int        `json:"l"`
	Naive  []Exposure `json:"naive"` // the dataset's own releases first
	Reader *Reader    `json:"reader"`
}

// errNotCertified: the releases of the dataset themselves do not hold, or the exports are not theirs.
var errNotCertified = fault.Errorf(fault.Privacy, "anond audit says why", "the releases are not certified by these exports")

// Compare makes releases by each method, of the same people and after the same numbers of records,
// and counts whom each way exposes.
func Compare(ctx context.Context, o Options) (*Comparison, error) {
	s, err := load(o)
	if err != nil {
		return nil, err
	}
	own, mine, err := s.audited("anond", o.Releases, o.Members)
	if err != nil {
		return nil, err
	}
	if own.Verdict != audit.VerdictCertified {
		return nil, errNotCertified
	}
	out := &Comparison{K: s.want.K, L: s.want.L, Naive: []Exposure{mine}}
	for _, m := range []struct {
		name   string
		method literal.Method
		by     equivclass.Partitioner
	}{
		{"literal update (Wang et al.), close-k", literal.Local, topdown.WangCloseK{}},
		{"re-run for each release, extract", literal.Full, extract.Extract{}},
	} {
		dir := filepath.Join(o.Out, m.method.String()+"-"+m.by.Name())
		known, err := s.publish(literal.New(m.method, m.by, s.want, literal.Params{Space: s.points.Space, Threshold: -1}), dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		_, e, err := s.audited(m.name, filepath.Join(dir, "releases"), filepath.Join(dir, membersFile))
		if err != nil {
			return nil, err
		}
		found, err := posterior.Search(*known, posterior.Options{K: own.K, L: own.L, MaxExact: posterior.Exact})
		if err != nil {
			return nil, err
		}
		e.Exposed = found.Exposed
		out.Naive = append(out.Naive, e)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	out.Reader, err = s.readProgram(ctx, o.Seed)
	return out, err
}

// membersFile is the export of a chain next to its releases.
const membersFile = "members.csv"

// stream is the people of a dataset in the order in which they arrived.
type stream struct {
	schema   *equivclass.Schema
	settings *render.Settings
	want     equivclass.Requirement
	table    *equivclass.Table
	points   *equivclass.Pool
	exported string   // the export of records
	ids      []string // of the records, as exported
	arrived  []int    // by record: the first release that could have it
	created  []int64  // by release
}

// audited audits a chain.
func (s *stream) audited(method, releases, members string) (*audit.Report, Exposure, error) {
	e := Exposure{Method: method}
	list, err := snapshot.List(snapshot.OS(), releases)
	if err != nil {
		return nil, e, err
	}
	report, err := audit.Dir(audit.Options{Releases: releases, Members: members, Records: s.exported})
	if err != nil {
		return nil, e, err
	}
	newest := list[len(list)-1]
	e.Releases, e.Published, e.NCP, e.Attackers = len(list), newest.Records, newest.NCP, report.Attackers
	return report, e, nil
}

// load reads the newest manifest, and encodes the exported records by its schema. Of the promises only k and l
// are asked of the other methods.
func load(o Options) (*stream, error) {
	r, err := readback.Open(o.Releases)
	if err != nil {
		return nil, err
	}
	m := r.Manifest
	s := &stream{schema: r.Schema, want: equivclass.Requirement{K: m.Policy.K, L: m.Policy.L}, exported: o.Records,
		settings: &render.Settings{Dataset: m.Dataset, Recoding: render.Generalization(), // they know no buckets, and form classes anew
			Policy: snapshot.Policy{K: m.Policy.K, L: m.Policy.L, Diversity: []snapshot.Diversity{}, Republication: "regroup"}}}
	for _, a := range m.Schema {
		if a.Hierarchy == nil {
			continue
		}
		content, err := os.ReadFile(filepath.Join(o.Releases, filepath.FromSlash(a.Hierarchy.File)))
		if err != nil {
			return nil, err
		}
		s.settings.Hierarchies = append(s.settings.Hierarchies, render.HierarchyFile{Attribute: a.Name, File: a.Hierarchy.File,
			Content: content})
	}
	list, err := snapshot.List(snapshot.OS(), o.Releases)
	if err != nil {
		return nil, err
	}
	for _, i := range list {
		at, err := time.Parse(time.RFC3339, i.CreatedAt)
		if err != nil {
			return nil, err
		}
		s.created = append(s.created, at.Unix())
	}
	if err := s.read(); err != nil {
		return nil, fmt.Errorf("%s: %w", o.Records, err)
	}
	s.points = s.table.Pool(s.schema.Quasi(), s.schema.SensitiveIndex())
	return s, nil
}

// read encodes the records that arrived before the newest release, in the order of their releases.
func (s *stream) read() error {
	f, err := os.Open(s.exported)
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return err
	}
	if len(rows) == 0 || !slices.Equal(rows[0][:min(2, len(rows[0]))], []string{"record", "arrived_in_release"}) {
		return errors.New("is not what anond state records writes")
	}
	var at []int // columns of the attributes
	for _, a := range s.schema.Attributes() {
		at = append(at, slices.Index(rows[0], a.Name))
	}
	type arrival struct{ release, row int }
	var order []arrival
	for i, row := range rows[1:] {
		if n, err := strconv.Atoi(row[1]); err == nil && n <= len(s.created) {
			order = append(order, arrival{n, i + 1})
		}
	}
	slices.SortStableFunc(order, func(a, b arrival) int { return a.release - b.release })
	s.table = equivclass.NewTable(s.schema.Attributes())
	for _, a := range order {
		values := make(equivclass.Row, len(at))
		for i, column := range at {
			if column >= 0 {
				values[i] = []byte(rows[a.row][column])
			}
		}
		if why, attribute := s.table.Append(values); why != equivclass.Accepted {
			return fmt.Errorf("line %d: %s (attribute %q)", a.row+1, why, attribute)
		}
		s.ids, s.arrived = append(s.ids, rows[a.row][0]), append(s.arrived, a.release)
	}
	return nil
}

// publish makes the releases of one method in a directory, with an export of who is in which class, and
// returns what someone knows who has both.
func (s *stream) publish(update *literal.Update, dir string) (known *posterior.Chain, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	publisher := &publish.Publisher{FS: snapshot.OS(), Dir: filepath.Join(dir, "releases"), Ledger: filepath.Join(dir, "ledger"),
		Gate: open{}}
	if err := publisher.Open(); err != nil {
		return nil, err
	}
	f, err := disk.Create(filepath.Join(dir, membersFile), 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	members := csv.NewWriter(f)
	_ = members.Write([]string{"release", "record", "part", "class"}) // Error gives what fails
	known = &posterior.Chain{Records: len(s.ids)}
	var before []render.Class
	inserted := 0
	for i := range s.created {
		cut, _ := slices.BinarySearch(s.arrived, i+2)
		update.Insert(s.insertion(inserted, cut)...)
		inserted = cut
		in := s.input(uint32(i+1), cut, update.Release(), before)
		out, err := publisher.Publish(in, s.settings)
		if err != nil {
			return nil, err
		}
		before = in.Classes
		known.Releases = append(known.Releases, s.shown(in.Classes))
		for _, p := range out.Placed {
			for j, r := range p.Records {
				_ = members.Write([]string{strconv.Itoa(i + 1), s.ids[r], p.Part, strconv.Itoa(int(p.Classes[j]))})
			}
		}
	}
	members.Flush()
	return known, members.Error()
}

func (s *stream) insertion(from, to int) []literal.Row {
	rows := make([]literal.Row, 0, to-from)
	for r := from; r < to; r++ {
		rows = append(rows, literal.Row{X: slices.Clone(s.points.At(int32(r))), SA: s.points.SA[r], Subject: uint64(r + 1)})
	}
	return rows
}

// input shows the groups of a release, which all count as born in it: those of
// the release before are dead.
func (s *stream) input(release uint32, cut int, groups []literal.Group, before []render.Class) *render.Input {
	in := &render.Input{Release: release, Since: release - 1, CreatedAt: s.created[release-1], Seeded: true, Pending: cut,
		Columns: render.Columns{Schema: s.schema, SA: []equivclass.Column{equivclass.ColumnOf(s.points.SA[:cut])},
			Dictionaries: s.table.Frozen()}}
	quasi := s.table.Columns(s.schema.Quasi()...)
	for _, column := range quasi.Codes {
		in.QI = append(in.QI, equivclass.ColumnOf(column[:cut]))
	}
	in.Scale = equivclass.ScalesOf(quasi.Dicts, equivclass.ColumnsOf(quasi.Codes), s.table.Len())
	for _, g := range groups {
		class := render.Class{Born: release}
		for _, r := range g {
			class.Members = append(class.Members, equivclass.RecordID(r))
		}
		in.Pending -= len(g)
		in.Classes = append(in.Classes, class)
	}
	for _, c := range before {
		c.Died = release
		in.Dead = append(in.Dead, c)
	}
	return in
}

// shown are classes as someone sees them who knows who is in each.
func (s *stream) shown(classes []render.Class) (out []posterior.Class) {
	for _, c := range classes {
		var x posterior.Class
		for _, r := range c.Members {
			x.Members, x.Bag = append(x.Members, uint32(r)), append(x.Bag, uint32(s.points.SA[r]))
		}
		out = append(out, x)
	}
	return out
}

// open is a gate that accepts everything: these methods have no gate.
type open struct{}

func (open) Check(string, []render.Placement) error { return nil }
