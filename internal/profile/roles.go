package profile

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"anond/equivclass"
	"anond/ingest/dialect"
	"anond/internal/fault"
)

// Guess is what a column may be, and why.
type Guess struct {
	*facts
	Role   equivclass.Role
	Keys   string // type and what else an attribute of its kind says, as YAML
	Reason string
}

// words are parts of names by which columns are known. One of six letters or more stands for all that begin with it.
type words []string

// sensitiveWords are in order: an attribute known by an earlier group is rather the one to protect.
var sensitiveWords = []words{
	strings.Fields("diag diagnos disease icd icd10 illness hiv disorder symptom cancer dx condition krankheit"),
	strings.Fields("income salary salaries wage wages earnings pincp gehalt einkommen"),
	strings.Fields("medication religion crime offence offense arrest convict vote party abuse affairs debt smoke smoker smoking " +
		"drink alcohol"),
	strings.Fields("occupation beruf occp indp"),
	strings.Fields("outcome target status label result response score"),
}

var (
	dateWords = words(strings.Fields("date birth birthdate birthday born dob datum geburt geburtsdatum"))
	// coreWords are of what nearly everybody knows of others; codeWords of numbers that stand for something else.
	coreWords = words(strings.Fields("age agep alter sex gender geschlecht female male race white black rac1p ethnic ethnicity zip zipcode " +
		"postcode postal plz birth birthdate birthday born dob geburt geburtsdatum"))
	codeWords  = words(strings.Fields("sex gender geschlecht race rac1p hisp marital msp region state id type code class"))
	quasiWords = append(slices.Clip(coreWords), strings.Fields("hisp city town state country county region district province canton area "+
		"puma marital married msp education edu educ degree school schl nationality native citizenship language height weight children kids "+
		"family household workclass employment occupation job employer wohnort ort stadt land kreis groesse größe gewicht familienstand "+
		"staatsangehörigkeit beruf")...)
	personWords = words(strings.Fields("patient person subject customer client member user employee student respondent participant " +
		"policyholder insured citizen pupil mrn ssn pid uid versicherte versicherten versichertennummer kunde mitarbeiter"))
	rowWords    = words(strings.Fields("key index idx rownames row rowid unnamed"))
	numberWords = append(words(strings.Fields("id uuid guid nr nbr no number nummer fallnummer fallnr kennung")), rowWords...)
	directWords = words(strings.Fields("name surname firstname lastname fullname email mail phone telephone mobile fax street address iban " +
		"passport licence license username login ip ssn vorname nachname familienname strasse straße anschrift adresse telefon handy"))
	freeWords = words(strings.Fields("comment remark note notes text description anamnesis bemerkung kommentar notiz notizen anamnese befund"))
)

// reserved are columns of every release, which no published attribute may be called.
var reserved = map[string]bool{"class": true, "group": true, "bucket": true, "part": true}

// spoken reports whether a name has one of the words.
func spoken(name string, of words) bool {
	for _, part := range parts(name) {
		for _, w := range of {
			if part == w || len(w) >= 6 && strings.HasPrefix(part, w) {
				return true
			}
		}
	}
	return false
}

// parts are the words of a name, in lower case.
func parts(name string) []string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(before):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.Fields(b.String())
}

// mostQuasi bounds the quasi-identifiers that are guessed: each makes the cells of all others coarser.
const mostQuasi = 7

// Wishes are roles that somebody has given. Sensitive and Person are names of columns; Person "-" is none; Quasi nil means those that are
// guessed.
type Wishes struct {
	Sensitive, Person string
	Quasi             []string
}

// seen is a column as the rules see it.
type seen struct {
	*facts
	*Sketch
	Wishes
	secret, person *facts
	group          int  // of sensitiveWords that its name has; their number: none
	quasi          bool // its name is of what others know
}

// protectToo is said of a column that is sensitive by its name, where another one is to be protected.
const protectToo = "to be protected, too? then role sensitive"

// rule makes a guess.
type rule struct {
	role equivclass.Role
	why  string // {rows}: how many there are; {different}: how many texts; {hierarchy}: the command that makes one of them
	when func(c *seen) bool
}

// rules are tried in this order, and the first that holds makes the guess. Without one, others may know the column.
//
// Rule H (held): nothing computed from sensitive values goes into a configuration. The sensitive attribute is found by names and by its
// place among the columns alone, and so is what else might be one: no rule looks at values before it is passed.
var rules = []rule{
	{equivclass.Sensitive, "to be protected, by its name or place alone; a number? then type integer, and buckets of your own choice",
		func(c *seen) bool { return c.facts == c.secret }},
	{equivclass.Subject, "all {rows} rows have another one: a person each?",
		func(c *seen) bool { return c.facts == c.person && c.Different() == c.Records }},
	{equivclass.Subject, "{different} different in {rows} rows: a person? Of each the first row alone is published",
		func(c *seen) bool { return c.facts == c.person }},
	{equivclass.Drop, "no name", func(c *seen) bool { return c.Name == "" }},
	{equivclass.Drop, "every release has a column of this name: rename it", func(c *seen) bool { return reserved[c.Name] }},
	{equivclass.Quasi, "", func(c *seen) bool { return slices.Contains(c.Quasi, c.Name) && c.digits <= equivclass.MostDigits }},
	{equivclass.Drop, "nobody has asked for it", func(c *seen) bool { return c.Quasi != nil && !slices.Contains(c.Quasi, c.Name) }},
	{equivclass.Drop, protectToo, func(c *seen) bool { return c.group < 3 && !c.quasi }},
	{equivclass.Drop, "empty", func(c *seen) bool { return c.Filled == 0 }},
	{equivclass.Identifier, "a spreadsheet has shortened these numbers, as in 1.23E+10, and different people may have the same: export the " +
		"column as text", func(c *seen) bool {
		named := spoken(c.Name, personWords) || spoken(c.Name, numberWords)
		return c.shortened > 0 && !c.quasi && (named || 2*c.shortened > c.Filled)
	}},
	{equivclass.Drop, "one value", func(c *seen) bool { return c.Different() == 1 && 50*c.Filled > 49*c.Records }},
	{equivclass.Identifier, "names a person", func(c *seen) bool { return spoken(c.Name, directWords) && !c.quasi }},
	{equivclass.Identifier, "numbers the rows",
		func(c *seen) bool { return c.counts() && c.Filled == c.Records && c.Records > 2 && !c.quasi }},
	{equivclass.Drop, "free text", func(c *seen) bool {
		return c.words > 4*c.Filled && 2*c.Different() > c.Filled || spoken(c.Name, freeWords) && c.kind == equivclass.Categorical
	}},
	{equivclass.Identifier, "{different} different in {rows} rows: names somebody or something?", func(c *seen) bool {
		return c.Different() == c.Filled && (c.kind == equivclass.Categorical && c.Filled > 20 ||
			c.kind == equivclass.Integer && c.Filled >= manyNumbers && !c.quasi) ||
			spoken(c.Name, numberWords) && 2*c.Different() > c.Filled && c.kind != equivclass.Decimal && c.kind != equivclass.Date
	}},
	{equivclass.Drop, "texts with [, {, * or | cannot be published: rename them",
		func(c *seen) bool { return c.kind == equivclass.Categorical && 100*c.unfit > c.Filled }},
	{equivclass.Drop, "mostly empty", func(c *seen) bool { return 5*c.Filled < c.Records && !c.quasi }},
	{equivclass.Drop, "dates, but not all in one form: write them alike",
		func(c *seen) bool { return c.kind == equivclass.Categorical && 2*c.dated() > c.Filled }},
	{equivclass.Drop, "many different texts: they need a hierarchy{hierarchy}",
		func(c *seen) bool { return c.kind == equivclass.Categorical && c.Different() > 50 && !c.quasi }},
	{equivclass.Drop, "numbers with too many digits: round them",
		func(c *seen) bool { return c.digits > equivclass.MostDigits }},
	{equivclass.Quasi, "", func(*seen) bool { return true }},
}

// manyNumbers is how many whole numbers are seldom all different unless they name somebody or something.
const manyNumbers = 300

// Guesses are the roles of all columns, in order.
func (k *Sketch) Guesses(w Wishes) ([]Guess, error) {
	for _, name := range append([]string{w.Sensitive, w.Person}, w.Quasi...) {
		if name != "" && name != "-" && k.column(name) == nil {
			var names []string
			for _, c := range k.Columns {
				names = append(names, c.Name)
			}
			return nil, fault.Errorf(fault.Usage, "the columns are "+strings.Join(names, ", "), "there is no column %q", name)
		}
	}
	c := seen{Sketch: k, Wishes: w, secret: k.column(w.Sensitive), person: k.column(w.Person)}
	if c.secret == nil {
		c.secret = k.sensitive()
	}
	if c.secret == nil {
		return nil, fault.Errorf(fault.Usage, "--sensitive NAME", "no column looks like one to protect: name it")
	}
	if reserved[c.secret.Name] {
		return nil, fault.Errorf(fault.Failed, "rename it at the source", "column %q cannot be published: every release has one of this name",
			c.secret.Name)
	}
	if c.person == nil && w.Person != "-" {
		c.person = k.likelyPerson(c.secret)
	}
	out := make([]Guess, len(k.Columns))
	var open []int // what may be a quasi-identifier
	for i := range k.Columns {
		c.facts = k.Columns[i]
		c.group, c.quasi = k.secret(c.facts), spoken(c.Name, quasiWords)
		rule := rules[slices.IndexFunc(rules, func(r rule) bool { return r.when(&c) })]
		out[i] = Guess{c.facts, rule.role, "", strings.NewReplacer("{rows}", grouped(k.Records), "{different}", grouped(c.Different()),
			"{hierarchy}", c.hierarchy()).Replace(rule.why)}
		switch rule.role {
		case equivclass.Sensitive:
			out[i].Keys = "type: categorical"
		case equivclass.Quasi:
			open = append(open, i)
			out[i].Keys, out[i].Reason = c.published()
		}
	}
	if len(open) == 0 {
		return nil, fault.Errorf(fault.Usage, "--quasi NAME,NAME", "no column looks like one that others may know of a person: name some")
	}
	slices.SortStableFunc(open, func(a, b int) int { return rank(out[a].Name) - rank(out[b].Name) })
	for n, i := range open {
		if w.Quasi == nil && n >= mostQuasi {
			out[i] = Guess{out[i].facts, equivclass.Drop, "", fmt.Sprintf("beyond the first %d that others may know", mostQuasi)}
		}
	}
	return out, nil
}

// rank puts names of what others know of people before the others.
func rank(name string) int {
	return slices.IndexFunc([]words{coreWords, quasiWords, nil}, func(w words) bool { return w == nil || spoken(name, w) })
}

// column is that of a name; nil: there is none.
func (k *Sketch) column(name string) *facts {
	i := slices.IndexFunc(k.Columns, func(c *facts) bool { return c.Name == name && name != "" })
	if i < 0 {
		return nil
	}
	return k.Columns[i]
}

// sensitive is the column to protect, by its name; else the last one whose name does not say that it is something else.
func (k *Sketch) sensitive() (last *facts) {
	best := len(sensitiveWords)
	known := slices.Concat(quasiWords, dateWords, personWords, numberWords, directWords, freeWords)
	for _, c := range k.Columns {
		group := k.secret(c)
		if reserved[c.Name] || c.Name == "" {
			continue
		}
		if group < best || best == len(sensitiveWords) && group == best && !spoken(c.Name, known) {
			best, last = group, c
		}
	}
	return last
}

// secret is the group of sensitiveWords that a name has; their number: none.
func (k *Sketch) secret(c *facts) int {
	if k.Found.Format == dialect.FHIR && strings.HasPrefix(c.Path, "/code/coding/") && strings.HasSuffix(c.Path, "/code") {
		return 0
	}
	return slices.IndexFunc(append(slices.Clone(sensitiveWords), nil), func(w words) bool { return w == nil || spoken(c.Name, w) })
}

// likelyPerson is the column by which a person is known again; nil: there is none. A word for people counts most, and a number of rows
// least.
func (k *Sketch) likelyPerson(secret *facts) (best *facts) {
	most := 0
	for _, c := range k.Columns {
		person, number, row := spoken(c.Name, personWords), spoken(c.Name, numberWords), spoken(c.Name, rowWords)
		score := 2
		switch {
		case c == secret, c.Name == "", c.shortened > 0, !person && !number, person && spoken(c.Name, quasiWords), c.kind == equivclass.Date,
			c.kind == equivclass.Decimal, c.Filled < k.Records, c.Different() < 2, 100*c.Different() < c.Filled,
			!person && 2*c.Different() < c.Filled && !slices.Equal(parts(c.Name), words{"id"}), !person && row && c.counts():
			continue
		case person && number:
			score = 5
		case person:
			score = 4
		case row:
			score = 1
		}
		if score > most {
			most, best = score, c
		}
	}
	return best
}

// published is what a configuration says of a quasi-identifier.
func (c *seen) published() (keys, reason string) {
	keys, noun, likewise := "type: "+string(c.kind), "numbers", ""
	switch c.kind {
	case equivclass.Decimal:
		keys += ", digits: " + strconv.Itoa(c.digits)
	case equivclass.Categorical:
		noun = "texts"
	case equivclass.Date:
		noun = "dates"
		if c.form != nil && c.form.keys != "" {
			keys += ", " + c.form.keys
		}
		if c.also != nil {
			likewise = c.also.keys
		}
	}
	lacking := maps.Clone(c.lacking)
	maps.Copy(lacking, c.odd())
	if len(lacking) > 0 {
		keys += ", missing_values: " + listed(lacking)
	}
	missing := c.Records - c.Filled
	reason = fmt.Sprintf("%s different %s", grouped(c.Different()), noun)
	for _, also := range []struct {
		when bool
		says string
	}{
		{likewise != "", ", or is it " + likewise + "?"},
		{c.kind == equivclass.Categorical && c.Different() > 20, "; better with a hierarchy" + c.hierarchy()},
		{missing > 0, fmt.Sprintf(", %s missing", grouped(missing))},
		{10*c.top > 9*c.Filled, fmt.Sprintf(", %d %% have one of them", 100*c.top/max(1, c.Filled))},
		{rank(c.Name) == 2, ": do others know it?"},
	} {
		if also.when {
			reason += also.says
		}
	}
	return keys, reason
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
