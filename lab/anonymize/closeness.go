package anonymize

import (
	"fmt"
	"slices"

	"anond/equivclass"
)

// addCloseness adds the t-closeness that a flag asks for.
func (o *Options) addCloseness(t *inputTable) error {
	if o.T == 0 {
		return nil
	}
	g, err := equivclass.GroundOf(t.Schema.Attributes()[t.Schema.SensitiveIndex()], o.Ground)
	o.Want.Extra = append(slices.Clone(o.Want.Extra), equivclass.TClose{T: o.T, Ground: g})
	return err
}

// declared completes t-closeness by the distribution that the configuration
// declares for the sensitive attribute, if it does.
func (o *Options) declared(t *inputTable) (map[int]equivclass.Bag, error) {
	i := t.Schema.SensitiveIndex()
	values, ok := o.References[i]
	if !ok {
		return nil, nil
	}
	b, err := declaredBag(t.Dicts[i], values)
	o.Want = o.Want.WithReference(b)
	return map[int]equivclass.Bag{i: b}, err
}

// declaredBag is a declared distribution in the codes of a dictionary.
func declaredBag(d *equivclass.Dictionary, values []equivclass.ValueCount) (b equivclass.Bag, err error) {
	for _, v := range values {
		code, why := d.EncodeLabel(v.Value)
		if why != equivclass.Accepted {
			return b, fmt.Errorf("a value of the declared reference of attribute %q is refused: %s", d.Attribute().Name, why)
		}
		b.Add(code, v.Count)
	}
	return b, nil
}

// published makes the published values the reference of t-closeness, as release 1
// of the daemon does: classes that are too far from it are held, until none is.
func (o *Options) published(t *inputTable, p *equivclass.Pool, asked equivclass.Requirement, groups [][]int32,
	rest []int32) ([][]int32, []int32, map[int]equivclass.Bag) {
	bags := make([]equivclass.Bag, len(groups))
	for i, g := range groups {
		bags[i] = p.Bag(g)
	}
	holds := func(class, reference equivclass.Bag) bool { return asked.WithReference(reference).Holds(class) }
	refs, keep := equivclass.PublishedReference([][]equivclass.Bag{bags}, []func(a, b equivclass.Bag) bool{holds})
	rest = slices.Clone(rest)
	var left [][]int32
	for i, g := range groups {
		if keep[i] {
			left = append(left, g)
		} else {
			rest = append(rest, g...)
		}
	}
	o.Want = asked.WithReference(refs[0])
	return left, rest, map[int]equivclass.Bag{t.Schema.SensitiveIndex(): refs[0]}
}
