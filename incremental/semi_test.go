package incremental_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/snapshot"
)

// semiChain is a chain over smallSchema, and how a record of it is sent.
type semiChain struct {
	*chain
	sent int64
}

func newSemiChain(t testing.TB, promise equivclass.SemiPromise) *semiChain {
	p := policy(2, 2)
	p.Bucketized, p.MaxHold, p.Initial, p.Local = true, 0, extract.Extract{}, extract.Extract{}
	return &semiChain{chain: newChain(t, smallSchema(t, promise), p, snapshot.LGB([32]byte{5}))}
}

// send sends a record; its sensitive value is in turn one of two.
func (c *semiChain) send(x int, pay, secret string) incremental.Outcome {
	out := c.apply(source, c.sent, equivclass.Row{fmt.Append(nil, x), []byte(pay), fmt.Append(nil, "i", c.sent%2), []byte(secret)})
	c.sent++
	return out
}

// TestBadFlagIsRefused: a flag that is missing or unreadable refuses the record,
// by the name of the flag, and no value is shown (rule V, no person's value is shown).
func TestBadFlagIsRefused(t *testing.T) {
	c := newSemiChain(t, equivclass.SemiPromise{L: 2})
	for _, flag := range []string{"", "maybe", "2"} {
		out := c.send(1, "low", flag)
		require.Equal(t, incremental.Outcome{Reason: equivclass.ReasonFlag, Attribute: "secret"}, out)
	}
	row := equivclass.Row{[]byte("1"), []byte("low"), []byte("i1"), nil}
	require.Equal(t, equivclass.ReasonFlag, c.apply(source, c.sent, row).Reason)
	require.Empty(t, c.send(1, "low", "Yes").Reason)
	require.Equal(t, uint64(4), c.m.Status().Refused[equivclass.ReasonFlag])
}

// TestSemiNeedsLGB: no other recoding keeps the promise of an attribute.
func TestSemiNeedsLGB(t *testing.T) {
	s := smallSchema(t, equivclass.SemiPromise{L: 2})
	for _, change := range []func(*incremental.Policy){
		func(p *incremental.Policy) { p.Bucketized = false },
		func(p *incremental.Policy) { p.Republication = incremental.Regroup },
	} {
		p := policy(2, 2)
		p.Bucketized = true
		_, err := incremental.Open(memstore.New(), incremental.Options{Schema: s, Policy: p})
		require.NoError(t, err)
		change(&p)
		_, err = incremental.Open(memstore.New(), incremental.Options{Schema: s, Policy: p})
		require.Error(t, err)
	}
}

// TestRuleISemi: a first load in which a value has more than 1/l of an
// attribute's sensitive values is refused; the error names attribute, share and
// what is reachable, never the value.
func TestRuleISemi(t *testing.T) {
	c := newSemiChain(t, equivclass.SemiPromise{L: 3})
	for i := range 12 {
		c.send(i, []string{"odd", "odd", "even", "even", "prime"}[i%5], "true")
	}
	_, err := c.m.Cut(1, [32]byte{})
	var refused *incremental.InfeasibleError
	require.True(t, errors.As(err, &refused), "%v", err)
	assert.Equal(t, `the most frequent value of "pay" has 50.0 % of its sensitive values in the first load, `+
		`more than 1/l = 33.3 %: no release can keep l = 3`, err.Error())
	assert.Contains(t, refused.Hint(), "l = 2")
	for _, value := range []string{"odd", "even", "prime"} {
		assert.NotContains(t, err.Error()+refused.Hint(), value)
	}
}

// TestTNeedsAReference: without a sensitive value in release 1 there is nothing
// to be close to.
func TestTNeedsAReference(t *testing.T) {
	c := newSemiChain(t, equivclass.SemiPromise{T: 0.1, Distance: "equal"})
	for i := range 6 {
		c.send(i, "F", "no")
	}
	_, err := c.m.Cut(1, [32]byte{})
	var refused *incremental.InfeasibleError
	require.True(t, errors.As(err, &refused), "%v", err)
	assert.Contains(t, refused.Hint(), "promise.reference")
}

// TestHeldBackUntilThePromiseHolds: a later release publishes, of the classes it
// could, those whose sensitive values keep the promise together; the others wait,
// and the status says so once they have waited too long: by attribute and share.
func TestHeldBackUntilThePromiseHolds(t *testing.T) {
	c := newSemiChain(t, equivclass.SemiPromise{L: 2})
	for i := range 8 {
		c.send(i, []string{"low", "high"}[i/2%2], "true")
	}
	require.NotNil(t, c.cut())
	for i := range 12 { // 10 low, 2 high: at most 2 of each can be published
		c.send(i, []string{"low", "low", "low", "low", "low", "high"}[i/2], "true")
	}
	intent := c.cut()
	require.NotNil(t, intent)
	assert.Equal(t, 4, intent.Newcomers, "low together with as much high, and no more is held")
	c.send(0, "low", "no") // not sensitive: no part in the promise
	c.send(0, "mid", "no")
	intent = c.cut()
	require.NotNil(t, intent)
	assert.Equal(t, 2, intent.Newcomers)
	status := c.m.Status()
	assert.Equal(t, 8, status.Pending.Total())
	assert.Equal(t, []incremental.Shortfall{{Attribute: "pay", Records: 8, Share: 1, Reachable: 1}}, status.Shortfalls)
	for i := range 8 {
		c.send(i, "high", "true")
	}
	intent = c.cut()
	require.NotNil(t, intent)
	assert.Equal(t, 16, intent.Newcomers)
	assert.Empty(t, c.m.Status().Shortfalls)
	c.certify()
}

// TestStoredFlagsAreChecked: a flag column that holds neither 0 nor 1 is damage.
func TestStoredFlagsAreChecked(t *testing.T) {
	for flag, want := range map[equivclass.Code]error{1: nil, 2: incremental.ErrCorrupt} {
		store := memstore.New()
		block := &incremental.RecordBlock{Columns: [][]equivclass.Code{{0}, {0}, {flag}}, SA: []equivclass.Code{0}, Origin: []uint16{0},
			Offset: []int64{0}}
		require.NoError(t, store.Commit(&incremental.Delta{Meta: &incremental.Meta{}, Records: []*incremental.RecordBlock{block},
			Dictionary: []incremental.DictionaryEntry{{Attribute: 0, Text: "1"}, {Attribute: 1, Text: "low"}, {Attribute: 2, Text: "i0"}}}))
		p := policy(2, 2)
		p.Bucketized = true
		_, err := incremental.Open(store, incremental.Options{Schema: smallSchema(t, equivclass.SemiPromise{L: 2}), Policy: p})
		require.ErrorIs(t, err, want)
	}
}

// TestLocalUpdatesKeepStrataApart: where more wait than a cut partitions anew,
// the plans of local updates are classes of equal flags too, and satisfy k and l.
func TestLocalUpdatesKeepStrataApart(t *testing.T) {
	c := newSemiChain(t, equivclass.SemiPromise{L: 2})
	for i := range 20 {
		c.send(i, []string{"low", "high"}[i/2%2], "true")
	}
	require.NotNil(t, c.cut())
	for i := range 60 {
		c.send(i%20, []string{"low", "high"}[i/4%2], fmt.Sprint(i%3 == 0))
	}
	classes, planned := c.m.LocalPlans(), 0
	for _, members := range classes {
		planned += len(members)
		require.GreaterOrEqual(t, len(members), 2)
		values := map[int]int{}
		for _, r := range members {
			values[int(r)%2]++
			require.Equal(t, (members[0]-20)%3 == 0, (r-20)%3 == 0, "flags differ")
		}
		require.Equal(t, values[0], values[1], "l = 2 of two values")
	}
	assert.Greater(t, planned, 40)
}
