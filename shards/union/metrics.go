package union

import (
	"strconv"

	"anond/internal/ops/gauge"
)

// Metrics are those of a union.
var Metrics = []gauge.Metric[*Status]{
	gauge.Of("anond_union_status_timestamp_seconds", "The moment that the metrics of the union show; there is one each second.",
		func(s *Status) float64 { return gauge.At(s.Time) }),
	gauge.Of("anond_union_release_sequence", "Number of the newest release of the union; 0: there is none.",
		func(s *Status) float64 { return float64(s.Release) }),
	gauge.Of("anond_union_release_created_timestamp_seconds", "When that release was decided; 0: there is none.",
		func(s *Status) float64 { return gauge.When(s.CreatedAt) }),
	gauge.Of("anond_union_release_records", "Records in it.", func(s *Status) float64 { return float64(s.Records) }),
	gauge.Of("anond_union_release_pending_records", "Records that waited when its shards published.",
		func(s *Status) float64 { return float64(s.Pending) }),
	gauge.Total(gauge.Of("anond_union_releases_total",
		"Releases that attempts of this process composed, alone or with others at the same time.",
		func(s *Status) float64 { return float64(s.Composed) })),
	gauge.Total(gauge.Of("anond_union_attempts_total", "Attempts of this process to unite.",
		func(s *Status) float64 { return float64(s.Attempts) })),
	gauge.Total(gauge.Of("anond_union_failures_total", "Attempts that failed and are repeated.",
		func(s *Status) float64 { return float64(s.Failures) })),
	gauge.Of("anond_union_failing", "Whether the newest attempt failed.", func(s *Status) float64 { return gauge.Truth(s.Failure != "") }),
	gauge.Of("anond_union_last_attempt_timestamp_seconds", "When the newest attempt began; 0: the first one has not ended.",
		func(s *Status) float64 { return gauge.When(s.LastAttempt) }),
	gauge.Of("anond_union_last_success_timestamp_seconds", "When the newest attempt began that succeeded, with or without a new release.",
		func(s *Status) float64 { return gauge.When(s.LastSuccess) }),
	gauge.Of("anond_union_shards", "Shards that are united.", func(s *Status) float64 { return float64(len(s.Shards)) }),
	gauge.Of("anond_union_shards_waiting", "Shards that have no release yet.",
		func(s *Status) float64 { return float64(len(s.Waiting)) }),
	gauge.Of("anond_union_stale_after_seconds", "The age from which a shard is late (--stale-after); 0: there is no alarm.",
		func(s *Status) float64 { return s.StaleAfter }),
	ofShards("anond_union_shard_release_sequence", "Release of a shard that the newest release of the union has; 0: none.",
		func(x *ShardState) float64 { return float64(x.Release) }),
	ofShards("anond_union_shard_release_age_seconds", "Age of that release; 0: there is none.",
		func(x *ShardState) float64 { return x.Age }),
	ofShards("anond_union_shard_stale", "Whether the shard is late by --stale-after, or has no release.",
		func(x *ShardState) float64 { return gauge.Truth(x.Stale) }),
}

func ofShards(name, help string, read func(*ShardState) float64) gauge.Metric[*Status] {
	return gauge.Metric[*Status]{Name: name, Labels: []string{"shard"}, Help: help, Read: func(s *Status, e gauge.Emit) {
		for i := range s.Shards {
			e(read(&s.Shards[i]), strconv.Itoa(s.Shards[i].Shard))
		}
	}}
}
