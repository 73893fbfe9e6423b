// Package nearest finds, among boxes with integer coordinates, the one that is nearest
// to a point, and those whose centres are nearest.
//
// Guarantee: searches are exact. The distance of a point to a box is the root of the sum,
// over the dimensions, of (gap x scale) squared, where the gap is the number of steps
// between them, 0 within the box. Of boxes at equal distance the one with the smallest
// number is found. So an answer depends on the boxes and the scale alone: not on the
// order in which boxes came and went, on the shape of the tree, on how coordinates
// are packed, or on the number of workers.
//
// Method: an R-tree (Guttman 1984) with up to 16 entries a node, whose boxes are packed:
// each dimension has a lane of as many bits as its domain needs, and as many lanes as
// fit share a word of 64 bits. One subtraction compares all dimensions of a word: a guard
// bit above each lane keeps the borrow (a byte a dimension and eight a word is the usual
// case of this; Lamport 1975, multiple byte processing with full-word instructions). Most
// boxes are passed over after two subtractions, and 1e5 boxes in 7 dimensions take 3 MB. A
// search goes down to the nearest child first. A batch of points is sorted, so that
// neighbouring points follow each other: each begins with the box that the last one
// found, and identical points are searched once.
//
// The tree grows in place. A box enters the leaf whose centres lie nearest; a full node is
// cut at the median of the dimension in which its centres lie widest apart. A removed box
// leaves its leaf. A coordinate that fits no lane widens the lanes: one pass over all
// boxes, which happens at most once each time a range doubles. A changed scale costs
// nothing, because the tree knows steps only. When so many boxes are added at once that
// building is cheaper, the tree is built from the top by median cuts.
//
// Cost: m boxes in d dimensions are built in m log m x d; inserting or removing one takes
// log m x d, amortized; a search is as good as logarithmic where boxes overlap little
// (rig/docs/BENCHMARKS.md has figures). Memory: about 50 bytes a box whose dimensions fit a word.
package nearest
