package metrics

import (
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"anond/internal/ops/gauge"
	"anond/internal/ops/monitor"
)

// shown is what one scrape of a command reads that is not the daemon.
type shown[S any] struct {
	process
	status S
}

// duties is a prometheus.Collector over the status of such a command.
type duties[S any] struct {
	duty    *monitor.Duty
	status  func() S
	dataset func(S) string // known later than the collector is made
	table   []gauge.Metric[*shown[S]]
	descs   []*prometheus.Desc
}

func newDuties[S any](d *monitor.Duty, table []gauge.Metric[*shown[S]], status func() S, dataset func(S) string) *duties[S] {
	out := &duties[S]{duty: d, status: status, dataset: dataset, table: table}
	for _, x := range table {
		out.descs = append(out.descs, prometheus.NewDesc(x.Name, x.Help, append(slices.Clip(x.Labels), "dataset"), nil))
	}
	return out
}

// Describe is that of a prometheus.Collector.
func (d *duties[S]) Describe(to chan<- *prometheus.Desc) {
	for _, x := range d.descs {
		to <- x
	}
}

// Collect is that of a prometheus.Collector.
func (d *duties[S]) Collect(to chan<- prometheus.Metric) {
	s := &shown[S]{process: process{version: d.duty.Version, began: d.duty.Began}, status: d.status()}
	s.levels, s.events = d.duty.Counts()
	collect(d.table, d.descs, s, to, d.dataset(s.status))
}

// Duty serves the metrics of a command that works for long and is not the daemon: those of every process, and those that
// its table reads from its status.
func Duty[S any](d *monitor.Duty, table []gauge.Metric[S], status func() S, dataset func(S) string) http.Handler {
	return handler(registry(newDuty(d, table, status, dataset)))
}

func newDuty[S any](d *monitor.Duty, table []gauge.Metric[S], status func() S, dataset func(S) string) prometheus.Collector {
	all := lifted(func(s *shown[S]) *process { return &s.process })
	for _, m := range table {
		all = append(all, gauge.Metric[*shown[S]]{Name: m.Name, Counter: m.Counter, Labels: m.Labels, Help: m.Help,
			Read: func(s *shown[S], e gauge.Emit) { m.Read(s.status, e) }})
	}
	return newDuties(d, all, status, dataset)
}
