package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMemoryBounds(t *testing.T) {
	c, said := loadChanged(t, "log: {level: info}\n", "")
	assert.Empty(t, said)
	assert.EqualValues(t, 64<<20, c.Memory.MaxInFlight)
	c, said = loadChanged(t, "log: {level: info}\n", "memory: {max_in_flight: 8MiB}\n")
	assert.Empty(t, said)
	assert.EqualValues(t, 8<<20, c.Memory.MaxInFlight)
	_, said = loadChanged(t, "log: {level: info}\n", "memory: {max_in_flight: 8191KiB}\n")
	assert.Equal(t, []string{"memory.max_in_flight: is too small to read anything"}, said)
	_, said = loadChanged(t, "source: {type: kafka,", "memory: {max_in_flight: 63MiB}\nsource: {type: kafka, max_record_bytes: 16MiB,")
	assert.Equal(t, []string{"memory.max_in_flight: is less than four times source.max_record_bytes"}, said)
	_, said = loadChanged(t, "source: {type: kafka,", "source: {type: kafka, max_record_bytes: 17MiB,")
	assert.Len(t, said, 1)
	c, said = loadChanged(t, "topic: in}", "topic: in, on_corrupt: skip}")
	assert.Empty(t, said)
	assert.EqualValues(t, "skip", c.Source.Kafka.OnCorrupt)
}
