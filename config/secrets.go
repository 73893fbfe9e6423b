package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"anond/internal/fault"
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

// Lookup finds an environment variable, as os.LookupEnv does.
type Lookup func(name string) (string, bool)

// ReadFile reads a whole file, as os.ReadFile does.
type ReadFile func(name string) ([]byte, error)

// complain says why a text cannot be used, and how to correct it.
func complain(reason, suggestion string) error {
	return fault.With(fault.Config, suggestion, errors.New(reason))
}

// expander replaces references in a text.
type expander struct {
	lookup Lookup
	read   ReadFile
	base   string // what a relative ${file:...} is relative to
	plain  bool   // texts stand for themselves
}

// expand replaces
//
//	${VAR}         the variable; a fault if it is not set
//	${VAR:-text}   text if the variable is not set or empty
//	${VAR:?text}   a fault with that text if it is not set or empty
//	${file:path}   the content of a file, less one trailing newline
//	$$             a dollar sign
//
// once and without nesting: what a reference brings in is not looked at again.
// Any other dollar sign stands for itself, so a password such as a$b needs no
// escape. changed reports whether a reference was replaced; such a text must
// not be shown, since it may hold a secret.
func (e expander) expand(text string) (out string, changed bool, err error) {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if e.plain || i < 0 || i == len(text)-1 {
			b.WriteString(text)
			return b.String(), changed, nil
		}
		b.WriteString(text[:i])
		switch text[i+1] {
		case '$':
			b.WriteByte('$')
			text = text[i+2:]
		case '{':
			end := strings.IndexByte(text[i:], '}')
			if end < 0 {
				return "", changed, complain("has ${ without }", "close it, or write $${ for the characters ${")
			}
			value, err := e.reference(text[i+2 : i+end])
			if err != nil {
				return "", changed, err
			}
			b.WriteString(value)
			changed = true
			text = text[i+end+1:]
		default:
			b.WriteByte('$')
			text = text[i+1:]
		}
	}
}

// fileReference is what a reference to a file begins with.
const fileReference = "file:"

// reference resolves what stands between ${ and }.
func (e expander) reference(body string) (string, error) {
	if strings.Contains(body, "${") {
		return "", complain("has a reference inside a reference", "references cannot be nested; use one variable")
	}
	if path, ok := strings.CutPrefix(body, fileReference); ok {
		return e.file(path)
	}
	name, rest, _ := strings.Cut(body, ":")
	if !variableName(name) {
		return "", complain("has a reference without a valid variable name",
			"write ${NAME}, ${NAME:-default}, ${NAME:?message} or ${file:/path}; $${ stands for the characters ${")
	}
	value, set := e.lookup(name)
	switch {
	case name == body && set:
		return value, nil
	case name == body:
		return "", complain("needs the environment variable "+name+", which is not set", "set it, or write ${"+name+":-default}")
	case strings.HasPrefix(rest, "-"):
		if value == "" {
			return rest[1:], nil
		}
		return value, nil
	case strings.HasPrefix(rest, "?"):
		if value == "" {
			return "", complain("needs the environment variable "+name+": "+rest[1:], "set it")
		}
		return value, nil
	}
	return "", complain("has a reference of unknown form", "write ${"+name+"}, ${"+name+":-default} or ${"+name+":?message}")
}

func (e expander) file(path string) (string, error) {
	if path == "" {
		return "", complain("has ${file:} without a path", "write ${file:/path}")
	}
	content, err := e.read.small(within(e.base, path))
	if err != nil {
		return "", complain("needs the file "+path+", which cannot be read: "+plain(err), "make it readable by anond")
	}
	text := strings.TrimSuffix(string(content), "\n")
	return strings.TrimSuffix(text, "\r"), nil
}

// wholeReference reports whether a text is one reference and nothing else, so
// that what stands in it is a name, not a piece of a secret.
func wholeReference(text string) bool {
	return strings.HasPrefix(text, "${") && strings.IndexByte(text, '}') == len(text)-1 && !strings.Contains(text[2:], "${")
}

func variableName(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// within makes a path relative to base, unless it is absolute or empty.
func within(base, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}

// The sizes up to which files are read.
const (
	mostOfConfiguration = 1 << 20 // also of a secret
	mostOfHierarchy     = 256 << 20
)

// ReadRegular reads a file that an operator names. What has no end, or none yet, is refused.
func ReadRegular(path string) ([]byte, error) { return Regular(mostOfHierarchy)(path) }

// Regular reads regular files of at most so many bytes.
func Regular(most int64) ReadFile {
	return func(path string) ([]byte, error) {
		info, err := os.Stat(path) // before it is opened: that alone waits for a writer of a fifo
		if err != nil {
			return nil, err
		}
		switch {
		case !info.Mode().IsRegular():
			return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is no regular file")}
		case info.Size() > most:
			return nil, tooLarge(path, most)
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // nothing was written
		content, err := io.ReadAll(io.LimitReader(f, most+1))
		if err == nil && int64(len(content)) > most { // it grows
			err = tooLarge(path, most)
		}
		return content, err
	}
}

func tooLarge(path string, most int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is larger than %d MiB", most>>20)}
}

// small reads a configuration or a secret.
func (read ReadFile) small(path string) ([]byte, error) {
	content, err := read(path)
	if err == nil && len(content) > mostOfConfiguration {
		err = tooLarge(path, mostOfConfiguration)
	}
	return content, err
}
