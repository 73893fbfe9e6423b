package dpo

import (
	"encoding/json"
	"io"

	"anond/internal/fault"
	"anond/internal/ops/present"
)

// Beliefs count the people whom a model that was trained on the release believes to have a value: what anond-lab audit-model
// --public --json writes.
type Beliefs struct {
	Release    uint32 `json:"release"`
	Manifest   string `json:"manifest_sha256"`
	Dataset    string `json:"dataset"`
	Private    bool   `json:"private"`
	Attributes []struct {
		Name   string `json:"attribute"`
		People int    `json:"people"`
		Above  []struct {
			Belief float64 `json:"belief"`
			People int     `json:"people"`
		} `json:"above"`
	} `json:"attributes"`
}

// ReadBeliefs reads the counts of a release. It refuses those of another one, and private ones, as they say who is right.
func ReadBeliefs(in io.Reader, manifest string) (*Beliefs, error) {
	const hint = "anond-lab audit-model --releases DIR --public --json > FILE writes it"
	lines := json.NewDecoder(in)
	lines.DisallowUnknownFields()
	out := &Beliefs{}
	err := lines.Decode(out)
	switch {
	case out.Private:
		return nil, fault.Errorf(fault.Usage, hint, "the file of --model counts right guesses, which is private: it enters no report")
	case err != nil:
		return nil, fault.Errorf(fault.Usage, hint, "the file of --model is not what anond-lab audit-model writes")
	case out.Manifest != manifest:
		return nil, fault.Errorf(fault.Usage, hint, "the file of --model is of another release: its manifest has another hash")
	}
	return out, nil
}

// believed is a row of what a model believes.
type believed struct{ Attribute, Belief, People, Percent string }

func (b *Beliefs) rows() (out []believed) {
	if b == nil {
		return nil
	}
	for _, a := range b.Attributes {
		for _, x := range a.Above {
			out = append(out, believed{a.Name, present.Percent(x.Belief), present.Count(x.People),
				present.Percent(float64(x.People) / float64(max(1, a.People)))})
		}
	}
	return out
}
