package config

import (
	"time"

	"anond/internal/sealed"
)

// backup is the block `state.backup`: copies of the state of a running daemon.
type backup struct {
	Dir         string        // empty: none are made
	MinInterval time.Duration // between two
	Keep        int           // newest that stay
	Command     []string      // is given the path of each; empty: nobody is
	Fetch       []string      // brings copies back into a directory
}

func (b *backup) keys() []key {
	return []key{
		{path: "state.backup.dir", value: path(&b.Dir), derived: "none: no backups are made",
			doc: "Private directory for copies of the state, best on another disk. A running anond makes one after a release, checks it by " +
				"loading it, and describes it in a JSON file with its SHA-256. An earlier copy is of no use: it could publish the same people " +
				"a second time."},
		{path: "state.backup.min_interval", value: duration(&b.MinInterval, 0), def: "0s",
			doc: "Least time between two backups. 0s: after each release."},
		{path: "state.backup.keep", value: atLeast(1, "the newest backup stays", &b.Keep), def: "3",
			doc: "Number of newest backups that stay; older ones of this dataset are removed."},
		{path: "state.backup.command", value: list[string]{&b.Command, text}, derived: "none",
			doc: "Program and arguments, run without a shell for each new backup, that takes it to another host; the path of the backup is " +
				"the last argument. Its description lies next to it. What the program writes is not logged. It has an hour, and no " +
				"other backup is made meanwhile."},
		{path: "state.backup.fetch", value: list[string]{&b.Fetch, text}, derived: "none",
			doc: "Program and arguments, run without a shell by `anond state rehearse`, that brings the newest copies back from where " +
				"state.backup.command takes them; an empty directory for them is the last argument. It has an hour."},
	}
}

// state is the block `state`.
type state struct {
	Path       string
	MaxRecords int   // 0: no limit
	MaxBytes   int64 // 0: no limit
	OnFull     onFull
	Compact    Compact
	Backup     backup
}

// onFull says what a daemon does whose state reaches MaxBytes.
type onFull string

// What it may do.
const (
	PauseWhenFull onFull = "pause"
	StopWhenFull  onFull = "stop"
)

func (s *state) keys() []key {
	return append([]key{
		{path: "state.path", value: path(&s.Path), def: "./state/anond.db",
			derived: "`./state/anond.db`; for a shard ./state/shards/INDEX/anond.db",
			doc:     "State file. Private: it holds the records. One process at a time."},
		{path: "state.max_records", value: atLeast(0, "0 means no limit", &s.MaxRecords), def: "0",
			doc: "Number of records, and of people whose records were refused for what their value can have caused, at which the daemon stops " +
				"with an error, before anything is lost; 0: no limit."},
		{path: "state.max_bytes", value: bytesSize(&s.MaxBytes), def: "0", doc: "Largest size of the state file, such as 4GiB; 0: no " +
			"limit. Before it is reached, anond stops reading (`state.on_full`). What is left is kept for releases. Nothing is lost."},
		{path: "state.on_full", value: oneOf(&s.OnFull, PauseWhenFull, StopWhenFull), def: "pause", doc: "What anond does when the state has " +
			"no room for another record below `state.max_bytes`. pause: it reads nothing until there is room, and makes releases meanwhile; " +
			"`anond reload` takes in a larger limit. stop: it ends with an error, as a run with --once always does."},
	}, append(s.Compact.keys(), s.Backup.keys()...)...)
}

// Compact is the block `state.compact`: when a start rewrites the state without the part
// of its file that holds nothing.
type Compact struct {
	MinFree  int64   // bytes; 0: never
	MinShare float64 // of the file
}

func (c *Compact) keys() []key {
	return []key{
		{path: "state.compact.min_free", value: bytesSize(&c.MinFree), def: "64MiB",
			doc: "A start rewrites the state without its free pages if more than this holds nothing. It needs room on the disk for what is not " +
				"free, and time for reading the state twice. 0: never; `anond state compact` does it at any time."},
		{path: "state.compact.min_share", value: part(&c.MinShare), def: "0.5",
			doc: "And if more than this share of the file holds nothing, 0 to 1."},
	}
}

// part is a number from 0 to 1.
func part(to *float64) value {
	return scalar[float64]{to: to, name: "number", tags: []string{"!!int", "!!float"},
		form: object{{"type", "number"}, {"minimum", 0}, {"maximum", 1}}, parse: parsePart}
}

func parsePart(s string) (float64, error) {
	v, err := finite(s)
	if err == nil && (v < 0 || v > 1) {
		err = complain("is no part of a whole", "write a number from 0 to 1")
	}
	return v, err
}

// encryption is the block `encryption`: the key of what anond keeps at rest. Without
// one nothing is encrypted.
type encryption struct {
	Key     Secret
	Command []string // prints the key; run without a shell
}

// Set reports whether there is a key.
func (e *encryption) Set() bool { return e.Key.Set() || len(e.Command) > 0 }

func (e *encryption) keys() []key {
	return []key{
		{path: "encryption.key", value: secret(&e.Key), derived: "none: nothing is encrypted",
			doc: "Key of 32 random bytes, as 64 hexadecimal digits or in base64 (`openssl rand -hex 32`); preferably ${file:/run/secrets/...} " +
				"or ${VAR}. Never shown. With it the state, its backups and the payloads of dead letters are encrypted with AES-256-GCM. " +
				"An existing state gets it with `anond state rekey`. Whoever loses the key has lost the state."},
		{path: "encryption.key_command", value: list[string]{&e.Command, text}, derived: "none",
			doc: "In place of encryption.key: a program and its arguments, run without a shell at each start, that prints the key within " +
				"30 seconds, such as [vault, kv, get, -field=key, secret/anond]."},
	}
}

func checkEncryption(c *Config, r *reader) {
	const full, command = "encryption.key", "encryption.key_command"
	e := &c.Encryption
	if !r.sound(full, command) {
		return
	}
	if e.Key.Set() && len(e.Command) > 0 {
		r.fault(command, "does not belong to encryption.key", "write one of the two")
	}
	if len(e.Command) > 0 && e.Command[0] == "" {
		r.fault(command, "has an empty program", "write the path of a program")
	}
	if e.Key.Set() {
		if _, err := sealed.ParseKey(e.Key.Reveal()); err != nil {
			r.fault(full, "is no key of 32 bytes", "write 64 hexadecimal digits: openssl rand -hex 32")
		}
	}
}

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
