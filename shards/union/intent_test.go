package union

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/snapshot"
)

// FuzzIntent holds the reader of intents against a plain one, which takes the text for lines: what one of them reads,
// the other reads as the same.
func FuzzIntent(f *testing.F) {
	golden, err := os.ReadFile(filepath.Join("testdata", "intent.json"))
	require.NoError(f, err)
	f.Add(golden)
	f.Add(golden[:len(golden)/2])
	f.Add([]byte(strings.Replace(string(golden), `"of": 3`, `"of": 2`, 1)))
	f.Add([]byte(strings.Replace(string(golden), `"release": `, `"release": 0`, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := decodeIntent(data)
		plain := plainIntent(string(data))
		if err != nil {
			require.ErrorIs(t, err, snapshot.ErrDamaged)
			require.Less(t, len(err.Error()), 200)
			require.Nil(t, plain)
			return
		}
		again, err := read.encode()
		require.NoError(t, err)
		require.Equal(t, string(data), string(again))
		require.Len(t, read.Shards, len(plain))
		for i, s := range read.Shards {
			require.Equal(t, plain[i], s.Shard)
		}
	})
}

const number = `(0|[1-9][0-9]{0,9})`

var (
	intentForm = regexp.MustCompile(`^\{\n  "format_version": 1,\n  "release": ` + number + `,\n  "created_at": "([^"\n]*)",\n  "of": ` +
		number + `,\n  "previous": (?:null|\{\n    "release": ` + number + `,\n    "sha256": "[0-9a-f]{64}"\n  \}),\n  "shards": \[\n` +
		`((?:    \{\n(?:      .*\n){3}    \},?\n)+)  \]\n\}\n$`)
	shardForm = regexp.MustCompile(`^    \{\n      "shard": ` + number + `,\n      "release": ` + number +
		`,\n      "sha256": "[0-9a-f]{64}"\n    \}$`)
)

// plainIntent reads the shards of an intent; nil: it is none.
func plainIntent(text string) (shards []int) {
	m := intentForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	release, of := plainNumber(m[1], 1<<32-1), plainNumber(m[3], snapshot.MaxShards)
	_, err := time.Parse(time.RFC3339, m[2])
	if err != nil || release < 1 || of < 1 {
		return nil
	}
	if m[4] == "" && release != 1 || m[4] != "" && (plainNumber(m[4], 1<<32-1) != release-1 || release == 1) {
		return nil
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(m[5], "\n"), ",\n    {") {
		if len(shards) > 0 {
			entry = "    {" + entry
		}
		s := shardForm.FindStringSubmatch(entry)
		if s == nil || plainNumber(s[2], 1<<32-1) < 1 {
			return nil
		}
		shard := plainNumber(s[1], int64(of)-1)
		if shard < 0 || len(shards) > 0 && shard <= shards[len(shards)-1] {
			return nil
		}
		shards = append(shards, shard)
	}
	return shards
}

// plainNumber reads a number; below 0: it is greater than most.
func plainNumber(text string, most int64) int {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > most {
		return -1
	}
	return int(n)
}

// TestShardsObservePeopleForOneTime: shards that observe people for different times, apply updates or not, or publish more or fewer
// records of a person are not united.
func TestShardsObservePeopleForOneTime(t *testing.T) {
	of := func(settle, updates string) shardRelease {
		return shardRelease{sum: settle + updates, manifest: &snapshot.Manifest{Privacy: snapshot.Privacy{Level: snapshot.LevelL0L1L2,
			Settle: settle, Updates: updates}}}
	}
	longer := of("90d", "apply")
	longer.sum, longer.manifest.Privacy.MaxRecords = "longer", 2
	for _, other := range []shardRelease{of("", ""), of("30d", "apply"), of("90d", "refuse"), longer} {
		_, err := unitable([]shardRelease{of("90d", "apply"), other})
		require.ErrorIs(t, err, ErrShards)
		require.ErrorContains(t, err, "subject.settle, subject.updates or subject.max_records")
	}
	other := of("90d", "apply")
	other.sum = "another"
	_, err := unitable([]shardRelease{of("90d", "apply"), other})
	require.NoError(t, err)
}
