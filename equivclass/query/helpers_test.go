package query

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

func paBound(t testing.TB, dicts []*equivclass.Dictionary, text string) *Bound {
	t.Helper()
	q, err := Parse(text)
	require.NoError(t, err)
	bound, err := Bind(q, dicts)
	require.NoError(t, err)
	return bound
}
