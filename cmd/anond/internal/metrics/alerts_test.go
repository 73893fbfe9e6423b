package metrics

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestAlertsFitTheMetrics: the alerts use metrics that are exported, and each has its
// section of the runbook.
func TestAlertsFitTheMetrics(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	text, err := os.ReadFile(filepath.Join(root, "deploy", "alerts.yml"))
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Labels      map[string]string
				Annotations map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	runbook, err := os.ReadFile(filepath.Join(root, "docs", "RUNBOOK.md"))
	require.NoError(t, err)
	names := map[string]bool{}
	for _, x := range table {
		names[x.name] = true
	}
	for _, x := range counted {
		names[x.name] = true
	}
	var alerts []string
	for _, r := range file.Groups[0].Rules {
		alerts = append(alerts, r.Alert)
		for _, name := range regexp.MustCompile(`anond_[a-z_]+`).FindAllString(r.Expr, -1) {
			base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_count"), "_sum"), "_bucket")
			assert.True(t, names[name] || names[base], "%s uses %s, which is not exported", r.Alert, name)
		}
		assert.Contains(t, []string{"page", "ticket"}, r.Labels["severity"], r.Alert)
		assert.Equal(t, "docs/RUNBOOK.md#"+strings.ToLower(r.Alert), r.Annotations["runbook"])
		assert.NotEmpty(t, r.Annotations["summary"])
	}
	var sections []string
	for _, m := range regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(string(runbook), -1) {
		sections = append(sections, m[1])
	}
	slices.Sort(alerts)
	slices.Sort(sections)
	assert.Equal(t, alerts, sections)
	assert.Greater(t, len(alerts), 12)
}
