package abandon

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWorkIsLeftAtAStop: a file on a file system that does not answer, or a large hierarchy, keeps no signal waiting.
func TestWorkIsLeftAtAStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	failed := errors.New("failed")
	out, err := At(ctx, func() (int, error) { return 7, failed })
	require.ErrorIs(t, err, failed)
	assert.Equal(t, 7, out)

	begun, never := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(never) })
	go func() { <-begun; stop() }()
	_, err = At(ctx, func() (int, error) { close(begun); <-never; return 7, errors.New("it was waited for") })
	assert.ErrorIs(t, err, context.Canceled)
}
