package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"anond/equivclass"
	"anond/incremental/settle"
)

// deletes says what becomes of deletes of the source.
type deletes string

// The treatments of deletes.
const (
	RefuseDeletes deletes = "refuse"
	ForgetDeletes deletes = "forget"
)

// Erasure says what becomes of published rows of people who are forgotten.
type Erasure struct {
	Mode  erasureMode
	Every time.Duration
	Count int
}

type erasureMode string

// The treatments of such rows.
const (
	KeepRows        erasureMode = "keep"
	WithdrawBuckets erasureMode = "bucket"
)

// checkErasure refuses that buckets leave where nothing may (rule W).
func checkErasure(c *Config, r *reader) {
	const full = "subject.erasure.mode"
	if c.Erasure.Mode != WithdrawBuckets || !r.sound(full, "policy.level", "release.recoding") {
		return
	}
	of, all := c.byRole(r)
	switch {
	case c.Policy.Level != L2:
		r.fault(full, "is bucket, but policy.level is L1, which has no buckets", "set it to keep, or policy.level to L2")
	case c.Release.Recoding != Buckets:
		r.fault(full, fmt.Sprintf("is bucket, but release.recoding is %s", c.Release.Recoding),
			"set it to keep, or release.recoding to buckets")
	case all && len(of[equivclass.Subject]) == 0:
		r.fault(full, "is bucket, but no attribute has role subject: nobody can ask",
			"mark the field that identifies a person, or set it to keep")
	}
}

// checkDeletes refuses settings under which a state cannot forget published people.
func checkDeletes(c *Config, r *reader) {
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
	if c.Source.Type != FromKafka && c.Source.Format != debezium && c.Source.Format != debeziumFlat {
		r.warn("subject.deletes", fmt.Sprintf("has no effect: source.type %s has deletes in the formats debezium and debezium-flat only",
			c.Source.Type), "remove it")
	}
}

// updates says what becomes of updates of the source.
type updates string

// The treatments of updates.
const (
	refuseUpdates updates = "refuse"
	ApplyUpdates  updates = "apply"
)

// settling reads subject.settle.
func settling(to *settle.Rule) value {
	const such = "write a time such as 90d, a number such as 1000 records, or end"
	return scalar[settle.Rule]{to: to, name: "time, number of records or end", tags: []string{"!!str"}, suggestion: such,
		show: func(r settle.Rule) any {
			if !r.On() {
				return nil
			}
			return r.String()
		},
		parse: func(s string) (settle.Rule, error) {
			r, err := settle.Parse(inUnits(s))
			if err != nil {
				return r, complain(err.Error(), such)
			}
			return r, nil
		}}
}

// records reads subject.max_records.
func records(to *int) value {
	return scalar[int]{to: to, name: fmt.Sprintf("integer 2..%d", settle.Most), tags: []string{"!!int"}, suggestion: "write for instance 2",
		form: object{{"type", "integer"}, {"minimum", 2}, {"maximum", settle.Most}},
		show: func(n int) any {
			if n == 0 {
				return nil
			}
			return n
		},
		parse: func(s string) (int, error) {
			v, err := whole(s)
			if err == nil && (v < 2 || v > settle.Most) {
				err = complain(fmt.Sprintf("is not between 2 and %d", settle.Most), "write how many records of a person are published, or remove it")
			}
			return v, err
		}}
}

// checkSettle refuses to observe people where nobody knows whose messages come, or when, and updates where nobody is observed.
func checkSettle(c *Config, r *reader) {
	const full, updates = "subject.settle", "subject.updates"
	if !r.sound(full, updates, "policy.level", "release.recoding", "source.type", "source.format", initialAt+".type") {
		return
	}
	of, all := c.byRole(r)
	switch {
	case !c.Settle.On() || !all:
	case c.Policy.Level != L2:
		r.fault(full, "belongs to level L2, but policy.level is L1", "remove it, or set policy.level to L2")
	case len(of[equivclass.Subject]) == 0:
		r.fault(full, "needs to know whose a message is, but no attribute has role subject",
			"mark the field that identifies a person, or remove the key")
	case c.Release.Recoding != Buckets:
		r.fault(full, fmt.Sprintf("belongs to recoding buckets, but release.recoding is %s", c.Release.Recoding),
			"remove it, or set release.recoding to buckets")
	case c.Settle.End && (c.Source.Type == FromKafka || c.Source.File.Follow):
		r.fault(full, "is end, but the source goes on", "write how long people are observed, such as 90d, or 1000 records")
	case c.Settle.End && c.Shard.Set():
		r.fault(full, "is end, but a shard has no end of its own", "write how long people are observed, such as 1000 records")
	case c.Settle.Timed() && c.Source.Type != FromKafka:
		r.fault(full, fmt.Sprintf("is a time, but records of source.type %s have no time stamp", c.Source.Type),
			"write a number of messages, such as 1000 records")
	case c.Settle.Timed() && c.Initial.Source.Set():
		r.fault(full, "is a time, but the rows of initial.source have no time stamp", "write a number of messages, such as 1000 records")
	}
	feed, keyed := c.Source.Format == debezium || c.Source.Format == debeziumFlat, len(of[equivclass.RecordKey]) > 0
	switch {
	case !all:
	case c.Updates == ApplyUpdates && !c.Settle.On():
		r.fault(updates, "is apply, but nobody is observed: a correction of one person's record would tell the value",
			"set subject.settle, such as 90d, or set it to refuse")
	case c.Updates == ApplyUpdates && !feed && !keyed:
		r.fault(updates, fmt.Sprintf("is apply, but source.format %s has no updates, and no attribute has role record", c.Source.Format),
			"mark the field by which the source knows a record, or set it to refuse")
	case c.Updates == ApplyUpdates && c.Shard.Set() && c.Shard.Key == KeyIsDigest:
		r.fault(updates, "is apply, but shard.key is digest, and a topic of anond repartition does not say whom an update names",
			"set it to refuse")
	case c.Updates != ApplyUpdates && keyed:
		r.fault(fmt.Sprintf("schema.attributes[%d].role", of[equivclass.RecordKey][0]),
			"is record, but subject.updates is refuse: nobody asks for it",
			"set subject.updates to apply, or the role to drop")
	}
}

// checkHistories refuses histories where nobody is observed, or where what is published or asked for is of single values.
func checkHistories(c *Config, r *reader) {
	const full, most = "subject.repeat", "subject.max_records"
	if !r.sound(full, most, "subject.settle", "subject.updates", "policy.diversity", "release.tables") {
		return
	}
	if c.Repeat != RepeatHistory {
		if c.MaxRecords != 0 {
			r.fault(most, "is set, but subject.repeat is first: one record of a person is published", "remove it, or set subject.repeat to history")
		}
		return
	}
	c.MaxRecords = cmp.Or(c.MaxRecords, 2)
	fault := func(reason, suggestion string) { r.fault(full, "is history, but "+reason, suggestion) }
	of, all := c.byRole(r)
	switch {
	case !c.Settle.On():
		fault("nobody is observed: publishing later records by themselves would tell the first", "set subject.settle, such as 90d")
	case c.Updates == ApplyUpdates && all && len(of[equivclass.RecordKey]) == 0:
		fault("no attribute has role record, so that nobody knows which of several records an update replaces",
			"mark the field by which the source knows a record, or set subject.updates to refuse")
	case len(c.Policy.Diversity) > 0:
		fault("policy.diversity is of single values", "remove policy.diversity, or set it to first")
	case len(c.Release.Tables) > 0:
		fault("release.tables are of single values", "remove release.tables, or set it to first")
	}
	for i, a := range c.Attributes {
		refused := func(what string) {
			r.fault(fmt.Sprintf("schema.attributes[%d]", i), what+", which histories do not have yet", "remove that, or set subject.repeat to first")
		}
		switch {
		case a.Role != equivclass.Sensitive:
		case a.Values == publishedExactly:
			refused("publishes exact numbers")
		case a.Missing == equivclass.OpenMissing:
			refused("promises nothing of a missing value")
		}
	}
}

// Digests returns SHA-256 digests of the settings of a dataset, by key, which no start changes under a
// state that has decided something: dataset, schema, the content of each hierarchy, subject,
// policy, recoding. They are of effective values, so writing a default out
// changes nothing. A path is no setting: a hierarchy may move.
func (c *Config) Digests() map[string][32]byte {
	out := map[string][32]byte{}
	for _, k := range c.keys() {
		if slices.Contains([]string{"dataset", "schema.missing", "subject.repeat", "subject.max_records", "subject.settle", "subject.updates",
			"release.recoding", "release.window",
			"initial.min_pool"}, k.path) || strings.HasPrefix(k.path, "subject.erasure.") || strings.HasPrefix(k.path, "policy.") {
			out[k.path] = digestOf(k.value.json())
		}
	}
	if c.Policy.Level != L2 { // states of level L1 have no such keys, which is how a state of the other level is told
		delete(out, "policy.level")
		delete(out, "policy.min_pool")
		delete(out, "policy.max_pool")
		delete(out, "initial.min_pool")
		delete(out, "release.window")
	}
	if !c.Settle.On() { // states in which nobody settles have no such keys
		delete(out, "subject.settle")
		delete(out, "subject.updates")
	}
	if c.Repeat != RepeatHistory { // states without histories have no such key
		delete(out, "subject.max_records")
	}
	if c.Erasure.Mode == KeepRows { // states that keep have no such keys
		delete(out, "subject.erasure.mode")
		delete(out, "subject.erasure.every")
		delete(out, "subject.erasure.count")
	}
	names := make([]string, len(c.Attributes))
	for i, a := range c.Attributes {
		names[i] = a.Name
		at := fmt.Sprintf("schema.attributes[%s]", a.Name)
		out[at+".role"], out[at+".type"] = digestOf(a.Role), digestOf([]any{a.Type, a.Hierarchy != ""})
		for key, of := range map[string]struct {
			set   bool
			value any
		}{
			"digits": {a.Digits != nil, a.digits()}, "steps": {len(a.Steps) > 0, a.Steps}, "buckets": {len(a.Buckets) > 0, a.Buckets},
			"aliases": {a.Aliases == foldAliases, a.Aliases}, "range": {a.plausible() != nil, a.plausible()},
			"missing_values": {len(a.Lacking) > 0, a.Lacking}, "format": {a.Format != "", a.Format},
			"precision": {a.Precision != equivclass.Day, a.Precision}, "weight": {a.Weight != 0, a.Weight},
			"text": {a.textual() && a.Text != exactText, normalizeText},
		} {
			if of.set {
				out[at+"."+key] = digestOf(of.value)
			}
		}
	}
	out["schema.attributes"] = digestOf(names)
	maps.Copy(out, c.validity())
	maps.Copy(out, c.promised())
	for _, h := range c.Hierarchies {
		out[hierarchyKey(h.Attribute)] = sha256.Sum256(h.Content)
	}
	maps.Copy(out, c.ofShard())
	return out
}

// validity are the settings besides the schema's that decide which sensitive values are accepted, and which messages can
// be read, by key (rule S, subjects: docs/THREAT_MODEL.md, Refused for a value). Whoever arrived under others could not
// have what is accepted now. Without a subject, whose record was refused is not known, so that every one of them counts.
func (c *Config) validity() map[string][32]byte {
	out := map[string][32]byte{}
	for _, k := range c.keys() {
		named := k.path == "source.max_record_bytes" || strings.HasPrefix(k.path, "source.csv.")
		if named || k.path == "source.format" && c.schema.SubjectIndex() < 0 {
			out[k.path] = digestOf(k.value.json())
		}
	}
	for _, a := range c.Attributes {
		at := fmt.Sprintf("schema.attributes[%s]", a.Name)
		if a.Role == equivclass.Sensitive && a.textual() {
			out[at+".max_length"] = digestOf(cmp.Or(a.MaxLength, equivclass.DefaultMaxLength))
		}
		if a.Path != "" && c.schema.SubjectIndex() < 0 {
			out[at+".path"] = digestOf(a.Path)
		}
		if a.Role == equivclass.Subject || a.Role == equivclass.RecordKey {
			// In CSV all is text, in JSON a number that is an integer is its digits (ingest: integerOf).
			out[at+".form"] = digestOf([]any{a.Path, c.Source.Format == CSV})
		}
	}
	return out
}

func hierarchyKey(attribute string) string {
	return fmt.Sprintf("schema.attributes[%s].hierarchy", attribute)
}

// HierarchyKeys are the keys of Digests whose value is the digest of a hierarchy
// file, with the attribute of the schema that it belongs to. Such a file may gain
// leaves under a state.
func (c *Config) HierarchyKeys() map[string]int {
	out := map[string]int{}
	for _, h := range c.Hierarchies {
		out[hierarchyKey(h.Attribute)] = slices.IndexFunc(c.schema.Attributes(),
			func(a equivclass.Attribute) bool { return a.Name == h.Attribute })
	}
	return out
}

func digestOf(value any) [32]byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic("config: a setting has no JSON form") // numbers are finite, the rest are texts
	}
	return sha256.Sum256(text)
}
