// Package chaos lets seeded plans of faults happen to anond, and judges what is left
// after each of them (make chaos, rig/docs/CHAOS.md).
//
// A Plan is text: a setting and steps, such as records, faults and runs. generate draws
// it from a seed and a number. There are two kinds. Play has the daemon in this process
// (inside.go), on an injected file system, clock, source and sink, with the real state
// file, publisher and gate; armed.go lets each fault take effect at its moment. playReal
// has the program as processes (outside.go), against kfake behind a proxy, on small disks
// where those can be mounted; strike.go harms them.
//
// Guarantee: a plan that holds has shown that every record sent is published, pending or
// refused, once; that nobody is published twice; that the auditor certifies the chain;
// that a release has the same bytes whenever it is made; that each fault which took effect
// is named by the log; and that anond went on by itself or after the documented command.
// The judgement (oracle.go, archive.go) shares formats with the publisher, and no code.
// A fault that had no effect is not counted.
//
// Limit: what the operating system chooses, such as the moment of a kill, differs when a
// plan is played again.
package chaos
