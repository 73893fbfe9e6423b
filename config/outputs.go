package config

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// outputs is the block `outputs`: where anond-deliver takes releases. The daemon does not
// look at it.
type outputs struct {
	Poll     time.Duration
	MaxRate  int64 // bytes per second; 0: no limit
	Kafka    KafkaOutput
	Postgres postgresSettings
}

// KafkaOutput is the block `outputs.kafka`.
type KafkaOutput struct {
	Brokers         []string
	Topic           string
	ClientID        string
	MaxMessageBytes int64
	TLS             TLS
	SASL            SASL
}

// postgresSettings is the block `outputs.postgres`.
type postgresSettings struct {
	URL    Secret
	Schema string
	Table  string
}

const (
	kafkaOutput    = "outputs.kafka"
	postgresOutput = "outputs.postgres"
)

func (o *outputs) keys() []key {
	k, p := &o.Kafka, &o.Postgres
	return slices.Concat([]key{
		{path: "outputs.poll", value: duration(&o.Poll, 10*time.Millisecond), def: "5s",
			doc: "How often a delivery with --follow looks for a new release."},
		{path: "outputs.max_bytes_per_second", value: bytesSize(&o.MaxRate), def: "0", doc: "Most bytes of release files per second, on " +
			"average, that anond-deliver takes to a sink, such as 5MiB. 0: no limit."},
		{path: kafkaOutput + ".brokers", value: list[string]{&k.Brokers, brokerAddress}, derived: "none; needed for anond-deliver kafka",
			doc: "Addresses of some brokers, host:port. They need not be those of source.kafka."},
		{path: kafkaOutput + ".topic", value: text(&k.Topic), derived: "none; needed for anond-deliver kafka",
			doc: "Topic for the releases of this dataset alone. It must exist, with cleanup.policy compact."},
		{path: kafkaOutput + ".client_id", value: text(&k.ClientID), def: "anond-deliver",
			doc: "Client name that brokers use for logs and quotas."},
		{path: kafkaOutput + ".max_message_bytes", value: bytesSize(&k.MaxMessageBytes), def: "1000000",
			doc: "Largest message that is sent; at most max.message.bytes of the topic. The rows of a class are divided among messages of " +
				"at most 256 KiB; only a single row may need more."},
	}, k.TLS.keys(kafkaOutput+".tls"), k.SASL.keys(kafkaOutput+".sasl"), []key{
		{path: postgresOutput + ".url", value: secret(&p.URL), derived: "none; needed for anond-deliver postgres",
			doc: "Connection, as libpq takes it: postgres://anond@db.example.org/releases?sslmode=verify-full, or host=... user=... " +
				"Preferably ${file:/run/secrets/...} or ${VAR}; a password may also be in the file of PGPASSFILE. Never shown."},
		{path: postgresOutput + ".schema", value: text(&p.Schema), def: "public", doc: "Schema of the tables. It must exist."},
		{path: postgresOutput + ".table", value: text(&p.Table), derived: "the dataset",
			doc: "Table of the rows. The names of the other tables and views begin with it."},
	})
}

// checkOutputs checks what the file says of outputs; all of it may be missing.
func checkOutputs(c *Config, r *reader) {
	o := &c.Outputs
	r.checkRate("outputs.max_bytes_per_second", o.MaxRate)
	if r.set(kafkaOutput) {
		o.Kafka.TLS.check(r, kafkaOutput+".tls")
		o.Kafka.SASL.check(r, kafkaOutput+".sasl", o.Kafka.TLS.Enabled)
		sameBrokers := slices.ContainsFunc(c.Source.Kafka.Brokers, func(b string) bool { return slices.Contains(o.Kafka.Brokers, b) })
		if o.Kafka.Topic != "" && sameBrokers && (o.Kafka.Topic == c.Source.Kafka.Topic && c.Source.Type == FromKafka ||
			o.Kafka.Topic == c.DeadLetter.Topic && c.DeadLetter.Type == ToTopic) {
			r.fault(kafkaOutput+".topic", "is the topic of the records or of dead letters, which are private", "name another topic")
		}
	}
	if o.Kafka.MaxMessageBytes < leastMessage && r.sound(kafkaOutput+".max_message_bytes") {
		r.fault(kafkaOutput+".max_message_bytes", "is too small", "write at least 300KiB; Kafka's own default is 1000000 and a little more")
	}
	if o.Postgres.Table == "" && r.sound(postgresOutput+".table") {
		o.Postgres.Table = c.Dataset
	}
	for key, name := range map[string]string{".schema": o.Postgres.Schema, ".table": o.Postgres.Table} {
		if r.sound(postgresOutput+key) && strings.ContainsRune(name, 0) {
			r.fault(postgresOutput+key, "has a character that no name in PostgreSQL has", "write letters, digits and _")
		}
	}
}

// leastMessage has room for the rows of one message, its key and what Kafka adds.
const leastMessage = 300 << 10

// NeedKafka faults an outputs.kafka that cannot be used.
func (d *Delivery) NeedKafka() error {
	switch {
	case len(d.Outputs.Kafka.Brokers) == 0:
		return d.missing(kafkaOutput+".brokers", "write for instance [127.0.0.1:9092]")
	case d.Outputs.Kafka.Topic == "":
		return d.missing(kafkaOutput+".topic", "name a topic for the releases of this dataset alone")
	}
	return nil
}

// NeedPostgres faults an outputs.postgres that cannot be used.
func (d *Delivery) NeedPostgres() error {
	if !d.Outputs.Postgres.URL.Set() {
		return d.missing(postgresOutput+".url", "write for instance ${file:/run/secrets/releases-url}")
	}
	return nil
}

func (d *Delivery) missing(key, suggestion string) error {
	return &Faults{[]Fault{{File: d.file, Key: key, Reason: "is missing", Suggestion: suggestion}}}
}

// Delivery is what anond-deliver and consume use of a configuration. They run under a user
// who need not be able to read the secrets of the daemon.
type Delivery struct {
	Dataset string
	Dir     string // of the releases
	Outputs outputs
	Log     Log
	file    string
}

// LoadDelivery reads dataset, release.dir, outputs and log of the configuration at path.
// All other keys may be missing; those that are there are neither expanded nor read, but
// their names are checked. Errors and warnings are those of Load.
func LoadDelivery(path string, lookup Lookup, read ReadFile) (*Delivery, []Warning, error) {
	content, err := read.small(path)
	if err != nil {
		return nil, nil, &Faults{[]Fault{{File: path, Reason: "cannot be read: " + plain(err), Suggestion: "name the file with -c"}}}
	}
	r := newReader(path, filepath.Dir(path), lookup, read)
	c := &Config{}
	table := c.keys()
	for i, k := range table {
		own := slices.Contains([]string{"version", "dataset", "release.dir"}, k.path) || strings.HasPrefix(k.path, "outputs.") ||
			strings.HasPrefix(k.path, "log.")
		if !own {
			table[i] = key{path: k.path, value: passed{k.value}}
		}
	}
	r.document(content, table)
	if len(r.at) > 0 {
		r.needDir()
		checkOutputs(c, r)
		if r.open { // each shard has a chain of its own
			r.fault("shard", "is of several shards", "name one: SHARD="+r.shard)
		}
	}
	if len(r.faults) > 0 {
		inOrder(r.faults, path)
		return nil, r.sortedWarnings(), &Faults{r.faults}
	}
	return &Delivery{c.Dataset, c.Release.Dir, c.Outputs, c.Log, path}, r.sortedWarnings(), nil
}

// passed is a setting whose value is passed over.
type passed struct{ value }

func (passed) read(*reader, string, *yaml.Node) {}
