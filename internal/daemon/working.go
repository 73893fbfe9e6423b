package daemon

import (
	"context"
	"fmt"
	"strings"
	"time"

	"anond/internal/progress"
)

// tellWork tells each second what long work is under way, until ctx is done.
func (s *steering) tellWork(ctx context.Context) {
	ticks, stop := s.o.Clock.Ticker(time.Second)
	defer stop()
	defer s.o.Working("")
	for {
		select {
		case <-ticks:
			s.mu.Lock()
			now := s.status(s.last)
			s.mu.Unlock()
			s.o.Working(workOf(&now, s.o.Clock.Now()))
		case <-ctx.Done():
			return
		}
	}
}

// longEnough is how long work lasts before it is told of.
const longEnough = time.Second

// workOf says what long work is under way, and how far it is, if that is known.
func workOf(s *Status, now time.Time) string {
	var parts []string
	if s.Doing != "" && s.Since != nil && now.Sub(*s.Since) >= longEnough {
		parts = append(parts, workText(strings.ReplaceAll(s.Doing, "_", " "), now.Sub(*s.Since), s.Progress))
	}
	if s.Releasing != 0 && s.Rendering != nil {
		parts = append(parts, workText(fmt.Sprintf("release %d", s.Releasing), 0, s.Rendering))
	}
	return strings.Join(parts, "; ")
}

func workText(what string, lasts time.Duration, p *progress.Progress) string {
	switch {
	case p != nil:
		return what + ": " + p.String()
	case lasts > 0:
		return what + " for " + lasts.Truncate(time.Second).String()
	}
	return what
}
