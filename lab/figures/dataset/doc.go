// Package dataset has the records that figures are measured on: the public
// datasets as dictionary codes, and generated records where a paper's own are
// not public.
//
// Guarantee: the same file, or the same profile, size and seed, gives the same
// records on every machine. A longer generated table begins with the shorter
// one.
//
// Method: files are read as they are (Source). Generated records are drawn from
// a Gaussian copula with bends over the cardinalities and marginals of the
// paper's attribute table (Generated).
//
// Difference from the papers: generated records have less structure than real
// ones, and hierarchies that a paper does not print are balanced trees over the
// values in order (WithHierarchies).
//
// Cost: linear in records and attributes.
//
// Source: table 5 of Li, He, Cao and Chen (2016); table 1 of Li, He and Sun;
// UCI Adult; the American Community Survey of 2019.
package dataset
