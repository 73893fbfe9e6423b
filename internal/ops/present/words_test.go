package present

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCountsAreGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1\u202f000", -1234: "-1\u202f234", 1234567: "1\u202f234\u202f567"} {
		assert.Equal(t, want, Count(n))
	}
}
