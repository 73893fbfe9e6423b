package render

import (
	"cmp"
	"encoding/hex"
	"slices"
	"time"

	"anond/equivclass"
	"anond/snapshot"
)

// newManifest fills in what is known before the data files are written.
func newManifest(in *Input, s *Settings, from *Carried) (*snapshot.Manifest, error) {
	entries, err := schemaEntries(in, s)
	if err != nil {
		return nil, err
	}
	m := &snapshot.Manifest{
		FormatVersion: snapshot.FormatVersion,
		Dataset:       s.Dataset,
		Release:       in.Release,
		CreatedAt:     time.Unix(in.CreatedAt, 0).UTC().Format(time.RFC3339),
		Seeded:        in.Seeded,
		About:         s.About,
		Schema:        entries,
		Policy:        s.Policy,
		Recoding:      s.Recoding.Name(),
		Pending:       in.Pending,
		Erasure:       s.Erasure,
		Window:        s.Window,
		Expired:       in.Expired,
		Parts:         []snapshot.PartEntry{},
	}
	if m.Policy.Level = ""; in.Shared {
		m.Policy.Level = snapshot.PolicyL2
	}
	if in.Shared && in.Release == 1 {
		m.InitialMinPool = in.FirstNeed
	}
	if m.Policy.Diversity == nil {
		m.Policy.Diversity = []snapshot.Diversity{}
	}
	m.Policy.Diversity = withReferences(m.Policy.Diversity, in)
	if from.manifest != nil {
		m.Previous = &snapshot.PreviousEntry{Release: from.Release(), SHA256: hex.EncodeToString(from.Sha256[:])}
	}
	return m, nil
}

// schemaEntries describes what is published.
func schemaEntries(in *Input, s *Settings) ([]snapshot.SchemaEntry, error) {
	files := s.Hierarchies
	out := make([]snapshot.SchemaEntry, 0, len(in.Schema.Attributes()))
	scale := in.Scale
	for i, a := range in.Schema.Attributes() {
		if a.Role == equivclass.Kept { // for readers one that is not published
			out = append(out, snapshot.SchemaEntry{Name: a.Name, Role: equivclass.Drop, Type: a.Type})
			continue
		}
		e := snapshot.SchemaEntry{Promise: promiseOf(s.Promises[i]), Name: a.Name, Role: a.Role, Type: a.Type, Digits: a.Digits,
			Precision: a.Precision, Weight: a.Weight}
		if a.Role == equivclass.Quasi && len(scale) > 0 {
			if of := scale[0]; a.Type.Numeric() {
				e.Scale = a.Float(of.Hi - of.Lo)
			}
			scale = scale[1:]
		}
		if e.SetRule(a.Text); a.Exact {
			e.Values = snapshot.ValuesExact
		}
		if a.Optional {
			e.Missing = string(equivclass.MissingValue)
		}
		if len(a.Steps) > 0 || len(a.Buckets) > 0 {
			e.Hierarchy = &snapshot.HierarchyEntry{Steps: floats(&a, a.Steps), Buckets: floats(&a, a.Buckets)}
		}
		for i := range files {
			if files[i].Attribute == a.Name {
				e.Hierarchy = &snapshot.HierarchyEntry{File: files[i].CopyName(), SHA256: files[i].sha256()}
			}
		}
		out = append(out, e)
	}
	return out, nil
}

// floats writes numbers of an attribute as JSON does, which loses nothing.
func floats(a *equivclass.Attribute, units []int64) (out []float64) {
	for _, v := range units {
		out = append(out, a.Float(v))
	}
	return out
}

// withReferences completes the t-closeness of the sensitive attribute by the
// distribution that it compares with. Safe to publish: it is declared, or the
// bag of release 1, which release 1 shows (equivclass.PublishedReference).
func withReferences(of []snapshot.Diversity, in *Input) []snapshot.Diversity {
	out := slices.Clone(of)
	for i := range out {
		if out[i].Kind == "t" {
			out[i].Reference = referenceOf(in, in.Schema.SensitiveIndex())
		}
	}
	return out
}

// referenceOf writes the reference distribution of an attribute: numbers by
// value, texts by bytes; nil if the input has none.
func referenceOf(in *Input, attribute int) []snapshot.ValueCount {
	b, ok := in.References[attribute]
	if !ok {
		return nil
	}
	d := in.Dictionaries[attribute]
	counts := slices.Clone(b.Counts)
	slices.SortFunc(counts, func(x, y equivclass.Count) int {
		if d.Kind() == equivclass.Number {
			return cmp.Compare(d.Units(x.Code), d.Units(y.Code))
		}
		return equivclass.CompareTexts(d.Text(x.Code), d.Text(y.Code))
	})
	out := make([]snapshot.ValueCount, len(counts))
	for i, c := range counts {
		out[i] = snapshot.ValueCount{Value: d.Text(c.Code), Count: c.N}
	}
	return out
}
