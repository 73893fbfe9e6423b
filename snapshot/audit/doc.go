// Package audit checks a chain of anond releases from files alone.
//
// It shares no code with the publisher: it has its own readers for manifests,
// tables, hierarchies and exports, its own canonical order, and its own proof
// that nobody's sensitive value can be told with probability above 1/l by
// someone who keeps every release. Where the publisher's argument is a
// construction ("this class never changed"), the auditor's is a check of the
// files ("this class is the same in both releases").
//
// # What goes in
//
// A releases directory, optionally the ledger, and optionally two private
// exports: members (who is in which class of which release) and records (the
// microdata). With both exports the verdict can be "certified"; from public
// files alone it is at best "consistent", with a list of what was not checked.
//
// # How a chain is certified
//
// Records that ever share a class form a component; worlds factorise over
// components. A component is safe at adversary levels L0 and L1 when it is
//
//   - frozen (rule A): one class that never changed, or
//   - pure (rule P): all its classes, in all releases, flat over one value set.
//
// A chain that obeys the rules has no other component. One that does not is
// still measured: candidate intersection, differences of nested sets, interval
// propagation, and exact enumeration where it is small enough.
//
// # What it never does
//
// It never writes, never fixes, and never puts a person's value into a report
// or an error (rule V): findings name release, class, attribute and count.
package audit
