package figures

import (
	"context"

	"anond/lab/figures/dataset"
)

// Figure is one figure of a paper.
type Figure struct {
	ID    string // paper and number, such as wang-3
	Paper string // as cited: authors, venue, year
	Title string // what is measured against what
	Data  string // what it runs on, here and in the paper where that differs
	// Run measures. It takes its randomness from the seed alone; only times differ
	// from run to run.
	Run func(ctx context.Context, in Input) (*Result, error)
}

// Input is what a figure is given.
type Input struct {
	Data  dataset.Source
	Seed  uint64
	Scale float64 // share of the paper's sizes, in (0,1]; 1 is the paper's
	// Progress, if set, is told what is measured next.
	Progress func(step string)
}

// Rows scales a number of rows of the paper, but not below least.
func (in Input) Rows(paper, least int) int {
	return max(least, min(paper, int(float64(paper)*in.Scale)))
}

// Step tells the progress.
func (in Input) Step(step string) {
	if in.Progress != nil {
		in.Progress(step)
	}
}

// Result is what a figure measured.
type Result struct {
	Panels []Panel
	Claims []Claim
	Notes  []string // what differs from the paper's set-up, and what was found
}
