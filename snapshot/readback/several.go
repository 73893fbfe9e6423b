package readback

import (
	"slices"

	"anond/equivclass"
	"anond/equivclass/query"
)

// SensitiveValues are the values of a sensitive attribute, bucket by bucket as in SA.
type SensitiveValues struct {
	Dict *equivclass.Dictionary
	SA   []equivclass.Code
}

// others are new dictionaries of the sensitive attributes behind the first.
func (r *Release) others() (out []*equivclass.Dictionary) {
	for _, i := range r.Schema.Sensitive()[1:] {
		out = append(out, r.dictionary(i))
	}
	return out
}

// About is the release as one whose sensitive attribute is the only one that a query names, or the first. The release of a query
// that names several is about all of them: it has them all behind the quasi-identifiers, and answers by query.JointRelease.
func (r *Release) About(text string) (*Release, error) {
	q, err := query.Parse(text)
	if err != nil {
		return nil, err
	}
	d := len(r.Dicts) - 1
	all := append([]SensitiveValues{{r.Dicts[d], r.SA}}, r.Others...)
	var named []int
	for i, s := range all {
		name := s.Dict.Attribute().Name
		if q.Sum == name || slices.ContainsFunc(q.Where, func(c query.Condition) bool { return c.Attribute == name }) {
			named = append(named, i)
		}
	}
	if len(named) == 0 {
		return r, nil
	}
	out := *r
	if out.Others = nil; len(named) == 1 {
		out.Dicts, out.SA = append(slices.Clone(r.Dicts[:d]), all[named[0]].Dict), all[named[0]].SA
		return &out, nil
	}
	buckets, ok := r.AsBuckets()
	if !ok {
		return r, nil
	}
	joint := &query.JointRelease{BucketRelease: buckets, Pool: r.poolsOf, Tables: r.tables}
	out.Dicts = slices.Clone(r.Dicts[:d])
	for i, s := range all {
		values := *r
		values.SA = s.SA
		out.Dicts = append(out.Dicts, s.Dict)
		joint.Sensitive = append(joint.Sensitive, query.SensitiveBags{Attribute: d + i, Bags: values.Bags()})
	}
	joint.Dicts = out.Dicts
	out.form.estimator = func(*Release) query.Estimator { return joint }
	return &out, nil
}
