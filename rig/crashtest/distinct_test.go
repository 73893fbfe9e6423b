package crashtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryRecordHasAValueOfItsOwn: 200,000 records, 200,000 sensitive values.
// Release, gate and audit end within the harness's time limit.
func TestEveryRecordHasAValueOfItsOwn(t *testing.T) {
	chosen.Demand(t)
	const n = 200_000
	rng := rand.New(rand.NewPCG(4, 2))
	var in strings.Builder
	in.WriteString("id,age,city,ill\n")
	for i, v := range rng.Perm(n) {
		fmt.Fprintf(&in, "p%d,%d,c%d,value-%06d\n", i, rng.IntN(90), rng.IntN(300), v)
	}
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv}}"))
	s.write("in.csv", in.String())
	r := s.run("", "run", "--once")
	require.Equal(t, 0, r.code, r.stderr)
	published := events(t, r.stderr, "release_published")
	require.Len(t, published, 1)
	assert.EqualValues(t, n, published[0]["records"])
	audit := s.run("", "audit", "-c", "anond.yaml", "--require-certified")
	assert.Equal(t, 0, audit.code, audit.stdout+audit.stderr)
}
