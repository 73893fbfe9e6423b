package control

import (
	"encoding/json"

	"anond/incremental"
	"anond/internal/fault"
)

// Released is what became of an order for a release.
type Released struct {
	Release   uint32  `json:"release,omitempty"` // 0: none was made
	Records   int     `json:"records,omitempty"`
	Newcomers int     `json:"newcomers,omitempty"`
	Classes   int     `json:"classes,omitempty"`
	Pending   int     `json:"pending"`
	NCP       float64 `json:"ncp,omitempty"`
	Millis    int64   `json:"ms,omitempty"`
	// Why says why none was made, as event release_skipped does.
	Why string `json:"why,omitempty"`
}

// Plan is what a release would publish now.
type Plan struct {
	*incremental.Outlook
	// Why says why there is no plan.
	Why string `json:"why,omitempty"`
	// PublishedLoss is the loss of the newest release of this process; nil: there is none.
	PublishedLoss *float64 `json:"published_loss,omitempty"`
}

// Changed says whether an order changed anything, or what it changed.
type Changed struct {
	Changed bool     `json:"changed"`
	Keys    []string `json:"keys,omitempty"` // of the configuration, by a reload
}

// socketPlace is where a copy of the state is, or is to be.
type socketPlace struct {
	Path string `json:"path"`
}

// person is who is to be forgotten.
type person struct {
	Subject []byte `json:"subject"` // as records have it
}

// refusal is the answer to what was not done.
type refusal struct {
	Error string     `json:"error"`
	Kind  fault.Kind `json:"kind"`
	Hint  string     `json:"hint,omitempty"`
}

// status is any JSON: the daemon's status belongs to package daemon.
type status = json.RawMessage
