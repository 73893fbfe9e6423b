package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"anond/equivclass"
)

// Level says whom releases are safe against (docs/THREAT_MODEL.md).
type Level string

// The levels.
const (
	// L2: also someone who reads this program. Values stand in buckets of whole
	// classes (rule B, buckets).
	L2 Level = "L2"
	// L1: someone who does not. The value stands in the row of its class.
	L1 Level = "L1"
)

// defaultLevel is the level of a configuration that names none.
const defaultLevel = L2

// OnRefusal says what becomes of a first pool at level L2 that is refused.
type OnRefusal string

// What may become of it.
const (
	RefusalStop       OnRefusal = "stop"
	RefusalQuarantine OnRefusal = "quarantine"
	RefusalGrow       OnRefusal = "grow"
)

// Meaning says in two sentences what the level means: for the files, and against
// whom it is safe.
func (l Level) Meaning() [2]string {
	if l == L2 {
		return [2]string{
			"Who shares a class follows from quasi-identifiers alone, and sensitive values are published per bucket of whole classes.",
			"This is safe also against someone who reads this program."}
	}
	return [2]string{
		"The sensitive value stands in the row of its class, which some analyses need.",
		"This is not safe against someone who reads this program: on UCI Adult they were told the values of 1 to 3 % of the people with a " +
			"probability above .9."}
}

// defaultsOfLevel sets the defaults that follow from the level.
func defaultsOfLevel(c *Config, r *reader) {
	at2 := c.Policy.Level == L2
	if !r.set("policy.republication") {
		c.Policy.Republication = levelled(at2, Append, Regroup)
	}
	if !r.set("release.recoding") {
		c.Release.Recoding = levelled(at2, Buckets, Generalization)
	}
}

func levelled[T any](at2 bool, l2, l1 T) T {
	if at2 {
		return l2
	}
	return l1
}

// checkLevel refuses what does not belong to the level. A level that could not be
// read refuses nothing.
func checkLevel(c *Config, r *reader) {
	switch {
	case !r.sound("policy.level"):
	case c.Policy.Level == L2:
		checkL2(c, r)
	default:
		checkL1(c, r)
	}
}

// useL1 is the way out that all refusals of level L2 share.
const useL1 = "; or set policy.level to L1"

// checkL2 refuses what rule B (buckets) excludes.
func checkL2(c *Config, r *reader) {
	refuse := func(key string, when bool, reason, suggestion string) {
		if when && r.set(key) && r.sound(key) {
			r.fault(key, reason, suggestion)
		}
	}
	refuse("policy.republication", c.Policy.Republication == Regroup,
		"is regroup, but policy.level is L2: its classes and buckets never change", "write append, or remove the key"+useL1)
	rec := c.Release.Recoding
	refuse("release.recoding", rec != Buckets && rec != Anatomy && rec != Permutation,
		fmt.Sprintf("is %s, but policy.level is L2: values are published per bucket of whole classes", rec),
		"write buckets, anatomy or permutation"+useL1)
	refuse("initial.min_records", true, "belongs to level L1, but policy.level is L2: there initial.min_pool is the least number of people "+
		"of the first pool", "write initial.min_pool instead"+useL1)
	if r.set("policy.max_regroups") && r.sound("policy.max_regroups") {
		r.warn("policy.max_regroups", "is not used, because policy.level is L2", "remove it")
	}
	c.Policy.MaxRegroups = 0
	checkPool(c, r)
}

// checkPool sets the sizes of pools, and checks them and the end of the first one against what it must hold.
func checkPool(c *Config, r *reader) {
	if !r.sound("policy.k", "policy.l", "policy.min_pool", "policy.max_pool", "initial.min_pool", "initial.max_records") {
		return
	}
	least := c.Policy.K * max(1, c.largestL())
	if !r.set("initial.min_pool") {
		c.Initial.MinPool = max(1000, 20*least)
	} else if c.Initial.MinPool < least {
		r.fault("initial.min_pool", fmt.Sprintf("is %d, below k*l = %d: fewer people may have no value in more than 1/l of them and still form "+
			"no bucket", c.Initial.MinPool, least), fmt.Sprintf("raise it to %d or more", least))
	}
	need := max(c.Policy.MinPool, c.Initial.MinPool, least)
	if n := c.Initial.MaxRecords; n > 0 && n < need {
		r.fault("initial.max_records", fmt.Sprintf("is %d, below the %d people that the first pool needs: initial.min_pool, policy.min_pool, "+
			"and at least k times l", n, need), "raise it, or lower initial.min_pool, or write 0 for everything in the source at the first start")
	}
	if c.Policy.MaxPool == 0 {
		c.Policy.MaxPool = max(20*c.Initial.MinPool, c.Policy.MinPool)
	} else if c.Policy.MaxPool < need {
		r.fault("policy.max_pool", fmt.Sprintf("is %d, below the %d people that the first pool needs: initial.min_pool, policy.min_pool, and at "+
			"least k times l", c.Policy.MaxPool, need), "raise it")
	}
	checkRecords(c, r, need)
}

// checkRecords warns if state.max_records ends anond before anything can be published.
func checkRecords(c *Config, r *reader, need int) {
	if n := c.State.MaxRecords; n > 0 && n < need && r.sound("state.max_records") {
		r.warn("state.max_records", fmt.Sprintf("is %d, below the %d records that the first release needs: anond would stop before it "+
			"publishes anything", n, need), "raise it, or write 0 for no limit")
	}
}

// checkL1 refuses what only level L2 has, and a first load that cannot end.
func checkL1(c *Config, r *reader) {
	refuse := func(key, reason, suggestion string) {
		if r.set(key) && r.sound(key) {
			r.fault(key, reason, suggestion)
		}
	}
	if c.Release.Recoding == Buckets {
		refuse("release.recoding", "is buckets, but policy.level is L1: buckets of whole classes belong to level L2",
			"write generalization, or remove the key; or set policy.level to L2")
	}
	refuse("policy.min_pool", "belongs to level L2, but policy.level is L1",
		"remove it, or write initial.min_records for the least number of records of release 1; or set policy.level to L2")
	refuse("policy.max_pool", "belongs to level L2, but policy.level is L1", "remove it; or set policy.level to L2")
	refuse("initial.min_pool", "belongs to level L2, but policy.level is L1",
		"write initial.min_records for the least number of records of release 1; or set policy.level to L2")
	refuse("initial.on_refusal", "belongs to level L2, but policy.level is L1: there a refused first load takes in the records that follow",
		"remove it; or set policy.level to L2")
	if lo, hi := c.Initial.MinRecords, c.Initial.MaxRecords; hi > 0 && lo > hi && r.sound("initial.min_records", "initial.max_records") {
		r.fault("initial.min_records", fmt.Sprintf("is %d, above initial.max_records = %d: the first load would end before it may be "+
			"partitioned", lo, hi), "lower it, or raise max_records")
	}
	if n := c.Initial.MaxRecords; n > 0 && n < c.Policy.K && r.sound("policy.k", "initial.max_records") {
		r.fault("initial.max_records", fmt.Sprintf("is %d, below k = %d: the first load could form no class", n, c.Policy.K),
			"raise it, or write 0 for everything in the source at the first start")
	}
	if r.sound("policy.k", "initial.min_records") {
		checkRecords(c, r, max(c.Policy.K, c.Initial.MinRecords))
	}
}

// checkReachable refuses a promise that no class can keep, if the configuration
// alone shows it: the sensitive attribute has a known number of values (buckets,
// or leaves of its hierarchy), and a test needs more. Whether the data reach it is
// known only at the first load (rule I, infeasible).
func checkReachable(c *Config, r *reader) {
	at, values, known := c.sensitiveValues(r)
	if !known {
		return
	}
	refuse := func(key string, wanted float64) {
		if r.sound(key) && wanted > float64(values) {
			r.fault(key, fmt.Sprintf("is %g, above the %s of sensitive attribute %q: no class can satisfy it", wanted, countOf(values, "value"),
				c.Attributes[at].Name),
				fmt.Sprintf("write %d or less, or distinguish more values", values))
		}
	}
	refuse("policy.l", float64(c.Policy.L))
	for i, d := range c.Policy.Diversity {
		key := fmt.Sprintf("policy.diversity[%d]", i)
		refuse(key+".distinct", float64(d.Distinct))
		refuse(key+".entropy", d.Entropy)
		refuse(key+".recursive.l", float64(d.Recursive.L))
	}
}

// sensitiveValues returns the index of the sensitive attribute and the number
// of its values, if the configuration fixes it.
func (c *Config) sensitiveValues(r *reader) (at, values int, known bool) {
	of, _ := c.byRole(r)
	if len(of[equivclass.Sensitive]) != 1 {
		return 0, 0, false
	}
	at = of[equivclass.Sensitive][0]
	a := c.Attributes[at]
	if tree := c.trees[a.Hierarchy]; tree != nil && a.Type == equivclass.Categorical {
		return at, tree.Leaves(), true
	}
	sound := r.sound(fmt.Sprintf("schema.attributes[%d].buckets", at))
	return at, len(a.Buckets), sound && len(a.Buckets) > 0 && a.Type.Numeric()
}

func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// initial is the block `initial`.
type initial struct {
	MinPool    int       // L2: people of the first pool, at least
	MinRecords int       // L1: with fewer records, release 1 waits
	MaxRecords int       // 0: what the source holds at the first start
	OnRefusal  OnRefusal // L2
	Source     initialSource
}

// initialSource is the block `initial.source`: a table that is read once, before the source.
type initialSource struct {
	Type           initialType
	URL            Secret
	Query, OrderBy string
}

// initialType says what is read before the source.
type initialType string

const (
	fromNothing  initialType = "none"
	fromPostgres initialType = "postgres"
)

// Set reports whether something is read before the source.
func (s *initialSource) Set() bool { return s.Type == fromPostgres }

const initialAt = "initial.source"

func (i *initial) keys() []key {
	return slices.Concat([]key{
		{path: "initial.min_pool", value: atLeast(1, "a pool of nobody publishes nothing", &i.MinPool), derived: "20 * k*l, at least 1000",
			doc: "With level L2: least number of people of the first pool, any number from k*l on. Until so many are there, nothing is " +
				"published. What a small first pool publishes tells too little about how large the next one has to be, and it is refused by " +
				"chance more often. `anond config check --data FILE` computes a number from records of other people."},
		{path: "initial.min_records", value: atLeast(0, "0 means policy.k", &i.MinRecords), def: "0", doc: "With level L1: " +
			"least number of records for release 1. With fewer at the end of the source, the records wait for the next run. 0: `policy.k`. " +
			"At level L2 it is `initial.min_pool`."},
		{path: "initial.max_records", value: atLeast(0, "0 means everything in the source at the first start", &i.MaxRecords), def: "0",
			doc: "Upper bound of the first load (`initial.min_records`, at level L2 `initial.min_pool`, is the lower one). The first load ends " +
				"once this number of records is read, refused ones included, or earlier at the end that the source had at the first start. 0: only " +
				"at that end."},
		{path: "initial.on_refusal", value: oneOf(&i.OnRefusal, RefusalStop, RefusalQuarantine, RefusalGrow), def: "stop",
			derived: "`stop`; for a shard `quarantine`",
			doc: "With level L2: what becomes of a first pool in which one value has more than 1/l. stop: exit 3; the pool stays, and the " +
				"next start may ask for a lower l. quarantine: none of it is ever published, and the next pool is the first. grow: it takes in the " +
				"records that follow, and releases then reach level L1 only. It may change at any time before release 1."},
	}, i.Source.keys())
}

func (s *initialSource) keys() []key {
	return []key{
		{path: initialAt + ".type", value: oneOf(&s.Type, fromNothing, fromPostgres), def: string(fromNothing), doc: "postgres: the rows " +
			"of a query are read once, before `source`, which must be there by then. The schema needs a subject: whoever is in the table and " +
			"later in the source is one person. [FEEDS.md](FEEDS.md#a-table-first)."},
		{path: initialAt + ".url", value: secret(&s.URL), derived: "none; needed for postgres", doc: "Connection, as libpq takes it: " +
			"postgres://anond@db.example.org/his?sslmode=verify-full, or host=... user=... Preferably ${file:/run/secrets/...}. Never shown."},
		{path: initialAt + ".query", value: text(&s.Query), derived: "none; needed for postgres", doc: "SELECT whose rows are the records. Its " +
			"columns have the names and forms that attributes have in the records of the source; others are left out. It runs in a transaction " +
			"that only reads."},
		{path: initialAt + ".order_by", value: text(&s.OrderBy), derived: "none; needed for postgres", doc: "Column of the query by whose " +
			"value a restart goes on: smallint, integer or bigint, not negative, unique, never NULL, such as a primary key. Dead letters and " +
			"exports name rows by it, so it should not be a number by which others know the person. It must not follow from a sensitive value."},
	}
}

// check looks at what of the block belongs together.
func (s *initialSource) check(c *Config, r *reader) {
	keys := map[string]bool{"url": s.URL.Set(), "query": strings.TrimSpace(s.Query) != "", "order_by": s.OrderBy != ""}
	if !r.sound(initialAt+".type", initialAt+".url", initialAt+".query", initialAt+".order_by") {
		return
	}
	for _, key := range []string{"url", "query", "order_by"} {
		switch at := initialAt + "." + key; {
		case !s.Set() && keys[key]:
			r.fault(at, "is set, but initial.source.type is none", "set initial.source.type to postgres, or remove the block")
		case s.Set() && !keys[key]:
			r.fault(at, "is missing, but initial.source.type is postgres", "write url, query and order_by")
		}
	}
	if !s.Set() {
		return
	}
	if c.Shard.Set() {
		r.fault(initialAt, "is set, but shard is, too: no key of a message says which shard a row belongs to",
			"write the rows to the topic before its other messages, with the person as key")
	}
	if c.Source.Format == CSV && r.sound("source.format") {
		r.fault(initialAt, "is set, but source.format is csv: rows are JSON", "set source.format to json, debezium or debezium-flat")
	}
	if strings.HasSuffix(strings.TrimSpace(s.Query), ";") {
		r.fault(initialAt+".query", "ends with a semicolon, and is a part of a statement", "remove the semicolon")
	}
	if strings.ContainsRune(s.Query+s.OrderBy, 0) {
		r.fault(initialAt+".query", "has a character that no statement has", "remove it")
	}
	subject := false
	for _, a := range c.Attributes {
		subject = subject || a.Role == equivclass.Subject
		if column := strings.TrimPrefix(a.Path, "/"); a.Name != s.OrderBy && column != s.OrderBy {
			continue
		}
		switch a.Role {
		case equivclass.Quasi, equivclass.Kept, equivclass.Sensitive:
			r.fault(initialAt+".order_by", "is attribute "+a.Name+": dead letters would show its values, and who shares a class could follow "+
				"from them", "name a number of the row, such as the primary key")
		case equivclass.Subject:
			r.warn(initialAt+".order_by", "is the subject: dead letters and exports of the state show it",
				"name another number of the row, if there is one")
		}
	}
	if !subject && r.sound("schema.attributes") {
		r.fault(initialAt, "is set, but the schema has no subject: people who are in the table and in the source would be published twice",
			"add an attribute of role subject")
	}
	if u, err := url.Parse(s.URL.Reveal()); err == nil && u.Host != "" && u.Query().Get("sslmode") != "verify-full" &&
		!slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname()) {
		r.warn(initialAt+".url", "does not have sslmode=verify-full: rows may be sent unencrypted, or come from somebody else",
			"add ?sslmode=verify-full, and sslrootcert=... if the authority is your own")
	}
}
