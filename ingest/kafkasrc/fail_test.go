package kafkasrc

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/ingest"
)

// TestFailureIsNotTakenForClose fails a source at the moment at which Next
// waits for it. The error says what an operator must do, so it must not be
// hidden by the end of the context that it causes.
func TestFailureIsNotTakenForClose(t *testing.T) {
	for range 100_000 {
		s := &source{chunks: make(chan *ingest.Chunk), ended: make(chan struct{}), failure: failure{failed: make(chan struct{})}}
		s.ctx, s.cancel = context.WithCancel(context.Background())
		got := make(chan error)
		go func() { _, err := s.Next(context.Background()); got <- err }()
		go s.fail(ingest.ErrGap)
		require.ErrorIs(t, <-got, ingest.ErrGap)
	}
}
