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
	RecordKey  Role = "record"     // what the source knows a record by, so that a later message about it is an update; kept as a keyed digest
	Quasi      Role = "quasi"      // may be known to an adversary; published generalized
	Kept       Role = "kept"       // a quasi-identifier that is not published: read and stored, and in no distance, class or release
	Sensitive  Role = "sensitive"  // the value that must not be learnt
	Drop       Role = "drop"       // ignored
)

// Blind reports whether values of the role may be known to an adversary, so that who shares a class may depend on them: rule B (buckets)
// lets a pool show any of these attributes and be divided by them.
func (r Role) Blind() bool { return r == Quasi || r == Kept }

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

// Precision says how exact the dates of an attribute are.
type Precision string

// The precisions. A date that is less exact is the first day of its month or year.
const (
	Day   Precision = ""
	Month Precision = "month"
	Year  Precision = "year"
)

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
	// Precision of a date.
	Precision Precision
	// Optional: the value may be missing (MissingText). NewSchema sets it.
	Optional bool
	// MissingValues are texts, and numbers as texts, that count as missing.
	MissingValues []string
	// Range is what is plausible for a number; nil: everything.
	Range *Range
	// Steps are the widths, in such units, of the aligned intervals a numeric
	// quasi-identifier is generalized to, each a multiple of the one before; empty:
	// the exact range.
	Steps []int64
	// Buckets are the lower bounds, in such units, of the intervals that make a numeric
	// sensitive attribute categorical; values below the first are refused.
	Buckets []int64
	// Exact: the numbers of such an attribute are kept and published as they are. What is promised of them, and who shares
	// a bucket, looks at their intervals (Dictionary.Label).
	Exact bool
	// Weight of a quasi-identifier is what its distances and losses count for when classes are formed, more than 0 and at most 1;
	// 0: 1. What is published of its loss (NCP) is not weighted.
	Weight float64
	// Missing says what becomes of a missing value of a sensitive attribute; empty: what it says of the schema.
	Missing Missing
}

// Bucketed reports whether the values of a number are its intervals.
func (a *Attribute) Bucketed() bool { return len(a.Buckets) > 0 && !a.Exact }

// Range is a closed range of numbers, in units of their attribute.
type Range struct {
	Lo, Hi int64
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
	MissingValue  Missing = "value"  // a value like any other, but of a number that is sensitive where the schema says it
	OpenMissing   Missing = "open"   // of a sensitive attribute: published, and nothing is promised of it
)

// Schema is the checked, immutable description of the records of a dataset.
type Schema struct {
	attributes []Attribute
	quasi      []int
	kept       []int
	sensitive  []int
	subject    int // -1 if none
	record     int // likewise
	missing    Missing
}

// NewSchema checks attributes and returns the schema they make, or every fault
// at once (errors.Join). Each fault names its attribute.
func NewSchema(attributes []Attribute, missing Missing) (*Schema, error) {
	s := &Schema{attributes: slices.Clone(attributes), subject: -1, record: -1, missing: missing}
	var faults []error
	seen := map[string]bool{}
	for i, a := range s.attributes {
		if seen[a.Name] {
			faults = append(faults, fmt.Errorf("attribute %q is declared twice", a.Name))
		}
		seen[a.Name] = true
		faults = append(faults, a.check()...)
		s.attributes[i].Optional = a.optional(missing)
		switch a.Role {
		case Quasi:
			s.quasi = append(s.quasi, i)
		case Kept:
			s.kept = append(s.kept, i)
		case Sensitive:
			s.sensitive = append(s.sensitive, i)
		case Subject:
			if s.subject >= 0 {
				faults = append(faults, fmt.Errorf("attributes %q and %q are both subject: declare one", s.attributes[s.subject].Name, a.Name))
			}
			s.subject = i
		case RecordKey:
			if s.record >= 0 {
				faults = append(faults, fmt.Errorf("attributes %q and %q are both record: declare one", s.attributes[s.record].Name, a.Name))
			}
			s.record = i
		}
	}
	if len(s.quasi) == 0 {
		faults = append(faults, errors.New("no attribute has role quasi: declare at least one"))
	}
	if len(s.sensitive) == 0 {
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

// optional reports whether a value may be missing, by what is said of all attributes.
func (a *Attribute) optional(missing Missing) bool {
	if a.Role == Sensitive && a.Missing != "" {
		return a.Missing != RefuseMissing
	}
	return missing == MissingValue && (a.Role.Blind() || a.Role == Sensitive && !a.Type.Numeric())
}

func (a Attribute) check() []error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("attribute %q: "+format, append([]any{a.Name}, args...)...))
	}
	if a.Name == "" {
		fault("has no name")
	}
	if (a.Name == "class" || a.Name == "group" || a.Name == "bucket" || a.Name == "part") && (a.Role.Blind() || a.Role == Sensitive) {
		fault("every release has a column of this name; publish the attribute under another name")
	}
	switch a.Role {
	case Identifier, Subject, RecordKey, Drop:
		return faults // their type is never looked at
	case Quasi, Kept, Sensitive:
	default:
		fault("role %q is none of identifier, subject, record, quasi, kept, sensitive, drop", a.Role)
	}
	if !a.Type.Numeric() && a.Type != Categorical {
		fault("type %q is none of integer, decimal, date, categorical", a.Type)
	}
	if a.Hierarchy != nil && a.Type != Categorical {
		fault("a label hierarchy makes an attribute categorical, but its type is %s", a.Type)
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
	if a.Exact && len(a.Buckets) == 0 {
		fault("exact values are of a numeric sensitive attribute with buckets")
	}
	if m := a.Missing; m != "" && (a.Role != Sensitive || m != RefuseMissing && m != MissingValue && m != OpenMissing) {
		fault("missing is %q: use refuse, value or open, of a sensitive attribute", m)
	}
	return faults
}

func (a Attribute) checkNumbers() (faults []error) {
	if a.Digits < 0 || a.Digits > MostDigits || a.Digits > 0 && a.Type != Decimal {
		faults = append(faults, fmt.Errorf("attribute %q: digits are 0 to %d, of a decimal", a.Name, MostDigits))
	}
	if p := a.Precision; p != Day && (a.Type != Date || p != Month && p != Year) {
		faults = append(faults, fmt.Errorf("attribute %q: precision is %q: use month or year, of a date", a.Name, p))
	}
	if len(a.Steps) > 0 && !a.Type.Numeric() {
		faults = append(faults, fmt.Errorf("attribute %q: steps belong to a numeric attribute", a.Name))
	}
	if (len(a.MissingValues) > 0 || a.Range != nil) && !a.Role.Blind() && a.Role != Sensitive {
		faults = append(faults, fmt.Errorf("attribute %q: missing values and a range belong to a published attribute", a.Name))
	}
	if r := a.Range; r != nil && (!a.Type.Numeric() || r.Lo >= r.Hi) {
		faults = append(faults, fmt.Errorf("attribute %q: a range is of a numeric attribute, and its first bound below the second", a.Name))
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

// Kept returns the indexes of the quasi-identifiers that are stored and not published.
func (s *Schema) Kept() []int { return s.kept }

// Blind returns the indexes of both, in schema order.
func (s *Schema) Blind() []int { return slices.Sorted(slices.Values(slices.Concat(s.quasi, s.kept))) }

// D returns the number of quasi-identifiers.
func (s *Schema) D() int { return len(s.quasi) }

// Sensitive returns the indexes of the sensitive attributes, in schema order.
func (s *Schema) Sensitive() []int { return s.sensitive }

// SensitiveIndex returns the index of the sensitive attribute where there is one: at level L1, and in the lab.
func (s *Schema) SensitiveIndex() int { return s.sensitive[0] }

// SubjectIndex returns the index of the subject attribute, or -1.
func (s *Schema) SubjectIndex() int { return s.subject }

// RecordIndex returns the index of the attribute by which the source knows a record, or -1.
func (s *Schema) RecordIndex() int { return s.record }

// Missing returns how a missing value is treated.
func (s *Schema) Missing() Missing { return s.missing }
