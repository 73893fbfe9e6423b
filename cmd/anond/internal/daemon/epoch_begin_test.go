package daemon

import (
	"testing"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
)

// TestAllForgotten: whoever is on one of two lists of a state stays forgotten, in whatever order the handovers are named.
func TestAllForgotten(t *testing.T) {
	left := func(key byte, people ...byte) incremental.ForgottenBefore {
		out := incremental.ForgottenBefore{Key: [32]byte{key}}
		for _, p := range people {
			out.People = append(out.People, incremental.Digest{p})
		}
		return out
	}
	of := func(l ...incremental.ForgottenBefore) *boltstore.Handover {
		f := &boltstore.Handover{}
		f.Left = l
		return f
	}
	a, b := of(left(2, 9, 1), left(1, 4)), of(left(2, 1, 5))
	want := []incremental.ForgottenBefore{left(1, 4), left(2, 1, 5, 9)}
	require.Equal(t, want, allForgotten([]*boltstore.Handover{a, b}))
	require.Equal(t, want, allForgotten([]*boltstore.Handover{b, a}))
	require.Nil(t, allForgotten([]*boltstore.Handover{of()}))
}

// TestHandoversOfOneHistory: shards of one epoch that began with different handovers are of two histories.
func TestHandoversOfOneHistory(t *testing.T) {
	text := "version: 1\ndataset: d\nsource: {type: file, format: json, file: {path: in}}\n" +
		"schema: {attributes: [{name: id, role: subject}, {name: age, role: quasi, type: integer}, " +
		"{name: v, role: sensitive, type: categorical}]}\n" +
		"subject: {key: \"0000000000000000000000000000000000000000000000000000000000000007\"}\npolicy: {k: 2, l: 2}\nrelease: {dir: out}\n"
	c, _, err := config.Load("a.yaml", func(string) (string, bool) { return "", false },
		func(string) ([]byte, error) { return []byte(text), nil })
	require.NoError(t, err)
	of := func(shard int, manifest byte) *boltstore.Handover {
		f := &boltstore.Handover{Path: "handover"}
		f.Dataset, f.Settings, f.Number = "d", settingsOfEpochs(c), 3
		f.Chains = []incremental.Chain{{Epoch: 1, Of: 1, Release: 4, Manifest: [32]byte{manifest}}, {Epoch: 2, Shard: shard, Of: 2}}
		return f
	}
	require.NoError(t, (&handovers{list: []*boltstore.Handover{of(0, 1), of(1, 1)}}).check(c))
	err = (&handovers{list: []*boltstore.Handover{of(0, 1), of(1, 2)}}).check(c)
	require.ErrorIs(t, err, ErrHandovers)
	require.ErrorContains(t, err, "began with other handovers")
}
