package methods

import (
	"fmt"
	"slices"
	"strings"

	"anond/equivclass"
)

// Names of the recodings.
const (
	generalization = "generalization"
	anatomy        = "anatomy"
	permutation    = "permutation"
	slicing        = "slicing"
	randomization  = "randomization"
	lgb            = "lgb"
)

// Options is what a partitioner needs in addition to a pool.
type Options struct {
	Seed    uint64 // fixes what a method draws
	Workers int    // goroutines that share the work, of those that can; no influence on the classes
}

// Method is one way to cut a table into classes.
type Method struct {
	Name      string `json:"name"`
	Recoding  string `json:"recoding"` // the one it was made for
	Guarantee string `json:"guarantee"`
	Source    string `json:"source"`
	// Only: no other recoding can show what the method makes.
	Only bool `json:"only,omitempty"`

	// By names the method that cuts the classes of this one, which adds local buckets
	// to them. Empty: this one cuts them.
	By     string `json:"-"`
	Fold   bool   `json:"-"` // LGB: records of rare flags may protect more than they ask
	Nested bool   `json:"-"` // LGB: local buckets do not cross classes

	build func(Options) equivclass.Partitioner // nil with By
}

// Partitioner builds the method's partitioner, which has the same name; with By, the one
// of that name.
func (m Method) Partitioner(o Options) equivclass.Partitioner {
	if m.By == "" {
		return m.build(o)
	}
	by, err := Find(m.By)
	if err != nil {
		panic(err) // the registry names a method that it lacks: a test holds it to that
	}
	return by.Partitioner(o)
}

// Recodings lists those in which the method's classes may be written.
func (m Method) Recodings() []string {
	if m.Only {
		return []string{m.Recoding}
	}
	return []string{generalization, anatomy, permutation, slicing, randomization}
}

// CheckRecoding tells why the method's classes cannot be written in a known recoding.
func (m Method) CheckRecoding(name string) error {
	switch {
	case slices.Contains(m.Recodings(), name):
		return nil
	case m.Only:
		return fmt.Errorf("method %s is written in recoding %s alone", m.Name, m.Recoding)
	}
	return fmt.Errorf("recoding %s is written by the methods %s: %s makes no local buckets", name, Words(MadeFor(name), "and"), m.Name)
}

// Words joins names as a sentence does: a, b and c.
func Words(names []string, last string) string {
	n := len(names) - 1
	if n < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
}

// MadeFor lists the names of the methods that were made for a recoding.
func MadeFor(recoding string) (names []string) {
	for _, m := range All() {
		if m.Recoding == recoding {
			names = append(names, m.Name)
		}
	}
	return names
}

// Find returns the method of a name.
func Find(name string) (Method, error) {
	var names []string
	for _, m := range All() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Method{}, fmt.Errorf("method %q is not known: use %s", name, strings.Join(names, ", "))
}
