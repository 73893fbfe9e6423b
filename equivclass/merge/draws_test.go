package merge

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRuleBDraws: every part of the key, and the seed, gives draws of its own (rule R,
// randomness).
func TestRuleBDraws(t *testing.T) {
	key := Key{Release: 1, Pool: 2, SubPool: 3, Level: 4, Node: 5, Purpose: "ties"}
	seen := map[string]string{fmt.Sprint(NewDraws([32]byte{1}, key).order(50)): "the key itself"}
	for name, change := range map[string]func(*Key){
		"release":  func(k *Key) { k.Release++ },
		"pool":     func(k *Key) { k.Pool++ },
		"sub-pool": func(k *Key) { k.SubPool++ },
		"level":    func(k *Key) { k.Level++ },
		"node":     func(k *Key) { k.Node++ },
		"purpose":  func(k *Key) { k.Purpose = "other" },
	} {
		k := key
		change(&k)
		o := fmt.Sprint(NewDraws([32]byte{1}, k).order(50))
		assert.Empty(t, seen[o], "%s changes nothing", name)
		seen[o] = name
	}
	assert.Empty(t, seen[fmt.Sprint(NewDraws([32]byte{2}, key).order(50))], "the seed changes nothing")
	assert.NotEmpty(t, seen[fmt.Sprint(NewDraws([32]byte{1}, key).order(50))], "the same key gives the same draws")
}

// TestDrawsAreUniform: all 24 orders of 4 parts are about equally frequent.
func TestDrawsAreUniform(t *testing.T) {
	const each = 400
	count := map[string]int{}
	for pool := range uint64(24 * each) {
		count[fmt.Sprint(NewDraws([32]byte{7}, Key{Pool: pool}).order(4))]++
	}
	assert.Len(t, count, 24)
	var chi float64
	for _, n := range count {
		chi += float64((n-each)*(n-each)) / each
	}
	assert.Less(t, chi, 50.0, "chi-squared with 23 degrees of freedom; 50 is one in a thousand, the draws are fixed")
}

// TestOrderForgetsCodes: two dictionaries with the same values in other orders of
// appearance give the same bags.
func TestOrderForgetsCodes(t *testing.T) {
	a, b := NewOrder([]string{"flu", "angina", "cancer"}), NewOrder([]string{"cancer", "flu", "angina"})
	want := Bag{{a.Rank(1), 2}, {a.Rank(0), 1}}
	assert.Equal(t, Bag{{0, 2}, {2, 1}}, want, "angina, cancer, flu")
	assert.Equal(t, want, BagOf(a, []uint32{0, 1, 1, 2}, []int32{0, 1, 2}))
	assert.Equal(t, want, BagOf(b, []uint32{1, 2, 2, 0}, []int32{0, 1, 2}))
}
