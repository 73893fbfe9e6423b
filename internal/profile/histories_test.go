package profile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
)

// visited is a table in which one person in four comes again, so many records later, and one in sixteen a third time, at the end. Who comes
// again has the first value once more, or another one.
func visited(t *testing.T, people, later int) *Table {
	schema, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "person", Role: equivclass.Subject},
		{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	table := newTable(schema, nil)
	var queue []func()
	send := func(person, value int) {
		table.Read++
		why, _ := table.add(equivclass.Row{fmt.Appendf(nil, "p%d", person), []byte("30"), fmt.Appendf(nil, "secret-%d", value)})
		require.Equal(t, equivclass.Accepted, why)
	}
	for i := range people {
		send(i, i%10)
		queue = append(queue, func() {
			switch {
			case i%16 == 0:
				send(i, i/16%10)
			case i%4 == 0:
				send(i, i%10)
			}
		})
		if i >= later {
			queue[i-later]()
		}
	}
	for i := people - later; i < people; i++ {
		queue[i]()
	}
	for i := 0; i < people; i += 16 {
		send(i, i/16%10)
	}
	return table
}

// TestHistoriesByLength: for each number of records it says how many people have it, the largest share of people who ever have one value,
// and what a pool needs: of several records twice as much. The largest subject.max_records is the last that the table's people can keep.
func TestHistoriesByLength(t *testing.T) {
	table := visited(t, 16_000, 100)
	require.Equal(t, 5000, table.Repeats)
	require.Equal(t, 16_000, table.Len(), "further records are in no table")
	h := historiesFor(table, 0, 5, 2, nil, 20_000)
	require.Equal(t, "end", h.Settle)
	require.Equal(t, 3, h.MaxRecords)
	require.Len(t, h.Lengths, 3)
	for i, want := range []struct{ people, more int }{{12_000, 4000}, {3000, 1000}, {1000, 0}} {
		require.Equal(t, []int{i + 1, want.people, want.more}, []int{h.Lengths[i].Records, h.Lengths[i].People, h.Lengths[i].More})
	}
	require.InDelta(t, .1, h.Lengths[0].TopShare, 1e-9)
	require.Greater(t, h.Lengths[1].TopShare, h.Lengths[0].TopShare)
	require.GreaterOrEqual(t, h.Lengths[1].Pool, 2*h.Lengths[0].Pool)

	require.Equal(t, 1, historiesFor(table, 0, 5, 2, nil, 2*h.Lengths[1].Pool-h.Lengths[1].Pool-1).MaxRecords, "a pool may not be so large")
	require.Equal(t, 1, historiesFor(table, 0, 5, 6, nil, 20_000).MaxRecords, "a value is ever that of more than a sixth")
	short := historiesFor(table, 50, 5, 2, nil, 20_000)
	require.Equal(t, "50 records", short.Settle)
	require.Equal(t, ofLength{1, 15_994, 6, .1, short.Lengths[0].Pool}, short.Lengths[0], "the last ones alone come again so early")
	require.Equal(t, 1, short.MaxRecords, "six people are no pool")

	require.Equal(t, []string{"520 records", "1000 records", "2100 records", "4200 records", "end"}, []string{h.Published[0].Settle,
		h.Published[1].Settle, h.Published[2].Settle, h.Published[3].Settle, h.Published[4].Settle})
	require.InDelta(t, 16./21, h.Published[0].Shares[0], 1e-9)
	require.InDelta(t, 20./21, h.Published[0].Shares[1], 1e-9)
	require.Less(t, h.Published[0].Shares[2], 1.)
	require.InDelta(t, 1, h.Published[4].Shares[2], 1e-9)
	var text strings.Builder
	h.Text(&text)
	require.NotContains(t, text.String(), "secret")
	require.Contains(t, text.String(), "Pools of up to 20000 people can keep that for subject.max_records up to 3")
	(*Histories)(nil).Text(&text)
}
