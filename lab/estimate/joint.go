package estimate

import (
	"math"

	"anond/equivclass/query"
)

// Joint answers queries about any of the sensitive attributes of a release. Of one it asks that attribute's model. Of several the
// answer is that of query.JointRelease, times what each one's model changes of what the shares say of it alone.
type Joint struct {
	r      *query.JointRelease
	models []*Model // by sensitive attribute; nil: not fitted yet
}

// NewJoint fits models only when they are asked.
func NewJoint(r *query.JointRelease) *Joint {
	return &Joint{r: r, models: make([]*Model, len(r.Sensitive))}
}

// Model is that of a sensitive attribute. Its dictionaries are those of the quasi-identifiers and of the attribute.
func (j *Joint) Model(i int) *Model {
	if j.models[i] == nil {
		one, d := *j.r.BucketRelease, len(j.r.Dicts)-len(j.r.Sensitive)
		one.Dicts = append(j.r.Dicts[:d:d], j.r.Dicts[j.r.Sensitive[i].Attribute])
		one.Sensitive, one.Bags = d, j.r.Sensitive[i].Bags
		j.models[i] = NewModel(&one)
	}
	return j.models[i]
}

// about is the part of a query that says something of quasi-identifiers and of one sensitive attribute.
func (j *Joint) about(q *query.Bound, i int) *query.Bound {
	d := len(j.r.Dicts) - len(j.r.Sensitive)
	out := &query.Bound{Sum: -1}
	if q.Sum < d || q.Sum == d+i {
		out.Sum, out.Mean = min(q.Sum, d), q.Mean
	}
	for _, p := range q.Preds {
		if p.Attribute == d+i {
			p.Attribute = d
		} else if p.Attribute >= d {
			continue
		}
		out.Preds = append(out.Preds, p)
	}
	return out
}

// Answers answers queries together.
func (j *Joint) Answers(queries []*query.Bound) []Reply {
	d := len(j.r.Dicts) - len(j.r.Sensitive)
	names := make([]map[int]bool, len(queries))
	parts := make([][]*query.Bound, len(j.r.Sensitive))
	for n, q := range queries {
		names[n] = map[int]bool{}
		if q.Sum >= d {
			names[n][q.Sum-d] = true
		}
		for _, p := range q.Preds {
			if p.Attribute >= d {
				names[n][p.Attribute-d] = true
			}
		}
		if len(names[n]) == 0 {
			names[n][0] = true
		}
		for i := range parts {
			if names[n][i] {
				parts[i] = append(parts[i], j.about(q, i))
			}
		}
	}
	replies := make([][]Reply, len(parts))
	for i := range parts {
		if len(parts[i]) > 0 {
			replies[i] = j.Model(i).Answers(parts[i])
		}
	}
	out := make([]Reply, len(queries))
	for n, q := range queries {
		var of []Reply
		var scales []bool // whether what the part is about scales the answer: of a mean not what only decides who is counted
		for i := range parts {
			if names[n][i] {
				of, replies[i] = append(of, replies[i][0]), replies[i][1:]
				scales = append(scales, !q.Mean || q.Sum < d || q.Sum == d+i)
			}
		}
		if len(of) == 1 {
			out[n] = of[0]
			continue
		}
		shares := j.r.Estimate(q)
		times, variance := 1., 0.
		for i, r := range of {
			if scales[i] && r.Shares != 0 && r.Estimate != 0 {
				times *= r.Estimate / r.Shares
				variance += r.variance / (r.Estimate * r.Estimate)
			}
		}
		estimate := shares.Estimate * times
		out[n] = reply(estimate, variance*estimate*estimate/(inflated*inflated), false, shares)
		for _, r := range of {
			out[n].Hidden = out[n].Hidden || r.Hidden && !math.IsNaN(shares.Estimate)
		}
	}
	return out
}
