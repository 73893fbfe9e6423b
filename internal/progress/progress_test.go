package progress

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProgress(t *testing.T) {
	began := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	var m Meter
	require.Nil(t, m.At(began))
	m.Begin(began)
	m.Set(0, 200)
	require.Equal(t, "0 %", m.At(began.Add(time.Second)).String())
	m.Set(50, 200)
	require.Equal(t, "25 %, about 30s left", m.At(began.Add(10*time.Second)).String())
	m.Set(201, 200)
	require.Equal(t, "100 %, about 0s left", m.At(began.Add(10*time.Second)).String())
	m.Begin(began)
	require.Nil(t, m.At(began.Add(time.Second)), "other work")
}
