package format

import (
	"slices"
)

// An era is a stretch of releases whose settings are the same. Parts are born under the settings of their era, and keep them: nobody of
// one era shares a pool with anybody of another, so Theorem E speaks of each pool by itself (docs/PROOFS.md, Settings that change).
// The top level of a manifest is the newest era; Eras are those before it that have parts here.
//
// The parts of an era are a chain of their own, with manifests of their own (ByEra). So a part is read and judged as if its
// settings had never changed, and what is not of an era (links, window, numbers of all) is read from the whole.

// Era is one that has ended.
type Era struct {
	Until    int        `json:"until"` // release: the last that may have given birth under it
	Schema   []Column   `json:"schema"`
	Policy   Policy     `json:"policy"`
	Recoding string     `json:"recoding"`
	Values   string     `json:"values"`
	Tables   [][]string `json:"tables"`
	Records  int        `json:"records"` // of its parts, as everything that follows
	Classes  int        `json:"classes"`
	Buckets  int        `json:"buckets"`
	Quality  openObject `json:"quality"`
	Privacy  privacy    `json:"privacy"`
}

// Former reports that the manifest is that of an era which has ended: it has no births.
func (m *Manifest) Former() bool { return m.until > 0 }

// Until is the last release of the era; 0: it has not ended.
func (m *Manifest) Until() int { return m.until }

// Whole is the manifest of the release.
func (m *Manifest) Whole() *Manifest {
	if m.whole != nil {
		return m.whole
	}
	return m
}

// ByEra are the manifests of the eras, oldest first: each describes its parts alone.
func (m *Manifest) ByEra() (out []*Manifest) {
	if len(m.Eras) == 0 {
		return []*Manifest{m}
	}
	newest := *m
	newest.Eras, newest.whole = nil, m
	for i := range m.Eras {
		e, s := &m.Eras[i], newest
		s.until, s.Schema, s.Policy, s.Recoding, s.Values, s.Tables = e.Until, e.Schema, e.Policy, e.Recoding, e.Values, e.Tables
		s.Records, s.Classes, s.Buckets, s.Quality, s.Privacy = e.Records, e.Classes, e.Buckets, e.Quality, e.Privacy
		s.InitialMinPool, s.Pending, s.Documents = 0, 0, nil
		n := slices.IndexFunc(newest.Parts, func(p Part) bool { return p.lastBirth() > e.Until })
		if n < 0 {
			n = len(newest.Parts)
		}
		s.Parts, newest.Parts = newest.Parts[:n:n], newest.Parts[n:]
		newest.Records, newest.Classes, newest.Buckets = newest.Records-e.Records, newest.Classes-e.Classes, newest.Buckets-e.Buckets
		out = append(out, &s)
	}
	return append(out, &newest)
}

func (p *Part) lastBirth() int {
	b, _ := ParsePartName(p.Name)
	return b.Last
}

// Under is the manifest of the era of a part.
func (m *Manifest) Under(p *Part) *Manifest {
	eras := m.ByEra()
	for _, s := range eras {
		if s.until >= p.lastBirth() {
			return s
		}
	}
	return eras[len(eras)-1]
}

// Begins reports that an era begins with the release, given the one before: the settings of that one are among those that have ended, or
// all that was born under them has left, and they with it.
func (m *Manifest) Begins(before *Manifest) bool {
	if n := len(m.Eras); n > 0 && m.Eras[n-1].Until == before.Release {
		return true
	}
	return m.left(before) && len(settingsDiffer(before, m)) > 0
}

// Begun reports that the release is the first of its era, as far as its manifest tells.
func (m *Manifest) Begun() bool {
	eras := m.Whole().Eras
	return m.Release == 1 || !m.Former() && len(eras) > 0 && eras[len(eras)-1].Until == m.Release-1
}

// inherits reports that the era before has the reference of a promise.
func (m *Manifest) inherits(p *ClosePromise) bool {
	eras := m.Whole().Eras
	if len(eras) == 0 {
		return false
	}
	known, _ := eras[len(eras)-1].Policy.Principles()
	return slices.ContainsFunc(known, func(o Principle) bool { return o.Close != nil && slices.Equal(o.Close.Reference, p.Reference) })
}

// left reports that all that was born under the settings of the release before has left.
func (m *Manifest) left(before *Manifest) bool {
	eras := before.ByEra()
	stays, _ := eras[len(eras)-1].Standing(m.Expired)
	return len(stays.Parts) == 0
}

// Earlier is the manifest of the same era in the release before, which is whole; nil: the era begins.
func (m *Manifest) Earlier(before *Manifest) *Manifest {
	eras := before.ByEra()
	newest := eras[len(eras)-1]
	switch {
	case m.until == before.Release:
		return newest
	case m.until == 0 && !m.Whole().Begins(before):
		return newest
	case m.until == 0:
		return nil
	}
	if i := slices.IndexFunc(eras, func(e *Manifest) bool { return e.until == m.until }); i >= 0 {
		return eras[i]
	}
	return nil
}

// ArrivalDiffers reports that settings differ which hold from somebody's arrival on: what is sensitive of a person and which values are
// valid, and for how long people are observed.
func ArrivalDiffers(before, after *Manifest) bool {
	sensitive := func(m *Manifest) (out []Column) {
		for _, c := range m.Schema {
			if c.Role == "sensitive" {
				c.Promise = nil
				out = append(out, c)
			}
		}
		return out
	}
	x, y := before.Privacy, after.Privacy
	return !SameSchema(sensitive(before), sensitive(after)) || x.Settle != y.Settle || x.Updates != y.Updates ||
		before.MaxRecords() != after.MaxRecords()
}

// checkEras tests what any later step relies on.
func (m *Manifest) checkEras() string {
	last := m.Expired
	for i := range m.Eras {
		until := m.Eras[i].Until
		if until <= last || until >= m.Release || m.Union != nil || !m.AtL2() {
			return "the eras do not end one after the other before the release, or those of a union or of level L1 have any"
		}
		last = until
	}
	if len(m.Eras) == 0 {
		return ""
	}
	for _, s := range m.ByEra() {
		if reason := s.checkFields(); reason != "" {
			return "of an era: " + reason
		}
		if !s.AtL2() {
			return "of an era: it is of another level than L2"
		}
	}
	return ""
}

// CheckEras tests that each part is of one era, and, given the release before, that eras are those that it tells of, with at most one
// more, which has ended with it. false: they are not, and nothing can be said of the files.
func CheckEras(before, man *Manifest, f *Faults) bool {
	found := f.N
	add := func(part, attribute, detail string) {
		f.Part = part
		f.Add("chain", KindEras, man.Release, 0, attribute, detail)
		f.Part = ""
	}
	from := 0
	for _, s := range man.ByEra() {
		for i := range s.Parts {
			if b, _ := ParsePartName(s.Parts[i].Name); b.First <= from {
				add(s.Parts[i].Name, "parts", "a part holds births of two eras, or stands among those of a later one")
			}
		}
		if from = s.until; len(s.Parts) == 0 && (s.Former() || s.Expired == 0) {
			add("", "eras", "an era is told of that has no parts")
		}
		if before == nil {
			continue
		}
		was := s.Earlier(before)
		switch {
		case was == nil && s.Former():
			add("", "eras", "an era is told of that the release before does not have")
		case was == nil && s.own() == nil:
			add("", "eras", "an era begins with a release that gives birth to nobody")
		case was == nil && len(s.Parts) > 1:
			add("", "eras", "parts of the release before are in an era that begins later")
		case was != nil && s.Former() && (len(settingsDiffer(was, s)) > 0 || len(Grown(was, s)) > 0):
			add("", "eras", "the settings of an era are not those that the release before tells of it")
		}
	}
	if before == nil {
		return f.N == found
	}
	for _, was := range before.ByEra() {
		stays, _ := was.Standing(man.Expired)
		is := func(e Era) bool { return e.Until == was.until }
		if was.Former() && len(stays.Parts) > 0 && !slices.ContainsFunc(man.Eras, is) {
			add("", "eras", "an era of the release before is missing")
		}
	}
	return f.N == found
}
