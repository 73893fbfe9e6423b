// Package fault says what an error means to whoever started a program: its kind, which is the exit code, and a hint, which is
// the next step. Whoever makes an error gives it both, so that no other place has to know the error. A program asks Of
// once, at its end.
//
// It is below every other package and imports the standard library alone.
package fault

import (
	"fmt"
	"slices"
)

// Kind is what an error means. Its value is the exit code, which is part of the interface: scripts and service managers
// decide by it whether to try again, to wait or to call someone.
type Kind int

// The kinds.
const (
	Failed  Kind = 1
	Usage   Kind = 2  // the command line is wrong
	Privacy Kind = 3  // a privacy promise does not hold; nothing was published
	Locked  Kind = 4  // another process holds the state
	Behind  Kind = 5  // the state is older than what was published
	Config  Kind = 78 // bad configuration (EX_CONFIG of sysexits.h)
)

// gravity orders the kinds: of several causes the last in this list decides.
var gravity = []Kind{Failed, Usage, Locked, Config, Behind, Privacy}

// Fault is an error that knows its kind and its hint: one line, no full stop. A type whose hint depends on its fields has
// this method; every other error is made by Errorf or With.
type Fault interface {
	error
	Fault() (kind Kind, hint string)
}

type fault struct {
	error
	kind Kind
	hint string
}

func (f *fault) Unwrap() error         { return f.error }
func (f *fault) Fault() (Kind, string) { return f.kind, f.hint }

// Errorf makes an error of a kind with a hint, which may be empty. The format is that of fmt.Errorf.
func Errorf(kind Kind, hint, format string, args ...any) error {
	return With(kind, hint, fmt.Errorf(format, args...))
}

// With gives an error a kind and a hint. What is empty (0, "") stays as the
// error has it.
func With(kind Kind, hint string, err error) error { return &fault{err, kind, hint} }

// Of finds the kind and the hint of an error, 0 for nil. What was given last, around the error, decides, and each of the two
// is looked for by itself. Of several errors that one joins, the gravest decides, and of equal ones the last, which is the
// cause of those before it. What nobody has given a kind is Failed.
func Of(err error) (Kind, string) {
	kind, hint := of(err)
	if kind == 0 && err != nil {
		kind = Failed
	}
	return kind, hint
}

// Hint is the hint of an error alone.
func Hint(err error) string {
	_, hint := of(err)
	return hint
}

// Line writes an error with its hint in one line, for a log or a status.
func Line(err error) string {
	if hint := Hint(err); hint != "" {
		return err.Error() + " (" + hint + ")"
	}
	return err.Error()
}

// of is Of, with kind 0 for an error that has none.
func of(err error) (kind Kind, hint string) {
	if known, ok := err.(Fault); ok {
		kind, hint = known.Fault()
	}
	if kind != 0 && hint != "" {
		return kind, hint
	}
	var around Kind
	var found string
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		around, found = of(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, cause := range e.Unwrap() {
			k, h := of(cause)
			if more := slices.Index(gravity, k) - slices.Index(gravity, around); more > 0 || more == 0 && h != "" {
				around, found = k, h
			}
		}
	}
	if kind == 0 {
		kind = around
	}
	if hint == "" {
		hint = found
	}
	return kind, hint
}
