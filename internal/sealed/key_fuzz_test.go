package sealed

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzKey: a key is read as a reader that looks up one digit after the other reads it.
func FuzzKey(f *testing.F) {
	for _, text := range []string{strings.Repeat("0aF9", 16), " " + strings.Repeat("-_a0", 10) + "abc\n", strings.Repeat("+/a0", 10) + "abc=",
		strings.Repeat("+/a0", 10) + "abc", strings.Repeat("-_a0", 10) + "abc=", "", strings.Repeat("+_a0", 10) + "abc"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		key, err := ParseKey(text)
		want, ok := plainKey(text)
		require.Equal(t, ok, err == nil)
		if ok {
			require.Equal(t, want, *key.secret)
		}
	})
}

var (
	hexKey = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)
	// Line breaks do not count, as encoding/base64 has it.
	base64Key = regexp.MustCompile(`^([A-Za-z0-9+/]{43}|[A-Za-z0-9_-]{43})=?$`)
)

func plainKey(text string) (key [KeyBytes]byte, ok bool) {
	text = strings.TrimSpace(text)
	digits, bits := "0123456789abcdef", 4
	switch {
	case hexKey.MatchString(text):
		text = strings.ToLower(text)
	case base64Key.MatchString(strings.NewReplacer("\r", "", "\n", "").Replace(text)):
		digits, bits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6
		text = strings.NewReplacer("\r", "", "\n", "", "=", "", "-", "+", "_", "/").Replace(text)
	default:
		return key, false
	}
	for i := range len(text) * bits {
		at := strings.IndexByte(digits, text[i/bits])
		if at>>(bits-1-i%bits)&1 == 1 && i < 8*KeyBytes {
			key[i/8] |= 0x80 >> (i % 8)
		}
	}
	return key, true
}
