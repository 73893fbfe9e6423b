package topics

import (
	"strconv"

	"anond/internal/ops/gauge"
)

// Metrics are those of anond repartition.
var Metrics = []gauge.Metric[*Status]{
	gauge.Of("anond_repartition_status_timestamp_seconds",
		"The moment that the metrics of the repartitioning show; there is one each second. "+
			"0: the brokers have not answered yet.", func(s *Status) float64 { return gauge.At(s.Time) }),
	gauge.Total(gauge.Of("anond_repartition_read_records_total", "Records of the source that this process has read.",
		func(s *Status) float64 { return float64(s.Read) })),
	gauge.Total(gauge.Of("anond_repartition_written_records_total", "Records that were written and acknowledged, keyed by their subjects.",
		func(s *Status) float64 { return float64(s.Written) })),
	gauge.Total(gauge.Metric[*Status]{Name: "anond_repartition_unreadable_records_total", Labels: []string{"reason"},
		Help: "Records without a subject that can be read, passed on under keys of their own: the shards refuse them as dead letters.",
		Read: func(s *Status, e gauge.Emit) { gauge.Each(s.Unreadable, e) }}),
	gauge.Total(gauge.Of("anond_repartition_missing_offsets_total", "Offsets of the source that were given up (on_gap: continue, "+
		"on_corrupt: skip).",
		func(s *Status) float64 { return float64(s.Missing) })),
	gauge.Total(gauge.Of("anond_repartition_write_retries_total", "Requests that failed and are sent again.",
		func(s *Status) float64 { return float64(s.Retries) })),
	gauge.Of("anond_repartition_write_failing", "Whether a request is sent again and not acknowledged yet.",
		func(s *Status) float64 { return gauge.Truth(s.Failure != "") }),
	gauge.Of("anond_repartition_last_write_timestamp_seconds", "When the target acknowledged records last; 0: not yet.",
		func(s *Status) float64 { return gauge.When(s.LastWrite) }),
	gauge.Of("anond_repartition_saved_timestamp_seconds", "When the progress was saved last.",
		func(s *Status) float64 { return gauge.When(s.Saved) }),
	gauge.Of("anond_repartition_source_connected", "Whether the source answers.",
		func(s *Status) float64 { return gauge.Truth(s.Connected) }),
	gauge.Of("anond_repartition_source_stalled", "Whether there is something to read and nothing arrives.",
		func(s *Status) float64 { return gauge.Truth(s.Stalled) }),
	gauge.Of("anond_repartition_lag_records", "Offsets of the source that are not written yet. A lower bound unless "+
		"anond_repartition_lag_known is 1.",
		func(s *Status) float64 { return float64(s.Lag) }),
	gauge.Of("anond_repartition_lag_known", "Whether the ends of all partitions are known.",
		func(s *Status) float64 { return gauge.Truth(s.LagKnown) }),
	ofPartitions("anond_repartition_partition_lag_records", "Offsets of a partition of the source that are not written yet.",
		func(p *Partition) float64 { return float64(p.Lag) }),
	ofPartitions("anond_repartition_partition_position", "The first offset of a partition of the source that is not written yet.",
		func(p *Partition) float64 { return float64(p.Next) }),
}

func ofPartitions(name, help string, read func(*Partition) float64) gauge.Metric[*Status] {
	return gauge.Metric[*Status]{Name: name, Labels: []string{"partition"}, Help: help,
		Read: func(s *Status, e gauge.Emit) {
			for i := range s.Partitions {
				e(read(&s.Partitions[i]), strconv.Itoa(int(s.Partitions[i].ID)))
			}
		}}
}
