package daemon

import (
	"context"
	"fmt"
	"strings"
	"time"

	"anond/internal/dataset"
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
func workOf(s *dataset.Status, now time.Time) string {
	var parts []string
	if s.Doing != "" && s.Since != nil && now.Sub(*s.Since) >= longEnough {
		parts = append(parts, dataset.WorkText(strings.ReplaceAll(s.Doing, "_", " "), now.Sub(*s.Since), s.Progress))
	}
	if s.Releasing != 0 && s.Rendering != nil {
		parts = append(parts, dataset.WorkText(fmt.Sprintf("release %d", s.Releasing), 0, s.Rendering))
	}
	return strings.Join(parts, "; ")
}
