package main

import (
	"context"
	"errors"

	"anond/config"
	"anond/internal/control"
)

// beside does work that reads the state a configuration names. A daemon that holds it and
// answers at control.socket makes a copy for that, which is private, next to the state, and
// gone when this command ends, however it ends. The daemon reads on meanwhile. copied says
// whether it is a copy: then the releases may be ahead of it.
func beside(ctx context.Context, cfg *config.Config, work func(cfg *config.Config, copied bool) error) error {
	if cfg.Control.Socket == "" {
		return work(cfg, false)
	}
	path, done, err := control.NewClient(cfg.Control.Socket).Copy(ctx)
	if errors.Is(err, control.ErrNobody) {
		return work(cfg, false)
	}
	if err != nil {
		return err
	}
	defer done()
	of := *cfg
	of.State.Path = path
	return work(&of, true)
}

// besideOf is beside for work that gives something.
func besideOf[T any](ctx context.Context, cfg *config.Config, work func(cfg *config.Config, copied bool) (T, error)) (out T, err error) {
	err = beside(ctx, cfg, func(cfg *config.Config, copied bool) (err error) {
		out, err = work(cfg, copied)
		return err
	})
	return out, err
}
