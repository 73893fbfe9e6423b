// Package equivtest helps to test ways of forming classes: pools and tables drawn by
// a seed or read from the public datasets, the papers' examples, naive twins, and
// what every partitioner promises (Run). For tests only.
package equivtest
