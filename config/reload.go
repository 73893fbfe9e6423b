package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Change says when a changed value of a key takes effect.
type Change string

// The kinds of keys.
const (
	AtReload  Change = "reload"    // at a reload, and at a start
	atRestart Change = "restart"   // at a start
	NextPool  Change = "next pool" // by anond config apply, from the next pool on (level L2); not at level L1 for a dataset that has a release
	Newcomers Change = "newcomers" // by anond config apply, for people who come later (level L2, with a subject); otherwise as fixed
	Never     Change = "fixed"     // not for a dataset that has a release
)

// changes classifies every key; a test holds it complete. What a release was made under
// is fixed, or may be another for the pools after it: Digests has it. The keys of an element of a list are named as Reference does.
var changes = map[Change][]string{
	AtReload: {
		"source.max_records_per_second",
		"release.trigger.on", "release.trigger.min_interval", "release.trigger.every", "release.trigger.at", "release.trigger.time_zone",
		"release.trigger.missed", "release.max_bytes_per_second",
		"state.max_bytes",
		"release.keep.releases", "release.keep.days",
		"source.kafka.tls.ca", "source.kafka.tls.cert", "source.kafka.tls.key", "source.kafka.tls.server_name",
		"source.kafka.sasl.username", "source.kafka.sasl.password", "source.kafka.sasl.password_command",
		"source.kafka.sasl.token_file", "source.kafka.sasl.token_command", "source.kafka.sasl.token_lifetime", "source.kafka.sasl.extensions",
		"http.tls.cert", "http.tls.key", "http.tls.client_ca", "http.auth.token", "http.auth.username", "http.auth.password",
		"log.level",
	},
	atRestart: {
		"version",
		"source.type", "source.name", "source.format",
		"source.kafka.brokers", "source.kafka.topic", "source.kafka.assignment", "source.kafka.group", "source.kafka.client_id",
		"source.kafka.on_gap", "source.kafka.on_corrupt", "source.kafka.stall_after", "source.kafka.session_timeout",
		"source.kafka.tls.enabled", "source.kafka.sasl.mechanism",
		"source.registry.url", "source.registry.username", "source.registry.password", "source.registry.token", "source.registry.ca",
		"source.registry.cert", "source.registry.key", "source.registry.may_lack",
		"source.file.path", "source.file.follow", "source.file.complete",
		"shard.run", "shard.group",
		"dead_letter.type", "dead_letter.path", "dead_letter.topic", "dead_letter.payload", "dead_letter.ignore", "dead_letter.max_share",
		"schema.others",
		"schema.attributes[].max_length", "schema.attributes[].path", "subject.deletes",
		"initial.min_records", "initial.max_records", "initial.on_refusal",
		"initial.source.type", "initial.source.url", "initial.source.query", "initial.source.order_by",
		"release.dir", "release.ledger",
		"release.views", "release.views[].name", "release.views[].columns", "release.views[].cells", "release.views[].values",
		"release.views[].since", "release.views[].dir", "release.views[].ledger", "release.views[].mode",
		"state.path", "state.max_records", "state.on_full", "state.compact.min_free", "state.compact.min_share",
		"state.backup.dir", "state.backup.min_interval", "state.backup.keep", "state.backup.command",
		"state.backup.fetch",
		"encryption.key", "encryption.key_command",
		"http.listen",
		"memory.max_in_flight",
		"control.socket",
		"log.format",
	},
	NextPool: {
		"policy.k", "policy.l", "policy.diversity", "policy.min_pool", "policy.max_pool", "policy.threshold", "policy.max_hold",
		"policy.max_wait", "policy.neighbours", "policy.neighbour_dims", "policy.similar", "initial.min_pool",
		"release.recoding", "release.tables",
		// Of a quasi-identifier, of which role may be quasi or kept:
		"schema.attributes[].role",
		"schema.attributes[].steps", "schema.attributes[].weight", "schema.attributes[].range", "schema.attributes[].hierarchy",
		"schema.attributes[].promise.l", "schema.attributes[].promise.gain", "schema.attributes[].promise.caps",
		"schema.attributes[].promise.at_most", "schema.attributes[].promise.reference",
	},
	Newcomers: {
		"source.max_record_bytes", "source.csv.multiline", "source.csv.delimiter", "source.csv.encoding", "source.csv.decimal",
		"subject.repeat", "subject.max_records", "subject.settle", "subject.updates",
		"schema.missing", "schema.attributes", // further ones, behind the others
		"schema.attributes[].aliases", "schema.attributes[].missing_values", "schema.attributes[].missing",
	},
	Never: {
		"policy.level", "policy.republication", "policy.max_regroups", "dataset",
		"schema.attributes[].format", "schema.attributes[].precision",
		"schema.attributes[].name", "schema.attributes[].type",
		"schema.attributes[].text", "schema.attributes[].digits", "schema.attributes[].values", "schema.attributes[].buckets",
		"schema.attributes[].flag",
		"subject.key", "subject.ledger",
		"subject.erasure.mode", "subject.erasure.every", "subject.erasure.count",
		"shard.index", "shard.of", "shard.key", "shard.journal.topic",
		"release.window", "release.about.licence", "release.about.contact",
	},
}

// ChangeOf classifies a key; empty: nobody has.
func ChangeOf(full string) Change {
	for c, keys := range changes {
		if slices.Contains(keys, full) {
			return c
		}
	}
	if strings.HasPrefix(full, "outputs.") { // of anond-deliver: the daemon takes in any change, and does not look at it
		return AtReload
	}
	if strings.HasPrefix(full, "policy.diversity[].") {
		return NextPool
	}
	return ""
}

// Difference lists the keys in which another configuration differs from this one, in
// the order of the reference. Of what a release is made under it also names the
// attribute, and a hierarchy whose file has changed.
func (c *Config) Difference(other *Config) (keys []string) {
	mine, theirs := c.keys(), other.keys()
	for i, k := range mine {
		if !bytes.Equal(content(k.value), content(theirs[i].value)) {
			keys = append(keys, k.path)
		}
	}
	was, is := c.Digests(), other.Digests()
	var finer []string
	for _, digests := range []map[string][32]byte{was, is} {
		for k := range digests {
			if was[k] != is[k] && !slices.Contains(keys, k) && !slices.Contains(finer, k) {
				finer = append(finer, k)
			}
		}
	}
	slices.Sort(finer)
	return append(keys, finer...)
}

// content is the value of a setting, in a form that can be compared; it may be a secret.
func content(v value) []byte {
	if s, ok := v.(scalar[Secret]); ok {
		return []byte(s.to.Reveal())
	}
	text, err := json.Marshal(v.json())
	if err != nil {
		panic("config: a setting has no JSON form") // numbers are finite, the rest are texts
	}
	return text
}

// Reloadable reports whether a running daemon may take in a change of a key that
// Difference names.
func Reloadable(key string) bool { return ChangeOf(key) == AtReload }

// Again reads the files once more that secrets for brokers and of HTTP clients refer to
// (${file:...}), and returns the configuration with what these files hold now. It differs in
// nothing else: the configuration file itself is not read.
//
// Guarantee: that of Load. A file that cannot be read, or is empty, is a fault: while a secret
// is being replaced nobody may be let in without one.
func (c *Config) Again(lookup Lookup, read ReadFile) (*Config, error) {
	next := *c
	r := newReader("", c.base, lookup, read)
	for _, k := range next.keys() {
		if n := c.refer[k.path]; n != nil && ofSecrets(k.path) {
			k.value.read(r, k.path, n)
		}
	}
	if len(r.faults) > 0 {
		f := r.faults[0]
		return nil, fmt.Errorf("%s: %s", f.Key, f.Reason) // its place may not be true any more
	}
	return &next, nil
}

// ofSecrets reports whether a key is of who anond is to its brokers, or who its clients are.
func ofSecrets(key string) bool {
	return strings.HasPrefix(key, "source.kafka.sasl.") || strings.HasPrefix(key, "http.auth.")
}
