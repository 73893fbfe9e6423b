package config_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/equivclass"
)

// plainFile is valid and without a warning; each rule below breaks it in one place.
const plainFile = `version: 1
dataset: hospital
source: {type: kafka, kafka: {brokers: [b:9092], topic: in}}
dead_letter: {path: letters}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: city, role: quasi, type: categorical}
    - {name: diagnosis, role: sensitive, type: categorical}
subject: {repeat: first}
policy: {level: L1, k: 10, l: 5}
initial: {max_records: 0}
release: {dir: out}
state: {path: state.db}
log: {level: info}
`

var noPermission = map[string]bool{"locked.csv": true}

// loadChanged loads the plain file with one change. Any other file is there, and
// is a hierarchy of two values.
func loadChanged(t *testing.T, from, to string) (*config.Config, []string) {
	t.Helper()
	require.Equal(t, 1, strings.Count(plainFile, from), from)
	content := strings.Replace(plainFile, from, to, 1)
	c, warnings, err := config.Load("a.yaml", testEnvironment, func(name string) ([]byte, error) {
		switch {
		case name == "a.yaml":
			return []byte(content), nil
		case noPermission[name]:
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
		}
		return []byte("a;*\nb;*\n"), nil
	})
	var said []string
	var faults *config.Faults
	if errors.As(err, &faults) {
		for _, f := range faults.List {
			said = append(said, f.Key+": "+f.Reason)
		}
	}
	for _, w := range warnings {
		said = append(said, "warning: "+w.Key+": "+w.Reason)
	}
	return c, said
}

// TestEachRuleAlone: a single break gives a single message.
func TestEachRuleAlone(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"  attributes:\n", "  attributes:\n    - {name: __op, role: drop}\n",
			"warning: schema.attributes[0].name: is a member of flat change events: " +
				"in format json updates and deletes count as people"},
		{"version: 1", "version: 0", `version: "0" is below 1`},
		{"l: 5}", "l: 5, diversity: [{t: 1}]}", "policy.diversity[0].t: is 1, must be between 0 and 1"},
		{"l: 5}", "l: 5, diversity: [{t: 0.2, distance: ordered}]}",
			`policy.diversity[0].distance: is ordered, which does not fit attribute "diagnosis"`},
		{"l: 5}", "l: 5, diversity: [{distinct: 6, distance: equal}]}", "policy.diversity[0]: has a distance or a reference without t"},
		{"l: 5}", "l: 5, diversity: [{t: 0.2, reference: {a: 0.5}}]}", "policy.diversity[0].reference: has shares that sum to 0.5, not to 1"},
		{"l: 5}", "l: 5, diversity: [{t: 0.2, reference: {a: 0.5, '*': 0.5}}]}",
			`policy.diversity[0].reference: has "*", which is not a value of attribute "diagnosis" (value_refused)`},
		{"l: 5}", "l: 5, diversity: [{t: 0.2, reference: {a: 0.5, b: 0.5}}, {t: 0.1, reference: {a: 0.4, b: 0.6}}]}",
			"policy.diversity[1].reference: differs from that of policy.diversity[0]: an attribute has one reference"},
		{"subject: {repeat: first}", "subject: {deletes: forgive}", `subject.deletes: "forgive" is not one of the known values`},
		{"dataset: hospital", "dataset: ..", `dataset: ".." is not a valid name`},
		{"dataset: hospital", "dataset: 7", "dataset: is an integer, must be a name"},
		{"dataset: hospital", "dataset: 2024-01-01", "dataset: is a date, must be a name"},
		{"dataset: hospital", "dataset: 1.5", "dataset: is a number, must be a name"},
		{"dataset: hospital", "dataset: true", "dataset: is true or false, must be a name"},
		{"dataset: hospital", "dataset: {a: b}", "dataset: is a section, must be a name"},
		{"dataset: hospital", "dataset: [a]", "dataset: is a list, must be a name"},
		{"dataset: hospital", "dataset: !mine a", "dataset: is a value with a custom tag, must be a name"},
		{"dataset: hospital", "dataset:", "dataset: has no value"},
		{"dataset: hospital", "dataset: ${EMPTY}", "dataset: is not a valid name"},
		{"brokers: [b:9092]", "brokers: []", "source.kafka.brokers: is missing or empty, but source.type is kafka"},
		{"brokers: [b:9092]", "brokers: [b:9092, 7]", "source.kafka.brokers[1]: is an integer, must be a host:port"},
		{"brokers: [b:9092]", "brokers: ['b:9092', 'PLAINTEXT://127.0.0.1:9092']",
			`source.kafka.brokers[1]: "PLAINTEXT://127.0.0.1:9092" is not the address of a broker`},
		{"brokers: [b:9092]", "brokers: ['::1:9092']", `source.kafka.brokers[0]: "::1:9092" is not the address of a broker`},
		{"brokers: [b:9092]", "brokers: [127.0.0.1]", `source.kafka.brokers[0]: "127.0.0.1" is not the address of a broker`},
		{"brokers: [b:9092]", "brokers: ['b:kafka']", `source.kafka.brokers[0]: "b:kafka" is not the address of a broker`},
		{"brokers: [b:9092]", "brokers: ['b:9092,c:9092']", `source.kafka.brokers[0]: "b:9092,c:9092" is not the address of a broker`},
		{"brokers: [b:9092]", "brokers: [':9092']", `source.kafka.brokers[0]: ":9092" is not the address of a broker`},
		{"topic: in", "topic: in, session_timeout: 5s", `source.kafka.session_timeout: "5s" is too short`},
		{"topic: in", "topic: in, stall_after: 1 minute", `source.kafka.stall_after: "1 minute" is not a duration`},
		{"topic: in", "topic: in, tls: {enabled: true, cert: c.pem}", "source.kafka.tls: has only one of cert and key"},
		{"topic: in", "topic: in, tls: {enabled: true, ca: locked.csv}",
			"source.kafka.tls.ca: names a file that cannot be read: permission denied"},
		{"topic: in", "topic: in, tls: {server_name: x}", "source.kafka.tls.server_name: is set, but tls is not enabled"},
		{"topic: in", "topic: in, tls: {enabled: \"true\"}", "source.kafka.tls.enabled: is a text, must be true or false"},
		{"topic: in", "topic: in, tls: {enabled: \"${K}\"}", "source.kafka.tls.enabled: is neither true nor false"},
		{"topic: in", "topic: in, sasl: {username: u}", "source.kafka.sasl: has credentials, but no mechanism"},
		{"topic: in", "topic: in, sasl: {mechanism: scram-sha-256, password: p}",
			"source.kafka.sasl.username: is missing, but a mechanism is set"},
		{"topic: in", "topic: in, sasl: {mechanism: scram-sha-256, username: u}",
			"source.kafka.sasl.password: is missing, but a mechanism is set"},
		{"topic: in", "topic: in, sasl: {mechanism: scram-sha-256, username: u, password: p, password_command: [x]}",
			"source.kafka.sasl.password_command: does not belong to a password"},
		{"topic: in", "topic: in, sasl: {mechanism: scram-sha-256, username: u, password_command: ['']}",
			"source.kafka.sasl.password_command: has an empty program"},
		{"topic: in", "topic: in, sasl: {token_file: t}", "source.kafka.sasl: has a token, but no mechanism"},
		{"topic: in", "topic: in, sasl: {mechanism: scram-sha-256, token_file: t}",
			"source.kafka.sasl: has a token, but mechanism scram-sha-256"},
		{"topic: in", "topic: in, tls: {enabled: true}, sasl: {mechanism: oauthbearer}",
			"source.kafka.sasl: has mechanism oauthbearer, but neither token_file nor token_command"},
		{"topic: in", "topic: in, tls: {enabled: true}, sasl: {mechanism: oauthbearer, token_file: t, token_command: [x]}",
			"source.kafka.sasl.token_command: does not belong to a token_file"},
		{"topic: in", "topic: in, tls: {enabled: true}, sasl: {mechanism: oauthbearer, token_file: t, username: u}",
			"source.kafka.sasl: has a user name or password, but mechanism oauthbearer"},
		{"topic: in", "topic: in, tls: {enabled: true}, sasl: {mechanism: oauthbearer, token_file: t, token_lifetime: 1m}",
			"warning: source.kafka.sasl.token_lifetime: is not used: the file is read for each connection"},
		{"topic: in", "topic: in, tls: {enabled: true}, sasl: {mechanism: oauthbearer, token_file: t, extensions: [auth=x]}",
			"source.kafka.sasl.extensions[0]: \"auth=x\" is no extension"},
		{"topic: in", "topic: in, sasl: {mechanism: oauthbearer, token_command: [x]}",
			"warning: source.kafka.sasl.mechanism: is oauthbearer without TLS: the token is sent unencrypted"},
		{"topic: in", "topic: in, sasl: {mechanism: plain, username: u, password: p}",
			"warning: source.kafka.sasl.mechanism: is plain without TLS: the password is sent unencrypted"},
		{"type: kafka, kafka:", "type: kafka, max_record_bytes: 0, kafka:", "source.max_record_bytes: is 0: no record would fit"},
		{"{type: kafka, kafka: {brokers: [b:9092], topic: in}}", "{type: file}", "source.file.path: is missing, but source.type is file"},
		{"{type: kafka, kafka: {brokers: [b:9092], topic: in}}", "{type: file, file: {path: \"in[\"}}",
			"source.file.path: is not a valid pattern"},
		{"{type: kafka, kafka: {brokers: [b:9092], topic: in}}", "{type: file, file: {path: out/a.csv}}",
			"source.file.path: is inside release.dir: anond would read what it writes"},
		{"type: kafka, kafka:", "type: kafka, csv: {multiline: true}, kafka:", "warning: source.csv: is not used, because source.format is json"},
		{"{type: kafka, kafka: {brokers: [b:9092], topic: in}}", "{type: file, file: {path: in.csv, follow: true, complete: true}}",
			"warning: source.file.complete: is true for files that are followed: a line that is still being written would be read as a record"},
		{"{path: letters}", "{type: topic, topic: in}",
			"dead_letter.topic: is the topic that anond reads: each refused record would be read again"},
		{"{path: letters}", "{type: topic}", "dead_letter.topic: is missing, but dead_letter.type is topic"},
		{"{path: letters}", "{path: out/letters}",
			"dead_letter.path: is inside release.dir: dead letters are private, and release.dir is public"},
		{"{path: letters}", "{path: out}", "dead_letter.path: is inside release.dir: dead letters are private, and release.dir is public"},
		{"{path: letters}", "{path: ./x/../state.db}", "dead_letter.path: is the same path as state.path"},
		{"{path: letters}", "{path: ''}", "dead_letter.path: is an empty path"},
		{"{path: letters}", "{path: letters, max_share: 0}",
			"dead_letter.max_share: is 0: the first record that is refused would end the reading for good"},
		{"{path: letters}", "{path: \"a\\0b\"}", "dead_letter.path: has a zero byte"},
		{"{path: letters}", "{ignore: [not_a_dat]}", `dead_letter.ignore[0]: "not_a_dat" is not one of the known values`},
		{"type: kafka, kafka:", `type: kafka, format: csv, csv: {delimiter: ":"}, kafka:`,
			`source.csv.delimiter: ":" is not one of the known values`},
		{"type: kafka, kafka:", "type: kafka, format: csv, csv: {encoding: utf-16}, kafka:",
			"source.csv.encoding: is utf-16, which is read from files that are not followed and from standard input"},
		{"{type: kafka, kafka: {brokers: [b:9092], topic: in}}",
			"{type: file, format: csv, csv: {encoding: utf-16}, file: {path: a, follow: true}}",
			"source.csv.encoding: is utf-16, which is read from files that are not followed and from standard input"},
		{"type: integer", `type: integer, format: "%Y-%m-%d"`, "schema.attributes[1].format: belongs to type date, but the type is integer"},
		{"type: integer", "type: integer, precision: year", "schema.attributes[1].precision: belongs to type date, but the type is integer"},
		{"type: integer", `type: date, format: "%d.%m.%y"`,
			"schema.attributes[1].format: cannot be used: %y is not read: years of two digits do not tell the century"},
		{"type: integer", `type: date, format: "%m.%Y"`,
			"schema.attributes[1].format: cannot be used: it has no day: write %d, or set precision: month"},
		{"name: age", "name: patient", `schema.attributes[1].name: "patient" is also the name of attribute 0`},
		{"name: age", "name: ''", "schema.attributes[1].name: is empty"},
		{"name: age", "name: class", `schema.attributes[1].name: "class" is a column of every release`},
		{"name: age, role: quasi, type: integer", "name: age, role: quasi",
			"schema.attributes[1].type: is missing for an attribute of role quasi"},
		{"name: age, role: quasi", "name: age, role: subject", `schema.attributes[1].role: is subject, but so is attribute "patient"`},
		{"type: integer", "type: integer, steps: [5, 5]", "schema.attributes[1].steps: contain 5 after 5: intervals nest only if each width " +
			"is a multiple of the one before"},
		{"type: integer", "type: integer, steps: [2.5]", "schema.attributes[1].steps: contain 2.5; each must be a positive number (whole for " +
			"integer)"},
		{"type: integer", "type: integer, steps: [.inf]", `schema.attributes[1].steps[0]: ".inf" is not a number`},
		{"type: integer", "type: integer, steps: 5", "schema.attributes[1].steps: is an integer, must be a list"},
		{"type: integer", "type: date, hierarchy: h.csv",
			"schema.attributes[1].hierarchy: makes the attribute categorical, but its type is date"},
		{"city, role: quasi, type: categorical", "city, role: quasi, hierarchy: locked.csv",
			"schema.attributes[2].hierarchy: names a file that cannot be read: permission denied"},
		{"city, role: quasi", "city, role: semi", `schema.attributes[2].role: "semi" is not one of the known values`},
		{"{dir: out}", "{dir: out, recoding: lgb}", `release.recoding: "lgb" is not one of the known values`},
		{"{dir: out}", "{dir: out, recoding: slicing}", `release.recoding: "slicing" is not one of the known values`},
		{"diagnosis, role: sensitive, type: categorical", "diagnosis, role: sensitive, type: decimal, buckets: [1, 1]",
			"schema.attributes[3].buckets: do not ascend"},
		{"diagnosis, role: sensitive, type: categorical", "diagnosis, role: sensitive, type: decimal, buckets: [0, 1, 2, 3]",
			`policy.l: is 5, above the 4 values of sensitive attribute "diagnosis": no class can satisfy it`},
		{"diagnosis, role: sensitive, type: categorical", "diagnosis, role: sensitive, hierarchy: h.csv",
			`policy.l: is 5, above the 2 values of sensitive attribute "diagnosis": no class can satisfy it`},
		{"diagnosis, role: sensitive", "diagnosis, role: drop", "schema.attributes: have no role sensitive"},
		{"{path: state.db}", "{path: state.db, max_records: 9}",
			"warning: state.max_records: is 9, below the 10 records that the first release needs: anond would stop before it publishes anything"},
		{"policy: {level: L1, k: 10, l: 5}\ninitial: {max_records: 0}\nrelease: {dir: out}\nstate: {path: state.db}",
			"policy: {level: L2, k: 10, l: 5, min_pool: 60}\ninitial: {min_pool: 50}\nrelease: {dir: out}\n" +
				"state: {path: state.db, max_records: 59}",
			"warning: state.max_records: is 59, below the 60 records that the first release needs: anond would stop before it publishes anything"},
		{"patient, role: subject", "patient, role: drop", "warning: schema.attributes: have no role subject: every record counts as a person"},
		{"{repeat: first}", "{repeat: last}", `subject.repeat: "last" is not one of the known values`},
		{"l: 5}", "l: 11}", "policy.k: is 10, below l = 11: a class in which no value has more than 1/l has at least l records"},
		{"l: 5}", "l: 0}", `policy.l: "0" is below 2`},
		{"l: 5}", "l: 5.0}", "policy.l: is a number, must be an integer >= 2"},
		{"l: 5}", "l: 0x5}", `policy.l: "0x5" is not an integer in plain decimal digits`},
		{"l: 5}", "l: +5}", `policy.l: "+5" is not an integer in plain decimal digits`},
		{"k: 10,", "", "policy.k: is missing and has no default"},
		{"l: 5}", "l: 5, threshold: 0}", `policy.threshold: "0" is below 1`},
		{"l: 5}", "l: 5, max_hold: 2}", "policy.max_hold: is an integer, must be a duration or number of releases"},
		{"l: 5}", "l: 5, max_hold: -1 releases}", `policy.max_hold: "-1 releases" is not a number of releases`},
		{"l: 5}", "l: 5, max_hold: -1s}", `policy.max_hold: "-1s" is neither a duration nor a number of releases`},
		{"l: 5}", "l: 5, neighbour_dims: 3}", "policy.neighbour_dims: is 3, but there are 2 quasi-identifiers"},
		{"l: 5}", "l: 5, neighbours: 3, similar: 4}", "policy.similar: is 4, but similar classes are chosen among 3 neighbours"},
		{"l: 5}", "l: 5, diversity: {distinct: 6}}", "policy.diversity: is a section, must be a list"},
		{"l: 5}", "l: 5, diversity: [{recursive: {c: 0, l: 2}}]}", "policy.diversity[0].recursive.c: must be above 0"},
		{"l: 5}", "l: 5, diversity: [{distinct: 5}]}", "warning: policy.diversity[0].distinct: is implied by l = 5: a class in which no " +
			"value has more than 1/l has at least l different ones"},
		{"{max_records: 0}", "{max_records: 9}", "initial.max_records: is 9, below k = 10: the first load could form no class"},
		{"{dir: out}", "{dir: out, ledger: ./out/x/ledger}", "release.ledger: is inside release.dir: the ledger must survive the loss of the " +
			"releases to detect it"},
		{"{dir: out}", "{dir: letters/out}", "release.dir: is inside dead_letter.path, which is private"},
		{"{dir: out}", "{dir: out, trigger: {on: records}}", "release.trigger.every: is missing, but on is records"},
		{"{dir: out}", "{dir: out, trigger: {on: records, every: 1h}}", "release.trigger.every: does not fit on records"},
		{"{dir: out}", "{dir: out, trigger: {on: records, every: 0}}",
			`release.trigger.every: "0" is neither a positive number of records nor a duration of at least 1s`},
		{"{dir: out}", "{dir: out, trigger: {on: interval, every: \"${BROKER}\"}}",
			"release.trigger.every: is neither a positive number of records nor a duration of at least 1s"},
		{"{dir: out}", "{dir: out, trigger: {on: cron}}", "release.trigger.at: is missing, but on is cron"},
		{"{dir: out}", "{dir: out, trigger: {on: cron, at: \"@dialy\"}}", "release.trigger.at: is not a cron schedule"},
		{"{dir: out}", "{dir: out, trigger: {at: \"@daily\"}}", "release.trigger.at: does not belong to on update"},
		{"{path: state.db}", "{path: out/state.db}", "state.path: is inside release.dir: the state holds the records, and release.dir is public"},
		{"{path: state.db}", "{path: ledger}", "release.ledger: is also the state file"},
		{"{path: state.db}", "{path: state.db, max_bytes: much}", `state.max_bytes: "much" is not a size`},
		{"{level: info}", "{level: inof}", `log.level: "inof" is not one of the known values`},
		{"{level: info}", "{level: *x}", ": has an undefined alias (* and a name)"},
	} {
		t.Run(c.to, func(t *testing.T) {
			_, said := loadChanged(t, c.from, c.to)
			// A state in release.dir takes the default ledger with it.
			said = drop(said, c.to == "{path: out/state.db}", "release.ledger: is inside release.dir: the ledger must survive the loss of the "+
				"releases to detect it")
			assert.Equal(t, []string{c.want}, said)
		})
	}
}

func drop(list []string, when bool, text string) []string {
	var out []string
	for _, s := range list {
		if !when || s != text {
			out = append(out, s)
		}
	}
	return out
}

// TestJustAllowed: what lies on the good side of each bound passes silently.
func TestJustAllowed(t *testing.T) {
	for _, c := range []struct{ from, to string }{
		{"l: 5}", "l: 10}"},
		{"diagnosis, role: sensitive, type: categorical", "diagnosis, role: sensitive, type: decimal, buckets: [0, 1, 2, 3, 4]"},
		{"k: 10, l: 5", "k: 2, l: 2"},
		{"l: 5}", "l: 5, neighbour_dims: 2, neighbours: 1, max_regroups: 0, threshold: 1}"},
		{"l: 5}", "l: 5, max_hold: 0s}"},
		{"l: 5}", "l: 5, max_hold: 1 release}"},
		{"l: 5}", "l: 5, diversity: [{distinct: 6}, {recursive: {c: 0.5, l: 2}}]}"},
		{"{max_records: 0}", "{max_records: 10}"},
		{"{path: state.db}", "{path: state.db, max_records: 10}"},
		{"{dir: out}", "{dir: out, trigger: {on: interval, every: 1s}}"},
		{"{dir: out}", "{dir: out, trigger: {on: records, every: 1}}"},
		{"l: 5}\ninitial: {max_records: 0}\nrelease: {dir: out}", "l: 5, max_hold: 0s}\nrelease: {dir: out, trigger: {on: records, every: 1}}"},
		{"{dir: out}", "{dir: out, trigger: {on: cron, at: \"0 0 29 2 *\"}}"},
		{"{dir: out}", "{dir: out, trigger: {on: cron, at: \"@daily\"}}"},
		{"{dir: out}", "{dir: out, trigger: {min_interval: 0s}}"},
		{"{dir: out}", "{dir: outside}"},
		{"{dir: out}", "{dir: ..out, ledger: out/ledger}"},
		{"{path: letters}", "{path: outer}"},
		{"{level: info}", ""},
		{"type: integer", "type: decimal, steps: [0.5, 1, 10]"},
		{"city, role: quasi, type: categorical", "city, role: quasi, hierarchy: h.csv"},
		{"topic: in", "topic: in, assignment: group, group: g"},
		{"topic: in", "topic: in, tls: {enabled: true, cert: c.pem, key: k.pem}"},
	} {
		t.Run(c.to, func(t *testing.T) {
			got, said := loadChanged(t, c.from, c.to)
			assert.Empty(t, said)
			require.NotNil(t, got)
		})
	}
}

// TestHoldFollowsTheTrigger: with releases by count the default max_hold is a
// count too, so that releases do not depend on how fast records came.
func TestHoldFollowsTheTrigger(t *testing.T) {
	for trigger, want := range map[string]string{"on: update": "15m", "on: records, every: 5": "2 releases",
		"on: interval, every: 1h": "15m"} {
		c, said := loadChanged(t, "{dir: out}", "{dir: out, trigger: {"+trigger+"}}")
		require.Empty(t, said)
		assert.Equal(t, want, c.Policy.MaxHold.String(), trigger)
	}
	c, said := loadChanged(t, "l: 5}", "l: 5, max_hold: 1 release}")
	require.Empty(t, said)
	assert.Equal(t, config.Hold{Releases: 1, Counted: true}, c.Policy.MaxHold)
	assert.Equal(t, "1 release", c.Policy.MaxHold.String())
}

// TestDeclaredReferenceOfCloseness: shares become counts, and the tests say that
// their reference is declared.
func TestDeclaredReferenceOfCloseness(t *testing.T) {
	c, said := loadChanged(t, "l: 5}", "l: 5, diversity: [{t: 0.2}, {t: 0.1, distance: equal, reference: {flu: 0.75, cold: 0.25}}]}")
	require.Empty(t, said)
	assert.Equal(t, map[int][]equivclass.ValueCount{3: {{Value: "flu", Count: 3}, {Value: "cold", Count: 1}}}, c.References())
	want := []equivclass.Principle{equivclass.TClose{T: 0.2, Ground: equivclass.EqualGround{}, Declared: true},
		equivclass.TClose{T: 0.1, Ground: equivclass.EqualGround{}, Declared: true}}
	assert.Equal(t, want, c.Requirement().Extra)
}

// An unknown key is named only if it cannot be a piece of a value.
func TestUnknownKeysAreNamedOnlyIfTheyAreKeys(t *testing.T) {
	for line, want := range map[string]string{
		"colour: 1":                             "colour: is an unknown key; remove it",
		"colour:":                               "has an unknown key; remove it",
		"Colour blue: 1":                        "has an unknown key; remove it",
		"polciy: {k: 1}":                        "polciy: is an unknown key; did you mean policy?",
		"polciy:":                               "has an unknown key; did you mean policy?",
		"policy: {k: 1, k: 2}":                  "policy.k: is set twice, first on line 1",
		"dataset: ${a b}":                       "dataset: has a reference without a valid variable name",
		"source: {kafka: {sasl: {pasword: x}}}": "source.kafka.sasl: has an unknown key; did you mean source.kafka.sasl.password?",
		"source: {kafka: {sasl: {password: x, y: z}}}":     "source.kafka.sasl: has an unknown key; remove it",
		"source: {kafka: {sasl: {password: \"x${NOT}\"}}}": "source.kafka.sasl.password: has a reference that cannot be resolved",
		"source: {kafka: {sasl: {password: \"${NOT}\"}}}":  "source.kafka.sasl.password: needs the environment variable NOT, which is not set",
	} {
		_, _, err := config.Load("c.yaml", func(string) (string, bool) { return "", false },
			func(string) ([]byte, error) { return []byte(line + "\n"), nil })
		require.Error(t, err, line)
		assert.Contains(t, err.Error(), want, line)
	}
}
