// Package format is how the auditor reads what stands in the files of a release: manifests, CSV, cells,
// hierarchies, and the kinds of what it finds wrong in them.
//
// Guarantee: it accepts what docs/FORMAT.md describes, in canonical form, and nothing else; what it cannot
// read is an error that names file and line. It was written from that page, and shares no code with what writes.
package format
