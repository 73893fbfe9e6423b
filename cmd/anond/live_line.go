package main

import (
	"bytes"
	"io"
	"sync"

	"anond/internal/cli"
)

// liveLine is a terminal with a last line that changes, below the lines that are written.
type liveLine struct {
	mu   sync.Mutex
	w    io.Writer
	text string // what the last line shows; empty: there is none
}

// Write writes lines above the last one.
func (l *liveLine) Write(lines []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text == "" {
		return l.w.Write(lines)
	}
	var b bytes.Buffer
	b.WriteString(cli.ClearLine)
	b.Write(lines)
	b.WriteString(l.text)
	if _, err := l.w.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(lines), nil
}

// show changes the last line; empty: it goes.
func (l *liveLine) show(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if text != l.text {
		l.text = text
		_, _ = io.WriteString(l.w, cli.ClearLine+text) // a terminal that has gone needs no line
	}
}

// withWork is where a daemon writes its log. On a terminal a last line tells what long work is
// under way; elsewhere working is nil.
func withWork(stderr io.Writer) (out io.Writer, working func(what string)) {
	if !cli.IsTerminal(stderr) {
		return stderr, nil
	}
	l := &liveLine{w: stderr}
	return l, l.show
}
