package loop

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"anond/equivclass"
	"anond/incremental"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/ops/duty"
	"anond/internal/ops/gauge"
	"anond/internal/ops/monitor"
)

// metric is one of the daemon.
type metric = gauge.Metric[*monitor.View]

// measured is a metric that is counted between reports.
type measured struct {
	name, kind string
	labels     []string
	help       string
}

var (
	commitSeconds = measured{"anond_state_commit_duration_seconds", "histogram", nil,
		"Time of a transaction of the state: records, or a decision, or the mark of a release."}
	decisionSeconds = measured{"anond_release_decision_duration_seconds", "histogram", nil,
		"Time to decide what a release publishes. The local updates that are due are carried out in it."}
	viewSeconds    = measured{"anond_release_view_duration_seconds", "histogram", nil, "Time to prepare a release for rendering."}
	releaseSeconds = measured{"anond_release_duration_seconds", "histogram", nil,
		"Time of a release of this process, from the decision to the last durable step."}
	withheld = measured{"anond_release_withheld_total", "counter", []string{"reason"},
		"Cuts that published nothing: first_load, nothing_new, held, pool_too_small, few_newcomers or quarantined, as event " +
			"release_skipped has them."}
	publishFailures = measured{"anond_release_failures_total", "counter", nil, "Attempts to publish that failed and are repeated."}
	deliverFailures = measured{"anond_dlq_write_failures_total", "counter", nil,
		"Attempts to deliver dead letters that failed and are repeated."}
)

var reasonsWithheld = []string{ingest.SkippedFirstLoad, ingest.SkippedNothingNew, ingest.SkippedHeld, ingest.SkippedPoolSmall,
	ingest.SkippedFew, ingest.SkippedQuarantined}

// reported is a gauge that is there once the loop has reported.
func reported(name, help string, read func(*ingest.Report) float64) metric {
	return metric{Name: name, Help: help, Read: func(s *monitor.View, e gauge.Emit) {
		if !s.Report.Time.IsZero() {
			e(read(&s.Report))
		}
	}}
}

// since is an age in seconds, 0 for what is not there.
func since(r *ingest.Report, t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return max(0, r.Time.Sub(t).Seconds())
}

// everRefused counts the refusals ever made, by reason.
func everRefused(s *incremental.Status) map[equivclass.Reason]uint64 {
	out := maps.Clone(s.Replayed)
	if out == nil {
		return s.Refused
	}
	for why, n := range s.Refused {
		out[why] += n
	}
	return out
}

func sum[K comparable](counts map[K]uint64) (n uint64) {
	for _, v := range counts {
		n += v
	}
	return n
}

var table = slices.Concat(ofProcess, ofSource, ofIngest, ofPending, ofReleases, ofViews, ofState)

var ofProcess = []metric{
	{Name: "anond_phase", Labels: []string{"phase"}, Help: "1 for what the process does: opening, standby, running or ending.",
		Read: func(s *monitor.View, e gauge.Emit) {
			for _, p := range []duty.Phase{duty.Opening, duty.Standby, duty.Running, duty.Ending} {
				e(gauge.Truth(p == s.Phase), string(p))
			}
		}},
	reported("anond_report_timestamp_seconds", "When the loop has reported last; it does each second.",
		func(r *ingest.Report) float64 { return gauge.At(r.Time) }),
	{Name: "anond_part_ready", Labels: []string{"part"}, Help: "Whether a part is ready, as /readyz lists them: state, chain, source, sink, " +
		"quota, release.", Read: func(s *monitor.View, e gauge.Emit) {
		for _, p := range s.Parts() {
			e(gauge.Truth(p.Ready), p.Name)
		}
	}},
	gauge.Of("anond_config_last_reload_successful", "Whether the newest attempt to load the configuration succeeded; the start counts.",
		func(s *monitor.View) float64 { return gauge.Truth(s.Reload.OK) }),
	gauge.Of("anond_config_last_reload_success_timestamp_seconds", "When the configuration was loaded last.",
		func(s *monitor.View) float64 { return gauge.At(s.Reload.Success) }),
	gauge.Total(gauge.Of("anond_config_reloads_total", "Attempts to load the configuration after the start.",
		func(s *monitor.View) float64 { return float64(s.Reload.Count) })),
	{Name: "anond_certificate_expiry_timestamp_seconds", Labels: []string{"use"}, Help: "When certificates in use end: " +
		"kafka_client and http_server (the first of the chain), kafka_ca and http_client_ca (the last of the authorities).",
		Read: func(s *monitor.View, e gauge.Emit) {
			for _, use := range slices.Sorted(maps.Keys(s.Certificates)) {
				e(gauge.At(s.Certificates[use]), use)
			}
		}},
}

var ofSource = []metric{
	reported("anond_source_connected", "Whether the source answers.",
		func(r *ingest.Report) float64 { return gauge.Truth(r.Source.Connected) }),
	reported("anond_source_stalled", "Whether there is something to read and nothing arrives.",
		func(r *ingest.Report) float64 { return gauge.Truth(r.Source.Stalled) }),
	reported("anond_source_lag", "What is left to read: offsets of Kafka, bytes of files. A lower bound unless anond_source_lag_known is 1.",
		func(r *ingest.Report) float64 { lag, _ := r.Source.Lag(r.Time); return float64(lag) }),
	reported("anond_source_lag_known", "Whether the ends of all partitions are known.",
		func(r *ingest.Report) float64 { _, known := r.Source.Lag(r.Time); return gauge.Truth(known) }),
	{Name: "anond_kafka_consumer_lag_records", Labels: []string{"topic", "partition"}, Help: "Offsets left to read in a partition.",
		Read: func(s *monitor.View, e gauge.Emit) {
			for _, p := range s.Report.Source.Partitions {
				if s.Settings.Topic != "" {
					e(float64(p.Lag()), s.Settings.Topic, strconv.Itoa(int(p.Partition.ID)))
				}
			}
		}},
	{Name: "anond_shard_index", Help: "Number of this shard, from 0; absent if the topic is not sharded.",
		Read: func(s *monitor.View, e gauge.Emit) {
			if s.Settings.Shards > 0 {
				e(float64(s.Settings.Shard))
			}
		}},
	{Name: "anond_shards", Help: "Number of shards; absent if the topic is not sharded.", Read: func(s *monitor.View, e gauge.Emit) {
		if s.Settings.Shards > 0 {
			e(float64(s.Settings.Shards))
		}
	}},
	{Name: "anond_kafka_assigned_partitions", Help: "Partitions that this process reads; 0 on standby.",
		Read: func(s *monitor.View, e gauge.Emit) {
			if s.Settings.Topic != "" {
				e(float64(len(s.Report.Source.Partitions)))
			}
		}},
	{Name: "anond_kafka_rebalances_total", Counter: true, Help: "How often this process got or lost the lease of its group.",
		Read: func(s *monitor.View, e gauge.Emit) {
			if s.Settings.Topic != "" {
				e(float64(s.Counted["source_lease_acquired"] + s.Counted["source_lease_lost"]))
			}
		}},
	{Name: "anond_kafka_offset_gap_records_total", Counter: true, Labels: []string{"reason"}, Help: "Offsets that were given up: gap " +
		"(on_gap: continue), corrupt_batch (on_corrupt: skip).", Read: func(s *monitor.View, e gauge.Emit) {
		for _, why := range []string{string(decode.ReasonCorruptBatch), string(decode.ReasonGap)} {
			if !s.Report.Time.IsZero() && s.Settings.Topic != "" {
				e(float64(s.Report.Machine.Ignored[equivclass.Reason(why)]), why)
			}
		}
	}},
}
