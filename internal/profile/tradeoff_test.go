package profile

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// tradeTable has a column that costs nothing (one value), one that costs, and values that
// depend on the person.
func tradeTable(t *testing.T, n int, value func(i int) string) *Table {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "zone", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.RefuseMissing)
	require.NoError(t, err)
	var text strings.Builder
	text.WriteString("age,zone,ill\n")
	for i := range n {
		fmt.Fprintf(&text, "%d,x,%s\n", i*7919%1000, value(i))
	}
	table, err := Read(context.Background(), Input{Name: "-", Stdin: strings.NewReader(text.String()), DropOthers: true}, schema)
	require.NoError(t, err)
	require.Equal(t, n, table.Len())
	return table
}

// TestTradeOffs: larger classes lose more, the loss is that of the columns, and sensitive
// values have no influence.
func TestTradeOffs(t *testing.T) {
	a, looked, err := TradeOffs(context.Background(), tradeTable(t, 400, func(i int) string { return fmt.Sprint(i % 7) }), 10)
	require.NoError(t, err)
	assert.Equal(t, 400, looked)
	b, _, err := TradeOffs(context.Background(), tradeTable(t, 400, func(i int) string { return fmt.Sprint(i % 2) }), 10)
	require.NoError(t, err)
	assert.Equal(t, a, b)
	require.Len(t, a, 4)
	for i, x := range a {
		assert.Equal(t, []int{5, 10, 20, 50}[i], x.K)
		assert.Positive(t, x.Loss)
		assert.InDelta(t, x.Loss, (x.Columns[0].Loss+x.Columns[1].Loss)/2, 1e-9)
		assert.Zero(t, x.Columns[1].Loss, "it has one value")
		if i > 0 {
			assert.Greater(t, x.Loss, a[i-1].Loss)
		}
	}
	assert.Zero(t, a[1].Columns[0].Without, "without the age nothing is lost")
	assert.Positive(t, a[1].Columns[1].Without)
	few, _, err := TradeOffs(context.Background(), tradeTable(t, 25, func(i int) string { return "v" }), 10)
	require.NoError(t, err)
	assert.Len(t, few, 2, "k of which there are not two classes are left out")
}

// TestSampled: at most so many records, spread over all.
func TestSampled(t *testing.T) {
	p := tradeTable(t, 1000, func(int) string { return "v" }).Points()
	s := sampled(p, 10)
	require.Equal(t, 10, s.Len())
	for i := range int32(10) {
		assert.Equal(t, p.At(i*100), s.At(i))
	}
	assert.Same(t, p, sampled(p, 1000))
}
