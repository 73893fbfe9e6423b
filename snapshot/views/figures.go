package views

import (
	"io"

	"anond/equivclass"
	"anond/snapshot"
)

// figures are what quality and privacy of a view are made of, by part of it: kept from release to release, so that only what is new is
// read.
type figures struct {
	of   map[string]partFigures // by part and the hash of its first file
	open func(name string) (io.ReadCloser, error)
}

// partFigures are those of one part.
type partFigures struct {
	cells []map[string]int // by quasi-identifier: rows of each cell
	top   float64          // largest share of one value in a bucket
	reach []snapshot.AttributePrivacy
}

// fill says in a manifest what its parts reach, by era. Counts of records, classes and buckets, and what follows from them, are the
// release's.
func (f *figures) fill(eras []*columns, m *snapshot.Manifest) error {
	was := f.of
	f.of = map[string]partFigures{}
	for i, of := range m.ByEra() {
		if err := f.era(eras[i], of, was); err != nil {
			return err
		}
		if i < len(m.Eras) {
			m.Eras[i].Quality, m.Eras[i].Privacy = of.Quality, of.Privacy
		} else {
			m.Quality, m.Privacy = of.Quality, of.Privacy
		}
	}
	return nil
}

// era is fill of the parts of one; was are the figures that were known before.
func (f *figures) era(c *columns, m *snapshot.Manifest, was map[string]partFigures) error {
	sum := newFigures(c)
	for i := range m.Parts {
		p := &m.Parts[i]
		key := p.Part + " " + p.Files[0].SHA256
		of, known := was[key]
		if !known {
			x, err := load(c, nil, true, partOpener(p, f.open))
			if err != nil {
				return err
			}
			of = x.figures()
		}
		f.of[key] = of
		for j, cells := range of.cells {
			for text, n := range cells {
				sum.cells[j][text] += n
			}
		}
		sum.top, sum.reach = max(sum.top, of.top), snapshot.Worst(sum.reach, of.reach)
	}
	loss := 0.0
	for j := range c.quasi {
		loss += c.quasi[j].loss(sum.cells[j])
	}
	m.Quality.NCP = snapshot.Round6(loss / float64(max(1, m.Records*len(c.quasi))))
	m.Quality.BoxNCP = m.Quality.NCP
	m.Privacy.MaxFrequency = sum.top
	claimed := m.Privacy.Attributes
	m.Privacy.Attributes = nil
	for a := range c.sensitive {
		of := sum.reach[a]
		for _, was := range claimed { // of the release; a label has no cap, and what it reaches was just found
			if was.Name == of.Name && c.sensitive[a].labels == nil {
				of = was
			}
		}
		m.Privacy.Attributes = append(m.Privacy.Attributes, of)
	}
	return nil
}

func newFigures(c *columns) (out partFigures) {
	for range c.quasi {
		out.cells = append(out.cells, map[string]int{})
	}
	for a := range c.sensitive {
		out.reach = append(out.reach, snapshot.AttributePrivacy{Name: c.sensitive[a].Name, TopShare: "0/1", TopOdds: "0/1", Cap: "0/1"})
	}
	return out
}

// figures are those of a part of the view.
func (x *content) figures() partFigures {
	out := newFigures(x.columns)
	for _, c := range x.classes {
		for j, k := range c.cells {
			out.cells[j][k.text] += c.people
		}
	}
	for _, b := range x.buckets {
		pool := x.pools[b.pool]
		for a := range b.bags {
			of := 0
			for _, n := range pool.bags[a] {
				of += n
			}
			r, all := &out.reach[a], ever(pool.bags[a])
			for v, have := range ever(b.bags[a]) {
				n := all[v]
				out.top = max(out.top, float64(have)/float64(b.people))
				r.Cap = "1/1"
				higher(&r.TopShare, have, b.people)
				if n < of && have <= b.people {
					higher(&r.TopOdds, have*(of-n), (b.people-have)*n)
				}
			}
		}
	}
	return out
}

// ever counts people by each value that they have anywhere in their history.
func ever(bag map[string]int) map[string]int {
	out := make(map[string]int, len(bag))
	for text, n := range bag {
		for _, v := range equivclass.Ever(text) {
			out[v] += n
		}
	}
	return out
}

// higher raises a ratio to num/den, if that is more.
func higher(to *snapshot.Ratio, num, den int) {
	if r := snapshot.NewRatio(uint64(num), uint64(den)); to.Less(r) {
		*to = r
	}
}
