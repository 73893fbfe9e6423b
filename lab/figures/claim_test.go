package figures

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClaimJoinsFindings(t *testing.T) {
	yes, no, maybe := Found(Holds, "1"), Found(HoldsNot, "2"), Found(Undecided, "3")
	for _, c := range []struct {
		claim   Claim
		verdict Verdict
		numbers string
		why     string
	}{
		{NewClaim("t", "w", yes, yes.Of("x ")), Holds, "1; x 1", ""},
		{NewClaim("t", "w", yes, no, maybe), HoldsNot, "1; 2; 3", "w"},
		{NewClaim("t", "w", maybe, yes), Undecided, "3; 1", "w"},
		{NewClaim("t", "w", yes.And(no)), HoldsNot, "1; 2", "w"},
	} {
		require.Equal(t, "t", c.claim.Text)
		require.Equal(t, c.verdict, c.claim.Verdict())
		require.Equal(t, c.numbers, c.claim.Numbers())
		require.Equal(t, c.why, c.claim.Why)
	}
}

// A refutation by our own baseline alone decides nothing; it does not hide
// another one.
func TestRefutationByAChoiceOfOursIsLeftOpen(t *testing.T) {
	yes, no := Found(Holds, "1"), Found(HoldsNot, "2")
	require.Equal(t, yes, yes.OpenIfFailed("our search"))
	require.Equal(t, Found(Undecided, "2; left open: our search"), no.OpenIfFailed("our search"))
	require.Equal(t, HoldsNot, no.OpenIfFailed("our search").And(no).Verdict)
	require.Equal(t, Undecided, no.OpenIfFailed("our search").And(yes).Verdict)
}

// A claim that one reading upholds and another refutes depends on the reading;
// an open reading leaves it open unless the others differ already.
func TestClaimIsJudgedUnderEveryReading(t *testing.T) {
	for _, c := range []struct {
		of   []Verdict
		want Verdict
	}{
		{[]Verdict{Holds}, Holds},
		{[]Verdict{HoldsNot}, HoldsNot},
		{[]Verdict{Holds, Holds}, Holds},
		{[]Verdict{HoldsNot, HoldsNot}, HoldsNot},
		{[]Verdict{Holds, HoldsNot}, Depends},
		{[]Verdict{Undecided, HoldsNot, Holds}, Depends},
		{[]Verdict{Holds, Undecided}, Undecided},
		{[]Verdict{Undecided, HoldsNot}, Undecided},
		{nil, Undecided},
	} {
		var readings []Reading
		for _, v := range c.of {
			readings = append(readings, Reading{Words: "one", Finding: Found(v, "1")})
		}
		require.Equal(t, c.want, ClaimUnder("t", "w", readings...).Verdict(), c.of)
	}
	no, yes := Reading{Words: "an interval", Finding: Found(HoldsNot, "1.3")}, Reading{Words: "a value", Finding: Found(Holds, "0.9")}
	both := ClaimUnder("t", "w", no, yes)
	require.Equal(t, "an interval: does not hold (1.3); a value: holds (0.9)", both.Numbers())
	require.Equal(t, "w", both.Why)
	require.Empty(t, ClaimUnder("t", "w", yes, yes).Why)
}

// What the paper excludes is shown and does not count.
func TestVariantsAgainstTheTextDoNotCount(t *testing.T) {
	no := Reading{Words: "an interval", Finding: Found(HoldsNot, "1.3")}
	yes := Reading{Words: "a value", Finding: Found(Holds, "0.9"), Against: "section 2"}
	require.Equal(t, HoldsNot, ClaimUnder("t", "w", no, yes).Verdict())
	require.Equal(t, "an interval: does not hold (1.3); variant against section 2, a value: holds (0.9)",
		ClaimUnder("t", "w", no, yes).Numbers())
}

func TestAsides(t *testing.T) {
	require.Equal(t, "Not in the paper: a wins. That does not hold: 2. w", Aside(NewClaim("a wins.", "w", Found(HoldsNot, "2"))))
	require.Equal(t, "Not in the paper: a wins. That holds: 1.", Aside(NewClaim("a wins.", "w", Found(Holds, "1"))))
	yes, no := Found(Holds, "1"), Found(HoldsNot, "2")
	require.Equal(t, "", Failing([]string{"a", "b"}, []Finding{yes, yes}))
	require.Equal(t, "It fails for b only. ", Failing([]string{"a", "b"}, []Finding{yes, no}))
	require.Equal(t, "It fails for a, b and c only. ", Failing([]string{"a", "b", "c", "d"}, []Finding{no, no, no, yes}))
	require.Equal(t, "It fails for all of them. ", Failing([]string{"a", "b"}, []Finding{no, no}))
}

// A claim that holds needs nothing; another says what, and what was measured of it.
func TestWhatAClaimNeedsToHold(t *testing.T) {
	no, yes := NewClaim("t", "w", Found(HoldsNot, "2")), NewClaim("t", "w", Found(Holds, "1"))
	require.Equal(t, "B would have to be more. Tested: holds (3).", no.NeedsToHold("B would have to be more.", Found(Holds, "3")).ToHold)
	require.Equal(t, "B would have to be more.", no.NeedsToHold("B would have to be more.").ToHold)
	require.Empty(t, yes.NeedsToHold("B would have to be more.").ToHold)
	require.Empty(t, no.ToHold, "what was given is left alone")
}
