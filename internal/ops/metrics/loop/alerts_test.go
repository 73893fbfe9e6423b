package loop

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"anond/deliver"
	"anond/internal/ops/metrics"
	"anond/shards/repartition/topics"
	"anond/shards/union"
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
	var alerts []string
	for _, r := range file.Groups[0].Rules {
		alerts = append(alerts, r.Alert)
		assert.Empty(t, notExported(r.Expr), r.Alert)
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

// notExported are the metrics of an expression that anond does not export.
func notExported(expr string) (out []string) {
	names := map[string]bool{}
	for _, x := range slices.Concat(described(metrics.OfEveryProcess), described(table), described(union.Metrics), described(topics.Metrics),
		described(deliver.Metrics), counted) {
		names[x.name] = true
	}
	for _, name := range regexp.MustCompile(`\banond_[a-z_]+`).FindAllString(expr, -1) {
		base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_count"), "_sum"), "_bucket")
		if !names[name] && !names[base] {
			out = append(out, name)
		}
	}
	return out
}

// TestTheGrafanaDashboardFitsTheMetrics: its queries use metrics that are exported, chosen
// by the dataset, and its panels do not overlap.
func TestTheGrafanaDashboardFitsTheMetrics(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "deploy", "grafana", "anond.json"))
	require.NoError(t, err)
	type target struct{ Expr string }
	var dashboard struct {
		Panels []struct {
			ID      int
			Type    string
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []target
		}
		Annotations struct{ List []target }
		Templating  struct{ List []struct{ Definition string } }
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	queries, ids, cells := dashboard.Annotations.List, map[int]bool{}, map[[2]int]string{}
	for _, v := range dashboard.Templating.List {
		assert.Empty(t, notExported(v.Definition))
	}
	for _, p := range dashboard.Panels {
		assert.False(t, ids[p.ID], "two panels have id %d", p.ID)
		ids[p.ID] = true
		assert.Equal(t, p.Type == "row", len(p.Targets) == 0, p.Title)
		assert.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				assert.Empty(t, cells[at], "%s lies on it", p.Title)
				cells[at] = p.Title
			}
		}
		queries = append(queries, p.Targets...)
	}
	require.Greater(t, len(queries), 20)
	for _, q := range queries {
		assert.Empty(t, notExported(q.Expr), q.Expr)
		if strings.Contains(q.Expr, "anond_") {
			assert.Contains(t, q.Expr, `dataset=~"$dataset"`)
		}
	}
	assert.Equal(t, []string{"anond_no_such"}, notExported("rate(anond_no_such[5m]) + anond_policy_k"), "the test can fail")
}
