package upkeep

import (
	"anond/incremental/state"
	"math"
	"math/big"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzLetterRef: what an operator names a dead letter by is read as a regular expression reads it, with numbers of any size.
func FuzzLetterRef(f *testing.F) {
	for _, text := range []string{"17", "kafka:admissions:3:1204", "a:b:-1:+2", "0", ":1:2", "x::2", "18446744073709551616",
		"x:2147483648:1"} {
		f.Add(text)
	}
	number, named := regexp.MustCompile(`^[0-9]+$`), regexp.MustCompile(`(?s)^(.+):([+-]?[0-9]+):([+-]?[0-9]+)$`)
	within := func(text string, least, most *big.Int) (*big.Int, bool) {
		n, ok := new(big.Int).SetString(text, 10)
		return n, ok && n.Cmp(least) >= 0 && n.Cmp(most) <= 0
	}
	least, most := big.NewInt(math.MinInt64), big.NewInt(math.MaxInt64)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseLetterRef(text)
		if number.MatchString(text) {
			n, ok := within(text, big.NewInt(1), new(big.Int).SetUint64(math.MaxUint64))
			require.Equal(t, ok, err == nil)
			if ok {
				require.Equal(t, n.Uint64(), got.seq)
			}
			return
		}
		parts := named.FindStringSubmatch(text)
		if parts == nil {
			require.ErrorIs(t, err, errNoRef)
			return
		}
		partition, good := within(parts[2], big.NewInt(math.MinInt32), big.NewInt(math.MaxInt32))
		offset, also := within(parts[3], least, most)
		require.Equal(t, good && also, err == nil)
		if err == nil {
			at := state.Partition{Source: parts[1], ID: int32(partition.Int64())}
			require.Equal(t, letterRef{at: place{at, offset.Int64()}}, got)
		}
	})
}
