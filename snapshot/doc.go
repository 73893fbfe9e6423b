// Package snapshot writes releases: it renders the classes that an intent names
// into files, lets a gate look at them, and publishes them by durable steps.
//
// A release is a directory that never changes once it has its name. Rendering
// is a function of the input, the settings and the previous manifest alone, so
// that a retry gives the same bytes (rule F forbids a second, different
// rendering of a release number). Nothing in the bytes depends on the order in
// which records arrived or on internal ids: classes and rows are in canonical
// order, see table.order.
//
// The way of a release: Render -> Gate -> fsync -> rename -> CURRENT -> ledger;
// see Publisher. What stands on disk is read by List, Show and Verify, and held
// against state at start by Reconcile.
//
// Rule V: texts of values go into release files only. Errors of this package
// name attributes, files, releases and class numbers.
package snapshot
