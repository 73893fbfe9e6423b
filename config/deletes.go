package config

import (
	"fmt"

	"anond/equivclass"
)

// Deletes says what becomes of deletes of the source.
type Deletes string

// The treatments of deletes.
const (
	RefuseDeletes Deletes = "refuse"
	ForgetDeletes Deletes = "forget"
)

// checkDeletes refuses settings under which a state cannot forget published people.
func (c *Config) checkDeletes(r *reader) {
	if c.Deletes != ForgetDeletes || !r.sound("subject.deletes") {
		return
	}
	fault := func(reason, suggestion string) { r.fault("subject.deletes", "is forget, but "+reason, suggestion) }
	of, all := c.byRole(r)
	if all && len(of[equivclass.Subject]) == 0 {
		fault("no attribute has role subject", "mark the field that identifies a person, or set deletes to refuse")
	}
	if rec := c.Release.Recoding; rec != Buckets && rec != Generalization && r.sound("release.recoding") {
		fault(fmt.Sprintf("release.recoding %s shows quasi-identifiers exactly, so published people cannot be forgotten", rec),
			"set deletes to refuse, or another recoding")
	}
	if c.Shard.Set() && c.Shard.Key == KeyIsDigest {
		fault("shard.key is digest, and a topic of anond repartition does not say whom a delete names", "set deletes to refuse")
	}
	if c.Source.Type != FromKafka && c.Source.Format != Debezium && c.Source.Format != DebeziumFlat {
		r.warn("subject.deletes", fmt.Sprintf("has no effect: source.type %s has deletes in the formats debezium and debezium-flat only",
			c.Source.Type), "remove it")
	}
}
