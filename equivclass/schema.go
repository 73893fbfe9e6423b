package equivclass

import (
	"errors"
	"fmt"
	"slices"
)

// Role says what an attribute is to an adversary and so what anond does with it.
type Role string

// The roles of an attribute.
const (
	Identifier Role = "identifier" // names a person; never stored, never published
	Subject    Role = "subject"    // links the records of one person; kept as a keyed digest
	Quasi      Role = "quasi"      // may be known to an adversary; published generalized
	Semi       Role = "semi"       // semi-sensitive: its own promise (LGB)
	Sensitive  Role = "sensitive"  // the value that must not be learnt
	Drop       Role = "drop"       // ignored
	// Flag says whether the value of a semi-sensitive attribute is sensitive to
	// its person. It is declared by Attribute.Flag, not as a role.
	Flag Role = "flag"
)

// Type is the type of an attribute's values.
type Type string

// The types of values. An attribute with a label hierarchy is categorical.
const (
	Integer     Type = "integer"
	Decimal     Type = "decimal"
	Date        Type = "date" // YYYY-MM-DD, counted in days
	Categorical Type = "categorical"
)

// Numeric reports whether values of the type have an order and a distance.
func (t Type) Numeric() bool { return t == Integer || t == Decimal || t == Date }

// Attribute describes one attribute of the records.
type Attribute struct {
	Name string
	Role Role
	Type Type
	// Text says how the texts of a subject or category become values.
	Text Text
	// Hierarchy generalizes the values of a categorical attribute; nil if none.
	Hierarchy *Hierarchy
	// Digits of a decimal are those behind the point: its numbers are integers of
	// 10^-Digits (ParseNumber).
	Digits int
	// Steps are the widths, in such units, of the aligned intervals a numeric
	// quasi-identifier is generalized to, each a multiple of the one before; empty:
	// the exact range.
	Steps []int64
	// Buckets are the lower bounds, in such units, of the intervals that make a numeric
	// sensitive attribute categorical; values below the first are refused.
	Buckets []int64
	// Promise is what a semi-sensitive attribute keeps; nil for all others.
	Promise *SemiPromise
	// Flag names the attribute of role Flag that says, record by record, whether
	// the value is sensitive. Empty: every value of the attribute is.
	Flag string
}

// SemiPromise is the promise of a semi-sensitive attribute on its own (Li, He
// and Sun; docs/THREAT_MODEL.md, What is promised). It is L: no value has more
// than 1/L of a local bucket. Or, for domains too small for that, it is T:
// every local bucket is T-close to the reference distribution under the named
// ground distance, and the posterior of a value is its share of the bucket.
// Exactly one of L and T is set.
type SemiPromise struct {
	L        int
	T        float64
	Distance string // equal, ordered or hierarchical; with T
	// Reference is the declared reference distribution of T, values as records
	// write them; nil: the sensitive values published in release 1.
	Reference []ValueCount
}

// ValueCount says how often a value occurs in a declared distribution.
type ValueCount struct {
	Value string
	Count int
}

// Missing says what becomes of a record that lacks a value.
type Missing string

// The treatments of a missing value.
const (
	RefuseMissing Missing = "refuse" // dead-letter, reason missing_value
	MissingValue  Missing = "value"  // the empty text, a value like any other (categories only)
)

// Schema is the checked, immutable description of the records of a dataset.
type Schema struct {
	attributes []Attribute
	quasi      []int
	semi       []int
	sensitive  int
	subject    int // -1 if none
	missing    Missing
}

// NewSchema checks attributes and returns the schema they make, or every fault
// at once (errors.Join). Each fault names its attribute.
func NewSchema(attributes []Attribute, missing Missing) (*Schema, error) {
	s := &Schema{attributes: slices.Clone(attributes), sensitive: -1, subject: -1, missing: missing}
	var faults []error
	seen := map[string]bool{}
	for i, a := range s.attributes {
		if seen[a.Name] {
			faults = append(faults, fmt.Errorf("attribute %q is declared twice", a.Name))
		}
		seen[a.Name] = true
		faults = append(faults, a.check()...)
		switch a.Role {
		case Quasi:
			s.quasi = append(s.quasi, i)
		case Semi:
			s.semi = append(s.semi, i)
		case Sensitive:
			if s.sensitive >= 0 {
				faults = append(faults, fmt.Errorf("attributes %q and %q are both sensitive: publish one; "+
					"a second one that depends on the first would undo its promise, and joined fields protect the pair only",
					s.attributes[s.sensitive].Name, a.Name))
			}
			s.sensitive = i
		case Subject:
			if s.subject >= 0 {
				faults = append(faults, fmt.Errorf("attributes %q and %q are both subject: declare one", s.attributes[s.subject].Name, a.Name))
			}
			s.subject = i
		}
	}
	faults = append(faults, s.checkFlags()...)
	if len(s.quasi) == 0 {
		faults = append(faults, errors.New("no attribute has role quasi: declare at least one"))
	}
	if s.sensitive < 0 {
		faults = append(faults, errors.New("no attribute has role sensitive: declare one"))
	}
	if missing != RefuseMissing && missing != MissingValue {
		faults = append(faults, fmt.Errorf("missing is %q: use refuse or value", missing))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return s, nil
}

// checkFlags reports semi-sensitive attributes whose flag does not exist, and
// flags that no attribute uses.
func (s *Schema) checkFlags() []error {
	var faults []error
	used := map[string]bool{}
	for _, i := range s.semi {
		a := s.attributes[i]
		used[a.Flag] = true
		if a.Flag != "" && s.FlagIndex(i) < 0 {
			faults = append(faults, fmt.Errorf("attribute %q: its flag %q is no attribute of role flag", a.Name, a.Flag))
		}
	}
	for _, a := range s.attributes {
		if a.Role == Flag && !used[a.Name] {
			faults = append(faults, fmt.Errorf("attribute %q is the flag of no attribute", a.Name))
		}
	}
	return faults
}

func (p *SemiPromise) check() error {
	switch {
	case p == nil:
		return errors.New("a semi-sensitive attribute needs a promise: l or t")
	case (p.L != 0) == (p.T != 0):
		return errors.New("the promise of a semi-sensitive attribute is either l or t")
	case p.L != 0 && p.L < 2:
		return fmt.Errorf("promise l = %d promises nothing: l is at least 2", p.L)
	case p.T < 0 || p.T >= 1:
		return fmt.Errorf("promise t = %g is not between 0 and 1", p.T)
	}
	return nil
}

func (a Attribute) check() []error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("attribute %q: "+format, append([]any{a.Name}, args...)...))
	}
	if a.Name == "" {
		fault("has no name")
	}
	if (a.Name == "class" || a.Name == "group" || a.Name == "part") && (a.Role == Quasi || a.Role == Sensitive || a.Role == Semi) {
		fault("every release has a column of this name; publish the attribute under another name")
	}
	switch a.Role {
	case Identifier, Subject, Drop, Flag:
		return faults // their type is never looked at
	case Quasi, Semi, Sensitive:
	default:
		fault("role %q is none of identifier, subject, quasi, semi, sensitive, drop", a.Role)
	}
	if !a.Type.Numeric() && a.Type != Categorical {
		fault("type %q is none of integer, decimal, date, categorical", a.Type)
	}
	if a.Hierarchy != nil && a.Type != Categorical {
		fault("a label hierarchy makes an attribute categorical, but its type is %s", a.Type)
	}
	if a.Role == Semi {
		if err := a.Promise.check(); err != nil {
			fault("%w", err)
		}
	} else if a.Promise != nil || a.Flag != "" {
		fault("a promise and a flag belong to a semi-sensitive attribute")
	}
	faults = append(faults, a.checkNumbers()...)
	if a.Role == Sensitive && a.Type.Numeric() && len(a.Buckets) == 0 {
		fault("a numeric sensitive attribute needs buckets: near values would otherwise count as different")
	}
	if len(a.Buckets) > 0 && (a.Role != Sensitive || !a.Type.Numeric()) {
		fault("buckets belong to a numeric sensitive attribute")
	}
	if !slices.IsSorted(a.Buckets) {
		fault("buckets must ascend")
	}
	return faults
}

func (a Attribute) checkNumbers() (faults []error) {
	if a.Digits < 0 || a.Digits > MostDigits || a.Digits > 0 && a.Type != Decimal {
		faults = append(faults, fmt.Errorf("attribute %q: digits are 0 to %d, of a decimal", a.Name, MostDigits))
	}
	if len(a.Steps) > 0 && !a.Type.Numeric() {
		faults = append(faults, fmt.Errorf("attribute %q: steps belong to a numeric attribute", a.Name))
	}
	for i, w := range a.Steps {
		if w <= 0 || w > MostUnits || i > 0 && w%a.Steps[i-1] != 0 {
			faults = append(faults, fmt.Errorf("attribute %q: step %s is not positive, too large, or no multiple of the step "+
				"before: intervals would not nest", a.Name, a.FormatNumber(w)))
		}
	}
	return faults
}

// Attributes returns all attributes in order. The slice must not be changed.
func (s *Schema) Attributes() []Attribute { return s.attributes }

// Quasi returns the indexes of the quasi-identifiers, in schema order.
func (s *Schema) Quasi() []int { return s.quasi }

// Semi returns the indexes of the semi-sensitive attributes, in schema order.
func (s *Schema) Semi() []int { return s.semi }

// Flags returns the indexes of the attributes of role flag, in schema order.
func (s *Schema) Flags() (out []int) {
	for i, a := range s.attributes {
		if a.Role == Flag {
			out = append(out, i)
		}
	}
	return out
}

// FlagIndex returns the index of the attribute that flags the values of a
// semi-sensitive one, or -1 where all its values are sensitive.
func (s *Schema) FlagIndex(semi int) int {
	name := s.attributes[semi].Flag
	if name == "" {
		return -1
	}
	return slices.IndexFunc(s.attributes, func(a Attribute) bool { return a.Name == name && a.Role == Flag })
}

// Columns returns the indexes of what a release shows next to the sensitive
// attribute: quasi-identifiers and semi-sensitive attributes, in schema order.
func (s *Schema) Columns() (out []int) {
	for i, a := range s.attributes {
		if a.Role == Quasi || a.Role == Semi {
			out = append(out, i)
		}
	}
	return out
}

// D returns the number of quasi-identifiers.
func (s *Schema) D() int { return len(s.quasi) }

// SensitiveIndex returns the index of the sensitive attribute.
func (s *Schema) SensitiveIndex() int { return s.sensitive }

// SubjectIndex returns the index of the subject attribute, or -1.
func (s *Schema) SubjectIndex() int { return s.subject }

// Missing returns how a missing value is treated.
func (s *Schema) Missing() Missing { return s.missing }
