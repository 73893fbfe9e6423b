package query

import (
	"slices"
	"strings"

	"anond/equivclass"
)

// Where conditions on a history look: anywhere in it, at its beginning, or at all of it.
const (
	Ever  = "ever"
	First = "first"
	Whole = "whole"
)

// bindHistories marks the histories that a condition asks for, and returns the numbers of values that are absent: some record of them is
// in no history.
func bindHistories(c Condition, d *equivclass.Dictionary, match []bool) (absent []int, err error) {
	if c.Seen == "" {
		return nil, queryError(c.At, "%q has histories: write %q ever = V, first = V, or whole = V then W", c.Attribute, c.Attribute)
	}
	parts, histories := partsOf(d)
	plain := c
	plain.Not = false
	for i, text := range c.Values {
		var steps [][]bool
		missing := false
		for _, part := range equivclass.Parts(text) {
			step := make([]bool, parts.Len())
			plain.Values = []string{part}
			none, err := bindCategories(plain, parts, step)
			if err != nil {
				return nil, err
			}
			steps, missing = append(steps, step), missing || len(none) > 0
		}
		if missing {
			absent = append(absent, i+1)
			continue
		}
		for code, history := range histories {
			match[code] = match[code] || seen(history, steps, c.Seen)
		}
	}
	if c.Not {
		for code := range match {
			match[code] = !match[code]
		}
	}
	return absent, nil
}

// seen reports whether a history has records that follow each other, one of each step, where it is asked for.
func seen(history []equivclass.Code, steps [][]bool, where string) bool {
	for from := 0; from+len(steps) <= len(history); from++ {
		if where != Ever && from > 0 || where == Whole && len(history) > len(steps) {
			return false
		}
		all := true
		for i, step := range steps {
			all = all && step[history[from+i]]
		}
		if all {
			return true
		}
	}
	return false
}

// partsOf returns a dictionary of the single values of a dictionary of histories, and these in its codes.
func partsOf(d *equivclass.Dictionary) (parts *equivclass.Dictionary, histories [][]equivclass.Code) {
	parts = equivclass.NewDictionary(d.Attribute())
	known := map[string]equivclass.Code{}
	for code := range equivclass.Code(parts.Len()) {
		known[parts.Text(code)] = code
	}
	histories = make([][]equivclass.Code, d.Len())
	for code := range histories {
		for _, part := range equivclass.Parts(d.Text(equivclass.Code(code))) {
			if _, there := known[part]; !there {
				known[part] = equivclass.Code(parts.Len())
				_ = parts.Restore(part) // a text that is new and is fixed by no schema
			}
			histories[code] = append(histories[code], known[part])
		}
	}
	return parts, histories
}

// Seen is the release with less in place of histories, for a query that asks of them: by first records alone, these; else whether a
// history is one that is asked for. The query is bound to it. So a model has the few values that the query is about, and not one for each
// of many histories. Bounds stay what they are, since they follow from counts of people who have what is asked for.
func (r *JointRelease) Seen(q *Bound) (*JointRelease, *Bound) {
	out, bound := *r, *q
	buckets := *r.BucketRelease
	out.BucketRelease, out.fits = &buckets, nil
	out.Dicts, out.Sensitive, bound.Preds = slices.Clone(r.Dicts), slices.Clone(r.Sensitive), slices.Clone(q.Preds)
	for i := range bound.Preds {
		p := &bound.Preds[i]
		s := r.sensitive(p.Attribute)
		if s < 0 || r.Dicts[p.Attribute].Records() == 0 {
			continue
		}
		d := r.Dicts[p.Attribute]
		less := equivclass.NewDictionary(equivclass.Attribute{Name: d.Attribute().Name, Role: equivclass.Sensitive, Type: equivclass.Categorical})
		codes := map[string]equivclass.Code{}
		var match []bool
		to := make([]equivclass.Code, d.Len())
		for code := range to {
			shown := map[bool]string{true: "yes", false: "no"}[p.Match[code]]
			if p.first {
				shown, _, _ = strings.Cut(d.Text(equivclass.Code(code)), equivclass.Then)
			}
			at, known := codes[shown]
			if !known {
				at = equivclass.Code(len(match))
				codes[shown], match = at, append(match, p.Match[code])
				_ = less.Restore(shown)
			}
			to[code] = at
		}
		bags := make([]equivclass.Bag, len(r.Sensitive[s].Bags))
		for b, bag := range r.Sensitive[s].Bags {
			var have []equivclass.Code
			for _, c := range bag.Counts {
				have = append(have, slices.Repeat([]equivclass.Code{to[c.Code]}, c.N)...)
			}
			bags[b] = equivclass.BagOfCodes(have)
		}
		p.Match, out.Dicts[p.Attribute], out.Sensitive[s].Bags = match, less, bags
	}
	return &out, &bound
}
