// Package crashtest runs the real program, as a process of its own, on what broke
// it in trials: values that come in wrong, torn files, sinks that are away, disks
// that are full, clocks that jump, signals at bad moments. It holds tests only.
//
// Each test writes a dataset into a directory of its own (site), runs commands
// there, and looks only at what an operator sees: exit codes, output, the log,
// files. What needs a broker brings the in-process one (kfake) with it.
package crashtest
