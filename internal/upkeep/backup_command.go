package upkeep

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"anond/ingest"
	"anond/internal/clock"
	"anond/internal/disk"
)

// sendingTime is how long a program that sends or fetches backups may take.
const sendingTime = time.Hour

// elsewhere has a backup taken to another host by state.backup.command, and notes in its description when that was done. What the program
// writes is not shown: it may hold addresses and credentials. While it runs no other backup is made, and none is removed.
func (b *Copier) elsewhere(made Backup) {
	command := b.config.State.Backup.Command
	if len(command) == 0 {
		return
	}
	began := b.clock.Now()
	path := filepath.Join(b.config.State.Backup.Dir, made.File)
	err := program(b.ctx, b.clock, "state.backup.command", command, path)
	if b.ctx.Err() != nil {
		return // the daemon stops, and the next release is copied
	}
	if err == nil {
		made.Sent = b.clock.Now().UTC()
		err = disk.ReplaceJSON(descriptionOf(path), made)
	}
	if err != nil {
		b.log.Error("the backup was made, and state.backup.command has not taken it elsewhere; the next release is followed by the next attempt",
			"event", "backup_not_sent", "file", made.File, "error", err.Error())
		b.know(func(k *ingest.Backup) { k.Failed = true })
		return
	}
	b.log.Info("backup sent", "event", "backup_sent", "file", made.File, "release", made.Release, "ms", made.Sent.Sub(began).Milliseconds())
	b.know(func(k *ingest.Backup) { k.Sent = made.Sent })
}

// program runs a program of the owner with one more argument. What it writes is shown nowhere.
func program(ctx context.Context, clock clock.Clock, key string, command []string, last string) error {
	over, stop := clock.Ticker(sendingTime)
	defer stop()
	run := exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], last)...)
	run.WaitDelay = time.Second
	if err := run.Start(); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	done := make(chan error, 1)
	go func() { done <- run.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("%s %s: %w", key, command[0], err)
		}
		return nil
	case <-over:
		return errors.Join(fmt.Errorf("%s %s: it took longer than %s", key, command[0], sendingTime), run.Process.Kill())
	}
}
