package upkeep

import (
	"anond/incremental/state"
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"anond/config"
	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/settle"
	"anond/internal/dataset"
	"anond/snapshot/publish"
	"anond/snapshot/render"
	"anond/snapshot/replay"
)

// Exporter reads a state that no daemon holds, for the private exports that an
// audit needs. It writes persons' values, so its files have mode 0600.
type Exporter struct {
	machine  *incremental.Machine
	settings *render.Settings
	former   []*render.Settings // of former eras
	shown    []int              // quasi-identifiers of former eras
	schema   *equivclass.Schema
	names    map[uint16]state.Partition
	origin   []uint16
	offset   []int64
	window   []settle.Window // where people settle
	key      string          // names subject.key; empty without one
}

// OpenExporter opens the state that a configuration names, for reading.
func OpenExporter(c *config.Config) (*Exporter, error) {
	return openExporter(context.Background(), c, nil)
}

// OpenReplay is OpenExporter, and takes from the same state what a replay of all
// decisions needs. The replay ends with ctx.
func OpenReplay(ctx context.Context, c *config.Config) (e *Exporter, r *replay.Recording, err error) {
	e, err = openExporter(ctx, c, func(store state.Store, m *incremental.Machine) error {
		options, err := dataset.MachineOptions(ctx, c, dataset.Options{Seed: new([32]byte)})
		if err != nil {
			return err
		}
		r, err = replay.Read(store, m, options)
		return err
	})
	if err == nil {
		r.Renderer = e.rendered
	}
	return e, r, err
}

// rendered is the Renderer of a replay.
func (e *Exporter) rendered(v *incremental.View) (map[string]string, error) {
	files, err := render.Births(publish.Of(v, e.former...), e.settings)
	out := make(map[string]string, len(files))
	for _, f := range files {
		out[f.Name] = f.SHA256
	}
	return out, err
}

// openExporter opens the state, and lets a function read it too.
func openExporter(ctx context.Context, c *config.Config, also func(state.Store, *incremental.Machine) error) (
	e *Exporter, err error) {
	options, err := dataset.StateOptions(ctx, c)
	if err != nil {
		return nil, err
	}
	options.ReadOnly = true
	store, err := boltstore.Open(c.State.Path, options)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	e = &Exporter{schema: c.Schema(), names: map[uint16]state.Partition{}, key: dataset.SubjectKeyName(c)}
	if e.machine, err = dataset.OpenMachine(ctx, store, c, dataset.Options{Seed: new([32]byte)}); err != nil {
		return nil, err
	}
	if e.settings, err = dataset.SettingsOf(c, e.machine); err != nil {
		return nil, err
	}
	var eras []*config.Config
	if eras, e.former, err = dataset.FormerOf(c, e.machine); err != nil {
		return nil, err
	}
	for _, of := range eras {
		e.shown = append(e.shown, of.Schema().Quasi()...)
	}
	for p, pos := range e.machine.Intake().Positions() {
		e.names[pos.Number] = p
	}
	if also != nil {
		if err := also(store, e.machine); err != nil {
			return nil, err
		}
	}
	return e, store.Load(e.origins())
}

// origins collects where each record came from, which the machine does not keep.
func (e *Exporter) origins() state.Visitor {
	v := emptyVisitor()
	v.Records = func(b *state.RecordBlock) error {
		e.origin, e.offset, e.window = append(e.origin, b.Origin...), append(e.offset, b.Offset...), append(e.window, b.Window...)
		e.window = append(e.window, make([]settle.Window, len(e.origin)-len(e.window))...) // of people who came before anybody settled
		return nil
	}
	return v
}

// Machine is the machine over the state; it must not be changed.
func (e *Exporter) Machine() *incremental.Machine { return e.machine }

// record is the name of a record in the exports: source:partition:offset, or of a row whose owner
// was forgotten, where the state does not know that, forgotten:0:number.
func (e *Exporter) record(r int) string {
	if e.offset[r] < 0 {
		return "forgotten:0:" + strconv.Itoa(r)
	}
	p := e.names[e.origin[r]]
	return p.Source + ":" + strconv.Itoa(int(p.ID)) + ":" + strconv.FormatInt(e.offset[r], 10)
}

// Releases returns the number of the newest published release.
func (e *Exporter) Releases() uint32 {
	n := uint32(0)
	for _, i := range e.machine.Releases().Intents() {
		if i.Published {
			n = i.Release
		}
	}
	return n
}

// Members writes `release,record,part,class` for the releases from..to, and at level L2
// the bucket behind the class.
func (e *Exporter) Members(w io.Writer, from, to uint32) error {
	out := csv.NewWriter(bufio.NewWriterSize(w, 1<<20))
	header := []string{"release", "record", "part", "class"}
	if e.settings.Recoding.Shared() {
		header = append(header, "bucket")
	}
	if err := out.Write(header); err != nil {
		return err
	}
	if from > to {
		return flush(out, w)
	}
	view, err := e.machine.Releases().Whole(to)
	if err != nil {
		return err
	}
	members := render.NewMembership(publish.Of(view, e.former...), e.settings)
	for n := from; n <= to; n++ {
		placed, err := members.Of(n)
		if err != nil {
			return err
		}
		if err := e.writeMembers(out, strconv.Itoa(int(n)), placed, view.Len()); err != nil {
			return err
		}
	}
	return flush(out, w)
}

// writeMembers writes a release in order of records, which are in one class each.
func (e *Exporter) writeMembers(out *csv.Writer, release string, placed []render.Placement, records int) error {
	part, at := make([]int32, records), make([]int32, records) // at: place in the part, from 1
	for i, p := range placed {
		for j, r := range p.Records {
			part[r], at[r] = int32(i), int32(j)+1
		}
	}
	for r, j := range at {
		if j == 0 {
			continue
		}
		p := &placed[part[r]]
		row := []string{release, e.record(r), p.Part, strconv.Itoa(int(p.Classes[j-1]))}
		if p.Buckets != nil {
			row = append(row, strconv.Itoa(int(p.Buckets[j-1])))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// Records writes `record,arrived_in_release,<attributes>`: every record in
// state, with the first release whose cut covers it. Before the attributes are, where settings have changed, in which era of arrival its
// person came (state.Head, Arrivals), and where people settle, the stratum of the person, when the person's window ended, and when each
// record came, both by the clock by which windows are measured: the time of the log, or the count of messages read. Nothing stands there
// if windows end with the source, or the person was forgotten. Those who
// are still observed are not there. Where people are published with their histories, a row is of a person, named by one of their records,
// and a sensitive attribute has a column for each record that there may be: illness, illness_2, and so on. A subject is shown as its
// keyed digest, which is all that state keeps, behind the name of subject.key if there is one.
func (e *Exporter) Records(w io.Writer) error {
	out := csv.NewWriter(bufio.NewWriterSize(w, 1<<20))
	columns := e.columns()
	view := e.machine.Releases().All()
	header := []string{"record", "arrived_in_release"}
	if view.Arrivals != nil {
		header = append(header, "arrived_in_era")
	}
	came := max(1, records(view, e.schema.Sensitive()[0]))
	if view.Stratum != nil {
		header = append(header, "stratum", "observed_until", "came")
		for n := 2; n <= came; n++ {
			header = append(header, "came_"+strconv.Itoa(n))
		}
	}
	for _, i := range columns {
		name := e.schema.Attributes()[i].Name
		header = append(header, name)
		for n := 2; n <= records(view, i); n++ {
			header = append(header, name+"_"+strconv.Itoa(n))
		}
	}
	if err := out.Write(header); err != nil {
		return err
	}
	cuts, release, era := e.machine.Releases().Intents(), 0, 0
	row := make([]string, len(header))
	for r := range view.Len() {
		for release < len(cuts) && int(cuts[release].Cut) <= r {
			release++
		}
		row[0], row[1] = e.record(r), ""
		if release < len(cuts) {
			row[1] = strconv.Itoa(release + 1)
		}
		row = row[:2]
		if view.Arrivals != nil {
			for era < len(view.Arrivals) && int(view.Arrivals[era]) <= r {
				era++
			}
			row = append(row, strconv.Itoa(era))
		}
		if view.Stratum != nil {
			at := len(row) + 1
			row = append(append(row, view.StratumOf(state.RecordID(r))), make([]string, came+1)...)
			observed(row[at:], e.window[r])
		}
		for _, i := range columns {
			texts := []string{e.text(view, i, r)}
			if n := records(view, i); n > 0 {
				texts = append(equivclass.Parts(texts[0]), make([]string, n)...)[:n] // empty behind the last
			}
			row = append(row, texts...)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return flush(out, w)
}

// observed writes when somebody was observed: the end, and when each record came.
func observed(row []string, w settle.Window) {
	clear(row)
	if w.Until == 0 {
		return
	}
	row[0] = strconv.FormatInt(w.Until, 10)
	for i, at := range w.At {
		row[1+i] = strconv.FormatInt(at, 10)
	}
}

// records is how many values a person has of an attribute at most, where what is published of a person is a history; 0: one.
func records(v *incremental.View, attribute int) int {
	if d := v.Dictionaries[attribute]; d != nil {
		return d.Records()
	}
	return 0
}

// columns are the attributes that releases of any era show, and the subject, in schema order.
func (e *Exporter) columns() []int {
	var out []int
	for i, a := range e.schema.Attributes() {
		if a.Role == equivclass.Quasi || a.Role == equivclass.Sensitive || a.Role == equivclass.Subject || slices.Contains(e.shown, i) {
			out = append(out, i)
		}
	}
	return out
}

func (e *Exporter) text(v *incremental.View, attribute, r int) string {
	if attribute == e.schema.SubjectIndex() {
		if e.offset[r] < 0 {
			return "forgotten-" + strconv.Itoa(r)
		}
		return fmt.Sprintf("%s%016x", e.key, v.Subject[r])
	}
	if v.Lacks(attribute, r) {
		return ""
	}
	return v.Dictionaries[attribute].Text(v.Column(attribute).At(r))
}

func flush(out *csv.Writer, w io.Writer) error {
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	if f, ok := w.(interface{ Sync() error }); ok {
		return f.Sync()
	}
	return nil
}
