// Package crashtest runs the real program as a separate process under conditions
// that made it fail in trials: wrong values, torn files, unavailable sinks, full
// disks, clocks that jump, signals at bad moments. It contains tests only.
//
// Each test writes a dataset into its own directory (site), runs commands there,
// and checks only what an operator sees: exit codes, output, the log, files. Tests
// that need a broker start the in-process one (kfake).
package crashtest
