// Package cut holds what several ways of forming classes share: the judge that
// says which rows may be a class, rounds of subjects, top-down recursion, median
// cuts, boxes that grow, selection, small numbers for values, and draws.
//
// It knows rows of a pool and nothing of where they came from.
package cut
