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

// sensitive are the values of all sensitive attributes.
func (r *Release) sensitive() []SensitiveValues {
	return append([]SensitiveValues{{r.Dicts[len(r.Dicts)-1], r.SA}}, r.Others...)
}

// Each is the release once for each sensitive attribute, as if that were the only one.
func (r *Release) Each() (out []*Release) {
	for _, s := range r.sensitive() {
		one := *r
		one.Others = nil
		one.Dicts, one.SA = append(slices.Clone(r.Dicts[:len(r.Dicts)-1]), s.Dict), s.SA
		out = append(out, &one)
	}
	return out
}

// Joint is the release with all sensitive attributes behind the quasi-identifiers, if it has buckets.
func (r *Release) Joint() (*query.JointRelease, bool) {
	buckets, ok := r.AsBuckets()
	if !ok {
		return nil, false
	}
	joint, d := &query.JointRelease{BucketRelease: buckets, Pool: r.poolsOf, Tables: r.tables}, len(r.Dicts)-1
	joint.Dicts = slices.Clone(r.Dicts[:d])
	for i, one := range r.Each() {
		joint.Dicts = append(joint.Dicts, one.Dicts[d])
		joint.Sensitive = append(joint.Sensitive, query.SensitiveBags{Attribute: d + i, Bags: one.Bags()})
	}
	return joint, true
}

// About is the release as one whose sensitive attribute is the only one that a query names, or the first. The release of a query
// that names several is about all of them: it has them all behind the quasi-identifiers, and answers by query.JointRelease.
func (r *Release) About(q query.Query) (*Release, error) {
	var named []int
	for i, s := range r.sensitive() {
		name := s.Dict.Attribute().Name
		if q.Sum == name || slices.ContainsFunc(q.Where, func(c query.Condition) bool { return c.Attribute == name }) {
			named = append(named, i)
		}
	}
	switch len(named) {
	case 0:
		return r, nil
	case 1:
		return r.Each()[named[0]], nil
	}
	joint, ok := r.Joint()
	if !ok {
		return r, nil
	}
	out := *r
	out.Dicts, out.Others = joint.Dicts, nil
	out.form.estimator = func(*Release) query.Estimator { return joint }
	return &out, nil
}
