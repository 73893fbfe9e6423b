package loop

import (
	"log/slog"
	"maps"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"

	"anond/deliver"
	"anond/equivclass"
	"anond/internal/ops/duty"
	"anond/internal/ops/metrics"
	"anond/shards/repartition/topics"
	"anond/shards/union"
)

// standing is a clock that stands.
type standing struct{}

func (standing) Now() time.Time                                  { return begin }
func (standing) Ticker(time.Duration) (<-chan time.Time, func()) { return nil, func() {} }

// gatherDuties are the metrics of a union, a repartitioning and a delivery, with something of everything.
func gatherDuties(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	d := duty.NewDuty("1.2", standing{})
	d.Log(slog.New(slog.DiscardHandler)).Warn("x", "event", "shard_stale")
	then := begin.Add(-time.Minute)
	u := &union.Status{Dataset: "hospital", Release: 7, CreatedAt: &then, Records: 500, Pending: 40, Composed: 3, Attempts: 9, Failures: 2,
		Failure: "x", LastAttempt: &then, LastSuccess: &then, Waiting: []int{2}, StaleAfter: 60, Shards: []union.ShardState{
			{Shard: 0, Release: 4, Age: 30}, {Shard: 1, Release: 5, Age: 90, Stale: true}, {Shard: 2, Stale: true}}}
	r := &topics.Status{Dataset: "hospital", Read: 100, Written: 90, Unreadable: map[equivclass.Reason]uint64{"malformed_json": 6},
		Missing: 5, Retries: 4, LastWrite: &then, Connected: true, Lag: 12, LagKnown: true,
		Partitions: []topics.Partition{{ID: 0, Next: 10, End: 14, Lag: 4}, {ID: 3, Next: 20, End: 28, Lag: 8}}}
	out := gather(t, metrics.Of(d, union.Metrics, func() *union.Status { return u }, func(s *union.Status) string { return s.Dataset }))
	maps.Copy(out, gather(t, metrics.Of(d, topics.Metrics, func() *topics.Status { return r },
		func(s *topics.Status) string { return s.Dataset })))
	s := &deliver.Status{Dataset: "hospital", Kind: "kafka", Known: true, Release: 4, Newest: 7, Behind: 3, Age: 90, Delivered: 2, Rows: 300,
		Bytes: 5000, Failures: 6, Failure: "x", LastAttempt: &then, LastSuccess: &then}
	maps.Copy(out, gather(t, metrics.Of(d, deliver.Metrics, func() *deliver.Status { return s },
		func(s *deliver.Status) string { return s.Dataset })))
	return out
}

// TestDutiesSayWhatTheirStatusSays: the figures of one status, with the dataset.
func TestDutiesSayWhatTheirStatusSays(t *testing.T) {
	got := gatherDuties(t)
	for _, x := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"anond_union_release_sequence", nil, 7}, {"anond_union_release_records", nil, 500}, {"anond_union_release_pending_records", nil, 40},
		{"anond_union_releases_total", nil, 3}, {"anond_union_attempts_total", nil, 9}, {"anond_union_failures_total", nil, 2},
		{"anond_union_failing", nil, 1}, {"anond_union_shards", nil, 3}, {"anond_union_shards_waiting", nil, 1},
		{"anond_union_stale_after_seconds", nil, 60}, {"anond_union_shard_release_sequence", []string{"1"}, 5},
		{"anond_union_shard_release_age_seconds", []string{"0"}, 30}, {"anond_union_shard_stale", []string{"0"}, 0},
		{"anond_union_shard_stale", []string{"2"}, 1},
		{"anond_union_last_success_timestamp_seconds", nil, float64(begin.Unix() - 60)},
		{"anond_repartition_read_records_total", nil, 100}, {"anond_repartition_written_records_total", nil, 90},
		{"anond_repartition_unreadable_records_total", []string{"malformed_json"}, 6}, {"anond_repartition_missing_offsets_total", nil, 5},
		{"anond_repartition_write_retries_total", nil, 4}, {"anond_repartition_write_failing", nil, 0},
		{"anond_repartition_lag_records", nil, 12}, {"anond_repartition_source_connected", nil, 1}, {"anond_repartition_source_stalled", nil, 0},
		{"anond_repartition_lag_known", nil, 1},
		{"anond_repartition_partition_lag_records", []string{"3"}, 8}, {"anond_repartition_partition_position", []string{"0"}, 10},
		{"anond_repartition_saved_timestamp_seconds", nil, 0}, {"anond_events_total", []string{"shard_stale"}, 1},
		{"anond_deliver_release_sequence", []string{"kafka"}, 4}, {"anond_deliver_current_release_sequence", []string{"kafka"}, 7},
		{"anond_deliver_known", []string{"kafka"}, 1}, {"anond_deliver_lag_releases", []string{"kafka"}, 3},
		{"anond_deliver_lag_seconds", []string{"kafka"}, 90}, {"anond_deliver_releases_total", []string{"kafka"}, 2},
		{"anond_deliver_rows_total", []string{"kafka"}, 300}, {"anond_deliver_bytes_total", []string{"kafka"}, 5000},
		{"anond_deliver_failures_total", []string{"kafka"}, 6}, {"anond_deliver_failing", []string{"kafka"}, 1},
		{"anond_deliver_last_success_timestamp_seconds", []string{"kafka"}, float64(begin.Unix() - 60)},
		{"anond_deliver_last_release_timestamp_seconds", []string{"kafka"}, 0},
	} {
		assert.InDelta(t, x.want, value(t, got[x.name], x.labels...), 1e-9, "%s %v", x.name, x.labels)
	}
	for _, l := range got["anond_union_shards"].GetMetric()[0].GetLabel() {
		assert.Equal(t, "dataset=hospital", l.GetName()+"="+l.GetValue())
	}
}
