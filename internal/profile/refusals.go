package profile

import (
	"cmp"
	"fmt"
	"slices"

	"anond/equivclass"
)

// Refusal says how many lines of a table are refused for one reason, and what to do about it.
type Refusal struct {
	Reason    equivclass.Reason `json:"reason"`
	Attribute string            `json:"attribute,omitempty"`
	Lines     int               `json:"lines"`
	First     int64             `json:"first_line"`
	Do        string            `json:"do,omitempty"`
}

// What is the reason and the attribute.
func (r Refusal) What() string {
	if r.Attribute == "" {
		return string(r.Reason)
	}
	return fmt.Sprintf("%s of %s", r.Reason, r.Attribute)
}

// String is the refusal in one line.
func (r Refusal) String() string {
	out := fmt.Sprintf("%s, %d of the lines, first line %d", r.What(), r.Lines, r.First)
	if r.Do != "" {
		out += ": " + r.Do
	}
	return out
}

// Refusals are the refused lines by reason and attribute, the most frequent first.
func (t *Table) Refusals() []Refusal {
	out := []Refusal{}
	for _, r := range t.Refused {
		i := slices.IndexFunc(out, func(o Refusal) bool { return o.Reason == r.Reason && o.Attribute == r.Attribute })
		if i < 0 {
			i = len(out)
			out = append(out, Refusal{Reason: r.Reason, Attribute: r.Attribute, First: r.Line, Do: corrections[r.Reason]})
		}
		out[i].Lines++
	}
	slices.SortStableFunc(out, func(a, b Refusal) int { return cmp.Compare(b.Lines, a.Lines) })
	return out
}
