// Package gauge is the form in which a part of the program says what of its status is a metric: a table of names, meanings
// and how each value is read. internal/ops/metrics serves such tables without knowing whose they are.
package gauge

import (
	"maps"
	"slices"
	"time"
)

// Emit takes a value with the values of its labels.
type Emit func(value float64, labels ...string)

// Metric is a line of a table: a gauge or counter that a status has.
type Metric[S any] struct {
	Name    string
	Counter bool
	Labels  []string
	Help    string
	Read    func(status S, emit Emit)
}

// Of is a metric with one value.
func Of[S any](name, help string, read func(S) float64) Metric[S] {
	return Metric[S]{Name: name, Help: help, Read: func(s S, emit Emit) { emit(read(s)) }}
}

// Total makes a counter of a metric.
func Total[S any](m Metric[S]) Metric[S] {
	m.Counter = true
	return m
}

// When is a time as Prometheus has it; 0: there is none.
func When(t *time.Time) float64 {
	if t == nil {
		return 0
	}
	return At(*t)
}

// At is a time as Prometheus has it; 0: there is none.
func At(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

// Truth is 1 for what is so.
func Truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Each emits counts by the names of what they count, in order.
func Each[K ~string](counts map[K]uint64, emit Emit) {
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		emit(float64(counts[k]), string(k))
	}
}
