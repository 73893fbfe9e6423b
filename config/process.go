package config

import (
	"fmt"
)

// memory is the block `memory`.
type memory struct {
	MaxInFlight int64
}

// leastInFlight is the smallest bound under which reading makes sense, and
// recordsInFlight the number of largest records that must fit.
const (
	leastInFlight   = 8 << 20
	recordsInFlight = 4
)

func (m *memory) keys() []key {
	return []key{
		{path: "memory.max_in_flight", value: bytesSize(&m.MaxInFlight), def: "64MiB", doc: "Bound of the bytes between source and state: " +
			"fetched, decompressed, decoded, collected for a transaction, or in delivery as dead letters. In addition to the state, the process " +
			"may use a small multiple of it. The shards of a process (shard.run, shard.group) have equal shares, of at least 8MiB. " +
			"A Kafka batch that decompresses to more is not read: see source.kafka.on_corrupt."},
	}
}

// InFlight is the part of memory.max_in_flight that one shard has.
func (c *Config) InFlight() int { return int(c.Memory.MaxInFlight) / c.Shard.Most() }

func checkMemory(c *Config, r *reader) {
	const full = "memory.max_in_flight"
	if shards := int64(c.Shard.Most()); shards > 1 && r.sound(full, "source.max_record_bytes", "shard.of") {
		least := shards * max(leastInFlight, recordsInFlight*c.Source.MaxRecordBytes)
		if !r.set(full) {
			c.Memory.MaxInFlight = max(c.Memory.MaxInFlight, least)
		} else if c.Memory.MaxInFlight < least {
			r.fault(full, fmt.Sprintf("is too small for %d shards", shards), fmt.Sprintf("write at least %dMiB", (least+1<<20-1)>>20))
		}
		return
	}
	switch m := c.Memory.MaxInFlight; {
	case !r.sound(full):
	case m < leastInFlight:
		r.fault(full, "is too small to read anything", "write at least 8MiB")
	case r.sound("source.max_record_bytes") && m/recordsInFlight < c.Source.MaxRecordBytes:
		r.fault(full, "is less than four times source.max_record_bytes", "raise it, or lower source.max_record_bytes")
	}
}

// LogLevel is the least level that is logged.
type LogLevel string

// The levels of the log.
const (
	Debug LogLevel = "debug"
	Info  LogLevel = "info"
	Warn  LogLevel = "warn"
	Error LogLevel = "error"
)

// LogFormat says how a log line is written.
type LogFormat string

// The log formats.
const (
	AutoLog LogFormat = "auto" // text on a terminal, else JSON
	TextLog LogFormat = "text"
	JSONLog LogFormat = "json"
)

// Log is the block `log`.
type Log struct {
	Level  LogLevel
	Format LogFormat
}

func (l *Log) keys() []key {
	return []key{
		{path: "log.level", value: oneOf(&l.Level, Debug, Info, Warn, Error), def: "info", doc: "Lowest level that is logged."},
		{path: "log.format", value: oneOf(&l.Format, AutoLog, TextLog, JSONLog), def: "auto", doc: "auto: text on a terminal, JSON otherwise."},
	}
}

// control is the block `control`.
type control struct {
	Socket string // empty: none
}

// longestSocket is how many bytes the path of a unix socket may have: 108 on Linux, 104
// elsewhere, with a zero at the end.
const longestSocket = 103

func (s *control) keys() []key {
	return []key{
		{path: "control.socket", value: path(&s.Socket), derived: "none", doc: "Unix socket over which `anond status`, `tail`, `release now`, " +
			"`release plan`, `pause`, `resume` and `reload` reach the running daemon. Only its user and root may connect. " +
			"No other user may be able to write to its directory."},
	}
}

func checkControl(c *Config, r *reader) {
	const key = "control.socket"
	if !r.sound(key) || c.Control.Socket == "" {
		return
	}
	if n := len(c.Control.Socket); n > longestSocket {
		r.fault(key, fmt.Sprintf("has %d bytes with its directory, and the path of a socket may have %d", n, longestSocket),
			"choose a shorter path, such as /run/anond/control.sock")
	}
	if r.sound("release.dir") && Inside(c.Release.Dir, c.Control.Socket) {
		r.fault(key, "is inside release.dir: the socket is private, and release.dir is public", "choose a path outside of it")
	}
}
