package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"anond/internal/upkeep"
)

// Backup implements control.Daemon: a backup of the state to a file, with its description.
func (s *steering) Backup(ctx context.Context, to string) (json.RawMessage, error) {
	copies, err := s.copying()
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(to) {
		return nil, errors.New("the path of the backup is not absolute")
	}
	made, err := copies.Ordered(ctx, to)
	if err != nil {
		return nil, err
	}
	return json.Marshal(made)
}

// Copy implements control.Daemon: a private copy of the state next to it, which remove
// removes again.
func (s *steering) Copy(ctx context.Context) (path string, remove func(), err error) {
	copies, err := s.copying()
	if err != nil {
		return "", nil, err
	}
	return copies.ToRead(ctx)
}

// copying gives what copies the state, once the loop runs.
func (s *steering) copying() (*upkeep.Copier, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.copies, nil
}
