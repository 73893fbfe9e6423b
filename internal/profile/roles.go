package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"anond/equivclass"
	"anond/ingest/dialect"
	"anond/internal/fault"
)

// Guess is what a column may be, and why.
type Guess struct {
	*Facts
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

// Guesses are the roles of all columns, in order.
//
// Rule H (held): nothing computed from sensitive values goes into a configuration. The sensitive attribute is found by names and by its
// place among the columns alone, and so is what else might be one; its values decide neither type nor anything else of its line.
func (k *Sketch) Guesses(w Wishes) ([]Guess, error) {
	for _, name := range append([]string{w.Sensitive, w.Person}, w.Quasi...) {
		if name != "" && name != "-" && k.column(name) == nil {
			return nil, fault.Errorf(fault.Usage, "the columns are "+strings.Join(k.names(), ", "), "there is no column %q", name)
		}
	}
	secret := k.column(w.Sensitive)
	if secret == nil {
		secret = k.sensitive()
	}
	if secret == nil {
		return nil, fault.Errorf(fault.Usage, "--sensitive NAME", "no column looks like one to protect: name it")
	}
	if reserved[secret.Name] {
		return nil, fault.Errorf(fault.Failed, "rename it at the source", "column %q cannot be published: every release has one of this name",
			secret.Name)
	}
	person := k.column(w.Person)
	if person == nil && w.Person != "-" {
		person = k.person(secret)
	}
	out := make([]Guess, len(k.Columns))
	var open []int // what may be a quasi-identifier
	for i, c := range k.Columns {
		switch c {
		case secret:
			out[i] = Guess{c, equivclass.Sensitive, "type: categorical", "to be protected, by its name or place alone; a number? then type " +
				"integer, and buckets of your own choice"}
		case person:
			out[i] = Guess{c, equivclass.Subject, "", k.people(c)}
		default:
			if out[i] = k.other(c, w.Quasi); out[i].Role == equivclass.Quasi {
				open = append(open, i)
			}
		}
	}
	if len(open) == 0 {
		return nil, fault.Errorf(fault.Usage, "--quasi NAME,NAME", "no column looks like one that others may know of a person: name some")
	}
	slices.SortStableFunc(open, func(a, b int) int { return k.rank(out[a].Facts) - k.rank(out[b].Facts) })
	for n, i := range open {
		if w.Quasi == nil && n >= mostQuasi {
			out[i].Role, out[i].Keys, out[i].Reason = equivclass.Drop, "", fmt.Sprintf("beyond the first %d that others may know", mostQuasi)
		}
	}
	return out, nil
}

// manyNumbers is how many whole numbers are seldom all different unless they name somebody or something.
const manyNumbers = 300

// rank puts columns that others know of people by their name before the others.
func (k *Sketch) rank(c *Facts) int {
	switch {
	case spoken(c.Name, coreWords):
		return 0
	case spoken(c.Name, quasiWords):
		return 1
	}
	return 2
}

func (k *Sketch) names() (out []string) {
	for _, c := range k.Columns {
		out = append(out, c.Name)
	}
	return out
}

func (k *Sketch) column(name string) *Facts {
	for _, c := range k.Columns {
		if c.Name == name && name != "" {
			return c
		}
	}
	return nil
}

// sensitive is the column to protect, by its name; else the last one whose name does not say that it is something else.
func (k *Sketch) sensitive() (last *Facts) {
	for rank := range sensitiveWords {
		for _, c := range k.Columns {
			if rank == k.secret(c) && !reserved[c.Name] {
				return c
			}
		}
	}
	for _, c := range k.Columns {
		known := slices.Concat(quasiWords, dateWords, personWords, numberWords, directWords, freeWords)
		if c.Name != "" && !reserved[c.Name] && !spoken(c.Name, known) {
			last = c
		}
	}
	return last
}

// secret is the group of sensitiveWords that a name has; their number: none.
func (k *Sketch) secret(c *Facts) int {
	if k.Found.Format == dialect.FHIR && strings.HasPrefix(c.Path, "/code/coding/") && strings.HasSuffix(c.Path, "/code") {
		return 0
	}
	return slices.IndexFunc(append(slices.Clone(sensitiveWords), nil), func(w words) bool { return w == nil || spoken(c.Name, w) })
}

// person is the column by which a person is known again; nil: there is none.
func (k *Sketch) person(secret *Facts) (best *Facts) {
	most := 0
	for _, c := range k.Columns {
		person, number := spoken(c.Name, personWords), spoken(c.Name, numberWords)
		kind := c.kind()
		switch {
		case c == secret, c.Name == "", c.shortened > 0, !person && !number, person && spoken(c.Name, quasiWords), kind == equivclass.Date,
			kind == equivclass.Decimal,
			c.Filled < k.Records, c.Different() < 2, !person && (2*c.Different() < c.Filled && !slices.Equal(parts(c.Name), words{"id"}) ||
				c.counts() && spoken(c.Name, rowWords)),
			100*c.Different() < c.Filled:
			continue
		}
		score := 2
		if person {
			score += 2
		} else if spoken(c.Name, rowWords) {
			score = 1 // it numbers rows rather than people
		}
		if person && number {
			score++
		}
		if score > most {
			most, best = score, c
		}
	}
	return best
}

// people says why a column is taken for that of the person.
func (k *Sketch) people(c *Facts) string {
	if c.Different() == k.Records {
		return fmt.Sprintf("all %s rows have another one: a person each?", grouped(k.Records))
	}
	return fmt.Sprintf("%s different in %s rows: a person?", grouped(c.Different()), grouped(k.Records))
}

// other guesses a column that is neither the person's nor the one to protect.
func (k *Sketch) other(c *Facts, asked []string) Guess {
	drop := func(why string) Guess { return Guess{c, equivclass.Drop, "", why} }
	wanted := asked != nil && slices.Contains(asked, c.Name)
	quasi := spoken(c.Name, quasiWords)
	kind := c.kind()
	switch secret := k.secret(c); {
	case c.Name == "":
		return drop("no name")
	case reserved[c.Name]:
		return drop("every release has a column of this name: rename it")
	case wanted:
	case asked != nil:
		return drop("nobody has asked for it")
	case secret < 3 && !quasi: // nothing is said of its values: somebody may protect it, too
		return drop(protectToo)
	case c.Filled == 0:
		return drop("empty")
	case c.shortened > 0 && !quasi && (spoken(c.Name, personWords) || spoken(c.Name, numberWords) || 2*c.shortened > c.Filled):
		return Guess{c, equivclass.Identifier, "", "a spreadsheet has shortened these numbers, as in 1.23E+10, and different people may have " +
			"the same: export the column as text"}
	case c.Different() == 1 && 50*c.Filled > 49*k.Records:
		return drop("one value")
	case spoken(c.Name, directWords) && !quasi:
		return Guess{c, equivclass.Identifier, "", "names a person"}
	case c.counts() && c.Filled == k.Records && k.Records > 2 && !quasi:
		return Guess{c, equivclass.Identifier, "", "numbers the rows"}
	case c.words > 4*c.Filled && 2*c.Different() > c.Filled || spoken(c.Name, freeWords) && kind == equivclass.Categorical:
		return drop("free text")
	case c.Different() == c.Filled && c.Filled > 20 && kind == equivclass.Categorical,
		c.Different() == c.Filled && c.Filled >= manyNumbers && kind == equivclass.Integer && !quasi, spoken(c.Name,
			numberWords) && 2*c.Different() > c.Filled &&
			kind != equivclass.Decimal && kind != equivclass.Date:
		return Guess{c, equivclass.Identifier, "", fmt.Sprintf("%s different in %s rows: names somebody or something?", grouped(c.Different()),
			grouped(k.Records))}
	case 100*c.unfit > c.Filled && kind == equivclass.Categorical:
		return drop("texts with [, {, * or | cannot be published: rename them")
	case 5*c.Filled < k.Records && !quasi:
		return drop("mostly empty")
	case kind == equivclass.Categorical && 2*c.dated > c.Filled:
		return drop("dates, but not all in one form: write them alike")
	case kind == equivclass.Categorical && c.Different() > 50 && !quasi:
		return drop("many different texts: they need a hierarchy" + c.hierarchy())
	}
	if kind == equivclass.Integer && k.Found.Format == dialect.Debezium && spoken(c.Name, dateWords) {
		kind = equivclass.Date // in days since 1970, as Debezium writes them
	}
	if kind == equivclass.Integer && c.Different() <= 50 && spoken(c.Name, codeWords) {
		kind = equivclass.Categorical
	}
	return k.quasi(c, kind)
}

// protectToo is said of a column that is sensitive by its name, where another one is to be protected.
const protectToo = "to be protected, too? then role sensitive"

// quasi is a quasi-identifier of a type.
func (k *Sketch) quasi(c *Facts, kind equivclass.Type) Guess {
	if c.digits > equivclass.MostDigits {
		return Guess{c, equivclass.Drop, "", fmt.Sprintf("more than %d digits behind the point: round them", equivclass.MostDigits)}
	}
	keys, noun := "type: "+string(kind), "texts"
	why := ""
	switch kind {
	case equivclass.Decimal:
		keys, noun = fmt.Sprintf("%s, digits: %d", keys, c.digits), "numbers"
	case equivclass.Integer:
		noun = "numbers"
	case equivclass.Date:
		noun = "dates"
		if f, other := c.form(); f != nil && f.key != "" {
			keys += ", " + f.key
			if other != nil {
				why = ", or is it " + other.key + "?"
			}
		}
	case equivclass.Categorical:
		if c.Different() > 20 {
			why = "; better with a hierarchy" + c.hierarchy()
		}
	}
	lacking := c.lacking
	if odd := c.odd(); len(odd) > 0 {
		lacking = maps.Clone(lacking)
		maps.Copy(lacking, odd)
	}
	if len(lacking) > 0 {
		keys += ", missing_values: " + listed(slices.Sorted(maps.Keys(lacking)))
	}
	reason := fmt.Sprintf("%s different %s%s", grouped(c.Different()), noun, why)
	if n := k.Records - c.Filled; n > 0 {
		reason += fmt.Sprintf(", %s missing", grouped(n))
	}
	if top := c.top(); 10*top > 9*c.Filled {
		reason += fmt.Sprintf(", %d %% have one of them", 100*top/c.Filled)
	}
	if k.rank(c) == 2 {
		reason += ": do others know it?"
	}
	return Guess{c, equivclass.Quasi, keys, reason}
}

// hierarchy names the command that makes one of a catalogue of such codes; empty: nobody knows how they roll up.
func (c *Facts) hierarchy() string {
	switch {
	case c.diseases == c.Filled:
		return ": anond hierarchy icd10"
	case c.shortest == c.longest && c.longest > 2 && c.whole+c.zeros == c.Filled:
		return fmt.Sprintf(": anond hierarchy prefix --lengths %d,%d", c.longest-1, max(1, c.longest-3))
	}
	return ""
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
