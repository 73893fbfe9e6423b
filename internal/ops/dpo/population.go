package dpo

import (
	"encoding/csv"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strconv"

	"anond/equivclass"
	"anond/equivclass/query"
	"anond/internal/fault"
	"anond/internal/ops/present"
	"anond/snapshot/readback"
)

// Population is how many people of the population, by counts that the owner gives, are like the people of each class (k-map).
type Population struct {
	Attributes []string
	All        string // people of the population
	Least      string // that fit a class
	Risk       string // the largest probability that a row is a certain one of them
	Mean       string // the mean of it over the published people
	Parts      []part // published people by how many of the population fit their class
	Short      int    // classes with more people than the population has like them
}

// populationRows bounds the file, so memory.
const populationRows = 200_000

// PopulationOf counts those of the population who fit each class. Cost: a bit for each row and different cell, and a word for
// each 64 rows, class and attribute.
func PopulationOf(r *readback.Release, in io.Reader) (*Population, error) {
	bad := func(format string, args ...any) error {
		return fault.Errorf(fault.Usage, "a CSV file with a header: one column for each of some quasi-identifiers, named as in the release, "+
			"with exact values, and one named count", format, args...)
	}
	if len(r.Cells) == 0 {
		return nil, bad("--population needs generalized cells, and this release has none")
	}
	rows := csv.NewReader(in)
	header, err := rows.Read()
	if err != nil {
		return nil, bad("--population: the file has no header")
	}
	out := &Population{}
	count, columns, at := slices.Index(header, "count"), []int(nil), []int(nil) // of the file, and of the release
	for j, d := range r.Dicts[:len(r.Dicts)-1] {
		if c := slices.Index(header, d.Attribute().Name); c >= 0 {
			columns, at, out.Attributes = append(columns, c), append(at, j), append(out.Attributes, header[c])
		}
	}
	if count < 0 || len(columns) == 0 || len(columns)+1 != len(header) {
		return nil, bad("--population: the columns are not quasi-identifiers and count")
	}
	readers := make([]*query.CellReader, len(at))
	for i, j := range at {
		readers[i] = query.NewCellReader(r.Dicts[j])
	}
	var counts []int
	values, all := make([][]query.Cell, len(at)), 0
	for line := 2; ; line++ {
		row, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil || len(counts) == populationRows {
			return nil, bad("--population: line %d cannot be read, or there are more than %d", line, populationRows)
		}
		n, err := strconv.Atoi(row[count])
		if err != nil || n < 0 {
			return nil, bad("--population: line %d: the count is no whole number", line)
		}
		for i, c := range columns {
			v, why := readers[i].Read(row[c])
			if why != equivclass.Accepted {
				return nil, bad("--population: line %d: %s is no value of the attribute (%s)", line, header[c], why)
			}
			values[i] = append(values[i], v)
		}
		counts, all = append(counts, n), all+n
	}
	out.All = present.Count(all)
	out.fill(r, at, values, counts)
	return out, nil
}

func (p *Population) fill(r *readback.Release, at []int, values [][]query.Cell, counts []int) {
	words := (len(counts) + 63) / 64
	fitting := make([]map[query.CellKey][]uint64, len(at)) // rows that fit a cell, by attribute and cell
	for i := range fitting {
		fitting[i] = map[query.CellKey][]uint64{}
	}
	people, sum, published := map[int]int{}, 0.0, 0
	for c, cells := range r.Cells {
		var fit []uint64
		for i, j := range at {
			key := cells[j].Key()
			set := fitting[i][key]
			if set == nil {
				set = make([]uint64, words)
				for row, v := range values[i] {
					if holds(r.Dicts[j], cells[j], v) {
						set[row/64] |= 1 << (row % 64)
					}
				}
				fitting[i][key] = set
			}
			if fit == nil {
				fit = slices.Clone(set)
				continue
			}
			for w := range fit {
				fit[w] &= set[w]
			}
		}
		n, size := 0, int(r.Start[c+1]-r.Start[c])
		for w, set := range fit {
			for ; set != 0; set &= set - 1 {
				n += counts[64*w+bits.TrailingZeros64(set)]
			}
		}
		if n < size {
			p.Short++
			n = size
		}
		people[n] += size
		sum, published = sum+float64(size)/float64(n), published+size
	}
	p.Parts, p.Least = bySizes(people), present.Count(slices.Min(slices.Collect(maps.Keys(people))))
	p.Risk, p.Mean = "1/"+p.Least, "1/"+present.Count(int(float64(published)/max(sum, 1e-300)+.5))
}

// holds reports whether a cell holds a single value.
func holds(d *equivclass.Dictionary, c, v query.Cell) bool {
	switch d.Kind() {
	case equivclass.Number:
		return v.Lo > v.Hi && c.Lacks || c.Lo <= v.Lo && v.Hi <= c.Hi
	case equivclass.Tree:
		lo, hi := d.Attribute().Hierarchy.Span(c.Node)
		from, to := d.Attribute().Hierarchy.Span(v.Node)
		return lo <= from && to <= hi
	}
	return len(v.Codes) == 1 && slices.Contains(c.Codes, v.Codes[0])
}
