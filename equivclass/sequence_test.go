package equivclass

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPartsOfSequences: what Joined made Parts takes apart, and a single value is a sequence of its own.
func TestPartsOfSequences(t *testing.T) {
	for _, parts := range [][]string{{"flu"}, {"flu", "flu"}, {"gout", MissingText, "a > b, c"}} {
		require.Equal(t, parts, Parts(Joined(parts)))
	}
	require.Equal(t, []string{"flu"}, Ever("flu"))
	require.Equal(t, []string{"flu", "gout"}, Ever(Joined([]string{"gout", "flu", "gout"})))
	require.Negative(t, CompareSequences("flu", Joined([]string{"flu", "flu"})))
	require.Positive(t, CompareSequences("gout", Joined([]string{"flu", "zoster"})))
}

// TestNoSourceSendsSequences: a text with the separator is refused, whatever becomes of texts, also where the state has that very sequence.
func TestNoSourceSendsSequences(t *testing.T) {
	for _, text := range []Text{{}, {Exact: true}, {Folded: true}} {
		p := NewPacked([]Attribute{{Name: "illness", Role: Sensitive, Type: Categorical, Text: text}})
		sequence := "FLU" + Then + "GOUT" // as a fold has it
		why, _ := p.Append(Row{[]byte(sequence)})
		require.Equal(t, ReasonControl, why)
		p.Sequences([]int{0}, 2)
		why, _ = p.Append(Row{[]byte(sequence)})
		require.Equal(t, Accepted, why)
		require.Equal(t, []int{0}, p.Grown())
		require.Equal(t, sequence, p.Dicts[0].Text(p.Columns[0].At(0)))
		for _, sent := range []string{sequence, Then, "FLU" + Then} {
			why, _ = p.Check(Row{[]byte(sent)})
			require.Equal(t, ReasonControl, why)
		}
	}
}

// TestSequencesOfSentValues: the values of a sequence are those that releases show, a missing one has its mark, and a bad one is no part
// of any; what the dictionary has of sequences it keeps over a restart.
func TestSequencesOfSentValues(t *testing.T) {
	p := NewPacked([]Attribute{
		{Name: "illness", Role: Sensitive, Type: Categorical, Optional: true},
		{Name: "dose", Role: Sensitive, Type: Integer, Buckets: []int64{0, 10, 20}}})
	p.Sequences([]int{0, 1}, 3)
	illness, why := p.SequenceOf(0, [][]byte{[]byte(" flu "), nil, []byte("flu")})
	require.Equal(t, []any{Joined([]string{"flu", MissingText, "flu"}), Accepted}, []any{illness, why})
	dose, why := p.SequenceOf(1, [][]byte{[]byte("3"), []byte("99"), []byte("10")})
	require.Equal(t, []any{Joined([]string{"0..10", "20+", "10..20"}), Accepted}, []any{dose, why})
	for range 2 {
		why, _ = p.Append(Row{[]byte(illness), []byte(dose)})
		require.Equal(t, Accepted, why)
	}
	require.Equal(t, []int{1, 1}, []int{p.Dicts[0].Len(), p.Dicts[1].Len()})
	for i, text := range []string{illness, dose} {
		again := NewSequences(p.Dicts[i].Attribute(), 3)
		require.NoError(t, again.Restore(text))
		require.Error(t, again.Restore(text))
		code, known := again.Frozen().Prefix(1).Named(text)
		require.Equal(t, []any{Set, Code(0), false}, []any{again.Kind(), code, known}) // a frozen one finds nothing
		code, known = again.Named(text)
		require.Equal(t, []any{Code(0), true, text}, []any{code, known, again.Text(code)})
	}
	for _, sent := range [][]byte{[]byte("a\x00b"), []byte("?"), []byte("[")} {
		_, why = p.SequenceOf(0, [][]byte{[]byte("flu"), sent})
		require.NotEqual(t, Accepted, why)
	}
	for _, bad := range []string{"flu" + Then + " gout", "flu" + Then, Then + "flu", "flu" + Then + "a\tb", Joined(make([]string, 4)),
		Joined([]string{"a", "b", "c", "d"})} {
		why, attribute := p.Append(Row{[]byte(bad), []byte(dose)})
		require.Equal(t, []any{ReasonCategory, "illness"}, []any{why, attribute}, "%q", bad)
	}
}
