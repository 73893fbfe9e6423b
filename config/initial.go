package config

import (
	"net/url"
	"slices"
	"strings"

	"anond/equivclass"
)

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
		case equivclass.Quasi, equivclass.Sensitive:
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
