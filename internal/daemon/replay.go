package daemon

import (
	"context"
	"encoding/json"
	"errors"

	"anond/incremental"
	"anond/internal/dataset"
	"anond/internal/upkeep"
)

// Replay implements control.Daemon. The loop waits meanwhile, as for every order that needs the machine.
func (s *steering) Replay(ctx context.Context, body json.RawMessage) (json.RawMessage, error) {
	var which upkeep.Readmission
	c := s.config()
	if err := errors.Join(json.Unmarshal(body, &which), dataset.NotJournaled(c), s.ready()); err != nil {
		return nil, faultOf(err)
	}
	type result struct {
		out    upkeep.Readmitted
		failed error
	}
	done := make(chan result, 1)
	err := s.commands.Replay(ctx, func(ctx context.Context, m *incremental.Machine) error {
		out, failed, broken := upkeep.ReadmitOpen(ctx, c, s.o, which, m, s.owners, s.quota, s.key)
		done <- result{out, failed}
		return broken
	})
	if err != nil {
		return nil, faultOf(err)
	}
	r := <-done
	if r.failed != nil {
		return nil, r.failed
	}
	return json.Marshal(r.out)
}
