package format

import (
	"bytes"
	"fmt"
	"os"
)

// UnreadableError says that an input cannot be read as what it should be, so
// that no verdict is possible. It carries a place and a reason but never the
// text found there (rule V, values).
type UnreadableError struct {
	File   string // path as opened
	Line   int    // 1-based; 0 when the whole file is meant
	Reason string
	Err    error // cause from the operating system, or nil
}

func (e *UnreadableError) Error() string {
	at := e.File
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", at, e.Reason, e.Err)
	}
	return at + ": " + e.Reason
}

// Unwrap gives the cause, so that errors.Is(err, fs.ErrNotExist) works.
func (e *UnreadableError) Unwrap() error { return e.Err }

func Unreadable(file string, line int, text string, args ...any) error {
	return &UnreadableError{File: file, Line: line, Reason: fmt.Sprintf(text, args...)}
}

func ReadFile(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &UnreadableError{File: path, Reason: "cannot be read", Err: err}
	}
	return data, nil
}

// lineAt turns a byte offset into a line number for an error.
func lineAt(data []byte, offset int64) int {
	offset = max(0, min(offset, int64(len(data))))
	return 1 + bytes.Count(data[:offset], []byte{'\n'})
}
