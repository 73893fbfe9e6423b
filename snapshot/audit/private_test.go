package audit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAuditOfLevelL1IsPrivate: with the exports it tells the share of a value among people who wait, and
// says that nobody else may see it; from public files, and at level L2, it tells nothing of them.
func TestAuditOfLevelL1IsPrivate(t *testing.T) {
	report := func(o Options) (*Report, string) {
		r, err := Dir(o)
		require.NoError(t, err)
		var text strings.Builder
		require.NoError(t, r.Text(&text))
		return r, text.String()
	}
	p, _ := standard()
	o := p.write(t, p.render())
	r, text := report(o)
	require.True(t, r.Private)
	require.Contains(t, text, "This report is private")
	require.Contains(t, text, "the most frequent value among them has a share of")

	o.Members, o.Records = "", ""
	r, text = report(o)
	require.False(t, r.Private)
	require.NotContains(t, text, "private:")

	r, text = report(standardL2("buckets").write(t))
	require.False(t, r.Private)
	require.NotContains(t, text, "This report is private")
}

// TestNotPromised: the report names the beliefs that are out of scope in the words of the README.
func TestNotPromised(t *testing.T) {
	p, _ := standard()
	r, err := Dir(p.write(t, p.render()))
	require.NoError(t, err)
	require.Contains(t, strings.Join(r.NotPromised, "\n"), "or learns that from the releases (deFinetti attack)")
	require.Contains(t, strings.Join(r.NotPromised, "\n"), "who comes back, when and how often")
}
