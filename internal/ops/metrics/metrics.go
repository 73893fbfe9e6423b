// Package metrics exports what the monitor shows for Prometheus.
//
// Guarantee: one scrape shows one moment: all values are of one monitor.View, but for
// counters and histograms of what happens in between. Labels come from the
// configuration or from fixed lists of words; no label and no value tells anything of a
// person.
//
// Method: table lists every metric with what it takes from the view; Collect goes
// through it. docs/METRICS.md is made from the same table.
//
// Cost of a scrape: by partitions and reasons, not by records.
package metrics

import (
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"anond/ingest"
	"anond/internal/ops/gauge"
	"anond/internal/ops/monitor"
)

// Metrics is a Prometheus collector over a monitor, and the ingest.Meter of its loop.
type Metrics struct {
	monitor *monitor.Monitor
	descs   []*prometheus.Desc // of table, in its order

	commits, decisions, views, releases prometheus.Histogram
	skipped                             *prometheus.CounterVec
	failed                              map[ingest.Attempt]prometheus.Counter
}

var _ ingest.Meter = (*Metrics)(nil)

// New returns the metrics of a monitor.
func New(m *monitor.Monitor) *Metrics {
	labels := prometheus.Labels{"dataset": m.Now().Settings.Dataset}
	out := &Metrics{monitor: m}
	for _, x := range table {
		out.descs = append(out.descs, prometheus.NewDesc(x.Name, x.Help, x.Labels, labels))
	}
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

// Describe is that of a prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range m.descs {
		to <- d
	}
	for _, c := range m.others() {
		c.Describe(to)
	}
}

// Collect is that of a prometheus.Collector.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	s := sample{View: m.monitor.Now()}
	s.version, s.began = s.Settings.Version, s.Started
	s.levels, s.events = m.monitor.Counts()
	collect(table, m.descs, &s, to)
	for _, c := range m.others() {
		c.Collect(to)
	}
}

// collect reads a table of a sample; constant are the values of labels that all have behind their own.
func collect[S any](table []gauge.Metric[S], descs []*prometheus.Desc, s S, to chan<- prometheus.Metric, constant ...string) {
	for n, x := range table {
		kind := prometheus.GaugeValue
		if x.Counter {
			kind = prometheus.CounterValue
		}
		x.Read(s, func(value float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(descs[n], kind, value, append(slices.Clip(labels), constant...)...)
		})
	}
}

func (m *Metrics) others() []prometheus.Collector {
	return []prometheus.Collector{m.commits, m.decisions, m.views, m.releases, m.skipped,
		m.failed[ingest.AttemptPublish], m.failed[ingest.AttemptDeliver]}
}

// Registry holds the metrics, and those of the Go runtime and the process.
func (m *Metrics) Registry() *prometheus.Registry { return registry(m) }

func registry(c prometheus.Collector) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(c, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Handler serves the metrics, to few readers at a time.
func (m *Metrics) Handler() http.Handler { return handler(m.Registry()) }

func handler(r *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}
