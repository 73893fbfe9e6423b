// Package config reads and checks the YAML configuration file, and returns typed
// settings.
//
// Guarantee: Load returns either a complete, checked Config or every fault of
// the file at once, each with file, line, column, key, reason and suggestion.
// An unknown key, a key set twice and a value of the wrong type are faults;
// values are never guessed or converted.
//
// Method: one table of keys (Config.keys) says for each key where its value
// goes, its type, its default and its meaning. The walker, the effective
// configuration, the settings digests, the reference and the test of the
// starting file all read that table, so they always agree.
//
// Text such as ${VAR} is expanded in scalar values only, after parsing, so a
// value can never change the structure of the file (see expand).
//
// Cost: one pass over the file and over each hierarchy file. The other files that
// it names (TLS certificates, ${file:...}) are read once; Again reads those of secrets.
//
// Only cmd/anond imports this package: other packages get plain values.
package config
