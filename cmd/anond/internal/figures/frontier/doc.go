// Package frontier measures what the engine's choices cost in utility, with
// the daemon's own state machine and on public data. It backs the command
// `anond experiment`; nothing of the daemon depends on it.
package frontier
