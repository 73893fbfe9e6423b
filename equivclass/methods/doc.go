// Package methods is the one registry of the ways to cut a table into classes: the name
// of each, how it is built, in which recodings its classes may be written, what it
// guarantees and where it comes from. The commands, the configuration, the daemon and
// docs/METHODS.md read it; what forms classes is in the packages below and knows no names
// but its own.
package methods
