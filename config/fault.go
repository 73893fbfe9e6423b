package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/internal/fault"
)

// Fault is one thing that is wrong with a configuration, or with a file that
// it names.
type Fault struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`   // from 1; 0: the file as a whole
	Column int    `json:"column,omitempty"` // from 1; 0: the line as a whole
	Key    string `json:"key,omitempty"`    // such as policy.k or schema.attributes[2].type
	Reason string `json:"reason"`
	// Suggestion says how to correct it; may be empty.
	Suggestion string `json:"suggestion,omitempty"`
}

// String writes file:line:column: key: reason; suggestion.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(f.File)
	for _, n := range []int{f.Line, f.Column} {
		if n > 0 {
			fmt.Fprintf(&b, ":%d", n)
		}
	}
	if f.Key != "" {
		b.WriteString(": " + f.Key)
	}
	b.WriteString(": " + f.Reason)
	if f.Suggestion != "" {
		b.WriteString("; " + f.Suggestion)
	}
	return b.String()
}

// Warning is something that works, but may not be what is wanted.
type Warning Fault

// String writes a warning as Fault does.
func (w Warning) String() string { return Fault(w).String() }

// Faults is the error of Load: everything that is wrong, in the order of the
// file (files that it names come after it).
type Faults struct{ List []Fault }

// Fault implements fault.Fault.
func (f *Faults) Fault() (fault.Kind, string) {
	return fault.Config, "docs/CONFIGURATION.md lists every key with its type and default"
}

// shownFaults is how many faults are shown of a configuration, and of a hierarchy.
const shownFaults = equivclass.ShownFaults

// Shown are the first faults.
func (f *Faults) Shown() []Fault { return f.List[:min(len(f.List), shownFaults)] }

// Error writes one fault a line, up to shownFaults.
func (f *Faults) Error() string {
	var lines []string
	for _, fault := range f.Shown() {
		lines = append(lines, fault.String())
	}
	if more := len(f.List) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more faults", more))
	}
	return strings.Join(lines, "\n")
}

// Sum says of which file how many there are.
func (f *Faults) Sum() string {
	if n := len(f.List); n != 1 {
		return fmt.Sprintf("%s cannot be used: %d faults", f.List[0].File, n)
	}
	return f.List[0].File + " cannot be used: 1 fault"
}

// inOrder sorts faults by place; those of the configuration file come first.
func inOrder(faults []Fault, file string) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(
			compareBool(a.File != file, b.File != file),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Key, b.Key),
		)
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
