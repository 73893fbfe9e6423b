// Package incremental is the state machine of anond: it takes records in, positions
// them at their classes, and decides what each release publishes, under the rules of
// the privacy contract (docs/PROOFS.md).
//
// Guarantee: every class that a release publishes satisfies the requirement
// (k-anonymity, l-diversity, further principles) and keeps the rules over all
// releases; each decision is verified against them before anything of it is kept.
// The machine is deterministic: same state, same input and same seed give the same
// output. There is no clock, no I/O and no global randomness inside. Time is an
// input (Tick), the store is a port (Store).
//
// Method: the multidimensional local update of Wang, Xu and Sun, "Protecting Privacy
// by Multi-dimensional K-anonymity", section IV. A new record is positioned at the
// class whose box contains it or is nearest. When more than a threshold of updates
// have gathered in a neighbourhood, the neighbour sets and the similar sets are
// found, and the records around them are partitioned anew. With regroup, published
// classes of one signature may be cut anew together with flat sets of new records.
//
// Difference from the paper: the paper re-partitions published records freely, which
// tells people's values to someone who keeps two releases (package literal shows
// how). Here only records that were never published are partitioned; published
// classes serve as landmarks and change only under rule P (pure classes). The update
// is carried out when a release asks for it, not when the threshold is exceeded.
//
// Cost: a record costs d dictionary look-ups and, where a decision depends on its
// position, one search in a spatial index; a class costs one insertion; a local update is
// bounded by a constant number of classes and of records; a release costs one partition
// of the waiting records and one pass over all records.
//
// Parts: Machine has the methods that the host calls. Each part owns what it changes
// and is given what it reads:
//
//   - package state is what the machine knows: records, classes, intents, who waits, what a state says about itself;
//   - package place says where records lie among classes and how many updates have gathered there;
//   - packages local (level L1) and pools (level L2) plan and decide a cut, each behind the port of package plan;
//   - package erase plans how people are forgotten;
//   - Intake keeps what was read and what became of it, staged what is not committed yet, adoption takes settings and grown
//     hierarchies in or refuses them, loader reads a store;
//   - Trigger, initialLoad, Source, Releases and Forgetting are what hosts ask; verifier checks each decision, inspection a
//     whole state.
//
// Sources: the paper above; docs/PROOFS.md for the rules and their proofs.
//
// The host's duties, in order: Apply what was read; Commit (records, positions
// and dead letters in one transaction); only then acknowledge to the source and
// deliver dead letters. When CutDue or UpdateDue says so, Cut (the intent is
// committed), render the View, publish, and report it with Published.
package incremental
