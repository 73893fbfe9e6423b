// Package snapshottest has the file systems on which tests of publishing cut the
// power: Disk keeps files in memory and forgets what was not synced, Mirror lets the
// operating system have the files and keeps a Disk in step with them.
package snapshottest
