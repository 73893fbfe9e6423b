package filesrc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anond/ingest/decode"
	"anond/ingest/dialect"
)

// layout says how a file holds records.
type layout string

// The layouts of a file.
const (
	NDJSON layout = "ndjson" // a JSON text a line (formats json and debezium)
	CSV    layout = "csv"    // RFC 4180 with a header
)

// defaultInterval is the pause between two looks at followed files.
const defaultInterval = 250 * time.Millisecond

// Config says what to read.
type Config struct {
	// Paths are files or patterns (filepath.Match). A pattern may match nothing.
	Paths []string
	// Stdin is read instead of Paths. Again says that it is another input than those that were read, however it begins.
	Stdin io.Reader
	Again bool

	Layout layout
	// Multiline takes line breaks in the quoted fields of a CSV file.
	Multiline bool
	// Form is how CSV is written. NDJSON is UTF-8.
	Form dialect.Form
	// Complete says that files do not grow once they are there: a last line without
	// line break is a record. Without it such a line is left unread.
	Complete bool
	// Follow waits for more at the end of files, and for more files that match.
	Follow bool
	// Apart says that people are known again by a subject: a file that begins like another one is then read as one of its own.
	Apart bool
	// MaxBytes is the longest record; it must be the decoder's. 0 means
	// decode.DefaultMaxBytes.
	MaxBytes int
	// CheckHeader judges the columns of a CSV file (decode.CheckHeader); its
	// error is reported with file and line. nil takes any.
	CheckHeader func(header []string) error

	// Interval is the pause between two looks at followed files, 0 means
	// defaultInterval, and Wait makes it; nil means a timer.
	Interval time.Duration
	Wait     func(ctx context.Context, d time.Duration) error
	// Log is told which files end in a line that is left unread; may be nil.
	Log *slog.Logger
}

// check reports all faults of a configuration at once, and fills defaults in.
func (c *Config) check() error {
	var faults []error
	fault := func(cond bool, format string, args ...any) {
		if cond {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(c.Layout != NDJSON && c.Layout != CSV, "layout %q: use ndjson or csv", c.Layout)
	fault(c.Multiline && c.Layout != CSV, "layout %q has no multi-line fields, only csv has", c.Layout)
	fault(c.Stdin == nil && len(c.Paths) == 0, "no file given")
	fault(c.Stdin != nil && len(c.Paths) > 0, "standard input and files are given: use one of them")
	fault(c.MaxBytes < 0, "longest record %d bytes: use a positive number", c.MaxBytes)
	fault(c.Interval < 0, "interval %s: use a positive duration", c.Interval)
	for _, p := range c.Paths {
		_, err := filepath.Match(p, "")
		fault(err != nil, "pattern %q: %w", p, err)
		fault(c.Follow && c.packed(p), "%s: a file that is packed, or in UTF-16, cannot be followed", p)
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = decode.DefaultMaxBytes
	}
	if c.Interval == 0 {
		c.Interval = defaultInterval
	}
	if c.Wait == nil {
		c.Wait = wait
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return errors.Join(faults...)
}

func (c *Config) splitter() splitter {
	return splitter{csv: c.Layout == CSV, multiline: c.Multiline, max: c.MaxBytes, delimiter: cmp.Or(c.Form.Delimiter, ',')}
}

// wait pauses for d unless ctx ends before.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// packed reports whether the bytes that are read are others than those of the file: they have to be made of these from its start
// on.
func (c *Config) packed(path string) bool { return isGzip(path) || c.Form.Encoding == dialect.UTF16 }

func isGzip(path string) bool { return strings.HasSuffix(path, ".gz") }

// expand returns the files that Paths name at present, in order of name, each
// once. A path that is no pattern must exist; what a pattern matches besides
// files, such as directories, is passed over.
func (c *Config) expand() ([]string, error) {
	var paths []string
	for _, p := range c.Paths {
		_, err := os.Stat(p)
		if err == nil {
			paths = append(paths, p) // also one whose name looks like a pattern
			continue
		}
		if !strings.ContainsAny(p, `*?[`) {
			return nil, fmt.Errorf("source file: %w", err)
		}
		matches, err := filepath.Glob(p)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", p, err)
		}
		paths = append(paths, slices.DeleteFunc(matches, irregular)...)
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

func irregular(path string) bool {
	info, err := os.Stat(path)
	return err != nil || !info.Mode().IsRegular()
}
