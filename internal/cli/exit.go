package cli

import "fmt"

// The exit codes. They are part of the interface: scripts and service managers
// decide by them whether to retry, to wait or to call someone.
const (
	OK        = 0
	Failed    = 1
	Misused   = 2
	Unprivate = 3  // a privacy promise does not hold; nothing was published
	Locked    = 4  // another process holds the state
	Behind    = 5  // the state is older than what was published
	BadConfig = 78 // bad configuration (EX_CONFIG of sysexits.h)
)

// ExitError is an error that knows its exit code and the operator's next step.
type ExitError struct {
	Code int
	Err  error
	Hint string // one line, no full stop; may be empty
}

func (e *ExitError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *ExitError) Unwrap() error { return e.Err }

// Failure makes an ExitError. hint may be empty.
func Failure(code int, err error, hint string) error { return &ExitError{code, err, hint} }

// Usage is a fault of the command line.
func Usage(hint, format string, args ...any) error {
	return Failure(Misused, fmt.Errorf(format, args...), hint)
}

// Count writes a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
