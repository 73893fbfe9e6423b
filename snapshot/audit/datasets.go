package audit

import (
	"bytes"
	"slices"

	"anond/snapshot/audit/format"
)

// datasets tests rule S (subjects) over several datasets of one owner: nobody who has a record in this one has one in another, whose
// records exports are given. People are compared by the digests of the exports, which are the same under one subject.key.
func (a *auditor) datasets(o Options) error {
	if len(o.Others) == 0 {
		return nil
	}
	const what = "that nobody is in two datasets: "
	if a.in.records == nil || a.in.records.Subject == nil {
		a.skip(what + "the records export of this one, with subjects, was not given")
		return nil
	}
	p := newPersons()
	own, err := o.export(o.recordsName())
	if err != nil {
		return err
	}
	if err := p.add(0, o.recordsName(), own, a.in.s.Subject); err != nil {
		return err
	}
	for i, file := range o.Others {
		data, err := format.ReadFile(file)
		if err != nil {
			return err
		}
		column, err := p.columnOf(file, data, a.in.s.Subject)
		if err != nil {
			return err
		}
		if err := p.add(i+1, file, data, column); err != nil {
			return err
		}
	}
	if len(p.nameless)+len(p.keyless) > 0 || len(p.keys) > 1 {
		a.skip(what + "their exports do not name people under one subject.key")
	}
	a.f.AddN("S", format.KindSubjectDatasets, a.in.newest(), 0, "", "a subject is in the records of two datasets", p.twice)
	return nil
}

// recordsName is what exports calls the records export.
func (o Options) recordsName() string {
	if o.Private != nil {
		return "records.csv"
	}
	return o.Records
}

// columnOf is the column of another dataset's export that has people: the one of the name that it has here, or else the one whose
// first digest is under a key that is known.
func (p *persons) columnOf(file string, data []byte, name string) (string, error) {
	csv, header, err := format.NewCSV(file, data)
	if err != nil || slices.Contains(header, name) {
		return name, err
	}
	header = slices.Clone(header)
	if ok, err := csv.Next(); err != nil || !ok {
		return name, err
	}
	for i, field := range csv.Fields {
		if key, _, named := bytes.Cut(field, []byte(":")); named && p.keys[string(key)] {
			return header[i], nil
		}
	}
	return name, nil
}
