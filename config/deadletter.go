package config

// deadLetterType says where refused records are reported.
type deadLetterType string

// The destinations of dead letters.
const (
	ToFile  deadLetterType = "file"
	ToTopic deadLetterType = "topic"
)

// deadLetter is the block `dead_letter`.
type deadLetter struct {
	Type    deadLetterType
	Path    string // directory
	Topic   string
	Payload bool
	Ignore  []Reason
	// MaxShare of records may be refused; 1: all.
	MaxShare float64
}

// Reason is the code of why a record is refused, as dead letters carry it.
type Reason string

// reasons are the codes that dead_letter.ignore may name. grown_line is not among
// them: it reports a record that was read before it was complete. Nor is delete_without_subject:
// somebody whom the source deletes would stay.
var reasons = []Reason{
	"missing_value", "not_a_number", "not_an_integer", "not_a_date", "value_not_in_hierarchy", "value_refused", "value_out_of_range",
	"implausible", "invalid_utf8", "control_character", "invisible_character", "value_too_long",
	"too_large", "malformed_json", "duplicate_member", "not_an_object", "nested_value",
	"malformed_csv", "unclosed_quote", "wrong_field_count", "wrong_header", "malformed_envelope", "unsupported_operation", "tombstone",
	"not_in_encoding", "schema_registry_framing", "unavailable_value", "encoded_decimal",
}

func (d *deadLetter) keys() []key {
	return []key{
		{path: "dead_letter.type", value: oneOf(&d.Type, ToFile, ToTopic), def: "file",
			doc: "Where refused records are reported: a file below path, or a Kafka topic."},
		{path: "dead_letter.path", value: path(&d.Path), def: "./dead-letter", derived: "`./dead-letter`; for a shard ./dead-letter/shards/INDEX",
			doc: "Directory of dead-letter files."},
		{path: "dead_letter.topic", value: text(&d.Topic), derived: "none; needed for type topic",
			doc: "Topic of dead letters, on the brokers of source.kafka."},
		{path: "dead_letter.payload", value: boolean(&d.Payload), def: "false", doc: "Include the refused message itself, which holds " +
			"personal data. Without it a dead letter has source, partition, offset, reason and a keyed digest."},
		{path: "dead_letter.ignore", value: list[Reason]{&d.Ignore, reason}, def: "[]", doc: "Reasons for which refused records are only " +
			"counted and get no dead letter; for instance [unsupported_operation] for the deletes of a change feed."},
		{path: "dead_letter.max_share", value: part(&d.MaxShare), def: "0.05", doc: "Share of records, looked at a thousand at a time, " +
			"that may be refused, above 0. If more are, anond pauses until `anond resume`, which lets twice the share be refused; most likely a " +
			"producer has changed its format. A run that ends (--once) fails, also if it has refused everything, or more than that of a " +
			"thousand records and more in all, and publishes nothing more. 1: all may be refused."},
	}
}

func reason(to *Reason) value {
	v := oneOf(to, reasons...).(scalar[Reason])
	v.name = "reason"
	return v
}

func checkDeadLetter(c *Config, r *reader) {
	d := &c.DeadLetter
	if r.sound("dead_letter.max_share") && d.MaxShare == 0 {
		r.fault("dead_letter.max_share", "is 0: the first record that is refused would end the reading for good", "write a small share such as "+
			"0.05, or 1 for no limit")
	}
	if d.Payload && !c.Encryption.Set() {
		r.warn("dead_letter.payload", "is true: dead letters will contain the refused records with their personal data",
			"set encryption.key, or protect and delete them like the source itself")
	}
	if d.Type != ToTopic {
		if r.set("dead_letter.topic") {
			r.warn("dead_letter.topic", "is not used, because dead_letter.type is file", "remove it, or set type to topic")
		}
		return
	}
	if c.Source.Type != FromKafka {
		c.needBrokers(r, "dead_letter.type is topic")
	}
	switch {
	case !r.sound("dead_letter.topic"):
	case d.Topic == "":
		r.fault("dead_letter.topic", "is missing, but dead_letter.type is topic", "name a topic, or set type to file")
	case d.Topic == c.Source.Kafka.Topic && c.Source.Type == FromKafka:
		r.fault("dead_letter.topic", "is the topic that anond reads: each refused record would be read again", "name another topic")
	}
}
