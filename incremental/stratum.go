package incremental

import (
	"maps"
	"slices"

	"anond/equivclass"
)

// partition cuts records into classes that satisfy the requirement; rest is what
// is in none, in order of arrival. With semi-sensitive attributes the records of a
// class have the same flags, so that it tells nothing which cells of a row are
// bucketed, and values that are not flagged are quasi-identifiers like any other. So
// each stratum of equal flags is partitioned on its own, in a space with these values
// as further dimensions (Li, He and Sun, section 4: subsets of the QI partition).
// Without semi-sensitive attributes there is one stratum.
//
// The method whole cuts strata that satisfy the requirement as a whole; part cuts the
// others and may find nothing.
func (c *columns) partition(wide *equivclass.Space, records []RecordID, whole, part equivclass.Partitioner,
	want equivclass.Requirement) (plans []plan, rest []RecordID) {
	first, later := c.epochs(records)
	plans, rest = c.partitionPool(wide, first, whole, part, want)
	if later == nil {
		return plans, rest
	}
	second, left := later(rest)
	more, rest := c.partitionPool(wide, second, whole, part, want)
	rest = append(rest, left...)
	slices.Sort(rest)
	return append(plans, more...), rest
}

// partitionPool cuts one pool, stratum by stratum.
func (c *columns) partitionPool(wide *equivclass.Space, records []RecordID, whole, part equivclass.Partitioner,
	want equivclass.Requirement) (plans []plan, rest []RecordID) {
	if len(records) == 0 {
		return nil, nil
	}
	for _, s := range c.strata(records) {
		if c.interrupt.asked() { // the caller drops the incomplete plan
			return nil, records
		}
		method := whole
		if (len(c.schema.Semi()) > 0 || c.since != nil) && !want.Holds(c.bag(s.records)) {
			method = part
		}
		pool := c.stratumPool(wide, s)
		groups, left := method.Partition(pool, want)
		more, _ := plansOf(pool, s.records, groups)
		plans = append(plans, more...)
		for _, row := range left {
			rest = append(rest, s.records[row])
		}
	}
	slices.Sort(rest)
	return plans, rest
}

// stratum is records of equal flags, in order of arrival.
type stratum struct {
	flags   flagSet
	records []RecordID
}

// strata returns the strata of records in order of their flags.
func (c *columns) strata(records []RecordID) []stratum {
	if len(c.schema.Semi()) == 0 {
		return []stratum{{0, records}}
	}
	of := map[flagSet][]RecordID{}
	for _, r := range records {
		of[c.flagged(r)] = append(of[c.flagged(r)], r)
	}
	var out []stratum
	for _, f := range slices.Sorted(maps.Keys(of)) {
		out = append(out, stratum{f, of[f]})
	}
	return out
}

// stratumPool makes a stratum a pool: its dimensions are the quasi-identifiers
// and the semi-sensitive attributes that are not flagged.
func (c *columns) stratumPool(wide *equivclass.Space, s stratum) *equivclass.Pool {
	p := c.pool(c.narrow(wide), s.records)
	var known []int
	for j := range c.schema.Semi() {
		if !hasFlag(s.flags, j) {
			known = append(known, j)
		}
	}
	if len(known) == 0 {
		return p
	}
	q := c.schema.D()
	space := &equivclass.Space{Dims: slices.Clone(p.Space.Dims)}
	for _, j := range known {
		space.Dims = append(space.Dims, wide.Dims[q+j])
	}
	x := make([]float32, 0, len(s.records)*len(space.Dims))
	for i, r := range s.records {
		x = append(x, p.X[i*q:i*q+q]...)
		for _, j := range known {
			x = append(x, wide.Coord(q+j, c.semiDict(j), c.semi(j).At(int(r))))
		}
	}
	p.Space, p.X = space, x
	return p
}

// narrow is the part of a space that the quasi-identifiers span, in which
// records are positioned.
func (c *columns) narrow(wide *equivclass.Space) *equivclass.Space {
	if len(c.schema.Semi()) == 0 {
		return wide
	}
	return &equivclass.Space{Dims: wide.Dims[:c.schema.D()]}
}
