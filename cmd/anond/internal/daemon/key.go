package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/incremental/sealed"
)

// StateOptions are what the state of a configuration is opened with.
func StateOptions(ctx context.Context, c *config.Config) (boltstore.Options, error) {
	key, err := keyOf(ctx, c)
	return boltstore.Options{MaxBytes: c.State.MaxBytes, Key: key}, err
}

// keyOf returns the key of a configuration; the zero Key if it names none.
func keyOf(ctx context.Context, c *config.Config) (sealed.Key, error) {
	switch e := c.Encryption; {
	case e.Key.Set():
		return sealed.ParseKey(e.Key.Reveal())
	case len(e.Command) > 0:
		return keyFromCommand(ctx, e.Command)
	}
	return sealed.Key{}, nil
}

// Bounds of a program that prints the key.
const (
	keyCommandFor = 30 * time.Second
	keyOutput     = 4096
)

// keyFromCommand runs a program. Neither its output nor its messages are shown: they may
// hold the key.
func keyFromCommand(ctx context.Context, command []string) (sealed.Key, error) {
	ctx, stop := context.WithTimeout(ctx, keyCommandFor)
	defer stop()
	out := &bounded{limit: keyOutput}
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	run.Stdout, run.WaitDelay = out, time.Second
	err := run.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	var key sealed.Key
	if err == nil {
		key, err = sealed.ParseKey(out.String())
	}
	if err != nil {
		return sealed.Key{}, &ConfigError{fmt.Errorf("encryption.key_command %s: %w", command[0], err)}
	}
	return key, nil
}

// bounded refuses what comes after limit bytes.
type bounded struct {
	bytes.Buffer
	limit int
}

var errTooLong = errors.New("its output is no key")

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.limit {
		return 0, errTooLong
	}
	return b.Buffer.Write(p)
}
