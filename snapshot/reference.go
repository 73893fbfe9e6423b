package snapshot

import (
	"cmp"
	"slices"

	"anond/equivclass"
)

// withReferences completes the t-closeness of the sensitive attribute by the
// distribution that it compares with. Safe to publish: it is declared, or the
// bag of release 1, which release 1 shows (equivclass.PublishedReference).
func withReferences(of []Diversity, in *Input) []Diversity {
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
func referenceOf(in *Input, attribute int) []ValueCount {
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
	out := make([]ValueCount, len(counts))
	for i, c := range counts {
		out[i] = ValueCount{d.Text(c.Code), c.N}
	}
	return out
}
