package dialect

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatADateReaderRemembersIsBounded: by number and by length, whatever texts are dates: a count may begin with any number of zeros.
func TestWhatADateReaderRemembersIsBounded(t *testing.T) {
	d, err := DateForm{Format: "epoch_seconds"}.Reader()
	require.NoError(t, err)
	for i := range mostKnown + 1000 {
		_, ok := d.Append(nil, fmt.Appendf(nil, "%0*d", 10+i%100, i))
		require.True(t, ok)
	}
	require.NotEmpty(t, d.known)
	require.LessOrEqual(t, len(d.known), mostKnown)
	for text := range d.known {
		require.LessOrEqual(t, len(text), longestKnown)
	}
}
