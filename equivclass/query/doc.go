// Package query asks count and sum queries of releases: a small language, workloads,
// and estimators with bounds for each recoding.
//
// Guarantee: the bounds of an Answer hold the truth of what is published, whatever
// the spread inside cells; the estimate assumes uniform spread. Queries and their
// error are those of Zhu et al., of Li, He and Sun, and of Li, He, Cao and Chen.
package query
