package deliver

import "anond/internal/ops/gauge"

// toSink is a metric with one value, under the kind of the sink.
func toSink(name, help string, read func(*Status) float64) gauge.Metric[*Status] {
	return gauge.Metric[*Status]{Name: name, Labels: []string{"sink"}, Help: help,
		Read: func(s *Status, e gauge.Emit) { e(read(s), s.Kind) }}
}

// Metrics are those of a delivery; the label sink is kafka or postgres.
var Metrics = []gauge.Metric[*Status]{
	toSink("anond_deliver_status_timestamp_seconds", "The moment that the metrics of the delivery show; there is one each second.",
		func(s *Status) float64 { return gauge.At(s.Time) }),
	toSink("anond_deliver_release_sequence", "Newest release that the sink has whole, with all before it; 0: none, or it is not known.",
		func(s *Status) float64 { return float64(s.Release) }),
	toSink("anond_deliver_known", "Whether the sink has said how far it is.", func(s *Status) float64 { return gauge.Truth(s.Known) }),
	toSink("anond_deliver_current_release_sequence", "Newest release of the directory (CURRENT); 0: there is none.",
		func(s *Status) float64 { return float64(s.Newest) }),
	toSink("anond_deliver_lag_releases", "Releases of the directory that the sink lacks.",
		func(s *Status) float64 { return float64(s.Behind) }),
	toSink("anond_deliver_lag_seconds", "Age of the oldest release that the sink lacks, since it was decided; 0: it lacks none, or none that "+
		"could be read.", func(s *Status) float64 { return s.Age }),
	gauge.Total(toSink("anond_deliver_releases_total", "Releases that this process has delivered.",
		func(s *Status) float64 { return float64(s.Delivered) })),
	gauge.Total(toSink("anond_deliver_rows_total", "Rows that this process has given to the sink; those sent again count again.",
		func(s *Status) float64 { return float64(s.Rows) })),
	gauge.Total(toSink("anond_deliver_bytes_total", "Bytes of the files of these rows.",
		func(s *Status) float64 { return float64(s.Bytes) })),
	gauge.Total(toSink("anond_deliver_failures_total", "Attempts that failed and are repeated.",
		func(s *Status) float64 { return float64(s.Failures) })),
	toSink("anond_deliver_failing", "Whether the newest attempt failed.", func(s *Status) float64 { return gauge.Truth(s.Failure != "") }),
	toSink("anond_deliver_last_attempt_timestamp_seconds", "When the newest attempt ended; 0: the first one has not.",
		func(s *Status) float64 { return gauge.When(s.LastAttempt) }),
	toSink("anond_deliver_last_success_timestamp_seconds", "When an attempt last ended with nothing left to deliver; 0: not yet.",
		func(s *Status) float64 { return gauge.When(s.LastSuccess) }),
	toSink("anond_deliver_last_release_timestamp_seconds", "When this process last delivered a release; 0: not yet.",
		func(s *Status) float64 { return gauge.When(s.LastRelease) }),
}
