package equivclass

import (
	"log/slog"
)

// Row holds the raw text of one record, one entry for each attribute in schema
// order; nil is a missing value. Attributes that are never stored (identifier,
// drop) stay nil. A Row prints as a fixed word, because it is a person's data.
type Row [][]byte

// String hides the values.
func (r Row) String() string { return "row(redacted)" }

// GoString hides the values from %#v.
func (r Row) GoString() string { return r.String() }

// LogValue hides the values from slog.
func (r Row) LogValue() slog.Value { return slog.StringValue(r.String()) }
