// Package views makes views of releases: directories of releases in the same format, each release of which is a function of a
// published release and of the view before it.
//
// Guarantee: whoever has every view and every release learns what the releases alone say. A view is made of published files:
// fewer columns, cells that contain the cells of the release, labels in place of values, a later start. So what is
// seen of views is a function of the transcript, and the theorem view_bounded of proof/ (docs/PROOFS.md, Views) bounds it by the
// releases, however many recipients put together what they have. Rule F (forbidden) rules out a second rendering of records; a view
// renders none: it does not know the state, and no file of it follows from anything but published files.
// The promise is that of the release, for the release's values. A label may have more of a bucket than its cap allows each value below
// it; the share is in the manifest, and who needs a bound of it caps the values that the label stands for.
//
// What a recipient of the view alone learns is less: classes, buckets and pools are numbered anew by what the view shows (the
// order of package render over the view's cells and bags), so no number, order or tie follows from a column that is left out. No
// hash of a file of the release is in it. How many people updated or asked to be erased (stale) is left out. What a release withdraws
// leaves the view with it: of buckets that look alike in the view the one of the highest number.
//
// Method: a part that is new is read, mapped and put in order; one that stood before is linked; parts that the release has joined
// are joined as the view had them, since numbers of joined parts follow from those of their parts. So the view's chain obeys
// the format, and the readers, deliveries and the auditor of releases need no other code for it.
//
// Difference: the view of other anonymizers is a second generalization of the same records, which is another dataset: two of them on
// 20,000 people of Adult leave a tenth of them with fewer candidates than l (lab/figures/recipients).
//
// Cost: n d for n newcomers of d columns, and n log n for the order; a link for each older file. Memory: the cells of one part.
//
// Source: design of this project; proof/README.md.
package views
