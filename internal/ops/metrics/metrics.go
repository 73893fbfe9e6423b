// Package metrics exports for Prometheus what a process at work shows: metrics of every process, and those of a table
// of its own, which it reads from its status (package gauge). Package metrics/loop has those of the daemon.
//
// Guarantee: one scrape shows one moment: all values are of one status. Labels come from the configuration or from fixed lists
// of words; no label and no value tells anything of a person.
//
// Cost of a scrape: by lines of the table and their labels, not by records.
package metrics

import (
	"net/http"
	"runtime"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"anond/internal/ops/duty"
	"anond/internal/ops/gauge"
)

// OfEveryProcess are the metrics that all have, besides those of the Go runtime and of the process.
var OfEveryProcess = []gauge.Metric[*duty.Duty]{
	{Name: "anond_build_info", Labels: []string{"version", "goversion"}, Help: "Always 1; the labels name the build.",
		Read: func(d *duty.Duty, e gauge.Emit) { e(1, d.Version, runtime.Version()) }},
	{Name: "anond_up_since_timestamp_seconds", Help: "When the process began.",
		Read: func(d *duty.Duty, e gauge.Emit) { e(gauge.At(d.Began)) }},
	{Name: "anond_log_messages_total", Counter: true, Labels: []string{"level"}, Help: "Lines of the log by level.",
		Read: func(d *duty.Duty, e gauge.Emit) { levels, _ := d.Counts(); gauge.Each(levels, e) }},
	{Name: "anond_events_total", Counter: true, Labels: []string{"event"}, Help: "Events of level info and above by name, whether or not " +
		"log.level lets the log have them.", Read: func(d *duty.Duty, e gauge.Emit) { _, events := d.Counts(); gauge.Each(events, e) }},
}

// collector is a prometheus.Collector over the status of a process.
type collector[S any] struct {
	duty    *duty.Duty
	table   []gauge.Metric[S]
	status  func() S
	dataset func(S) string // known later than the collector is made
	process []*prometheus.Desc
	descs   []*prometheus.Desc // of table, in its order
}

// Of collects the metrics of every process, and those of a table. Each has the label dataset.
func Of[S any](d *duty.Duty, table []gauge.Metric[S], status func() S, dataset func(S) string) prometheus.Collector {
	return &collector[S]{d, table, status, dataset, described(OfEveryProcess), described(table)}
}

func described[S any](table []gauge.Metric[S]) (out []*prometheus.Desc) {
	for _, x := range table {
		out = append(out, prometheus.NewDesc(x.Name, x.Help, append(slices.Clip(x.Labels), "dataset"), nil))
	}
	return out
}

// Describe is that of a prometheus.Collector.
func (c *collector[S]) Describe(to chan<- *prometheus.Desc) {
	for _, d := range slices.Concat(c.process, c.descs) {
		to <- d
	}
}

// Collect is that of a prometheus.Collector.
func (c *collector[S]) Collect(to chan<- prometheus.Metric) {
	s := c.status()
	dataset := c.dataset(s)
	collect(OfEveryProcess, c.process, c.duty, to, dataset)
	collect(c.table, c.descs, s, to, dataset)
}

func collect[S any](table []gauge.Metric[S], descs []*prometheus.Desc, s S, to chan<- prometheus.Metric, dataset string) {
	for n, x := range table {
		kind := prometheus.GaugeValue
		if x.Counter {
			kind = prometheus.CounterValue
		}
		x.Read(s, func(value float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(descs[n], kind, value, append(slices.Clip(labels), dataset)...)
		})
	}
}

// Registry holds what is collected, and the metrics of the Go runtime and the process.
func Registry(all ...prometheus.Collector) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(append(all, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))...)
	return r
}

// Options bound what readers cost: they are few at a time.
var Options = promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second}

// Handler serves them.
func Handler(all ...prometheus.Collector) http.Handler {
	return promhttp.HandlerFor(Registry(all...), Options)
}
