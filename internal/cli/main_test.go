package cli

import (
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSignals: the first asks, the second ends with the shell's code.
func TestSignals(t *testing.T) {
	for second, want := range map[os.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		ctx, cancel := context.WithCancel(t.Context())
		signals, exited := make(chan os.Signal), make(chan int)
		go watchSignals(signals, func(os.Signal) { cancel() }, func(code int) { exited <- code })
		require.NoError(t, ctx.Err())
		signals <- syscall.SIGTERM
		<-ctx.Done()
		select {
		case <-exited:
			t.Fatal("the first signal ended the program")
		default:
		}
		done := false
		AtKill(func() { done = true })
		signals <- second
		assert.Equal(t, want, <-exited)
		assert.True(t, done, "what is to be done before")
		AtKill(nil)
	}
}
