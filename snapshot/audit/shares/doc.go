// Package shares counts what attackers who know less than everything can tell from a chain: by links between releases,
// by newcomers, and by quasi-identifiers alone.
//
// Guarantee: it only counts, and decides no verdict.
package shares
