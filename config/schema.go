package config

import (
	"fmt"

	"anond/equivclass"
	"anond/ingest/dialect"
	"time"
)

// attributeSettings is one element of `schema.attributes`.
type attributeSettings struct {
	Name      string
	Role      equivclass.Role
	Type      equivclass.Type
	Path      string // where it lies in JSON, as a JSON Pointer; "": in the member of its name
	Hierarchy string // path of its hierarchy file; "": none
	Digits    *int   // of a decimal; nil: the default
	Format    string // of a date; "": YYYY-MM-DD
	Precision equivclass.Precision
	Range     []string
	Lacking   []string // missing_values
	Steps     []float64
	Weight    float64 // of a quasi-identifier; 0: the default
	Buckets   []float64
	Promise   promiseSettings
	Values    exactValues
	Missing   equivclass.Missing // of a sensitive attribute; "": that of the schema
	Text      textForm
	Aliases   aliasForm
	MaxLength int64 // of a text in bytes; 0: the default
}

// others says what becomes of columns that are no attribute.
type others string

// The treatments of such columns.
const (
	refuseOthers others = "refuse"
	DropOthers   others = "drop"
)

// day is the precision of dates that are not cut, which the schema calls equivclass.Day.
const day equivclass.Precision = "day"

// schemaKeys is the table of the blocks `schema` and `subject`.
func (c *Config) schemaKeys() []key {
	return []key{
		{path: "schema.attributes", value: objects[attributeSettings]{&c.Attributes, (*attributeSettings).keys}, required: true,
			doc: "The attributes of a record, in the order of the columns of releases. Members of a JSON object that are not listed are " +
				"ignored; all columns of a CSV file must be listed, unless others is drop."},
		{path: "schema.others", value: oneOf(&c.Others, refuseOthers, DropOthers), def: "refuse", doc: "What to do with columns of a CSV file " +
			"that are no attribute: refuse ends the run and names them, drop passes over them, as role drop does."},
		{path: "schema.missing", value: oneOf(&c.Missing, equivclass.RefuseMissing, equivclass.MissingValue), def: "refuse",
			doc: "What to do with a record whose value is missing or consists of white space: refuse makes it a dead letter; value " +
				"makes it a value of its own, which releases show as ?. A sensitive number is refused in any case."},
		{path: "subject.repeat", value: oneOf(&c.Repeat, repeatFirst, RepeatHistory), def: "first", doc: "What to do with further records of " +
			"a person. first: the first is published, and later ones are counted as beyond. history, with subject.settle: those that come while " +
			"the person is observed are published together, as one sequence of values, and a person counts at each value that it has anywhere: " +
			"docs/FEEDS.md."},
		{path: "subject.max_records", value: records(&c.MaxRecords), derived: "2; with repeat: history",
			doc: "With repeat history: how many records of a person are published at most, in the order of their arrival. Later ones are not " +
				"looked at. The more, the larger the share of people who ever have a value."},
		{path: "subject.key", value: secret(&c.SubjectSecret), derived: "none: a key of the state's seed",
			doc: "Key of the digests by which people are known, 32 random bytes as 64 hexadecimal digits or in base64 " +
				"(`openssl rand -hex 32`); preferably ${file:/run/secrets/...} or ${VAR}. Never shown, stored nowhere. Shards need it, the " +
				"same for all of them, and so does `anond repartition`. Fixed for a state."},
		{path: "subject.ledger", value: path(&c.SubjectLedger), derived: "none: the dataset shares its people with no other",
			doc: "Private directory, shared by all datasets of an owner on one host that may have the same people: each person belongs to the " +
				"dataset at which the first record arrives, for good, and others count what the person sends as elsewhere. All of them need one " +
				"subject.key, and join before their first record. Digests only. Fixed for a state; the directory may move. docs/DURABLE.md."},
		{path: "subject.deletes", value: oneOf(&c.Deletes, RefuseDeletes, ForgetDeletes), def: "refuse", doc: "What to do with a tombstone, " +
			"and with op d of Debezium. refuse: it is a dead letter (unsupported_operation), unless dead_letter.ignore has it. forget: the " +
			"person that it names is forgotten, as by anond forget, and stays blocked: docs/FEEDS.md. Whom the feed deletes must not follow " +
			"from the sensitive value."},
		{path: "subject.settle", value: settling(&c.Settle), derived: "none: the first record is taken as it comes", doc: "With level L2 and " +
			"a subject: how long each person is observed, from the first message on, before the record is published: a time of the log (Kafka's " +
			"time stamps) such as 90d or 1d12h; a number of messages read, such as 1000 records; or end, where the source ends: all are " +
			"observed up to there, and nothing is claimed where it depends on a value how many records a person has. Corrections that come " +
			"meanwhile are applied (`updates`); what comes later is beyond: docs/FEEDS.md."},
		{path: "subject.updates", value: oneOf(&c.Updates, refuseUpdates, ApplyUpdates), def: "refuse",
			doc: "What to do with an update: op u of " +
				"Debezium, and in other formats a record whose key (role record) the person has sent before. refuse: it is a dead letter " +
				"(unsupported_operation), unless dead_letter.ignore has it. apply, with subject.settle: it replaces the record while the person is " +
				"observed."},
		{path: "subject.erasure.mode", value: oneOf(&c.Erasure.Mode, KeepRows, WithdrawBuckets), def: "keep", doc: "What becomes of a " +
			"published row of a person who is forgotten. keep: it stays, without owner. bucket, with level L2, recoding buckets and a subject: " +
			"the whole bucket leaves later releases, rows and values, with the first release of a period (`every`); who else " +
			"was in it is not published again. It takes nothing back that was published. Fixed with release 1."},
		{path: "subject.erasure.every", value: duration(&c.Erasure.Every, time.Second), def: "720h", doc: "With mode bucket: the period, " +
			"counted from 1970 in UTC. A release is made for it if somebody leaves. Law asks for a month at most."},
		{path: "subject.erasure.count", value: atLeast(1, "a bucket without a request stays", &c.Erasure.Count), def: "1", doc: "With mode " +
			"bucket: a bucket leaves when so many of its people have asked."},
	}
}

func (a *attributeSettings) keys() []key {
	return append([]key{
		{path: "name", value: text(&a.Name), required: true, doc: "Name of the field or column."},
		{path: "role", value: oneOf(&a.Role, equivclass.Identifier, equivclass.Subject, equivclass.RecordKey, equivclass.Quasi,
			equivclass.Kept, equivclass.Sensitive, equivclass.Drop), required: true,
			doc: "What an adversary may know. identifier: names a person, never stored. " +
				"subject: identifies the person, so that records of one person are linked. record: what the source knows the record by, so that a " +
				"later message about it is an update (subject.updates). quasi: may be known, published generalized. kept: " +
				"a quasi-identifier that is read and stored, and not published; from quasi to kept and back a role changes by anond config " +
				"apply, others never. sensitive: a value to protect; one attribute, or at level L2 several. drop: ignored."},
		{path: "type", value: oneOf(&a.Type, equivclass.Integer, equivclass.Decimal, equivclass.Date, equivclass.Categorical),
			derived: "none; categorical with a hierarchy",
			doc:     "Type of the values; dates are YYYY-MM-DD, unless format says otherwise. Needed for quasi, kept and sensitive."},
		{path: "format", value: text(&a.Format), derived: "YYYY-MM-DD", doc: "How records write a date: a layout of strftime, such as " +
			"%d.%m.%Y or %Y-%m-%d %H:%M:%S (letters Y m d b B H I M S f p z T F); datetime, a time stamp of ISO 8601; or epoch_seconds, " +
			"epoch_millis, epoch_micros, counts since 1970. A time of day is cut off: the date is the one that is written, of a count the one " +
			"in UTC."},
		{path: "precision", value: oneOf(&a.Precision, day, equivclass.Month, equivclass.Year), derived: "day",
			doc: "How exact dates are. month and year accept dates that are no more exact than that, as FHIR writes them (1987-05, 1987). " +
				"All dates are cut to it, and " +
				"stand for their month or year by its first day."},
		{path: "digits", value: digits(&a.Digits), derived: "4 for type decimal", doc: "Digits behind the point that a decimal has at " +
			"most. One with more, or beyond 10^15 units of the last digit, is refused as value_out_of_range."},
		{path: "range", value: list[string]{&a.Range, literal}, derived: "none", doc: "The least and the largest plausible value of a number " +
			"or date, such as [0, 120]. Others are refused as implausible. Loss and distances are measured by it, without one by the quantiles " +
			"of .5 and 99.5 % of the first load; so each numeric quasi-identifier of a shard needs one."},
		{path: "missing_values", value: list[string]{&a.Lacking, literal}, derived: "none", doc: "Values that stand for a missing one, such as " +
			"[N/A, unknown, 9999-12-31]; numbers in any way of writing. What becomes of them says schema.missing."},
		{path: "path", value: text(&a.Path), derived: "none; the member of its name", doc: "Where the value lies in a JSON object or in " +
			"the `after` of a Debezium event, as a JSON Pointer (RFC 6901): /code/coding/0/code. Where there is nothing at the path, the value " +
			"is missing."},
		{path: "hierarchy", value: path(&a.Hierarchy), derived: "none", doc: "File that generalizes a categorical attribute, one line per " +
			"value: leaf;level1;...;* (the format of ARX). Without it, a cell is the set of its values. The file may gain leaves later, but " +
			"each leaf must keep its whole path: docs/RUN.md."},
		{path: "steps", value: list[float64]{&a.Steps, number}, derived: "none", doc: "Widths of aligned intervals to which a numeric " +
			"quasi-identifier is generalized, each a multiple of the one before. Without them, a cell is the exact range."},
		{path: "weight", value: weight(&a.Weight), derived: "1", doc: "What differences of a quasi-identifier count for when classes are " +
			"formed, from 0.001 to 1. One that few views show may have less: the others keep narrower cells, and so do the views " +
			"(docs/CHOOSING.md). Public: it is in the manifest."},
		{path: "buckets", value: list[float64]{&a.Buckets, number}, derived: "none",
			doc: "Lower bounds of the intervals that make a numeric sensitive attribute categorical, ascending."},
	}, append(a.promiseKeys(), a.textKeys()...)...)
}

// attributeFault reports a fault of the attribute at an index.
type attributeFault func(key, reason, suggestion string)

// checkSchema checks the attributes where they stand, reads their hierarchies
// and builds the schema. equivclass.NewSchema has the last word: what it refuses
// and the checks here missed is reported too.
func checkSchema(c *Config, r *reader) {
	for i := range c.Attributes {
		checkAttribute(c, r, i)
	}
	checkRoles(c, r)
	checkPointers(c, r)
	c.trees = c.loadHierarchies(r)
	if len(r.faults) > 0 {
		return
	}
	attributes := make([]equivclass.Attribute, len(c.Attributes))
	for i, a := range c.Attributes {
		attributes[i] = equivclass.Attribute{Name: a.Name, Role: a.Role, Type: a.Type, Digits: a.digits(), Hierarchy: c.trees[a.Hierarchy],
			Text: a.textRule()}
		attributes[i].MissingValues, attributes[i].Range = a.Lacking, a.plausible()
		attributes[i].Weight = a.Weight
		attributes[i].Steps, _ = a.units(a.Steps)
		attributes[i].Buckets, _ = a.units(a.Buckets)
		if a.Role == equivclass.Sensitive {
			attributes[i].Exact, attributes[i].Missing = a.Values == publishedExactly, a.Missing
		}
		if attributes[i].Precision = a.Precision; !stored(a.Role) {
			attributes[i].Precision = equivclass.Day
			attributes[i].Hierarchy, attributes[i].MissingValues, attributes[i].Range = nil, nil, nil
		}
	}
	schema, err := equivclass.NewSchema(attributes, c.Missing)
	if err != nil {
		for _, e := range split(err) {
			r.fault("schema.attributes", e.Error(), "")
		}
		return
	}
	c.schema = schema
}

// stored reports the roles whose values the state has, all but kept to be published.
func stored(role equivclass.Role) bool { return role.Blind() || role == equivclass.Sensitive }

func checkAttribute(c *Config, r *reader, i int) {
	a := &c.Attributes[i]
	at := fmt.Sprintf("schema.attributes[%d]", i)
	if !r.sound(at, at+".name", at+".role", at+".type", at+".hierarchy", at+".digits", at+".range", at+".steps", at+".buckets") {
		return
	}
	fault := func(key, reason, suggestion string) { r.fault(join(at, key), reason, suggestion) }
	for j, b := range c.Attributes[:i] {
		if b.Name == a.Name {
			fault("name", fmt.Sprintf("%q is also the name of attribute %d", a.Name, j), "give each attribute one element")
			break
		}
	}
	if a.Name == "" {
		fault("name", "is empty", "name the field or column")
	}
	a.checkText(r, at, fault)
	if a.Weight != 0 && !a.Role.Blind() {
		fault("weight", "belongs to a quasi-identifier", "remove it")
	}
	if !stored(a.Role) {
		if a.Format != "" || a.Precision != "" || a.Hierarchy != "" || a.Steps != nil || a.Buckets != nil || a.Range != nil || a.Lacking != nil {
			r.warn(at, fmt.Sprintf("has role %s, so its format, precision, hierarchy, steps, buckets, range or missing_values are not used",
				a.Role), "remove them")
		}
		return
	}
	if a.Name == "class" || a.Name == "group" || a.Name == "bucket" || a.Name == "part" {
		fault("name", fmt.Sprintf("%q is a column of every release", a.Name), "rename the field at the source")
	}
	a.checkType(fault)
	a.checkDigits(fault)
	a.checkDate(fault)
	a.checkRange(fault)
	a.checkSteps(fault)
	a.checkBuckets(fault)
}

func (a *attributeSettings) checkType(fault attributeFault) {
	switch {
	case a.Type == "" && a.Hierarchy != "":
		a.Type = equivclass.Categorical
	case a.Type == "":
		fault("type", fmt.Sprintf("is missing for an attribute of role %s", a.Role), "write integer, decimal, date or categorical")
	case a.Type != equivclass.Categorical && a.Hierarchy != "":
		fault("hierarchy", fmt.Sprintf("makes the attribute categorical, but its type is %s", a.Type),
			"write type: categorical, or generalize the number by steps")
	}
}

func (a *attributeSettings) checkDigits(fault attributeFault) {
	switch {
	case a.Type != equivclass.Decimal && a.Digits != nil:
		fault("digits", fmt.Sprintf("belong to type decimal, but the type is %s", a.Type), "remove them")
	case a.Type == equivclass.Decimal && a.Digits == nil:
		four := 4
		a.Digits = &four
	}
}

func (a *attributeSettings) checkDate(fault attributeFault) {
	if a.Precision == day {
		a.Precision = equivclass.Day
	}
	for key, set := range map[string]bool{"format": a.Format != "", "precision": a.Precision != equivclass.Day} {
		if set && a.Type != equivclass.Date {
			fault(key, fmt.Sprintf("belongs to type date, but the type is %s", a.Type), "remove it")
		}
	}
	if _, err := a.dates().Reader(); err != nil && a.Type == equivclass.Date {
		fault("format", "cannot be used: "+err.Error(), "write for instance %d.%m.%Y, or datetime")
	}
}

// dates says how the dates of the attribute are written.
func (a *attributeSettings) dates() dialect.DateForm {
	return dialect.DateForm{Format: a.Format, Precision: a.Precision}
}

func (a *attributeSettings) checkRange(fault attributeFault) {
	if len(a.Range) == 0 {
		return
	}
	r := a.plausible()
	switch {
	case !a.Type.Numeric():
		fault("range", "belongs to a number or date", "remove it")
	case r == nil || r.Lo >= r.Hi:
		fault("range", fmt.Sprintf("is not two values of the attribute, the smaller one first (type %s)", a.Type),
			map[bool]string{true: "write for instance [1900-01-01, 2030-12-31]", false: "write for instance [0, 120]"}[a.Type == equivclass.Date])
	}
}

// plausible is the range that is declared; nil if there is none.
func (a *attributeSettings) plausible() *equivclass.Range {
	of := equivclass.Attribute{Type: a.Type, Digits: a.digits()}
	if len(a.Range) != 2 || !a.Type.Numeric() {
		return nil
	}
	lo, low := of.ParseNumber([]byte(a.Range[0]))
	hi, high := of.ParseNumber([]byte(a.Range[1]))
	if low != equivclass.Accepted || high != equivclass.Accepted {
		return nil
	}
	return &equivclass.Range{Lo: lo, Hi: hi}
}

// digits are those behind the point of an attribute's numbers.
func (a *attributeSettings) digits() int {
	if a.Digits == nil {
		return 0
	}
	return *a.Digits
}

// precision says which numbers an attribute has.
func (a *attributeSettings) precision() string {
	if a.Type == equivclass.Decimal {
		return fmt.Sprintf("(of at most %d digits behind the point, as the key digits says)", a.digits())
	}
	return fmt.Sprintf("(whole for %s)", a.Type)
}

// units are equivclass.Attribute.AllUnits.
func (a *attributeSettings) units(numbers []float64) (units []int64, bad int) {
	return (&equivclass.Attribute{Type: a.Type, Digits: a.digits()}).AllUnits(numbers)
}

func (a *attributeSettings) checkSteps(fault attributeFault) {
	if len(a.Steps) == 0 {
		return
	}
	if !a.Type.Numeric() || !a.Role.Blind() {
		fault("steps", "belong to a numeric quasi-identifier", "remove them, or use a hierarchy for categories")
		return
	}
	units, bad := a.units(a.Steps)
	for i, w := range units {
		switch {
		case i == bad || w <= 0:
			fault("steps", fmt.Sprintf("contain %g; each must be a positive number %s", a.Steps[i], a.precision()), "write for instance [5, 10, 50]")
			return
		case i > 0 && (w == units[i-1] || w%units[i-1] != 0):
			fault("steps", fmt.Sprintf("contain %g after %g: intervals nest only if each width is a multiple of the one before", a.Steps[i],
				a.Steps[i-1]), "write for instance [5, 10, 50]")
			return
		}
	}
}

func (a *attributeSettings) checkBuckets(fault attributeFault) {
	numeric := a.Role == equivclass.Sensitive && a.Type.Numeric()
	_, bad := a.units(a.Buckets)
	switch {
	case numeric && len(a.Buckets) == 0:
		fault("buckets", "are missing: a numeric sensitive attribute needs them, because close values would otherwise count as different",
			"list the lower bounds, for instance [0, 1000, 5000]")
	case a.Values == publishedExactly && !numeric:
		fault("values", "are exact, which belongs to a numeric sensitive attribute", "remove it")
	case len(a.Buckets) > 0 && !numeric:
		fault("buckets", "belong to a numeric sensitive attribute", "remove them")
	case numeric && bad < len(a.Buckets):
		fault("buckets", fmt.Sprintf("contain %g; each must be a number %s", a.Buckets[bad], a.precision()), "write for instance [0, 1000, 5000]")
	case !ascend(a.Buckets):
		fault("buckets", "do not ascend", "list each lower bound once, the lowest first")
	}
}

// ascend reports whether each number is above the one before.
func ascend(numbers []float64) bool {
	for i := 1; i < len(numbers); i++ {
		if numbers[i] <= numbers[i-1] {
			return false
		}
	}
	return true
}

// checkRoles counts the roles of which a schema has one, or at least one.
func checkRoles(c *Config, r *reader) {
	if c.Attributes == nil {
		return
	}
	of, all := c.byRole(r)
	if all && len(of[equivclass.Quasi]) == 0 {
		r.fault("schema.attributes", "have no role quasi", "mark what an adversary may know of a person, such as age or postcode")
	}
	if all && len(of[equivclass.Sensitive]) == 0 {
		r.fault("schema.attributes", "have no role sensitive", "mark the attribute whose value must be protected")
	}
	checkOnlyOne(c, r, of)
	if !all || len(of[equivclass.Subject]) > 0 {
		return
	}
	r.warn("schema.attributes", "have no role subject: every record counts as a person",
		"mark the field that identifies a person, if there is one")
}

// byRole gathers the attributes of each role; all reports whether every role was
// read without fault.
func (c *Config) byRole(r *reader) (of map[equivclass.Role][]int, all bool) {
	of, all = map[equivclass.Role][]int{}, true
	for i, a := range c.Attributes {
		at := fmt.Sprintf("schema.attributes[%d]", i)
		if !r.sound(at, at+".role") {
			all = false
			continue
		}
		of[a.Role] = append(of[a.Role], i)
	}
	return of, all
}

func checkOnlyOne(c *Config, r *reader, of map[equivclass.Role][]int) {
	for _, only := range []struct {
		role equivclass.Role
		why  string
	}{
		{equivclass.Subject, "join both into one field at the source, or drop one"},
		{equivclass.RecordKey, "join both into one field at the source, or drop one"},
	} {
		for _, i := range of[only.role][min(1, len(of[only.role])):] {
			r.fault(fmt.Sprintf("schema.attributes[%d].role", i),
				fmt.Sprintf("is %s, but so is attribute %q", only.role, c.Attributes[of[only.role][0]].Name), only.why)
		}
	}
}
