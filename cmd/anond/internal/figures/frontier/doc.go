// Package frontier measures what holding records back buys in utility: how much
// is lost against how long people wait, policy by policy.
//
// Guarantee: the seed fixes all numbers but the seconds. Method: UCI Adult is sent
// through the daemon's own state machine over the store in memory, at each policy
// and several values of max_hold; a partition of all records at once and a re-run
// for each batch are levels to compare with. Cost: two minutes of two processors;
// the runs share the processors. Source: this project (docs/BENCHMARKS.md,
// "Utility frontier"). `anond experiment frontier` has it at any k and l, `anond
// experiment run frontier` as a figure like the papers'; nothing of the daemon
// depends on it.
package frontier
