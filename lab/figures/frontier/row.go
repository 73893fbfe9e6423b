package frontier

// frontierRow is one point of the frontier.
type frontierRow struct {
	Seed    uint64 `json:"seed"`
	Policy  string `json:"policy"`
	Level   string `json:"level,omitempty"`
	MaxHold int64  `json:"max_hold"`
	// MeanHold is the mean, over the published records, of the batch of first
	// release less the batch of arrival; MeanHoldStreamed leaves out the first load.
	MeanHold         float64 `json:"mean_hold"`
	MeanHoldStreamed float64 `json:"mean_hold_streamed"`
	LongestHold      int     `json:"longest_hold"`
	// NCPInterval is the mean over all arrived records and quasi-identifiers of
	// (hi-lo)/(max-min); a record never published counts 1.
	NCPInterval float64 `json:"ncp_interval"`
	// NCPEngine is the loss as the manifest states it: of the published records.
	NCPEngine float64 `json:"ncp_engine"`
	Never     float64 `json:"never_published"` // share of the arrived records
	Releases  int     `json:"releases"`
	Regrouped float64 `json:"regrouped"` // share of the published records that were ever regrouped
	// MedianBucket is the number of people who share their bucket, or else their
	// class, with the median person.
	MedianBucket int `json:"median_bucket"`
	// Median relative errors of count queries over the published records, if any were
	// asked, with uniform spread: of those with a condition on the sensitive attribute
	// that match 1 to 5 % and .2 to 1 % of the records, and of those on
	// quasi-identifiers only. Then the same with a model (estimate.Model).
	QueryLarge      float64 `json:"query_large,omitempty"`
	QuerySmall      float64 `json:"query_small,omitempty"`
	QueryQI         float64 `json:"query_qi,omitempty"`
	QueryLargeModel float64 `json:"query_large_model,omitempty"`
	QuerySmallModel float64 `json:"query_small_model,omitempty"`
	QueryQIModel    float64 `json:"query_qi_model,omitempty"`
	// Seconds is the time of the run, without the queries.
	Seconds float64 `json:"seconds"`
	// Unsafe marks what must not be published: it breaks the promise across releases.
	Unsafe bool `json:"unsafe,omitempty"`
}

// Result is the whole experiment.
type Result struct {
	Dataset string        `json:"dataset"`
	Records int           `json:"records"`
	K       int           `json:"k"`
	L       int           `json:"l"`
	Seed    uint64        `json:"seed"` // the first one; a row has its own
	Rows    []frontierRow `json:"rows"`
	// comparison holds level L2 against level L1, if both were measured.
	Comparison []comparison `json:"comparison,omitempty"`

	title string
	batch int // records
}
