package audit

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLocalChainIsCertified(t *testing.T) {
	p, _ := standardLocal()
	r, err := Dir(p.write(t, p.render()))
	require.NoError(t, err)
	require.Empty(t, r.Violations)
	require.Equal(t, VerdictCertified, r.Verdict)
	require.Len(t, r.Attributes, 3)
	sex, job, ill := r.Attributes[0], r.Attributes[1], r.Attributes[2]
	for _, a := range r.Attributes {
		require.Equal(t, VerdictCertified, a.Status, a)
	}
	// sex: F F M M and F M M M F: 4 of 9 F; the second release adds M F M F.
	require.InDelta(t, 0.5-4.0/9, *sex.AchievedT, 1e-12)
	require.InDelta(t, 0.6, sex.Posterior, 1e-12)
	require.Equal(t, 2, job.AchievedL)
	require.Equal(t, 2, ill.AchievedL)
	require.Equal(t, "sensitive", ill.Role)
	var text bytes.Buffer
	require.NoError(t, r.Text(&text))
	require.Contains(t, text.String(), "sex (semi): promised t = 0.3 (equal), achieved t = 0.0556, share 0.6000, posterior 0.6000, 13 values in 3 buckets: certified (posterior is the share in the bucket; no 1/l is claimed)")
	require.Contains(t, text.String(), "job (semi): promised l = 2, achieved l = 2")
}
