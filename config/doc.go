// Package config reads the one YAML file that tells anond what to do, checks
// it, and hands out typed settings.
//
// Guarantee: Load returns either a complete, checked Config or every fault of
// the file at once, each with file, line, column, key, reason and suggestion.
// An unknown key, a key set twice and a value of the wrong type are faults;
// nothing is guessed and nothing is coerced.
//
// Method: one table of keys (Config.keys) says for each key where its value
// goes, its type, its default and its meaning. The walker, the effective
// configuration, the settings digests, the reference and the test of the
// starting file all read that table, so they cannot drift apart.
//
// Text such as ${VAR} is expanded in scalar values only, after parsing, so a
// value can never change the structure of the file (see expand).
//
// The package is used by cmd/anond alone: other packages get plain values.
package config
