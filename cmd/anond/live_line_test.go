package main

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLiveLine: the last line stays below what is written, and leaves nothing behind.
func TestLiveLine(t *testing.T) {
	var b bytes.Buffer
	l := &liveLine{w: &b}
	said := func() string { defer b.Reset(); return b.String() }
	n, err := io.WriteString(l, "one\n")
	require.NoError(t, err)
	require.Equal(t, 4, n)
	require.Equal(t, "one\n", said())
	l.show("deciding: 5 %")
	require.Equal(t, "\r\033[Kdeciding: 5 %", said())
	l.show("deciding: 5 %")
	require.Empty(t, said())
	n, err = io.WriteString(l, "two\n")
	require.NoError(t, err)
	require.Equal(t, 4, n)
	require.Equal(t, "\r\033[Ktwo\ndeciding: 5 %", said())
	l.show("")
	require.Equal(t, "\r\033[K", said())
	l.show("")
	require.Empty(t, said())
}
