package demo

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"anond/config"
	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/internal/daemon"
	"anond/internal/disk/outfile"
	"anond/internal/testkit/hospital"
	"anond/lab/attacker/posterior"
	"anond/lab/literal"
	"anond/lab/topdown"
	"anond/snapshot"
)

// Chain is a directory of releases by an unsafe method, with the exports that
// an audit of it needs.
type Chain struct {
	Method                     string
	Releases, Members, Records string
	Known                      posterior.Chain // who is in which class, and what the classes show
}

// Naive runs the stream of a demo through two common ways of refreshing a table:
// the literal update of Wang, Xu and Sun, and a new partition of everything for
// each release. Both keep k and l in each release by itself, and both ignore what
// was published before. Their releases are cut after the same numbers of records
// as the daemon's.
func Naive(o Options, result *Result, dir string) ([]Chain, error) {
	s, err := load(o, result)
	if err != nil {
		return nil, err
	}
	var out []Chain
	for _, m := range []struct {
		name   string
		method literal.Method
		by     equivclass.Partitioner
	}{
		{"literal update (Wang et al.), close-k", literal.Local, topdown.WangCloseK{}},
		{"re-run for each release, extract", literal.Full, extract.Extract{}},
	} {
		c, err := s.run(m.name, literal.New(m.method, m.by, s.want, literal.Params{Space: s.points.Space, Threshold: -1}),
			filepath.Join(dir, m.method.String()+"-"+m.by.Name()))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		out = append(out, c)
	}
	return out, nil
}

// naiveStream is the whole stream, encoded, with the cuts of the daemon.
type naiveStream struct {
	schema   *equivclass.Schema
	settings *snapshot.Settings
	want     equivclass.Requirement
	table    *equivclass.Table
	points   *equivclass.Pool
	cuts     []int
	created  []int64
	rows     [][]string // as exported: attributes in schema order
}

// load generates the stream of the demo again and encodes the accepted records; of
// a patient's admissions only the first, as in the daemon's releases.
func load(o Options, result *Result) (*naiveStream, error) {
	exporter, err := daemon.OpenExporter(result.Config)
	if err != nil {
		return nil, err
	}
	settings, err := daemon.SettingsOf(result.Config, exporter.Machine())
	if err != nil {
		return nil, err
	}
	settings.Recoding = snapshot.Generalization() // they know no buckets, and form classes anew
	settings.Policy.Republication = string(config.Regroup)
	s := &naiveStream{schema: result.Config.Schema(), settings: settings, want: result.Config.Requirement()}
	s.table = equivclass.NewTable(s.schema.Attributes())
	for _, i := range exporter.Machine().Releases().Intents() {
		s.cuts, s.created = append(s.cuts, int(i.Cut)), append(s.created, i.CreatedAt)
	}
	s.read(hospital.New(o.Seed), o.Records)
	s.points = s.table.Pool(s.schema.Quasi(), s.schema.SensitiveIndex())
	return s, nil
}

func (s *naiveStream) read(stream *hospital.Stream, messages int) {
	patients := map[string]bool{}
	for range messages {
		m := stream.NextMessage()
		if m.Malformed || patients[m.Admission.Patient] {
			continue
		}
		a := m.Admission
		patients[a.Patient] = true
		s.add(map[string]string{"patient": a.Patient, "age": strconv.Itoa(a.Age), "sex": a.Sex, "postcode": a.Postcode,
			"admission": a.Admission, "diagnosis": a.Diagnosis})
	}
}

func (s *naiveStream) add(values map[string]string) {
	var texts []string
	var row equivclass.Row
	for _, a := range s.schema.Attributes() {
		texts, row = append(texts, values[a.Name]), append(row, []byte(values[a.Name]))
	}
	if why, _ := s.table.Append(row); why == equivclass.Accepted {
		s.rows = append(s.rows, texts)
	}
}

// run makes the releases of one method.
func (s *naiveStream) run(name string, update *literal.Update, dir string) (Chain, error) {
	c := Chain{Method: name, Releases: filepath.Join(dir, "releases"), Members: filepath.Join(dir, "members.csv"),
		Records: filepath.Join(dir, "records.csv")}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return c, err
	}
	publisher := &snapshot.Publisher{FS: snapshot.OS(), Dir: c.Releases, Ledger: filepath.Join(dir, "ledger"), Gate: open{}}
	if err := publisher.Open(); err != nil {
		return c, err
	}
	members, err := private(c.Members, "release", "record", "part", "class")
	if err != nil {
		return c, err
	}
	defer members.close()
	inserted, cuts := 0, s.sizes()
	var before []snapshot.Class
	for i, cut := range cuts {
		update.Insert(s.insertion(inserted, cut)...)
		inserted = cut
		in := s.input(uint32(i+1), cut, update.Release(), before)
		out, err := publisher.Publish(in, s.settings)
		if err != nil {
			return c, err
		}
		before = in.Classes
		c.Known.Releases = append(c.Known.Releases, s.shown(in.Classes))
		for _, p := range out.Placed {
			for j, r := range p.Records {
				members.write(strconv.Itoa(i+1), record(int(r)), p.Part, strconv.Itoa(int(p.Classes[j])))
			}
		}
	}
	if err := members.flush(); err != nil {
		return c, err
	}
	c.Known.Records = len(s.rows)
	return c, s.export(c.Records, cuts)
}

// sizes are the daemon's cuts, as numbers of records that are a patient's first.
func (s *naiveStream) sizes() []int {
	out := make([]int, len(s.cuts))
	for i, c := range s.cuts {
		out[i] = min(len(s.rows), c*len(s.rows)/s.cuts[len(s.cuts)-1])
	}
	return out
}

func (s *naiveStream) insertion(from, to int) []literal.Row {
	rows := make([]literal.Row, 0, to-from)
	for r := from; r < to; r++ {
		rows = append(rows, literal.Row{X: slices.Clone(s.points.At(int32(r))), SA: s.points.SA[r], Subject: uint64(r + 1)})
	}
	return rows
}

// input shows the groups of a release, which all count as born in it: those of
// the release before are dead.
func (s *naiveStream) input(release uint32, cut int, groups []literal.Group, before []snapshot.Class) *snapshot.Input {
	in := &snapshot.Input{Release: release, Since: release - 1, CreatedAt: s.created[release-1], Seeded: true, Pending: cut,
		Schema: s.schema, SA: equivclass.ColumnOf(s.points.SA[:cut]), Dictionaries: s.table.Frozen()}
	quasi := s.table.Columns(s.schema.Quasi()...)
	for _, column := range quasi.Codes {
		in.QI = append(in.QI, equivclass.ColumnOf(column[:cut]))
	}
	in.Scale = equivclass.ScalesOf(quasi.Dicts, equivclass.ColumnsOf(quasi.Codes), s.table.Len())
	for _, g := range groups {
		class := snapshot.Class{Born: release}
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
func (s *naiveStream) shown(classes []snapshot.Class) (out []posterior.Class) {
	for _, c := range classes {
		var x posterior.Class
		for _, r := range c.Members {
			x.Members, x.Bag = append(x.Members, uint32(r)), append(x.Bag, uint32(s.points.SA[r]))
		}
		out = append(out, x)
	}
	return out
}

// export writes records.csv.
func (s *naiveStream) export(path string, cuts []int) error {
	header := []string{"record", "arrived_in_release"}
	for _, a := range s.schema.Attributes() {
		header = append(header, a.Name)
	}
	out, err := private(path, header...)
	if err != nil {
		return err
	}
	defer out.close()
	release := 0
	for r, row := range s.rows[:cuts[len(cuts)-1]] {
		for cuts[release] <= r {
			release++
		}
		out.write(append([]string{record(r), strconv.Itoa(release + 1)}, row...)...)
	}
	return out.flush()
}

func record(r int) string { return "demo:0:" + strconv.Itoa(r) }

// open is a gate that accepts everything: these methods have no gate.
type open struct{}

func (open) Check(string, []snapshot.Placement) error { return nil }

// sheet is a private CSV file.
type sheet struct {
	file io.WriteCloser
	csv  *csv.Writer
}

func private(path string, header ...string) (*sheet, error) {
	f, err := outfile.Create(path, 0o600)
	if err != nil {
		return nil, err
	}
	s := &sheet{f, csv.NewWriter(f)}
	s.write(header...)
	return s, nil
}

// write keeps its error for flush.
func (s *sheet) write(fields ...string) { _ = s.csv.Write(fields) }

func (s *sheet) flush() error {
	s.csv.Flush()
	return s.csv.Error()
}

func (s *sheet) close() { _ = s.file.Close() }
