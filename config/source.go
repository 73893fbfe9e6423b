package config

import (
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"anond/ingest/dialect"
)

// sourceType says where records come from.
type sourceType string

// The sources.
const (
	FromKafka sourceType = "kafka"
	FromFile  sourceType = "file"
	FromStdin sourceType = "stdin"
)

// format says how a message or line is decoded.
type format string

// The formats. A file has one JSON object or Debezium event per line (NDJSON), or CSV with a
// header.
const (
	formatJSON format = "json"
	CSV        format = "csv"
	debezium   format = "debezium"
	// debeziumFlat is a flat change event, as the transform ExtractNewRecordState makes it.
	debeziumFlat format = "debezium-flat"
)

// assignment says how partitions of a topic are assigned to this process.
type assignment string

// The assignments.
const (
	static assignment = "static" // all partitions, always
	Group  assignment = "group"  // all partitions while this member holds the lease
)

// onGap says what to do when records were deleted before they were read.
type onGap string

// The treatments of a gap.
const (
	gapStop     onGap = "stop"
	gapContinue onGap = "continue"
)

// onCorrupt says what to do about a batch that cannot be read.
type onCorrupt string

// The treatments of a batch that cannot be read.
const (
	corruptStop onCorrupt = "stop"
	corruptSkip onCorrupt = "skip"
)

// sourceSettings is the block `source`.
type sourceSettings struct {
	Type   sourceType
	Name   string
	Format format
	// MaxRecordBytes is the largest record that is accepted; larger ones are
	// refused as too_large.
	MaxRecordBytes int64
	MaxRate        int // records per second; 0: no limit
	CSV            csvFormat
	Kafka          kafkaSource
	File           fileSource
	Registry       registrySource
}

// registrySource is the block `source.registry`.
type registrySource struct {
	URL             string
	Username        string
	Password, Token Secret
	TLS             TLS // its server_name and enabled are not asked for
	MayLack         bool
}

// csvFormat is the block `source.csv`.
type csvFormat struct {
	// Multiline accepts line breaks in quoted fields. Without it a record is one line.
	Multiline bool
	// Form is how fields, their texts and numbers are written.
	Form    dialect.Form
	decimal string
}

// kafkaSource is the block `source.kafka`.
type kafkaSource struct {
	Brokers        []string
	Topic          string
	Assignment     assignment
	Group          string
	ClientID       string
	OnGap          onGap
	OnCorrupt      onCorrupt
	StallAfter     time.Duration
	SessionTimeout time.Duration
	TLS            TLS
	SASL           SASL
}

// TLS is the block `source.kafka.tls`, or `outputs.kafka.tls`. Verification cannot be switched off.
type TLS struct {
	Enabled    bool
	CA         string
	Cert       string
	Key        string
	ServerName string
}

// fileSource is the block `source.file`.
type fileSource struct {
	Path   string
	Follow bool
	// Complete reads a last line without line break as a record.
	Complete bool
}

func (s *sourceSettings) keys() []key {
	k, f := &s.Kafka, &s.File
	return slices.Concat([]key{
		{path: "source.type", value: oneOf(&s.Type, FromKafka, FromFile, FromStdin), required: true,
			doc: "Where records come from: kafka, file or stdin (standard input)."},
		{path: "source.name", value: word(&s.Name), derived: "the topic, else the dataset", doc: "Name of the source in the log line at the " +
			"start. Positions and dead letters use the identity of the source itself instead."},
		{path: "source.format", value: oneOf(&s.Format, formatJSON, CSV, debezium, debeziumFlat), def: "json", doc: "How a message or line is " +
			"decoded: a JSON object, a CSV record, or a Debezium change event, whole or flat (inserts only). A file has one JSON object per line, " +
			"or a CSV header followed by records."},
		{path: "source.max_record_bytes", value: bytesSize(&s.MaxRecordBytes), def: "1MiB",
			doc: "Largest message or line that is accepted; larger ones are refused as too_large."},
		{path: "source.max_records_per_second", value: atLeast(0, "0 means no limit", &s.MaxRate), def: "0",
			doc: "Most records taken per second, on average: a fetch is taken as a whole, and the time that it costs is waited for. 0: no limit."},
		{path: "source.csv.multiline", value: boolean(&s.CSV.Multiline), def: "false", doc: "With format csv: quoted fields may contain line " +
			"breaks. If false, a record is one line, and a quote that is not closed on its line makes only that line refused (unclosed_quote); " +
			"the same holds for a message from Kafka. If true, a record over several lines must be complete: all quotes in place, as many " +
			"fields as the header, at most max_record_bytes. Otherwise only its first line is refused, and reading goes on at the next line. " +
			"Set it before the first run: what was read stays as it was read."},
		{path: "source.csv.delimiter", value: delimiter(&s.CSV.Form.Delimiter), def: "\",\"",
			doc: "With format csv: what stands between fields."},
		{path: "source.csv.encoding", value: oneOf(&s.CSV.Form.Encoding, dialect.Encodings...), def: "utf-8",
			doc: "With format csv: encoding of " +
				"the text. The first line of a file or of standard input that is not in it ends the run; a message from Kafka becomes a dead letter. " +
				"utf-16 is read from files and standard input only, without follow."},
		{path: "source.csv.decimal", value: oneOf(&s.CSV.decimal, ".", ","), def: "\".\"", doc: "With format csv: what stands before the " +
			"fraction of a number. With \",\" a number that has a point is refused as not_a_number, because the point may part thousands."},
		{path: "source.kafka.brokers", value: list[string]{&k.Brokers, brokerAddress}, derived: "none; needed for Kafka",
			doc: "Addresses of some brokers, host:port; the others are found through them."},
		{path: "source.kafka.topic", value: text(&k.Topic), derived: "none; needed for Kafka",
			doc: "Topic to read. All its partitions are read, also those added later."},
		{path: "source.kafka.assignment", value: oneOf(&k.Assignment, static, Group), def: "static",
			doc: "static: this process reads all partitions. group: a consumer group elects one reader, other members stand by."},
		{path: "source.kafka.group", value: text(&k.Group), derived: "none; needed for assignment group", doc: "Consumer group. Optional " +
			"with assignment static: positions are then also committed to the group, for lag tools. anond itself always resumes from the " +
			"positions in its state."},
		{path: "source.kafka.client_id", value: text(&k.ClientID), def: "anond", doc: "Client name that brokers use for logs and quotas."},
		{path: "source.kafka.on_gap", value: oneOf(&k.OnGap, gapStop, gapContinue), def: "stop", doc: "What to do when records were deleted " +
			"from the topic before they were read: stop, or continue and count their offsets as gap."},
		{path: "source.kafka.on_corrupt", value: oneOf(&k.OnCorrupt, corruptStop, corruptSkip), def: "stop",
			doc: "What to do when a batch of records still cannot be read after 30 s of retries over new connections, because its checksum or " +
				"content is wrong or it decompresses to more than memory.max_in_flight: stop, or skip its offsets, count them as corrupt_batch, and " +
				"continue behind it."},
		{path: "source.kafka.stall_after", value: duration(&k.StallAfter, time.Second), def: "30s",
			doc: "If there are records to read but none arrive for this time, anond reconnects."},
		{path: "source.kafka.session_timeout", value: duration(&k.SessionTimeout, 6*time.Second), def: "10s",
			doc: "With assignment group, or with shard.group: time without a heartbeat after which a member loses the lease, or its shards. " +
				"Brokers refuse less than 6s."},
	}, k.TLS.keys("source.kafka.tls"), k.SASL.keys("source.kafka.sasl"), f.keys(), s.Registry.keys())
}

func (g *registrySource) keys() []key {
	const at = "source.registry"
	return []key{
		{path: at + ".url", value: text(&g.URL), derived: "none", doc: "Schema registry (its API is Confluent's) in which the writers of the " +
			"topic have their schemas, such as https://registry.example:8081. Messages that a serializer of it has framed are then read by " +
			"the schema with which they were written, in Avro or in JSON; source.format says what is in them: json, debezium or debezium-flat. " +
			"Fields are found by their names or aliases. Other messages are read as without a registry. A registry that is away is waited for. " +
			"A schema is read once; messages whose schema the registry does not have are refused as schema_registry_framing."},
		{path: at + ".username", value: text(&g.Username), derived: "none", doc: "User name for HTTP's basic authentication."},
		{path: at + ".password", value: secret(&g.Password), derived: "none", doc: "Its password; preferably ${file:/run/secrets/...}. It is " +
			"read at the start. Never shown."},
		{path: at + ".token", value: secret(&g.Token), derived: "none", doc: "In place of both: a bearer token, read at the start. Never shown."},
		{path: at + ".ca", value: path(&g.TLS.CA), derived: "the system's", doc: "PEM file of the authorities that may sign its certificate."},
		{path: at + ".cert", value: path(&g.TLS.Cert), derived: "none", doc: "PEM file of the client's own certificate (mutual TLS)."},
		{path: at + ".key", value: path(&g.TLS.Key), derived: "none", doc: "PEM file of the key of source.registry.cert."},
		{path: at + ".may_lack", value: boolean(&g.MayLack), def: "false", doc: "A schema without a field for an attribute: its records lack " +
			"the value (schema.missing says what becomes of them). If false, the run ends there and names schema and attribute, since mostly a " +
			"producer has renamed a field."},
	}
}

// check looks at what of the block belongs together.
func (g *registrySource) check(c *Config, r *reader) {
	const at = "source.registry"
	if !r.sound(at+".url", at+".username", at+".password", at+".token") {
		return
	}
	for key, set := range map[string]bool{"username": g.Username != "", "password": g.Password.Set(), "token": g.Token.Set(),
		"ca": g.TLS.CA != "", "cert": g.TLS.Cert != "", "key": g.TLS.Key != "", "may_lack": g.MayLack} {
		if set && g.URL == "" {
			r.fault(at+"."+key, "is set, but no registry is", "add source.registry.url, or remove it")
		}
	}
	if g.URL == "" {
		return
	}
	u, err := url.Parse(g.URL)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		r.fault(at+".url", "is not an address", "write http:// or https://, a host and a port")
	case u.User != nil:
		r.fault(at+".url", "has credentials in it", "write them as username and password")
	case c.Source.Type != FromKafka:
		r.fault(at+".url", "is set, but source.type is not kafka", "remove the block: messages in files are not framed")
	case c.Source.Format == CSV:
		r.fault(at+".url", "is set, but source.format is csv", "set source.format to json, debezium or debezium-flat: what is in a message")
	case u.Scheme == "http" && (g.Password.Set() || g.Token.Set()):
		r.warn(at+".url", "begins with http: credentials are sent unencrypted", "use https")
	}
	if (g.Username != "") != g.Password.Set() || g.Token.Set() && g.Username != "" {
		r.fault(at, "has other credentials than username and password, or a token", "write one of the two")
	}
	g.TLS.Enabled = strings.HasPrefix(g.URL, "https:")
	g.TLS.check(r, at)
}

// delimiter is what stands between the fields of CSV.
func delimiter(to *byte) value {
	const all = `",", ";", tab or "|"`
	show := func(b byte) any { return strings.Trim(dialect.InWords(b), `"`) }
	return scalar[byte]{to: to, name: "one of " + all, tags: []string{"!!str"}, suggestion: inQuotes, show: show,
		form: object{{"enum", []string{",", ";", "tab", "|"}}}, parse: func(s string) (byte, error) {
			if s = strings.Replace(s, "tab", "\t", 1); len(s) == 1 && strings.Contains(",;\t|", s) {
				return s[0], nil
			}
			return 0, complain("is not one of the known values", "write one of "+all)
		}}
}

// keys are those of TLS at a place of the file.
func (t *TLS) keys(at string) []key {
	return []key{
		{path: at + ".enabled", value: boolean(&t.Enabled), def: "false",
			doc: "Encrypt connections to the brokers. Certificates are always verified."},
		{path: at + ".ca", value: path(&t.CA), derived: "the system's",
			doc: "PEM file of the authorities that may sign a broker's certificate. A running anond takes in this file, and " +
				"those of cert and key, when they change."},
		{path: at + ".cert", value: path(&t.Cert), derived: "none", doc: "PEM file of the client's own certificate (mutual TLS)."},
		{path: at + ".key", value: path(&t.Key), derived: "none", doc: "PEM file of the key of tls.cert."},
		{path: at + ".server_name", value: text(&t.ServerName), derived: "the broker's host",
			doc: "Name that a broker's certificate must have."},
	}
}

func (f *fileSource) keys() []key {
	return []key{
		{path: "source.file.path", value: path(&f.Path), derived: "none; needed for files",
			doc: "File to read, or a pattern such as in/*.ndjson. Reading of a known file resumes at its stored position."},
		{path: "source.file.follow", value: boolean(&f.Follow), def: "false",
			doc: "Wait at the end of files for more lines, and for new files, as tail -F does."},
		{path: "source.file.complete", value: boolean(&f.Complete), def: "false", doc: "Files do not grow after they appear (they are " +
			"renamed into place), so a last line without line break is a record. If false, such a line may be incomplete: it is left unread and " +
			"reported, and a later run reads it once it has its line break."},
	}
}

func checkSource(c *Config, r *reader) {
	s := &c.Source
	if s.Name == "" && r.sound("source.name") {
		s.Name = c.Dataset
		if s.Type == FromKafka && s.Kafka.Topic != "" {
			s.Name = s.Kafka.Topic
		}
	}
	if s.MaxRecordBytes < 1 && r.sound("source.max_record_bytes") {
		r.fault("source.max_record_bytes", "is 0: no record would fit", "write for instance 1MiB")
	}
	if !r.sound("source.type") {
		return
	}
	if s.Type != FromKafka && c.DeadLetter.Type != ToTopic && r.set("source.kafka") {
		r.warn("source.kafka", "is not used, because source.type is "+string(s.Type), "remove it, or set source.type to kafka")
	}
	if s.Type != FromFile && r.set("source.file") {
		r.warn("source.file", "is not used, because source.type is "+string(s.Type), "remove it, or set source.type to file")
	}
	if s.Format != CSV && r.set("source.csv") && r.sound("source.format") {
		r.warn("source.csv", "is not used, because source.format is "+string(s.Format), "remove it, or set source.format to csv")
	}
	s.CSV.Form.DecimalComma = s.CSV.decimal == ","
	if s.CSV.Form.Encoding == dialect.UTF16 && s.Format == CSV && (s.Type == FromKafka || s.Type == FromFile && s.File.Follow) {
		r.fault("source.csv.encoding", "is utf-16, which is read from files that are not followed and from standard input",
			"convert the source to UTF-8")
	}
	s.Registry.check(c, r)
	switch s.Type {
	case FromKafka:
		checkKafka(c, r)
	case FromFile:
		checkFile(c, r)
	}
	if s.Type == FromKafka || c.DeadLetter.Type == ToTopic {
		k := &s.Kafka
		k.TLS.check(r, "source.kafka.tls")
		k.SASL.check(r, "source.kafka.sasl", k.TLS.Enabled)
	}
}

func checkKafka(c *Config, r *reader) {
	k := &c.Source.Kafka
	c.needBrokers(r, "source.type is kafka")
	if k.Topic == "" && r.sound("source.kafka.topic") {
		r.fault("source.kafka.topic", "is missing, but source.type is kafka", "name the topic that holds the records")
	}
	if k.Assignment == Group && k.Group == "" && r.sound("source.kafka.group") {
		r.fault("source.kafka.group", "is missing, but assignment is group", "name a consumer group that only the members of this dataset join")
	}
}

// brokerAddress is host:port, without a protocol, and one.
func brokerAddress(to *string) value {
	bad := complain("is not the address of a broker", "write host:port, such as 127.0.0.1:9092 or [::1]:9092, each in an element of its own")
	parse := func(s string) (string, error) {
		host, port, err := net.SplitHostPort(s)
		if n, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || n == 0 || host == "" || strings.ContainsAny(host, "/, ") {
			return "", bad
		}
		return s, nil
	}
	return scalar[string]{to: to, name: "host:port", tags: []string{"!!str"}, suggestion: inQuotes, parse: parse}
}

func (c *Config) needBrokers(r *reader, why string) {
	if len(c.Source.Kafka.Brokers) == 0 && r.sound("source.kafka.brokers") {
		r.fault("source.kafka.brokers", "is missing or empty, but "+why, "write for instance [127.0.0.1:9092]")
	}
}

func checkFile(c *Config, r *reader) {
	if f := c.Source.File; f.Follow && f.Complete {
		r.warn("source.file.complete", "is true for files that are followed: a line that is still being written would be read as a record",
			"rename complete files into place, or remove this key")
	}
	p := c.Source.File.Path
	if p == "" {
		if r.sound("source.file.path") {
			r.fault("source.file.path", "is missing, but source.type is file", "name a file or a pattern such as in/*.ndjson")
		}
		return
	}
	if _, err := filepath.Match(p, "x"); err != nil {
		r.fault("source.file.path", "is not a valid pattern", "close the bracket, or write \\[ for the character itself")
	}
}

func (t *TLS) check(r *reader, at string) {
	for key, p := range map[string]string{"ca": t.CA, "cert": t.Cert, "key": t.Key, "server_name": t.ServerName} {
		if p != "" && !t.Enabled && r.sound(at+".enabled") {
			r.fault(at+"."+key, "is set, but tls is not enabled", "add enabled: true, or remove it")
			continue
		}
		if p == "" || key == "server_name" {
			continue
		}
		if _, err := r.expander.read(p); err != nil {
			r.fault(at+"."+key, "names a file that cannot be read: "+plain(err), "correct the path or its permissions")
		}
	}
	if (t.Cert == "") != (t.Key == "") && r.sound(at+".cert", at+".key") {
		r.fault(at, "has only one of cert and key", "a client certificate needs both")
	}
}
