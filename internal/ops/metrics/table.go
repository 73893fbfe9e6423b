package metrics

import (
	"maps"
	"runtime"
	"slices"
	"strconv"
	"time"

	"anond/equivclass"
	"anond/incremental"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/internal/ops/monitor"
)

// sample is what one scrape reads.
type sample struct {
	*monitor.View
	process
}

// process is what every process shows.
type process struct {
	version        string
	began          time.Time
	levels, events map[string]uint64 // of its log
}

// emit gives a value with the values of the labels.
type emit func(value float64, labels ...string)

// metricOf is a line of a table: a gauge or counter that a sample has.
type metricOf[S any] struct {
	name    string
	counter bool
	labels  []string
	help    string
	read    func(S, emit)
}

// metric is one of the daemon.
type metric = metricOf[*sample]

// lifted are the metrics of every process, of a sample that holds one.
func lifted[S any](of func(S) *process) (out []metricOf[S]) {
	for _, m := range ofEveryProcess {
		out = append(out, metricOf[S]{m.name, m.counter, m.labels, m.help, func(s S, e emit) { m.read(of(s), e) }})
	}
	return out
}

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
		"Cuts that published nothing: first_load, nothing_new, held, pool_too_small or quarantined, as event release_skipped has them."}
	publishFailures = measured{"anond_release_failures_total", "counter", nil, "Attempts to publish that failed and are repeated."}
	deliverFailures = measured{"anond_dlq_write_failures_total", "counter", nil,
		"Attempts to deliver dead letters that failed and are repeated."}
)

var reasonsWithheld = []string{ingest.SkippedFirstLoad, ingest.SkippedNothingNew, ingest.SkippedHeld, ingest.SkippedPoolSmall,
	ingest.SkippedQuarantined}

func gauge(name, help string, read func(*sample) float64) metric {
	return metric{name: name, help: help, read: func(s *sample, e emit) { e(read(s)) }}
}

// reported is a gauge that is there once the loop has reported.
func reported(name, help string, read func(*ingest.Report) float64) metric {
	return metric{name: name, help: help, read: func(s *sample, e emit) {
		if !s.Report.Time.IsZero() {
			e(read(&s.Report))
		}
	}}
}

func total(m metric) metric {
	m.counter = true
	return m
}

// when is a time as Prometheus has it, 0 if there is none.
func when(t *time.Time) float64 {
	if t == nil {
		return 0
	}
	return at(*t)
}

// at is a time as Prometheus has it, 0 if there is none.
func at(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// since is an age in seconds, 0 for what is not there.
func since(r *ingest.Report, t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return max(0, r.Time.Sub(t).Seconds())
}

// each gives the counts of a map with its keys as label, in order.
func each[K ~string](counts map[K]uint64, e emit) {
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		e(float64(counts[k]), string(k))
	}
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

var table = slices.Concat(ofProcess, ofSource, ofIngest, ofPending, ofReleases, ofState)

// ofEveryProcess are those of anond run, anond union and anond repartition.
var ofEveryProcess = []metricOf[*process]{
	{name: "anond_build_info", labels: []string{"version", "goversion"}, help: "Always 1; the labels name the build.",
		read: func(p *process, e emit) { e(1, p.version, runtime.Version()) }},
	{name: "anond_up_since_timestamp_seconds", help: "When the process began.", read: func(p *process, e emit) { e(at(p.began)) }},
	{name: "anond_log_messages_total", counter: true, labels: []string{"level"}, help: "Lines of the log by level.",
		read: func(p *process, e emit) { each(p.levels, e) }},
	{name: "anond_events_total", counter: true, labels: []string{"event"}, help: "Events of level info and above by name, whether or not " +
		"log.level lets the log have them.", read: func(p *process, e emit) { each(p.events, e) }},
}

var ofProcess = append(lifted(func(s *sample) *process { return &s.process }), []metric{
	{name: "anond_phase", labels: []string{"phase"}, help: "1 for what the process does: opening, standby, running or ending.",
		read: func(s *sample, e emit) {
			for _, p := range []monitor.Phase{monitor.Opening, monitor.Standby, monitor.Running, monitor.Ending} {
				e(truth(p == s.Phase), string(p))
			}
		}},
	reported("anond_report_timestamp_seconds", "When the loop has reported last; it does each second.",
		func(r *ingest.Report) float64 { return at(r.Time) }),
	{name: "anond_part_ready", labels: []string{"part"}, help: "Whether a part is ready, as /readyz lists them: state, chain, source, sink, " +
		"quota, release.", read: func(s *sample, e emit) {
		for _, p := range s.Parts() {
			e(truth(p.Ready), p.Name)
		}
	}},
	gauge("anond_config_last_reload_successful", "Whether the newest attempt to load the configuration succeeded; the start counts.",
		func(s *sample) float64 { return truth(s.Reload.OK) }),
	gauge("anond_config_last_reload_success_timestamp_seconds", "When the configuration was loaded last.",
		func(s *sample) float64 { return at(s.Reload.Success) }),
	total(gauge("anond_config_reloads_total", "Attempts to load the configuration after the start.",
		func(s *sample) float64 { return float64(s.Reload.Count) })),
	{name: "anond_certificate_expiry_timestamp_seconds", labels: []string{"use"}, help: "When certificates in use end: " +
		"kafka_client and http_server (the first of the chain), kafka_ca and http_client_ca (the last of the authorities).",
		read: func(s *sample, e emit) {
			for _, use := range slices.Sorted(maps.Keys(s.Certificates)) {
				e(at(s.Certificates[use]), use)
			}
		}},
}...)

var ofSource = []metric{
	reported("anond_source_connected", "Whether the source answers.", func(r *ingest.Report) float64 { return truth(r.Source.Connected) }),
	reported("anond_source_stalled", "Whether there is something to read and nothing arrives.",
		func(r *ingest.Report) float64 { return truth(r.Source.Stalled) }),
	reported("anond_source_lag", "What is left to read: offsets of Kafka, bytes of files. A lower bound unless anond_source_lag_known is 1.",
		func(r *ingest.Report) float64 { lag, _ := r.Source.Lag(r.Time); return float64(lag) }),
	reported("anond_source_lag_known", "Whether the ends of all partitions are known.",
		func(r *ingest.Report) float64 { _, known := r.Source.Lag(r.Time); return truth(known) }),
	{name: "anond_kafka_consumer_lag_records", labels: []string{"topic", "partition"}, help: "Offsets left to read in a partition.",
		read: func(s *sample, e emit) {
			for _, p := range s.Report.Source.Partitions {
				if s.Settings.Topic != "" {
					e(float64(p.Lag()), s.Settings.Topic, strconv.Itoa(int(p.Partition.ID)))
				}
			}
		}},
	{name: "anond_shard_index", help: "Number of this shard, from 0; absent if the topic is not sharded.", read: func(s *sample, e emit) {
		if s.Settings.Shards > 0 {
			e(float64(s.Settings.Shard))
		}
	}},
	{name: "anond_shards", help: "Number of shards; absent if the topic is not sharded.", read: func(s *sample, e emit) {
		if s.Settings.Shards > 0 {
			e(float64(s.Settings.Shards))
		}
	}},
	{name: "anond_kafka_assigned_partitions", help: "Partitions that this process reads; 0 on standby.", read: func(s *sample, e emit) {
		if s.Settings.Topic != "" {
			e(float64(len(s.Report.Source.Partitions)))
		}
	}},
	{name: "anond_kafka_rebalances_total", counter: true, help: "How often this process got or lost the lease of its group.",
		read: func(s *sample, e emit) {
			if s.Settings.Topic != "" {
				e(float64(s.events["source_lease_acquired"] + s.events["source_lease_lost"]))
			}
		}},
	{name: "anond_kafka_offset_gap_records_total", counter: true, labels: []string{"reason"}, help: "Offsets that were given up: gap " +
		"(on_gap: continue), corrupt_batch (on_corrupt: skip).", read: func(s *sample, e emit) {
		for _, why := range []string{string(decode.ReasonCorruptBatch), string(decode.ReasonGap)} {
			if !s.Report.Time.IsZero() && s.Settings.Topic != "" {
				e(float64(s.Report.Machine.Ignored[equivclass.Reason(why)]), why)
			}
		}
	}},
}
