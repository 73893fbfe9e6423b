package trialpage

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/trial"
)

// golden is the report of the tests of package trial.
func golden(t *testing.T) *trial.Report {
	t.Helper()
	text, err := os.ReadFile("../../trial/testdata/report.json")
	require.NoError(t, err)
	r := &trial.Report{}
	require.NoError(t, json.Unmarshal(text, r))
	return r
}

func written(t *testing.T, r *trial.Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, r))
	return b.String()
}

// TestPageHasTheReport: it is marked as private, loads nothing, and has each figure, each refusal, each crosstab, and why a setting
// publishes nothing.
func TestPageHasTheReport(t *testing.T) {
	r := golden(t)
	page := written(t, r)
	assert.Equal(t, page, written(t, r), "the same report gives the same page")
	assert.Contains(t, page, `<p class="private">`+r.Private)
	assert.Contains(t, page, r.Channel)
	for _, loads := range []string{"<script", "http:", "https:", "url(", "@import", " src=", "stylesheet", "style=\""} {
		assert.NotContains(t, page, loads)
	}
	assert.NotRegexp(t, `NaN|Inf\b|%!`, page)
	for _, f := range r.Figures() {
		for _, cell := range f.Cells {
			assert.Contains(t, page, "<td>"+cell+"</td>", f.Name)
		}
	}
	for _, x := range r.Refused {
		assert.Contains(t, page, string(x.Reason)+" of "+x.Attribute)
	}
	assert.Len(t, regexp.MustCompile(`class="cross"`).FindAllString(page, -1), len(r.Relations))
	assert.Contains(t, page, "nothing would be published.</b> "+strings.ReplaceAll(r.Outcomes[2].Why, `"`, "&#34;"))
}

// TestNoPictureThatIsConstant: buckets of one size are a sentence, and counts without an error have no curve.
func TestNoPictureThatIsConstant(t *testing.T) {
	r := golden(t)
	r.Outcomes = r.Outcomes[:1]
	r.Relations = nil
	assert.Equal(t, 3, strings.Count(written(t, r), "<figure>"), "sizes of buckets, and errors of two attributes")
	o := &r.Outcomes[0]
	for i := range o.Buckets.Curve {
		o.Buckets.Curve[i] = 15
	}
	for i := range o.Sensitive[0].Error.Curve {
		o.Sensitive[0].Error.Curve[i] = 0
	}
	page := written(t, r)
	assert.Equal(t, 1, strings.Count(page, "<figure>"))
	assert.Contains(t, page, "Every bucket has 15 people.")
	r.Outcomes[0].Losses, r.Outcomes[0].Sensitive, r.Outcomes[0].Classes, r.Outcomes[0].Buckets = nil, nil, nil, nil
	assert.NotContains(t, written(t, r), "<figure>")
}
