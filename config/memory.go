package config

// Memory is the block `memory`.
type Memory struct {
	MaxInFlight int64
}

// leastInFlight is the smallest bound under which reading makes sense, and
// recordsInFlight the number of largest records that must fit.
const (
	leastInFlight   = 8 << 20
	recordsInFlight = 4
)

func (m *Memory) keys() []key {
	return []key{
		{path: "memory.max_in_flight", value: bytesSize(&m.MaxInFlight), def: "64MiB", doc: "Bound of the bytes between source and state: " +
			"fetched, decompressed, decoded, collected for a transaction, or in delivery as dead letters. In addition to the state, the process " +
			"may use a small multiple of it. A Kafka batch that decompresses to more is not read: see source.kafka.on_corrupt."},
	}
}

func (c *Config) checkMemory(r *reader) {
	const full = "memory.max_in_flight"
	switch m := c.Memory.MaxInFlight; {
	case !r.sound(full):
	case m < leastInFlight:
		r.fault(full, "is too small to read anything", "write at least 8MiB")
	case r.sound("source.max_record_bytes") && m/recordsInFlight < c.Source.MaxRecordBytes:
		r.fault(full, "is less than four times source.max_record_bytes", "raise it, or lower source.max_record_bytes")
	}
}
