package incremental_test

import (
	"anond/incremental/state"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/memstore"
)

// TestLinesWithoutRecordAreCountedOnce: what a position has passed is not counted
// again, also after a restart, and the witness stays that of the last record.
func TestLinesWithoutRecordAreCountedOnce(t *testing.T) {
	store := memstore.New()
	open := func() *incremental.Machine {
		m, err := incremental.Open(store, incremental.Options{Schema: newSchema(t, false), Policy: policy(2, 2), Seed: [32]byte{1}})
		require.NoError(t, err)
		return m
	}
	p := state.Partition{Source: "file:x"}
	read := func(m *incremental.Machine) {
		require.NoError(t, m.Intake().PassLine(p, 0, 9, "header_line"))
		_, err := m.Apply(p, 9, equivclass.Row{[]byte("30"), []byte("a"), []byte("w"), []byte("i")})
		require.NoError(t, err)
		require.NoError(t, m.Intake().PassLine(p, 20, 21, "blank_line"))
		require.NoError(t, m.Intake().PassLine(p, 21, 24, "blank_line"))
	}
	m := open()
	read(m)
	assert.Zero(t, open().Status().Ignored["blank_line"], "nothing is counted before the commit")
	require.NoError(t, m.Commit())
	for range 2 {
		m = open()
		read(m)
		require.NoError(t, m.Commit())
		assert.Equal(t, map[equivclass.Reason]uint64{"header_line": 1, "blank_line": 2}, m.Status().Ignored)
		assert.EqualValues(t, 1, m.Status().Sent, "a line without record is not sent")
		assert.EqualValues(t, 9, m.Intake().Positions()[p].Last)
		assert.EqualValues(t, 24, m.Intake().Positions()[p].Next)
	}
}

// TestALineNumbersNoPartitionTooMany: the header of a file is read before its
// first record, and must not give the file a number that is taken.
func TestALineNumbersNoPartitionTooMany(t *testing.T) {
	m, err := incremental.Open(memstore.New(), incremental.Options{Schema: newSchema(t, false), Policy: policy(2, 2), Seed: [32]byte{1}})
	require.NoError(t, err)
	for id := range int32(math.MaxUint16 + 1) {
		require.NoError(t, m.Intake().PassLine(state.Partition{Source: "kafka:t", ID: id}, 0, 1, "blank_line"))
	}
	late := state.Partition{Source: "file:x"}
	assert.ErrorContains(t, m.Intake().PassLine(late, 0, 1, "header_line"), "at most 65,536 partitions: file:x, partition 0, is one more")
	assert.Error(t, m.Intake().Ignore(late, 0, "unsupported_operation"))
	assert.Error(t, m.Refuse(state.DeadLetter{Partition: late, Reason: "malformed_csv"}))
	assert.NoError(t, m.Intake().Ignore(state.Partition{Source: "kafka:t"}, 5, "unsupported_operation"))
}
