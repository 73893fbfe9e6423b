package profile

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Work that looks at no context does not hold an interrupted run up.
func TestInterruptible(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, err := Interruptible(ctx, func() int { return 7 })
	require.NoError(t, err)
	assert.Equal(t, 7, out)

	started, never := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(never) })
	go func() { <-started; cancel() }()
	_, err = Interruptible(ctx, func() int { close(started); <-never; return 7 })
	assert.ErrorIs(t, err, context.Canceled)
}
