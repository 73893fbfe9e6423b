package duty

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Event is a line of the log.
type Event struct {
	At    time.Time
	Level slog.Level
	Name  string
	Text  string // the message
	More  string // the other fields, as key=value
}

// eventsKept bounds the events that are remembered.
const eventsKept = 60

// longest bounds the text of one event.
const longest = 400

// eventRecorder remembers the newest events and counts all. Its methods may be called by several
// goroutines.
type eventRecorder struct {
	mu     sync.Mutex
	list   []Event
	levels map[string]uint64
	events map[string]uint64
}

// Log returns a logger that writes to log and remembers what it writes.
func (r *eventRecorder) Log(log *slog.Logger) *slog.Logger {
	return slog.New(recording{Handler: log.Handler(), to: r})
}

// Newest are the events that are remembered, newest last.
func (r *eventRecorder) Newest() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// Counts are what was logged, by level and by event.
func (r *eventRecorder) Counts() (levels, events map[string]uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.levels), maps.Clone(r.events)
}

// written counts a line that the log has.
func (r *eventRecorder) written(level slog.Level) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.levels == nil {
		r.levels = map[string]uint64{}
	}
	r.levels[strings.ToLower(level.String())]++
}

func (r *eventRecorder) take(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.events == nil {
		r.events = map[string]uint64{}
	}
	r.events[e.Name]++
	if e.Name == "status" {
		return // it says what the View says
	}
	if len(r.list) >= eventsKept {
		r.list = slices.Delete(r.list, 0, len(r.list)-eventsKept+1)
	}
	r.list = append(r.list, e)
}

// recording is a slog.Handler that also remembers. What the log leaves out for its
// level is remembered from level info on.
type recording struct {
	slog.Handler
	to    *eventRecorder
	attrs []slog.Attr
}

func (h recording) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.Handler.Enabled(ctx, level)
}

func (h recording) Handle(ctx context.Context, line slog.Record) error {
	if line.Level >= slog.LevelInfo {
		h.to.take(eventOf(line, h.attrs))
	}
	if !h.Handler.Enabled(ctx, line.Level) {
		return nil
	}
	h.to.written(line.Level)
	return h.Handler.Handle(ctx, line)
}

func (h recording) WithAttrs(attrs []slog.Attr) slog.Handler {
	return recording{h.Handler.WithAttrs(attrs), h.to, append(slices.Clip(h.attrs), attrs...)}
}

func (h recording) WithGroup(name string) slog.Handler {
	return recording{h.Handler.WithGroup(name), h.to, h.attrs}
}

func eventOf(line slog.Record, attrs []slog.Attr) Event {
	e := Event{At: line.Time.UTC(), Level: line.Level, Text: line.Message}
	var more strings.Builder
	add := func(a slog.Attr) bool {
		if a.Key == "event" && e.Name == "" {
			e.Name = a.Value.String()
		} else if more.Len() < longest {
			more.WriteString(" " + a.Key + "=" + a.Value.Resolve().String())
		}
		return true
	}
	for _, a := range attrs {
		add(a)
	}
	line.Attrs(add)
	e.More = strings.TrimPrefix(more.String(), " ")
	if len(e.More) > longest {
		e.More = strings.ToValidUTF8(e.More[:longest], "") + "..."
	}
	return e
}
