package loop

import (
	"fmt"
	"strings"

	"anond/deliver"
	"anond/internal/ops/gauge"
	"anond/internal/ops/metrics"
	"anond/shards/repartition/topics"
	"anond/shards/union"
)

// counted are the metrics outside of table.
var counted = []measured{commitSeconds, decisionSeconds, viewSeconds, releaseSeconds, withheld, publishFailures, deliverFailures}

// reference is docs/METRICS.md.
func reference() string {
	var b strings.Builder
	b.WriteString(`# Metrics

This page is generated from the table of metrics in the code.

anond serves metrics for Prometheus at ` + "`http://127.0.0.1:9464/metrics`" + ` (key ` + "`http.listen`" + `). Each has the label
` + "`dataset`" + `, and in a process of several shards ` + "`shard`" + `. One scrape shows one moment: the same figures as
` + "`status.json`" + ` and the dashboard. Labels are names of the configuration and the words of this page. No metric tells anything about
a person, or about the values of people who wait.

` + "`anond union`" + `, ` + "`anond repartition`" + ` ([SCALING.md](../shards/SCALING.md#watching-repartition-and-union)) and
` + "`anond-deliver --follow`" + ` ([OUTPUTS.md](OUTPUTS.md#watching-a-delivery)) serve metrics of their own: those of their sections here,
and of the process ` + "`anond_build_info`, `anond_up_since_timestamp_seconds`, `anond_log_messages_total` and `anond_events_total`" + `.

Metrics of the Go runtime (` + "`go_`" + `) and of the process (` + "`process_`" + `) come with it. [RUNBOOK.md](RUNBOOK.md) has the alerts.
`)
	for _, s := range []struct {
		title string
		list  []measured
	}{{"Process", append(described(metrics.OfEveryProcess), described(ofProcess)...)},
		{"Source", described(ofSource)}, {"Records read", described(ofIngest)},
		{"Records that wait", described(ofPending)}, {"Releases", described(ofReleases)},
		{"Views, and the subject ledger", described(ofViews)}, {"State", described(ofState)},
		{"Durations and failures, since the start of the process", counted}, {"`anond union`", described(union.Metrics)},
		{"`anond repartition`", described(topics.Metrics)}, {"`anond-deliver`", described(deliver.Metrics)}} {
		heading(&b, s.title)
		for _, x := range s.list {
			row(&b, x)
		}
	}
	return b.String()
}

func heading(b *strings.Builder, title string) {
	fmt.Fprintf(b, "\n## %s\n\n| metric | type | labels | meaning |\n|---|---|---|---|\n", title)
}

func row(b *strings.Builder, x measured) {
	labels := ""
	if len(x.labels) > 0 {
		labels = "`" + strings.Join(x.labels, "`, `") + "`"
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", x.name, x.kind, labels, strings.ReplaceAll(x.help, "|", "\\|"))
}

// described are the lines of a table as the reference has them.
func described[S any](list []gauge.Metric[S]) (out []measured) {
	for _, m := range list {
		kind := "gauge"
		if m.Counter {
			kind = "counter"
		}
		out = append(out, measured{m.Name, kind, m.Labels, m.Help})
	}
	return out
}
