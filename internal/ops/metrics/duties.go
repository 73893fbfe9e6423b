package metrics

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"anond/deliver"
	"anond/internal/daemon"
	"anond/internal/duty"
	"anond/shards/union"
)

// shown is what one scrape of a command reads that is not the daemon.
type shown[S any] struct {
	process
	status S
}

// duties is a prometheus.Collector over the status of such a command.
type duties[S any] struct {
	duty    *duty.Duty
	status  func() S
	dataset func(S) string // known later than the collector is made
	table   []metricOf[*shown[S]]
	descs   []*prometheus.Desc
}

func newDuties[S any](d *duty.Duty, table []metricOf[*shown[S]], status func() S, dataset func(S) string) *duties[S] {
	out := &duties[S]{duty: d, status: status, dataset: dataset, table: table}
	for _, x := range table {
		out.descs = append(out.descs, prometheus.NewDesc(x.name, x.help, append(slices.Clip(x.labels), "dataset"), nil))
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

// Union serves the metrics of anond union.
func Union(d *duty.Duty, status func() *union.Status) http.Handler {
	return handler(registry(newUnion(d, status)))
}

func newUnion(d *duty.Duty, status func() *union.Status) prometheus.Collector {
	return newDuties(d, unionTable(), status, func(s *union.Status) string { return s.Dataset })
}

// Repartition serves the metrics of anond repartition.
func Repartition(d *duty.Duty, status func() *daemon.RepartitionStatus) http.Handler {
	return handler(registry(newRepartition(d, status)))
}

func newRepartition(d *duty.Duty, status func() *daemon.RepartitionStatus) prometheus.Collector {
	return newDuties(d, repartitionTable(), status, func(s *daemon.RepartitionStatus) string { return s.Dataset })
}

// Deliver serves the metrics of anond deliver.
func Deliver(d *duty.Duty, status func() *deliver.Status) http.Handler {
	return handler(registry(newDeliver(d, status)))
}

func newDeliver(d *duty.Duty, status func() *deliver.Status) prometheus.Collector {
	return newDuties(d, deliverTable(), status, func(s *deliver.Status) string { return s.Dataset })
}

type (
	unionMetric       = metricOf[*shown[*union.Status]]
	deliverMetric     = metricOf[*shown[*deliver.Status]]
	repartitionMetric = metricOf[*shown[*daemon.RepartitionStatus]]
)

// of is a metric with one value.
func of[S any](name, help string, read func(S) float64) metricOf[*shown[S]] {
	return metricOf[*shown[S]]{name: name, help: help, read: func(s *shown[S], e emit) { e(read(s.status)) }}
}

func counting[S any](m metricOf[*shown[S]]) metricOf[*shown[S]] {
	m.counter = true
	return m
}

func unionTable() []unionMetric {
	return slices.Concat(lifted(func(s *shown[*union.Status]) *process { return &s.process }), ofUnion)
}

func repartitionTable() []repartitionMetric {
	return slices.Concat(lifted(func(s *shown[*daemon.RepartitionStatus]) *process { return &s.process }), ofRepartition)
}

var ofUnion = []unionMetric{
	of("anond_union_status_timestamp_seconds", "The moment that the metrics of the union show; there is one each second.",
		func(s *union.Status) float64 { return at(s.Time) }),
	of("anond_union_release_sequence", "Number of the newest release of the union; 0: there is none.",
		func(s *union.Status) float64 { return float64(s.Release) }),
	of("anond_union_release_created_timestamp_seconds", "When that release was decided; 0: there is none.",
		func(s *union.Status) float64 { return when(s.CreatedAt) }),
	of("anond_union_release_records", "Records in it.", func(s *union.Status) float64 { return float64(s.Records) }),
	of("anond_union_release_pending_records", "Records that waited when its shards published.",
		func(s *union.Status) float64 { return float64(s.Pending) }),
	counting(of("anond_union_releases_total", "Releases that attempts of this process composed, alone or with others at the same time.",
		func(s *union.Status) float64 { return float64(s.Composed) })),
	counting(of("anond_union_attempts_total", "Attempts of this process to unite.",
		func(s *union.Status) float64 { return float64(s.Attempts) })),
	counting(of("anond_union_failures_total", "Attempts that failed and are repeated.",
		func(s *union.Status) float64 { return float64(s.Failures) })),
	of("anond_union_failing", "Whether the newest attempt failed.", func(s *union.Status) float64 { return truth(s.Failure != "") }),
	of("anond_union_last_attempt_timestamp_seconds", "When the newest attempt began; 0: the first one has not ended.",
		func(s *union.Status) float64 { return when(s.LastAttempt) }),
	of("anond_union_last_success_timestamp_seconds", "When the newest attempt began that succeeded, with or without a new release.",
		func(s *union.Status) float64 { return when(s.LastSuccess) }),
	of("anond_union_shards", "Shards that are united.", func(s *union.Status) float64 { return float64(len(s.Shards)) }),
	of("anond_union_shards_waiting", "Shards that have no release yet.",
		func(s *union.Status) float64 { return float64(len(s.Waiting)) }),
	of("anond_union_stale_after_seconds", "The age from which a shard is late (--stale-after); 0: there is no alarm.",
		func(s *union.Status) float64 { return s.StaleAfter }),
	ofShards("anond_union_shard_release_sequence", "Release of a shard that the newest release of the union has; 0: none.",
		func(x *union.ShardState) float64 { return float64(x.Release) }),
	ofShards("anond_union_shard_release_age_seconds", "Age of that release; 0: there is none.",
		func(x *union.ShardState) float64 { return x.Age }),
	ofShards("anond_union_shard_stale", "Whether the shard is late by --stale-after, or has no release.",
		func(x *union.ShardState) float64 { return truth(x.Stale) }),
}

func ofShards(name, help string, read func(*union.ShardState) float64) unionMetric {
	return unionMetric{name: name, labels: []string{"shard"}, help: help, read: func(s *shown[*union.Status], e emit) {
		for i := range s.status.Shards {
			e(read(&s.status.Shards[i]), strconv.Itoa(s.status.Shards[i].Shard))
		}
	}}
}

var ofRepartition = []repartitionMetric{
	of("anond_repartition_status_timestamp_seconds", "The moment that the metrics of the repartitioning show; there is one each second. "+
		"0: the brokers have not answered yet.", func(s *daemon.RepartitionStatus) float64 { return at(s.Time) }),
	counting(of("anond_repartition_read_records_total", "Records of the source that this process has read.",
		func(s *daemon.RepartitionStatus) float64 { return float64(s.Read) })),
	counting(of("anond_repartition_written_records_total", "Records that were written and acknowledged, keyed by their subjects.",
		func(s *daemon.RepartitionStatus) float64 { return float64(s.Written) })),
	counting(repartitionMetric{name: "anond_repartition_unreadable_records_total", labels: []string{"reason"},
		help: "Records without a subject that can be read, passed on under keys of their own: the shards refuse them as dead letters.",
		read: func(s *shown[*daemon.RepartitionStatus], e emit) { each(s.status.Unreadable, e) }}),
	counting(of("anond_repartition_missing_offsets_total", "Offsets of the source that were given up (on_gap: continue, on_corrupt: skip).",
		func(s *daemon.RepartitionStatus) float64 { return float64(s.Missing) })),
	counting(of("anond_repartition_write_retries_total", "Requests that failed and are sent again.",
		func(s *daemon.RepartitionStatus) float64 { return float64(s.Retries) })),
	of("anond_repartition_write_failing", "Whether a request is sent again and not acknowledged yet.",
		func(s *daemon.RepartitionStatus) float64 { return truth(s.Failure != "") }),
	of("anond_repartition_last_write_timestamp_seconds", "When the target acknowledged records last; 0: not yet.",
		func(s *daemon.RepartitionStatus) float64 { return when(s.LastWrite) }),
	of("anond_repartition_saved_timestamp_seconds", "When the progress was saved last.",
		func(s *daemon.RepartitionStatus) float64 { return when(s.Saved) }),
	of("anond_repartition_source_connected", "Whether the source answers.",
		func(s *daemon.RepartitionStatus) float64 { return truth(s.Connected) }),
	of("anond_repartition_source_stalled", "Whether there is something to read and nothing arrives.",
		func(s *daemon.RepartitionStatus) float64 { return truth(s.Stalled) }),
	of("anond_repartition_lag_records", "Offsets of the source that are not written yet. A lower bound unless "+
		"anond_repartition_lag_known is 1.",
		func(s *daemon.RepartitionStatus) float64 { return float64(s.Lag) }),
	of("anond_repartition_lag_known", "Whether the ends of all partitions are known.",
		func(s *daemon.RepartitionStatus) float64 { return truth(s.LagKnown) }),
	ofPartitions("anond_repartition_partition_lag_records", "Offsets of a partition of the source that are not written yet.",
		func(p *daemon.RepartitionPartition) float64 { return float64(p.Lag) }),
	ofPartitions("anond_repartition_partition_position", "The first offset of a partition of the source that is not written yet.",
		func(p *daemon.RepartitionPartition) float64 { return float64(p.Next) }),
}

func ofPartitions(name, help string, read func(*daemon.RepartitionPartition) float64) repartitionMetric {
	return repartitionMetric{name: name, labels: []string{"partition"}, help: help, read: func(s *shown[*daemon.RepartitionStatus], e emit) {
		for i := range s.status.Partitions {
			e(read(&s.status.Partitions[i]), strconv.Itoa(int(s.status.Partitions[i].ID)))
		}
	}}
}
