package metrics

import (
	"slices"

	"anond/deliver"
)

func deliverTable() []deliverMetric {
	return slices.Concat(lifted(func(s *shown[*deliver.Status]) *process { return &s.process }), ofDeliver)
}

// toSink is a metric with one value, under the kind of the sink.
func toSink(name, help string, read func(*deliver.Status) float64) deliverMetric {
	return deliverMetric{name: name, labels: []string{"sink"}, help: help,
		read: func(s *shown[*deliver.Status], e emit) { e(read(s.status), s.status.Kind) }}
}

// ofDeliver: label sink is kafka or postgres.
var ofDeliver = []deliverMetric{
	toSink("anond_deliver_status_timestamp_seconds", "The moment that the metrics of the delivery show; there is one each second.",
		func(s *deliver.Status) float64 { return at(s.Time) }),
	toSink("anond_deliver_release_sequence", "Newest release that the sink has whole, with all before it; 0: none, or it is not known.",
		func(s *deliver.Status) float64 { return float64(s.Release) }),
	toSink("anond_deliver_known", "Whether the sink has said how far it is.", func(s *deliver.Status) float64 { return truth(s.Known) }),
	toSink("anond_deliver_current_release_sequence", "Newest release of the directory (CURRENT); 0: there is none.",
		func(s *deliver.Status) float64 { return float64(s.Newest) }),
	toSink("anond_deliver_lag_releases", "Releases of the directory that the sink lacks.",
		func(s *deliver.Status) float64 { return float64(s.Behind) }),
	toSink("anond_deliver_lag_seconds", "Age of the oldest release that the sink lacks, since it was decided; 0: it lacks none, or none that "+
		"could be read.", func(s *deliver.Status) float64 { return s.Age }),
	counting(toSink("anond_deliver_releases_total", "Releases that this process has delivered.",
		func(s *deliver.Status) float64 { return float64(s.Delivered) })),
	counting(toSink("anond_deliver_rows_total", "Rows that this process has given to the sink; those sent again count again.",
		func(s *deliver.Status) float64 { return float64(s.Rows) })),
	counting(toSink("anond_deliver_bytes_total", "Bytes of the files of these rows.",
		func(s *deliver.Status) float64 { return float64(s.Bytes) })),
	counting(toSink("anond_deliver_failures_total", "Attempts that failed and are repeated.",
		func(s *deliver.Status) float64 { return float64(s.Failures) })),
	toSink("anond_deliver_failing", "Whether the newest attempt failed.", func(s *deliver.Status) float64 { return truth(s.Failure != "") }),
	toSink("anond_deliver_last_attempt_timestamp_seconds", "When the newest attempt ended; 0: the first one has not.",
		func(s *deliver.Status) float64 { return when(s.LastAttempt) }),
	toSink("anond_deliver_last_success_timestamp_seconds", "When an attempt last ended with nothing left to deliver; 0: not yet.",
		func(s *deliver.Status) float64 { return when(s.LastSuccess) }),
	toSink("anond_deliver_last_release_timestamp_seconds", "When this process last delivered a release; 0: not yet.",
		func(s *deliver.Status) float64 { return when(s.LastRelease) }),
}
