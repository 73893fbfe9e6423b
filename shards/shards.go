// Package shards gives a program shards: a dataset whose people are divided among several hosts, each with a state, a journal
// and releases of its own, and the union of these releases. It registers itself behind the ports that a run
// (dataset.Sharding) and the program (cli.Register) have for it: whoever imports it has shards, and nobody else knows it.
// Without the import a configuration that names a shard is refused.
//
// Its rooms: keying says in which shard a person is, journal is the log of what a shard decides, repartition rewrites a topic for
// shards, union combines their releases.
package shards

import (
	"anond/config"
	"anond/ingest/kafkasrc"
	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/shards/keying"
)

func init() {
	dataset.Register(room{})
	cli.Register(newUnionCommand)
	cli.Register(newRepartitionCommand)
}

// room is the dataset.Sharding.
type room struct{}

// Keys implements dataset.Sharding.
func (room) Keys(c *config.Config, partitions int) dataset.Keys { return keying.Of(c, partitions) }

// Header implements dataset.Sharding: records may have links in a topic that anond repartition has written.
func (room) Header(c *config.Config) kafkasrc.Header {
	if c.Shard.Key != config.KeyIsDigest {
		return kafkasrc.Header{}
	}
	return kafkasrc.Header{Name: keying.LinkHeader, Take: keying.ReadLink}
}
