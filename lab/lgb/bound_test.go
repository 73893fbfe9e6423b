package lgb_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/query"
)

func paBound(t testing.TB, dicts []*equivclass.Dictionary, text string) *query.Bound {
	t.Helper()
	q, err := query.Parse(text)
	require.NoError(t, err)
	bound, err := query.Bind(q, dicts)
	require.NoError(t, err)
	return bound
}
