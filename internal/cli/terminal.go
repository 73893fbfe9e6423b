package cli

import (
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"anond/internal/progress"
)

// ClearLine empties the line of a terminal that the cursor is in.
const ClearLine = "\r\033[K"

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Progressing shows on a terminal how far long work is, and when it will be done; done
// removes that. Elsewhere it shows nothing. show may be called by several goroutines.
func (e *Env) Progressing(what string) (show func(done, all int64), done func()) {
	if !IsTerminal(e.Stderr) {
		return func(int64, int64) {}, func() {}
	}
	var m progress.Meter
	m.Begin(time.Now())
	var mu sync.Mutex
	shown := time.Time{}
	return func(done, all int64) {
		mu.Lock()
		defer mu.Unlock()
		m.Set(done, all)
		now := time.Now()
		if p := m.At(now); p != nil && now.Sub(shown) >= 100*time.Millisecond {
			shown = now
			fmt.Fprintf(e.Stderr, "\r%s: %s\033[K", what, p)
		}
	}, func() { fmt.Fprint(e.Stderr, ClearLine) }
}
