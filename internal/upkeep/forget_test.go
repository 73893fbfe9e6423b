package upkeep

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/incremental/erase"
	_ "anond/shards"
)

// TestForgetNamesTheShardOfAPerson: exactly one shard has a person, and the receipts of all
// others name it.
func TestForgetNamesTheShardOfAPerson(t *testing.T) {
	const of, partitions = 3, 8
	seen := map[string]bool{}
	for person := range 40 {
		subject := fmt.Appendf(nil, "patient-%d", person)
		named := map[string]bool{}
		home := -1
		for i := range of {
			text := fmt.Sprintf("version: 1\ndataset: d\nsource: {type: kafka, kafka: {brokers: [b:9092], topic: in}}\n"+
				"schema: {attributes: [{name: id, role: subject}, {name: age, role: quasi, type: integer, range: [0, 130]}, "+
				"{name: v, role: sensitive, type: categorical}]}\n"+
				"subject: {key: \"%064x\"}\nshard: {index: %d, of: %d}\npolicy: {k: 2, l: 2}\n", 7, i, of)
			c, _, err := config.Load("a.yaml", func(string) (string, bool) { return "", false },
				func(string) ([]byte, error) { return []byte(text), nil })
			require.NoError(t, err)
			assert.Empty(t, InAnotherShard(c, 0, subject), "the topic has not been read yet")
			r := InAnotherShard(c, partitions, subject)
			if len(r) == 0 {
				require.Equal(t, -1, home, "two shards have the person")
				home = i
				continue
			}
			named[r[0].Where[0]] = true
		}
		at := fmt.Sprintf("shard %d of %d", home, of)
		require.Equal(t, map[string]bool{at: true}, named)
		seen[at] = true
	}
	assert.Len(t, seen, of, "people are in all shards")
}

// TestReceiptOfADeferredErasure: of a person in a fixed pool the receipt says that nothing is removed yet, whatever was forgotten of
// others with the same order.
func TestReceiptOfADeferredErasure(t *testing.T) {
	for _, x := range []erase.Forgotten{{Later: 1}, {Later: 1, Published: 2, First: 1, Last: 3}} {
		r := Receipt{Before: true}
		r.Settle(x)
		assert.Equal(t, FateDeferred, r.Fate)
		assert.Equal(t, x, r.Removed)
	}
}
