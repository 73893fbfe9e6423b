package loop

import (
	"anond/incremental/plan"
	"anond/incremental/state"
	"flag"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/ingest"
	"anond/internal/ops/metrics"
	"anond/internal/ops/monitor"
	"anond/shards/repartition/topics"
	"anond/shards/union"
	"anond/snapshot"
)

var rewrite = flag.Bool("rewrite", false, "write docs/METRICS.md anew")

var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// sampled is a monitor with something of everything.
func sampled(t testing.TB) *monitor.Monitor {
	t.Helper()
	m := monitor.New(monitor.Settings{Dataset: "hospital", Version: "1.2", Source: "kafka", Topic: "admissions", K: 5, L: 3, Level: "L2",
		Shard: 2, Shards: 8, FS: snapshot.OS(), Releases: t.TempDir(), Now: func() time.Time { return begin }})
	m.Observe(report())
	m.Loaded(100, 610)
	m.Certified("http_server", begin.Add(time.Hour))
	m.Certified("kafka_ca", begin)
	m.Certified("kafka_ca", time.Time{})
	m.Sized(snapshot.Sizes{Release: 7, Classes: map[int]int{5: 100}, Buckets: map[int]int{10: 3, 41: 2}})
	return m
}

func report() ingest.Report {
	part := func(id int32, next, end int64) ingest.PartitionStatus {
		return ingest.PartitionStatus{Partition: state.Partition{Source: "kafka:admissions", ID: id}, Next: next, End: end, Heard: begin}
	}
	return ingest.Report{Time: begin, Counted: begin, Verified: true, LastRecord: begin.Add(-time.Second),
		LettersSince: begin.Add(-time.Minute), NextRelease: begin.Add(time.Hour), State: ingest.StateSize{File: 1000, Free: 100, Quota: 5000},
		Updates: plan.Updates{Updates: 4, Classes: 9},
		Views:   []ingest.View{{Name: "insurer", Release: 5, CreatedAt: begin, Behind: 2, Failure: "no room"}},
		Owned:   &ingest.Owned{People: 600, Datasets: 2},
		Backup:  &ingest.Backup{Made: begin.Add(-time.Hour), Verified: begin.Add(-time.Hour), Release: 6, Failed: true},
		Source:  ingest.Status{Connected: true, Partitions: []ingest.PartitionStatus{part(0, 90, 100), part(1, 70, 75)}},
		Newest: &ingest.Latest{Intent: state.Intent{Release: 7, CreatedAt: begin.Unix(), Records: 500, Classes: 100},
			Release: ingest.Release{KMin: 5, MaxFrequency: .5, NCP: .12, Buckets: 5,
				Reached: []equivclass.Reached{{Attribute: "diagnosis", Share: .2, Allowed: .2}, {Attribute: "hiv", Share: .5, Allowed: .6}}}},
		Machine: incremental.Status{Sent: 610, Published: 500, DeadLetter: 10, Outbox: 2, Release: 7, Classes: 100, Now: 90_000,
			OldestTick: 30_000, Pending: state.Pending{Waiting: 90}, Beyond: 10, Ahead: 6, Observed: 40,
			Strata:   []incremental.Stratum{{Stratum: "2+updated", Waiting: 15, Length: 2, PoolNeed: plan.PoolNeed{Records: 60, Missing: 45}}},
			Refused:  map[equivclass.Reason]uint64{"missing_value": 10},
			Replayed: map[equivclass.Reason]uint64{"value_too_long": 4}, Ignored: map[equivclass.Reason]uint64{"gap": 3},
			Pool: &plan.PoolNeed{Records: 200, Possible: true}}}
}

func gather(t *testing.T, all ...prometheus.Collector) map[string]*dto.MetricFamily {
	t.Helper()
	families, err := metrics.Registry(all...).Gather()
	require.NoError(t, err)
	out := map[string]*dto.MetricFamily{}
	for _, f := range families {
		out[f.GetName()] = f
	}
	return out
}

// value is that of a metric with certain labels.
func value(t *testing.T, f *dto.MetricFamily, labels ...string) float64 {
	t.Helper()
	require.NotNil(t, f)
	for _, x := range f.GetMetric() {
		var have []string
		for _, l := range x.GetLabel() {
			if l.GetName() != "dataset" {
				have = append(have, l.GetValue())
			}
		}
		if slices.Equal(have, labels) || len(labels) == 0 && len(have) == 0 {
			return x.GetGauge().GetValue() + x.GetCounter().GetValue()
		}
	}
	t.Fatalf("%s has no %v", f.GetName(), labels)
	return 0
}

// TestMetricsSayWhatTheReportSays: the figures of one view.
func TestMetricsSayWhatTheReportSays(t *testing.T) {
	m := New(sampled(t))
	m.Skipped(ingest.SkippedHeld)
	m.Failed(ingest.AttemptDeliver)
	m.Worked(ingest.DoingCommit, 5*time.Millisecond)
	got := gather(t, m.all()...)
	for _, x := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"anond_ingest_records_total", []string{"accepted"}, 600}, {"anond_ingest_records_total", []string{"refused"}, 14},
		{"anond_kafka_consumer_lag_records", []string{"0", "admissions"}, 10}, {"anond_source_lag", nil, 15},
		{"anond_kafka_offset_gap_records_total", []string{"gap"}, 3}, {"anond_pending_records", []string{"waiting"}, 90},
		{"anond_pending_oldest_age_seconds", nil, 60}, {"anond_dlq_waiting", nil, 2}, {"anond_dlq_oldest_age_seconds", nil, 60},
		{"anond_dlq_records_total", []string{"missing_value"}, 10}, {"anond_dlq_records_total", []string{"value_too_long"}, 4},
		{"anond_dlq_replayed_records_total", []string{"value_too_long"}, 4}, {"anond_release_sequence", nil, 7},
		{"anond_stamps_ahead_total", nil, 6}, {"anond_observed_people", nil, 40},
		{"anond_stratum_waiting_people", []string{"plain"}, 60}, {"anond_stratum_waiting_people", []string{"2+updated"}, 15},
		{"anond_stratum_missing_people", []string{"plain"}, 0}, {"anond_stratum_missing_people", []string{"2+updated"}, 45},
		{"anond_release_min_class_size", nil, 5}, {"anond_release_max_value_share", []string{"hiv"}, .5},
		{"anond_release_allowed_value_share", []string{"hiv"}, .6}, {"anond_release_allowed_value_share", []string{"diagnosis"}, .2},
		{"anond_release_max_value_share", []string{"diagnosis"}, .2}, {"anond_state_file_bytes", nil, 1000},
		{"anond_state_quota_bytes", nil, 5000},
		{"anond_view_release_sequence", []string{"insurer"}, 5}, {"anond_view_behind_releases", []string{"insurer"}, 2},
		{"anond_view_failing", []string{"insurer"}, 1}, {"anond_view_last_success_timestamp_seconds", []string{"insurer"}, float64(begin.Unix())},
		{"anond_subject_ledger_people", nil, 600}, {"anond_subject_ledger_datasets", nil, 2},
		{"anond_pool_needed_records", nil, 200}, {"anond_local_updates_total", nil, 4}, {"anond_release_withheld_total", []string{"held"}, 1},
		{"anond_dlq_write_failures_total", nil, 1}, {"anond_release_bucket_sizes", []string{"more"}, 2},
		{"anond_release_next_due_timestamp_seconds", nil, float64(begin.Add(time.Hour).Unix())},
		{"anond_shard_index", nil, 2}, {"anond_shards", nil, 8},
		{"anond_state_restore_remaining_records", nil, 510},
		{"anond_certificate_expiry_timestamp_seconds", []string{"http_server"}, float64(begin.Add(time.Hour).Unix())},
		{"anond_part_ready", []string{"chain"}, 1}, {"anond_phase", []string{"running"}, 1},
	} {
		assert.InDelta(t, x.want, value(t, got[x.name], x.labels...), 1e-9, "%s %v", x.name, x.labels)
	}
	assert.EqualValues(t, 1, got["anond_state_commit_duration_seconds"].GetMetric()[0].GetHistogram().GetSampleCount())
}

// TestEveryMetricIsInTheReference: what is exported is what docs/METRICS.md lists, under
// names that Prometheus' rules accept.
func TestEveryMetricIsInTheReference(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "docs", "METRICS.md")
	if *rewrite {
		require.NoError(t, os.WriteFile(path, []byte(reference()), 0o644))
	}
	doc, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, reference(), string(doc), "go test ./internal/ops/metrics/loop -rewrite")

	seen := gather(t, New(sampled(t)).all()...)
	for _, more := range []map[string]*dto.MetricFamily{gather(t, New(sampledInCuts(t)).all()...), gatherDuties(t)} {
		maps.Copy(seen, more)
	}
	var families []*dto.MetricFamily
	for name, f := range seen {
		if !strings.HasPrefix(name, "anond_") {
			continue
		}
		families = append(families, f)
		assert.Contains(t, string(doc), "| `"+name+"` |")
	}
	for _, x := range slices.Concat(described(metrics.OfEveryProcess), described(table), described(union.Metrics), described(topics.Metrics)) {
		assert.NotNil(t, seen[x.name], "%s was not exported", x.name)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	require.NoError(t, err)
	assert.Empty(t, problems)
}

// sampledInCuts is a monitor whose waiting times are counted in releases, with a log.
func sampledInCuts(t *testing.T) *monitor.Monitor {
	t.Helper()
	m := monitor.New(monitor.Settings{Dataset: "hospital", HoldInCuts: true, FS: snapshot.OS(), Releases: t.TempDir()})
	m.Log(slog.New(slog.NewTextHandler(io.Discard, nil))).Info("x", "event", "status")
	m.Observe(report())
	return m
}

// TestNoReportYet: before the state is open a scrape shows that, and nothing that is
// not known.
func TestNoReportYet(t *testing.T) {
	m := monitor.New(monitor.Settings{Dataset: "d", FS: snapshot.OS(), Releases: t.TempDir()})
	got := gather(t, New(m).all()...)
	assert.Nil(t, got["anond_pending_records"])
	assert.Nil(t, got["anond_source_connected"])
	assert.Equal(t, 1., value(t, got["anond_phase"], "opening"))
	assert.Equal(t, 0., value(t, got["anond_part_ready"], "state"))
}

// BenchmarkScrape is one scrape with 64 partitions.
func BenchmarkScrape(b *testing.B) {
	m := sampled(b)
	r := report()
	for len(r.Source.Partitions) < 64 {
		r.Source.Partitions = append(r.Source.Partitions, r.Source.Partitions[0])
		r.Source.Partitions[len(r.Source.Partitions)-1].Partition.ID = int32(len(r.Source.Partitions))
	}
	m.Observe(r)
	registry := metrics.Registry(New(m).all()...)
	for b.Loop() {
		if _, err := registry.Gather(); err != nil {
			b.Fatal(err)
		}
	}
}
