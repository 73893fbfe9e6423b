package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"anond/equivclass"
	"anond/internal/sealed"
)

// Shard is the block `shard`: the part of a topic that this configuration reads.
type Shard struct {
	Index, Of int    // Of 0: one process reads the whole topic
	Run       []int  // the shards of a process that runs several
	Group     string // the consumer group that divides all shards among the processes in it
	// Open: the file is of several shards, and the environment does not name one: Index is the first.
	Open    bool
	Key     shardKey
	Journal journal
}

// ShardVariable is the environment variable that names one shard of a file that is of several.
const ShardVariable = "SHARD"

// ForShard is an environment that names a shard.
func ForShard(lookup Lookup, shard int) Lookup {
	return func(name string) (string, bool) {
		if name == ShardVariable {
			return strconv.Itoa(shard), true
		}
		return lookup(name)
	}
}

// Several reports whether the file is of several shards.
func (s *Shard) Several() bool { return len(s.Run) > 0 || s.Group != "" }

// Numbers are the shards that the processes of the file may run, in order.
func (s *Shard) Numbers() (out []int) {
	if s.Group == "" {
		return slices.Sorted(slices.Values(s.Run))
	}
	for i := range s.Of {
		out = append(out, i)
	}
	return out
}

// Most is how many shards one process may run at a time: with a group all, when the other processes are away.
func (s *Shard) Most() int {
	if s.Group != "" {
		return max(1, s.Of)
	}
	return max(1, len(s.Run))
}

// journal is the block `shard.journal`: where a shard writes what it decides before it acts on it.
type journal struct{ Topic string }

// Set reports whether there is one.
func (j *journal) Set() bool { return j.Topic != "" }

// Set reports whether this process is one of several.
func (s *Shard) Set() bool { return s.Of > 0 }

// shardKey says what the key of a message is in the topic of the shards.
type shardKey string

// The keys of messages.
const (
	KeyIsSubject shardKey = "subject" // the subject itself, as anond reads it
	KeyIsDigest  shardKey = "digest"  // its keyed digest: the topic is of `anond repartition`
)

func (s *Shard) keys() []key {
	return []key{
		{path: "shard.index", value: ordinal(&s.Index), derived: "none; with shard.run or shard.group the variable SHARD",
			doc: "Number of this shard, from 0 to shard.of - 1. A name that ends with a hyphen and a number counts as that number, so that " +
				"`index: ${HOSTNAME}` works in a StatefulSet. Fixed for a state."},
		{path: "shard.of", value: atLeast(0, "0 means that one process reads the whole topic", &s.Of), def: "0",
			doc: "Number of shards: processes that share the people of one topic, each with its own state and releases. Shard i reads the " +
				"partitions whose number modulo shard.of is i. 0: not sharded. shards/SCALING.md. Fixed for a state."},
		{path: "shard.run", value: list[int]{&s.Run, func(to *int) value { return atLeast(0, "shards are numbered from 0", to) }},
			derived: "none: the process runs shard.index alone", doc: "Shards that one process runs, each as if it were a process of its own: " +
				"[0, 4]. ${SHARD} in the file is the number of each. shards/SCALING.md."},
		{path: "shard.group", value: text(&s.Group), derived: "none", doc: "Consumer group, on the brokers of source.kafka, that divides all " +
			"shards among the processes that name it: each shard has one, and those of a process that dies go to the others within " +
			"source.kafka.session_timeout. Needs shard.journal and state.backup.dir. shards/TAKEOVER.md."},
		{path: "shard.key", value: oneOf(&s.Key, KeyIsSubject, KeyIsDigest), def: string(KeyIsSubject),
			doc: "What the key of each message is. subject: the person's subject, byte by byte as anond reads it. digest: the keyed digest " +
				"that `anond repartition` writes. Each record is checked. Fixed for a state."},
		{path: "shard.journal.topic", value: text(&s.Journal.Topic), derived: "none: there is no journal",
			doc: "Private topic, on the brokers of source.kafka, into which each shard writes what it decides before it acts on it: another host " +
				"then goes on from a backup of any age, and publishes the same. One partition for each shard, cleanup.policy delete, " +
				"retention.ms -1, min.insync.replicas 2. A state that has a journal keeps it. shards/SCALING.md."},
	}
}

// ordinal is a number from 0, or a name that ends with one: that of a pod in a StatefulSet.
func ordinal(to *int) value {
	const suggestion = "write a number, or ${HOSTNAME} for the number at the end of a pod's name"
	return scalar[int]{to: to, name: "integer >= 0, or a name that ends with one", tags: []string{"!!int", "!!str"}, suggestion: suggestion,
		form: object{{"type", []string{"integer", "string"}}}, parse: func(s string) (int, error) {
			n, ok := ordinalOf(s)
			if !ok {
				return 0, complain("is neither a number from 0 nor a name that ends with a hyphen and one", suggestion)
			}
			return n, nil
		}}
}

func ordinalOf(s string) (int, bool) {
	if i := strings.LastIndexByte(s, '-'); i > 0 {
		s = s[i+1:]
	}
	n, err := strconv.ParseUint(s, 10, 31)
	return int(n), err == nil && (len(s) == 1 || s[0] != '0')
}

// forOneShard reads a file of several shards as that of one: ${SHARD} is the number that the environment names, or that of the
// first. It goes before the walk, which replaces references.
func (r *reader) forOneShard(root *yaml.Node) {
	at := child(root, "shard")
	if at < 0 || root.Kind != yaml.MappingNode {
		return
	}
	run := child(root.Content[at], "run")
	if r.shards = run >= 0 || child(root.Content[at], "group") >= 0; !r.shards {
		return
	}
	if r.shard, _ = r.lookup(ShardVariable); r.shard != "" {
		return
	}
	r.open, r.shard = true, "0"
	if run >= 0 && len(root.Content[at].Content[run].Content) > 0 {
		r.shard = root.Content[at].Content[run].Content[0].Value
	}
	environment, first := r.lookup, r.shard
	r.lookup = func(name string) (string, bool) {
		if name == ShardVariable {
			return first, true
		}
		return environment(name)
	}
}

const dirKey = "release.dir"

// needDir demands a directory of the releases: only a shard has a default.
func (r *reader) needDir() {
	if !r.set(dirKey) && r.sound(dirKey) {
		r.fault(dirKey, "is missing and has no default", "directory of the releases")
	}
}

// defaultsOfShard gives the shards of one file places of their own.
func defaultsOfShard(c *Config, r *reader) {
	if !c.Shard.Set() {
		r.needDir()
		return
	}
	if r.shards && !r.set("shard.index") {
		n, ok := ordinalOf(r.shard)
		if c.Shard.Index, c.Shard.Open = n, r.open; !ok && !r.open {
			r.fault("shard.index", "is that of the variable "+ShardVariable+", which is no number from 0", "SHARD=0 anond ...")
		}
	}
	i := strconv.Itoa(c.Shard.Index)
	for key, place := range map[string]struct {
		to   *string
		path string
	}{
		dirKey:             {&c.Release.Dir, filepath.Join("releases", "shards", i)},
		"state.path":       {&c.State.Path, filepath.Join("state", "shards", i, "anond.db")},
		"dead_letter.path": {&c.DeadLetter.Path, filepath.Join("dead-letter", "shards", i)},
	} {
		if !r.set(key) && r.sound(key) {
			*place.to = within(r.base, place.path)
		}
	}
	if !r.set("initial.on_refusal") && c.Policy.Level == L2 {
		c.Initial.OnRefusal = RefusalQuarantine
	}
}

// checkShard refuses what cannot be sharded. A person has to be in one shard, which needs a
// subject, a key of its digests that all shards share, and partitions that never change hands.
func checkShard(c *Config, r *reader) {
	if !r.sound("shard.index", "shard.of", "shard.key") {
		return
	}
	if !c.Shard.Set() {
		if slices.ContainsFunc([]string{"shard.index", "shard.run", "shard.group", "shard.key", "shard.journal.topic"}, r.set) {
			r.fault("shard.of", "is missing or 0, but shard has other keys", "write the number of shards, or remove the block")
		}
		return
	}
	switch {
	case r.shards:
		checkShards(c, r)
	case !r.set("shard.index"):
		r.fault("shard.index", "is missing, but shard.of is set",
			fmt.Sprintf("write a number from 0 to %d, or shard.run, or shard.group", c.Shard.Of-1))
	case c.Shard.Index >= c.Shard.Of:
		r.fault("shard.index", fmt.Sprintf("is %d, but there are %d shards, numbered from 0", c.Shard.Index, c.Shard.Of),
			fmt.Sprintf("write a number from 0 to %d, or raise shard.of", c.Shard.Of-1))
	}
	checkShardSource(c, r)
	checkShardSubject(c, r)
	checkShardReferences(c, r)
	for i, a := range c.Attributes {
		if at := fmt.Sprintf("schema.attributes[%d]", i); a.Role.Blind() && a.Type.Numeric() && a.Range == nil && r.sound(at) {
			r.fault(at+".range", "is missing, but shard is set: each shard would measure by what it read first",
				"declare what is plausible, such as [0, 120], the same in all shards")
		}
	}
	checkJournal(c, r)
}

// checkShards refuses a process of several shards that would not know which, and a group whose shards could not be taken over.
func checkShards(c *Config, r *reader) {
	s := &c.Shard
	if r.set("shard.index") {
		r.fault("shard.index", "is set beside shard.run or shard.group", "remove it: each shard has its own number, and ${SHARD} is that")
	}
	if r.set("shard.run") && r.set("shard.group") {
		r.fault("shard.run", "is set beside shard.group, which divides all shards", "remove one of them")
		return
	}
	if !r.sound("shard.run", "shard.group", "shard.index") {
		return
	}
	if r.set("shard.run") {
		if len(s.Run) == 0 {
			r.fault("shard.run", "is empty", "write the numbers of the shards: [0, 4]")
		}
		for i, n := range s.Run {
			if n >= s.Of {
				r.fault("shard.run", fmt.Sprintf("has %d, but there are %d shards, numbered from 0", n, s.Of), "remove it, or raise shard.of")
			} else if slices.Contains(s.Run[:i], n) {
				r.fault("shard.run", fmt.Sprintf("has %d twice", n), "write each once")
			}
		}
		if !s.Open && r.sound("shard.run") && !slices.Contains(s.Run, s.Index) {
			r.fault("shard.run", fmt.Sprintf("does not have %d, which the variable %s names", s.Index, ShardVariable), "name one that it has")
		}
		return
	}
	for _, no := range []struct {
		is                 bool
		reason, suggestion string
	}{
		{s.Group == "", "is empty", "name the group, or remove the key"},
		{s.Index >= s.Of, fmt.Sprintf("has shards up to %d, and the variable %s names %d", s.Of-1, ShardVariable, s.Index), "name one of these"},
		{!s.Journal.Set(), "is set without shard.journal: nobody could take over the shards of a process that dies", "set shard.journal.topic"},
		{c.State.Backup.Dir == "", "is set without state.backup.dir: whoever takes a shard over begins with a backup",
			"set state.backup.dir to a directory that all hosts have, such as /backups/${SHARD}"},
		{s.Group == c.Source.Kafka.Group, "is also source.kafka.group, whose commits it would refuse", "name another group"},
	} {
		if no.is && r.sound("state.backup.dir", "shard.journal.topic") {
			r.fault("shard.group", no.reason, no.suggestion)
		}
	}
}

// placesOf are what each shard has for itself, by key.
func placesOf(c *Config) map[string]string {
	out := map[string]string{dirKey: c.Release.Dir, "release.ledger": c.Release.Ledger, "state.path": c.State.Path,
		"state.backup.dir": c.State.Backup.Dir, "control.socket": c.Control.Socket}
	if c.DeadLetter.Type == ToFile {
		out["dead_letter.path"] = c.DeadLetter.Path
	}
	return out
}

// checkApart refuses what two shards of a file would share.
func checkApart(c *Config, r *reader, other func(shard int) (*Config, error)) {
	second := 1
	if !c.Shard.Open || c.Shard.Most() < 2 {
		return
	}
	if len(c.Shard.Run) > 1 {
		second = c.Shard.Run[1]
	}
	o, err := other(second)
	if err != nil {
		var faults *Faults
		if errors.As(err, &faults) {
			r.faults = append(r.faults, faults.List...)
		}
		return
	}
	theirs := placesOf(o)
	for key, mine := range placesOf(c) {
		if mine != "" && mine == theirs[key] {
			r.fault(key, fmt.Sprintf("is the same for shards %d and %d", c.Shard.Index, second),
				"write ${SHARD} into it, which is the number of each")
		}
	}
}

// checkJournal refuses what a journal does not cover: who takes a shard over could not do it again.
func checkJournal(c *Config, r *reader) {
	const full = "shard.journal.topic"
	if r.set(full) && r.sound(full) && !c.Shard.Journal.Set() { // perhaps from an empty variable
		r.fault(full, "is empty", "name the topic, or remove the key")
	}
	if !c.Shard.Journal.Set() || !r.sound(full) {
		return
	}
	if c.Shard.Journal.Topic == c.Source.Kafka.Topic || c.Shard.Journal.Topic == c.DeadLetter.Topic {
		r.fault(full, "is a topic that has other messages", "name a topic of its own")
	}
	if c.State.Backup.Dir == "" {
		r.warn(full, "is set without state.backup.dir: the seed of the draws is in the state alone, and without a backup nobody can take "+
			"the shard over", "set state.backup.dir; or run anond state backup once, after the first start, and keep that file elsewhere")
	}
	for key, no := range map[string]struct {
		is                 bool
		reason, suggestion string
	}{
		"release.keep.releases":   {c.Release.Keep.Releases > 0, "removes releases", "remove it"},
		"release.keep.days":       {c.Release.Keep.Days > 0, "removes releases", "remove it"},
		"subject.erasure.mode":    {c.Erasure.Mode == WithdrawBuckets, "is bucket", "write keep"},
		"source.kafka.on_gap":     {c.Source.Kafka.OnGap == gapContinue, "is continue", "write stop"},
		"source.kafka.on_corrupt": {c.Source.Kafka.OnCorrupt == corruptSkip, "is skip", "write stop"},
	} {
		if no.is && r.sound(key) {
			r.fault(key, no.reason+", but shard.journal is set: whoever takes the shard over needs what the process before had", no.suggestion)
		}
	}
}

func checkShardSource(c *Config, r *reader) {
	if c.Source.Type != FromKafka && r.sound("source.type") {
		r.fault("source.type", fmt.Sprintf("is %s, but shard is set: shards divide the partitions of a topic", c.Source.Type),
			"write kafka, or remove shard")
	}
	if c.Source.Type == FromKafka && c.Source.Kafka.Assignment == Group && r.sound("source.kafka.assignment") {
		r.fault("source.kafka.assignment", "is group, but shard is set: the partitions of a shard never change hands",
			"write static, or remove shard")
	}
}

func checkShardSubject(c *Config, r *reader) {
	if c.schema != nil && c.schema.SubjectIndex() < 0 {
		r.fault("schema.attributes", "has no attribute of role subject, but shard is set: a person must be in one shard",
			"give the attribute that identifies a person role: subject")
	}
	if !c.SubjectSecret.Set() && r.sound("subject.key") {
		r.fault("subject.key", "is missing, but shard is set: all shards must know a person by the same digest",
			"write ${file:/run/secrets/subject.key}, the same in all shards: openssl rand -hex 32")
	}
}

// checkShardReferences demands declared references of t-closeness: what a shard publishes
// first is its own, so the shards would promise different things.
func checkShardReferences(c *Config, r *reader) {
	refuse := func(key string) {
		r.fault(key, "is missing, but shard is set: each shard would take what it publishes first",
			"declare the distribution, {value: share, ...}, the same in all shards")
	}
	declared := c.declared() != nil
	for i, d := range c.Policy.Diversity {
		if at := fmt.Sprintf("policy.diversity[%d]", i); d.T > 0 && !declared && r.sound(at, at+".t", at+".reference") {
			refuse(at + ".reference")
		}
	}
}

// SubjectKey is the key of the digests of subjects; the zero Key: one of the state's seed.
func (c *Config) SubjectKey() sealed.Key {
	if !c.SubjectSecret.Set() {
		return sealed.Key{}
	}
	k, err := sealed.ParseKey(c.SubjectSecret.Reveal())
	if err != nil {
		panic("config: subject.key was not checked")
	}
	return k
}

func checkSubjectKey(c *Config, r *reader) {
	const full = "subject.key"
	if !r.sound(full) || !c.SubjectSecret.Set() {
		return
	}
	if _, err := sealed.ParseKey(c.SubjectSecret.Reveal()); err != nil {
		r.fault(full, "is no key of 32 bytes", "write 64 hexadecimal digits: openssl rand -hex 32")
	}
}

// checkSubjectLedger refuses a ledger of subjects where people have no digest that others share.
func checkSubjectLedger(c *Config, r *reader) {
	const full = "subject.ledger"
	if !r.sound(full) || c.SubjectLedger == "" {
		return
	}
	if of, all := c.byRole(r); all && len(of[equivclass.Subject]) == 0 {
		r.fault(full, "is set, but no attribute has role subject: nobody is known by it", "mark the field that identifies a person")
	}
	if !c.SubjectSecret.Set() && r.sound("subject.key") {
		r.fault("subject.key", "is missing, but subject.ledger is set: all its datasets must know a person by the same digest",
			"write ${file:/run/secrets/subject.key}, the same in all datasets: openssl rand -hex 32")
	}
	if c.Shard.Set() {
		r.fault(full, "does not belong to shard: shards run on several hosts, and the ledger is a directory of one",
			"remove one of them")
	}
	if c.Source.Type == FromKafka && c.Source.Kafka.Assignment == Group && r.sound("source.kafka.assignment") {
		r.fault(full, "does not belong to source.kafka.assignment group, whose members run on several hosts with states of their own",
			"write static, or remove it")
	}
}

// ofShard are the digests of what binds records to their place, as no other record could take their place. A state without shard,
// subject.key and subject.ledger knows no such keys.
func (c *Config) ofShard() map[string][32]byte {
	out := map[string][32]byte{}
	if c.Shard.Set() {
		out["shard.index"], out["shard.of"], out["shard.key"] = digestOf(c.Shard.Index), digestOf(c.Shard.Of), digestOf(c.Shard.Key)
	}
	if k := c.SubjectKey(); k.Set() {
		out["subject.key"] = digestOf(k.ID())
	}
	if c.SubjectLedger != "" { // which one it is, the state knows by what it has seen of it
		out["subject.ledger"] = digestOf(true)
	}
	return out
}
