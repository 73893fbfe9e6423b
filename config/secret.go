package config

import (
	"encoding/json"
	"log/slog"
)

const redacted = "[redacted]"

// Secret is a text that must reach no log, error or output. Only
// Reveal returns it, whatever the formatting verb. The text lies behind a pointer, so that
// even printing a struct with a Secret in an unexported field shows an address.
type Secret struct{ text *string }

// NewSecret wraps a text; the empty text is no secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{&text}
}

// Reveal returns the text itself, for the one call that needs it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Set reports whether there is a text.
func (s Secret) Set() bool { return s.text != nil }

// String shows whether there is a text, but not the text.
func (s Secret) String() string {
	if s.text == nil {
		return ""
	}
	return redacted
}

// GoString is String.
func (s Secret) GoString() string { return s.String() }

// LogValue is String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalJSON is String.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }
