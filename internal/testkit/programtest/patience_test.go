package programtest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPatience(t *testing.T) {
	why := errors.New("too long")
	began := time.Now()
	ctx, cancel := WithPatience(context.Background(), 100*time.Millisecond, why)
	defer cancel()
	<-ctx.Done()
	require.Equal(t, why, context.Cause(ctx))
	require.GreaterOrEqual(t, time.Since(began), 100*time.Millisecond)

	ctx, cancel = WithPatience(context.Background(), time.Hour, why)
	cancel()
	<-ctx.Done()
	require.Equal(t, context.Canceled, context.Cause(ctx))
}
