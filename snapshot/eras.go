package snapshot

import (
	"cmp"
	"slices"
)

// Era is a former stretch of a chain under the same settings: what stands in a manifest of the parts that were born in releases up to
// Until, and after the era before. The newest era is the top level of the manifest.
//
// Guarantee: Records, Classes, Buckets, Quality and Privacy are of what is left of these parts; all else is what the last manifest of the
// era said, and never changes. An era is listed as long as the manifest has a part of it.
type Era struct {
	Until    uint32        `json:"until"`
	Schema   []SchemaEntry `json:"schema"`
	Policy   Policy        `json:"policy"`
	Recoding string        `json:"recoding"`
	Values   string        `json:"values,omitempty"`
	Tables   [][]string    `json:"tables,omitempty"`
	Records  int           `json:"records"`
	Classes  int           `json:"classes"`
	Buckets  int           `json:"buckets,omitempty"`
	Quality  Quality       `json:"quality"`
	Privacy  Privacy       `json:"privacy"`
}

// EraOf is the newest era of a manifest, as a later manifest lists it.
func EraOf(m *Manifest) Era {
	m = m.newest()
	return Era{Until: m.Release, Schema: m.Schema, Policy: m.Policy, Recoding: m.Recoding, Values: m.Values, Tables: m.Tables,
		Records: m.Records, Classes: m.Classes, Buckets: m.Buckets, Quality: m.Quality, Privacy: m.Privacy}
}

// Under is the manifest as one of the era of a part would be: whoever reads the tables of a part takes schema, policy, recoding and counts
// from there.
func (m *Manifest) Under(p *PartEntry) *Manifest {
	if i := m.eraOf(p); i < len(m.Eras) {
		return m.former(&m.Eras[i])
	}
	return m.newest()
}

// ByEra is the manifest as one for each era, oldest first: each has the parts of the era, and their counts.
func (m *Manifest) ByEra() (out []*Manifest) {
	rest := m.Parts
	for i := range m.Eras {
		of, n := m.former(&m.Eras[i]), 0
		for n < len(rest) && m.eraOf(&rest[n]) == i {
			n++
		}
		of.Parts, rest = rest[:n:n], rest[n:]
		out = append(out, of)
	}
	of := m.newest()
	of.Parts = rest
	return append(out, of)
}

// Least is the size of the smallest class, of any era; Top the largest share of one value in a class, at level L2 in a bucket, and what its
// era allows of it.
func (m *Manifest) Least() (k int) {
	for _, of := range m.ByEra() {
		if of.Classes > 0 && (k == 0 || of.Privacy.KMin < k) {
			k = of.Privacy.KMin
		}
	}
	return k
}

func (m *Manifest) Top() (share, allowed float64) {
	top := slices.MaxFunc(m.ByEra(), func(a, b *Manifest) int { return cmp.Compare(a.Privacy.MaxFrequency, b.Privacy.MaxFrequency) })
	return top.Privacy.MaxFrequency, top.Privacy.Allowed(top.Policy.L)
}

// eraOf is the place of a part's era among the former ones, or behind them.
func (m *Manifest) eraOf(p *PartEntry) (i int) {
	_, last := p.Births()
	for i < len(m.Eras) && last > m.Eras[i].Until {
		i++
	}
	return i
}

func (m *Manifest) former(e *Era) *Manifest {
	out := *m
	out.Eras, out.Schema, out.Policy, out.Recoding, out.Values, out.Tables = nil, e.Schema, e.Policy, e.Recoding, e.Values, e.Tables
	out.Records, out.Classes, out.Buckets, out.Quality, out.Privacy = e.Records, e.Classes, e.Buckets, e.Quality, e.Privacy
	return &out
}

// newest is the manifest of the newest era alone.
func (m *Manifest) newest() *Manifest {
	out := *m
	for _, e := range m.Eras {
		out.Records, out.Classes, out.Buckets = out.Records-e.Records, out.Classes-e.Classes, out.Buckets-e.Buckets
	}
	out.Eras = nil
	return &out
}

// checkEras demands of a manifest that its eras follow each other, and that each has parts, which are its alone.
func checkEras(m *Manifest) error {
	until, at := uint32(0), 0
	for i := range m.Eras {
		e, n := &m.Eras[i], at
		for at < len(m.Parts) && m.eraOf(&m.Parts[at]) == i {
			first, _ := m.Parts[at].Births()
			if first <= until {
				return wrongManifest("a part is of two eras")
			}
			at++
		}
		if e.Until <= until || e.Until >= m.Release || at == n || e.Policy.Level != m.Policy.Level || m.Union != nil {
			return wrongManifest("its eras are out of order, or one has no parts")
		}
		until = e.Until
	}
	if at < len(m.Parts) && len(m.Eras) > 0 {
		if first, _ := m.Parts[at].Births(); first <= until {
			return wrongManifest("a part is of two eras")
		}
	}
	return nil
}
