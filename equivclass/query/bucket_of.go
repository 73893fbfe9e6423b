package query

import (
	"anond/equivclass"
)

// Buckets is the release as classes that share buckets, if the sensitive attribute
// is apart from all others: a row is a class if the others are exact together; a
// group is one if each of them is shuffled for itself. ok is false for any other
// release, such as slicing.
func (r *BlockRelease) Buckets(sensitive int) (out *BucketRelease, ok bool) {
	single := len(r.Blocks) == len(r.Dicts)
	if !single && len(r.Blocks) != 2 {
		return nil, false
	}
	for _, block := range r.Blocks {
		if len(block) == 1 && block[0] == sensitive {
			ok = true
		}
	}
	if !ok {
		return nil, false
	}
	out = &BucketRelease{Dicts: r.Dicts, Sensitive: sensitive, Columns: make([]Column, len(r.Dicts))}
	for g := range len(r.Start) - 1 {
		from, to := r.Start[g], r.Start[g+1]
		out.Bags = append(out.Bags, r.bag(sensitive, from, to))
		if single {
			out.Size, out.Bucket = append(out.Size, to-from), append(out.Bucket, int32(g))
			continue
		}
		for range to - from {
			out.Size, out.Bucket = append(out.Size, 1), append(out.Bucket, int32(g))
		}
	}
	for j := range r.Dicts {
		switch {
		case j == sensitive:
		case single:
			out.Columns[j] = r.shuffled(j)
		default:
			out.Columns[j] = exactColumn(r.Dicts[j], r.Codes[j])
		}
	}
	return out, true
}

func (r *BlockRelease) bag(j int, from, to int32) equivclass.Bag {
	return equivclass.BagOfCodes(append([]equivclass.Code(nil), r.Codes[j][from:to]...))
}

func (r *BlockRelease) shuffled(j int) (out Column) {
	for g := range len(r.Start) - 1 {
		out.Bags, out.Of = append(out.Bags, r.bag(j, r.Start[g], r.Start[g+1])), append(out.Of, int32(g))
	}
	return out
}

// exactColumn has a cell for each value of the dictionary.
func exactColumn(d *equivclass.Dictionary, codes []equivclass.Code) (out Column) {
	for c := range equivclass.Code(d.Len()) {
		out.Cells = append(out.Cells, CellOf(d, []equivclass.Code{c}))
	}
	for _, c := range codes {
		out.Of = append(out.Of, int32(c))
	}
	return out
}
