// Package loop has the metrics of the daemon: what its monitor shows, and what its loop counts in between.
//
// Guarantee: that of package metrics: all values are of one monitor.View, but for counters and histograms of what happens in
// between.
//
// Method: table lists every metric with what it takes from the view. docs/METRICS.md is made from the same table.
package loop

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"anond/ingest"
	"anond/internal/ops/metrics"
	"anond/internal/ops/monitor"
)

// Metrics are those of a monitor, and the ingest.Meter of its loop.
type Metrics struct {
	monitor *monitor.Monitor

	commits, decisions, views, releases prometheus.Histogram
	skipped                             *prometheus.CounterVec
	failed                              map[ingest.Attempt]prometheus.Counter
}

var _ ingest.Meter = (*Metrics)(nil)

// New returns the metrics of a monitor.
func New(m *monitor.Monitor) *Metrics {
	labels := prometheus.Labels{"dataset": m.Now().Settings.Dataset}
	out := &Metrics{monitor: m}
	histogram := func(x measured, buckets []float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: x.name, Help: x.help, ConstLabels: labels, Buckets: buckets})
	}
	counter := func(x measured) prometheus.CounterOpts {
		return prometheus.CounterOpts{Name: x.name, Help: x.help, ConstLabels: labels}
	}
	fast, slow := []float64{.001, .004, .016, .064, .25, 1, 4, 16}, []float64{.05, .2, .5, 1, 2, 5, 10, 30, 60, 300}
	out.commits, out.decisions = histogram(commitSeconds, fast), histogram(decisionSeconds, slow)
	out.views, out.releases = histogram(viewSeconds, slow), histogram(releaseSeconds, slow)
	out.failed = map[ingest.Attempt]prometheus.Counter{ingest.AttemptPublish: prometheus.NewCounter(counter(publishFailures)),
		ingest.AttemptDeliver: prometheus.NewCounter(counter(deliverFailures))}
	out.skipped = prometheus.NewCounterVec(counter(withheld), withheld.labels)
	for _, why := range reasonsWithheld {
		out.skipped.WithLabelValues(why)
	}
	return out
}

// Worked counts long work with the machine.
func (m *Metrics) Worked(doing string, took time.Duration) {
	switch doing {
	case ingest.DoingCommit:
		m.commits.Observe(took.Seconds())
	case ingest.DoingDecide:
		m.decisions.Observe(took.Seconds())
	case ingest.DoingView:
		m.views.Observe(took.Seconds())
	}
}

// Published counts how long a release took.
func (m *Metrics) Published(took time.Duration) { m.releases.Observe(took.Seconds()) }

// Skipped counts a cut that published nothing.
func (m *Metrics) Skipped(why string) { m.skipped.WithLabelValues(why).Inc() }

// Failed counts an attempt that is repeated.
func (m *Metrics) Failed(what ingest.Attempt) { m.failed[what].Inc() }

func (m *Metrics) all() []prometheus.Collector {
	return []prometheus.Collector{metrics.Of(m.monitor.Duty, table, m.monitor.Now, func(v *monitor.View) string { return v.Settings.Dataset }),
		m.commits, m.decisions, m.views, m.releases, m.skipped, m.failed[ingest.AttemptPublish], m.failed[ingest.AttemptDeliver]}
}

// OfShards serves the metrics of the shards of a process, each with its number as the label shard, and those of the process.
func OfShards(shards func() map[int]*Metrics) http.Handler {
	process := metrics.Registry()
	return promhttp.HandlerFor(prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		all := prometheus.Gatherers{process}
		for shard, m := range shards() {
			r := prometheus.NewRegistry()
			prometheus.WrapRegistererWith(prometheus.Labels{"shard": strconv.Itoa(shard)}, r).MustRegister(m.all()...)
			all = append(all, r)
		}
		return all.Gather()
	}), metrics.Options)
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler { return metrics.Handler(m.all()...) }
