package dataset

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/incremental/memstore"
	"anond/internal/fault"
)

// TestAProgramWithoutShardsRefusesOne: nobody runs a shard as if it were the whole dataset. This test links no shards.
func TestAProgramWithoutShardsRefusesOne(t *testing.T) {
	text := fmt.Sprintf("version: 1\ndataset: d\nsource: {type: kafka, kafka: {brokers: [b:9092], topic: in}}\n"+
		"schema: {attributes: [{name: id, role: subject}, {name: age, role: quasi, type: integer, range: [0, 130]}, "+
		"{name: ill, role: sensitive, type: categorical}]}\nsubject: {key: \"%064x\"}\nshard: {index: 0, of: 2}\npolicy: {k: 2, l: 2}\n", 7)
	c, _, err := config.Load("a.yaml", func(string) (string, bool) { return "", false },
		func(string) ([]byte, error) { return []byte(text), nil })
	require.NoError(t, err)
	_, opened := OpenMachine(t.Context(), memstore.New(), c, Options{})
	_, sampled := TakeSample(t.Context(), c, 1)
	_, journaled := OpenJournal(t.Context(), c, Options{})
	for what, err := range map[string]error{"the state": opened, "a sample": sampled, "the journal": journaled} {
		require.ErrorContains(t, err, "this program has no shards", what)
		kind, _ := fault.Of(err)
		require.Equal(t, fault.Config, kind, what)
	}
}
