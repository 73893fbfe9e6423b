// Package secret runs programs that print a secret.
package secret

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// commandTime is how long a program may take that prints a secret.
const commandTime = 30 * time.Second

// Printed runs a program that prints a secret of at most limit bytes. Neither its output
// nor its messages are shown: they may hold the secret.
func Printed(ctx context.Context, command []string, limit int) (string, error) {
	ctx, stop := context.WithTimeout(ctx, commandTime)
	defer stop()
	out := &bounded{limit: limit}
	run := exec.CommandContext(ctx, command[0], command[1:]...)
	run.Stdout, run.WaitDelay = out, time.Second
	err := run.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if out.over {
		err = fmt.Errorf("it prints more than %d bytes", limit) // and was ended for it
	}
	if err != nil {
		return "", err
	}
	return out.held.String(), nil
}

// bounded refuses what comes after limit bytes. The buffer is not embedded: its ReadFrom
// would take all there is.
type bounded struct {
	held  bytes.Buffer
	limit int
	over  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.held.Len()+len(p) > b.limit {
		b.over = true
		return 0, io.ErrShortBuffer
	}
	return b.held.Write(p)
}
