package replay

import (
	"fmt"

	"anond/incremental"
	"anond/incremental/state"
)

// era is a stretch under the same settings: a replay opens its machine anew where the next one begins, as the daemon did.
type era struct {
	state.Era
	options incremental.Options
}

// eras returns those of a recording, oldest first, or why the settings of an earlier one are not known any more.
func (r *Recording) eras() (out []era, obstacle string) {
	for i, e := range r.meta.Eras {
		o := r.options
		if i < len(r.meta.Eras)-1 {
			var err error
			if o, err = r.options.Rebuild(e.Config); err != nil {
				return nil, fmt.Sprintf("the settings of era %d cannot be read: %v", i+1, err)
			}
		}
		o.Apply, o.Lapse = true, true
		out = append(out, era{e, o})
	}
	return out, ""
}
