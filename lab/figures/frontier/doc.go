// Package frontier measures the utility gained by holding records back: how
// much is lost against how long people wait, policy by policy.
//
// Guarantee: the seed fixes all numbers except the seconds.
//
// Method: UCI Adult is sent through the daemon's own state machine over the
// store in memory, under each policy and several values of max_hold. A
// partition of all records at once and a new partition for each batch are
// levels to compare with.
//
// Difference from the papers: none has this figure.
//
// Cost: two minutes of two processors; the runs share the processors.
//
// Source: this project (lab/docs/FRONTIER.md, "Utility frontier"). `anond
// experiment frontier` measures it at any k and l, `anond-lab experiment run
// frontier` draws it as a figure like those of the papers; nothing of the
// daemon depends on it.
package frontier
