// Package audit checks a chain of anond releases from files alone.
//
// Guarantee: Dir says "certified" only if every published record is in a
// component that is frozen or pure (below). Then someone who keeps all releases,
// knows everybody's quasi-identifiers and classes and when each record arrived,
// and whose prior depends on none of these, cannot infer a published record's sensitive value with probability above 1/l
// (levels L0 and L1). Every finding is derived from the files. Package gate gives the
// same guarantee to a publisher, release by release, before a release is renamed
// into place.
//
// Method: records that ever share a class form a component, and consistent
// assignments of values factorise over components. A component is safe when it is
//
//   - frozen (rule A, frozen classes): one class that never changed, or
//   - pure (rule P): all its classes, in all releases, hold every value of one
//     value set equally often.
//
// At level L2 (rule B, buckets) every component is frozen, and the bucket of a class
// stands for its bag: a union of whole classes of exactly k records, born together,
// judged as one, and neither divided nor joined nor changed later. Files certify
// levels L0 and L1 of it. Level L2 itself rests on how classes, pools and buckets came
// about, which a replay from the state shows and files do not: without one, Dir says
// that the structure holds that Theorem E needs. Whoever has made a replay hands its
// outcome over (Options.Replay). Where rows show values by draw (recoding permutation),
// nothing is certified without one: files do not show that these are no person's own.
//
// Where settings have changed, the parts of each era are audited as a chain of their own, by the settings of the era
// (format.Manifest.ByEra): people of two eras share no component. That eras follow each other is tested besides (format.CheckEras).
//
// A chain that obeys the rules has no other component. What one that does not tells of
// people is not bounded here; package posterior of the program finds it for figures.
//
// The directory of a union is audited with the chains of its shards, one after another:
// that the union is made of them alone, and that nobody is in two (unionDir).
//
// Input: a releases directory, optionally the ledger, and optionally two private
// exports: members (who is in which class of which release) and records (the
// microdata). With both exports the verdict can be "certified". From public files
// alone it is at best "consistent", with a list of what was not checked.
//
// Rooms: format reads files, table makes the tables of a release, chain compares releases,
// shares counts for attackers, gate stands in front of a publisher; this package audits
// whole directories and reports.
//
// Difference from the publisher: these packages import nothing of the rest of the
// module. It has its own readers for manifests, tables, hierarchies and exports,
// its own canonical order and its own distances. The publisher's argument is a
// construction ("this class never changed"), the auditor's is a comparison of
// files ("this class is the same in both releases").
//
// It never writes, and no value of a person appears in a report or an error
// (rule V, values): findings name release, class, attribute and count.
//
// Cost: linear in the size of the releases and exports, but for the attacker who
// knows quasi-identifiers only.
//
// Source: Theorems A, P and E in docs/PROOFS.md; t-closeness after Li, Li and
// Venkatasubramanian (2007).
package audit
