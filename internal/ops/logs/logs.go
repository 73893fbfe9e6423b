// Package logs writes the log of a program: lines for people or for programs, each with a stable name (event).
package logs

import (
	"context"
	"io"
	"log/slog"
	"strings"

	"anond/config"
)

// New writes to w as the configuration says: text on a terminal and JSON
// otherwise, unless a format is set. Times are UTC.
func New(w io.Writer, settings config.Log, terminal bool) *slog.Logger {
	return NewSteered(w, settings, terminal, new(slog.LevelVar), nil)
}

// NewSteered is New with a level that may change. What is logged also goes to
// journal as JSON, if there is one.
func NewSteered(w io.Writer, settings config.Log, terminal bool, level *slog.LevelVar, journal io.Writer) *slog.Logger {
	at, _ := LevelOf(settings.Level)
	level.Set(at)
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: plainLine}
	var h slog.Handler = slog.NewTextHandler(w, options)
	if InJSON(settings, terminal) {
		h = slog.NewJSONHandler(w, options)
	}
	if journal != nil {
		h = slog.NewMultiHandler(h, slog.NewJSONHandler(journal, options))
	}
	return slog.New(eventHandler{h})
}

// InJSON reports whether a log is lines for programs.
func InJSON(settings config.Log, terminal bool) bool {
	return settings.Format != config.TextLog && (settings.Format != config.AutoLog || !terminal)
}

// EventKey is the attribute by which programs distinguish log lines. Its values
// are stable names such as release_published.
const EventKey = "event"

// eventHandler makes sure that every line has an event: the attribute `event` if
// there is one, otherwise the message as its name.
type eventHandler struct{ slog.Handler }

func (h eventHandler) Handle(ctx context.Context, r slog.Record) error {
	event, message := "", r.Message
	var rest []slog.Attr
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == EventKey && event == "" {
			event = a.Value.Resolve().String()
		} else {
			rest = append(rest, a)
		}
		return true
	})
	if event == "" {
		event, message = eventName(message), ""
	}
	line := slog.NewRecord(r.Time, r.Level, message, r.PC)
	line.AddAttrs(slog.String(EventKey, event))
	line.AddAttrs(rest...)
	return h.Handler.Handle(ctx, line)
}

func (h eventHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return eventHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the handler as it is: lines are flat, so that `event` and the
// other names mean the same everywhere.
func (h eventHandler) WithGroup(string) slog.Handler { return h }

// eventName turns a message into a name.
func eventName(message string) string {
	name := strings.Join(strings.FieldsFunc(strings.ToLower(message), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	}), "_")
	if name == "" {
		return "message"
	}
	return name
}

// plainLine leaves out a message that became the event, and writes times in UTC.
func plainLine(groups []string, a slog.Attr) slog.Attr {
	if len(groups) > 0 {
		return a
	}
	switch a.Key {
	case slog.MessageKey:
		if a.Value.String() == "" {
			return slog.Attr{}
		}
	case slog.TimeKey:
		return slog.Time(slog.TimeKey, a.Value.Time().UTC())
	}
	return a
}

// LevelOf translates a level of the configuration; false: there is none of that name.
func LevelOf(level config.LogLevel) (slog.Level, bool) {
	at, known := map[config.LogLevel]slog.Level{config.Debug: slog.LevelDebug, config.Info: slog.LevelInfo, config.Warn: slog.LevelWarn,
		config.Error: slog.LevelError}[level]
	return at, known
}
