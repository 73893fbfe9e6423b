// Package figures re-draws every figure of the five source papers with this
// program's own methods, on public data or, where a paper's data is not public,
// on generated records with the cardinalities of its attribute table. Each
// figure states the paper's claims as sentences and says, with numbers, whether
// they hold here. It backs `anond experiment list`, `run` and `all`; nothing of
// the daemon depends on it.
package figures
