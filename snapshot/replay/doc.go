// Package replay makes all decisions of a stopped daemon's state again, in the world
// that is and in others that a reader of the releases cannot tell from it (anond audit
// --replay). It is the check of level L2 (rule B, buckets) that files cannot give.
//
// Guarantee: Run certifies only if the program makes of the raw records of the state the
// same classes, buckets, releases, quarantines and skipped cuts as the state has, and the
// same in each world that was tried. A world permutes sensitive values by the generators
// of Theorem F (package merge): inside each class, and between whole classes of one bucket,
// in all sub-pools that were joined at once, and between these sub-pools, whose draws are
// exchanged with them. It also permutes the values of each quarantined pool, and of all
// who wait, since nothing may depend on them. A difference in
// one world disproves level L2; worlds that agree are evidence, not proof, and the proof
// is in package merge.
//
// Method: Read takes from the state the records as texts in the order of arrival, and what
// was decided when. A machine over a store that keeps nothing gets the texts, so that its
// dictionaries number values by their first appearance in that world, and tries a cut
// wherever the state says that one was tried. Each thing that it commits is compared at
// once. The first run sees the orders that the seed draws; in a world, a class that got
// the values of another stands where that one stood.
//
// Where settings have changed, hierarchies among them, the machine is opened again with those of that time (eras).
//
// Difference: runs of skipped cuts over the same records are replayed at their first and last moment where time is not counted in cuts.
//
// Cost: one run of the machine, Merge included, for the state and for each world. Memory: the texts of
// all records by reference, and the machine's own.
//
// Source: ours; a metamorphic test over the state of a dataset.
package replay
