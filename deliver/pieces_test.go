package deliver_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/deliver"
	"anond/snapshot"
)

// TestPieces: what a release is made of, and what it changed, follows from two manifests alone; a part that follows from none before
// is damage.
func TestPieces(t *testing.T) {
	part := func(first, last, rows int, written uint32) snapshot.PartEntry {
		name := fmt.Sprintf("part-%06d", first)
		if last > first {
			name += fmt.Sprintf("-%06d", last)
		}
		return snapshot.PartEntry{Part: name, Release: written, Rows: rows}
	}
	names := func(p deliver.Pieces) (out []string) {
		for _, x := range p {
			out = append(out, fmt.Sprintf("%s@%d", x.Part, x.Release))
		}
		return out
	}
	before := deliver.Pieces{part(1, 1, 10, 1), part(2, 2, 10, 2), part(4, 4, 10, 4), part(5, 5, 10, 5)}
	const whole = "[part-000001@1 part-000002@2 part-000004@4 part-000005@5]"
	for name, x := range map[string]struct {
		parts             []snapshot.PartEntry
		next, births, out string
		expired           uint32
		rewritten         string
	}{
		"nothing": {[]snapshot.PartEntry{part(1, 1, 10, 1), part(2, 2, 10, 2), part(4, 4, 10, 4), part(5, 5, 10, 5)}, whole, "[]", "[]", 0, "[]"},
		"a join": {[]snapshot.PartEntry{part(1, 4, 30, 6), part(5, 5, 10, 5), part(6, 6, 7, 6)},
			whole[:len(whole)-1] + " part-000006@6]", "[part-000006@6]", "[]", 0, "[]"},
		"a window": {[]snapshot.PartEntry{part(4, 4, 10, 4), part(5, 5, 10, 5)}, "[part-000004@4 part-000005@5]", "[]",
			"[part-000001@1 part-000002@2]", 2, "[]"},
		"all": {nil, "[]", "[]", whole, 5, "[]"},
		"a bucket, and a window": {[]snapshot.PartEntry{part(2, 4, 17, 6), part(5, 5, 10, 5)}, "[part-000002-000004@6 part-000005@5]",
			"[part-000002-000004@6]", "[part-000001@1 part-000002@2 part-000004@4]", 1, "[part-000002-000004]"},
		"the last bucket": {[]snapshot.PartEntry{part(1, 1, 10, 1), part(2, 2, 0, 6), part(4, 4, 10, 4), part(5, 5, 10, 5)},
			"[part-000001@1 part-000002@6 part-000004@4 part-000005@5]", "[part-000002@6]", "[part-000002@2]", 0, "[part-000002]"},
		"more rows":        {parts: []snapshot.PartEntry{part(1, 4, 31, 6), part(5, 5, 10, 5)}},
		"from nowhere":     {parts: []snapshot.PartEntry{part(1, 4, 30, 6), part(5, 5, 10, 5), part(6, 6, 7, 3)}},
		"written long ago": {parts: []snapshot.PartEntry{part(1, 4, 20, 5), part(5, 5, 10, 5)}},
	} {
		next, step, err := before.After(&snapshot.Manifest{Release: 6, Parts: x.parts})
		if x.next == "" {
			require.ErrorIs(t, err, snapshot.ErrDamaged, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, []string{x.next, x.births, x.out, fmt.Sprint(x.expired), x.rewritten}, []string{fmt.Sprint(names(next)),
			fmt.Sprint(names(step.Births)), fmt.Sprint(names(step.Left)), fmt.Sprint(step.Expired), fmt.Sprint(step.Rewritten)}, name)
		require.Equal(t, whole, fmt.Sprint(names(before)), "the pieces before stay as they are")
	}
}
