package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"anond/equivclass"
	"anond/equivclass/promise"
	"anond/internal/csvfields"
)

// promiseSettings is the block `promise` of a sensitive attribute.
type promiseSettings struct {
	L            int
	Gain, Most   promise.Ratio
	Caps, AtMost []valueCap
	Reference    string // path of the declared counts; "": each pool's own
}

// valueCap is the share that is promised of one value.
type valueCap struct {
	Value string
	Cap   promise.Ratio
}

// exactValues is the form of numbers that are published as they are; the empty one is intervals.
type exactValues string

const publishedExactly exactValues = "exact"

// promiseKeys are those of an attribute that say what is promised of its values.
func (a *attributeSettings) promiseKeys() []key {
	p := &a.Promise
	return []key{
		{path: "promise.l", value: atLeast(2, "at l = 1 nothing is promised", &p.L), derived: "policy.l, without a promise",
			doc: "No value of the attribute has more than 1/l of a bucket. With gain, a value may have the larger of the two shares. A promise " +
				"belongs to a sensitive attribute at level L2, which then does not follow policy.l."},
		{path: "promise.gain", value: ratio(&p.Gain), derived: "none", doc: "Nobody's odds of a value are more than this many times those of " +
			"the reference: above 1, with at most three digits behind the point. With reference pool that is relative to what the pool's own " +
			"published table shows, and a value without at_most may have all of a bucket of a pool that holds nothing else."},
		{path: "promise.caps", value: caps{by: &p.Caps}, derived: "none", doc: "The largest shares that named values may have of a bucket, " +
			"{value: share, ...}. Other values may have any share, so that a bucket may say of all its people that they do not have the value. " +
			"Of an attribute with a hierarchy a value is a leaf; of a number it is an interval, or a number in it."},
		{path: "promise.at_most", value: caps{by: &p.AtMost, all: &p.Most}, derived: "none", doc: "The share of a bucket above which no value " +
			"may be, or {value: share, ...}, whatever gain and caps allow."},
		{path: "promise.reference", value: referenceOf{&p.Reference}, derived: "pool; with gain", doc: "What gain compares with. pool: the " +
			"values of the pool that is published. {file: F}: counts that are declared once, a CSV file with the columns value and count; they " +
			"are copied next to the releases. Only with declared counts are nobody's odds more than gain times those that were known before."},
		{path: "values", value: oneOf(&a.Values, publishedExactly), derived: "intervals, the buckets", doc: "exact: the numbers of a " +
			"sensitive attribute are published as they are. Promises and the choice of who shares a bucket look at the intervals of buckets."},
		{path: "missing", value: oneOf(&a.Missing, equivclass.RefuseMissing, equivclass.MissingValue, equivclass.OpenMissing),
			derived: "`schema.missing`", doc: "What to do with a record without the value of a sensitive attribute. refuse and value as in " +
				"schema.missing. open (level L2): nothing is promised of missing values, and the promise holds among those who have one. That a " +
				"value is missing is published without bound: whoever believes that the ill decline learns who is ill."},
	}
}

// ratio is a decimal number that is kept exactly.
func ratio(to *promise.Ratio) value {
	return scalar[promise.Ratio]{to: to, name: "number", tags: []string{"!!int", "!!float"}, form: object{{"type", "number"}},
		suggestion: "write for instance 2 or 0.125", show: shownRatio, parse: parseRatio}
}

func parseRatio(s string) (promise.Ratio, error) {
	v, err := promise.Parse(s)
	if err != nil {
		return v, complain(err.Error(), "write for instance 2 or 0.125")
	}
	return v, nil
}

func shownRatio(r promise.Ratio) any {
	if r == (promise.Ratio{}) {
		return nil
	}
	return json.Number(r.String())
}

// caps is a section whose keys are values and whose values are shares, or, if all may be set, one share for every value.
type caps struct {
	by  *[]valueCap
	all *promise.Ratio
}

func (c caps) kind() string {
	if c.all != nil {
		return "share, or section of value: share"
	}
	return "section of value: share"
}

func (c caps) json() any {
	if c.all != nil && *c.all != (promise.Ratio{}) {
		return shownRatio(*c.all)
	}
	var out object
	for _, x := range *c.by {
		out = append(out, member{x.Value, shownRatio(x.Cap)})
	}
	if out == nil {
		return nil
	}
	return out
}

func (c caps) shape() object {
	section := object{{"type", "object"}, {"additionalProperties", orReference(object{{"type", "number"}})}}
	if c.all == nil {
		return section
	}
	return object{{"anyOf", []object{{{"type", "number"}}, section}}}
}

func (c caps) read(r *reader, full string, n *yaml.Node) {
	if c.all != nil && n.Kind == yaml.ScalarNode {
		if ratio(c.all).read(r, full, n); r.sound(full) {
			checkShare(r, full, *c.all)
		}
		return
	}
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		r.faultAt(n, full, "is "+described(n)+", must be a "+c.kind(), `write it in braces: {"yes": 0.5}`)
		return
	}
	var out []valueCap
	for i := 0; i+1 < len(n.Content); i += 2 {
		x, at := valueCap{Value: n.Content[i].Value}, fmt.Sprintf("%s[%d]", full, i/2)
		if n.Content[i].Kind != yaml.ScalarNode {
			r.faultAt(n.Content[i], full, "has "+described(n.Content[i])+" where a value is expected",
				"write each value once, followed by its share")
			return
		}
		r.at[at] = place{n.Content[i+1].Line, n.Content[i+1].Column}
		if ratio(&x.Cap).read(r, at, n.Content[i+1]); r.sound(at) {
			checkShare(r, at, x.Cap)
		}
		if r.failed[full] = r.failed[full] || !r.sound(at); r.failed[full] {
			return
		}
		out = append(out, x)
	}
	*c.by = out
}

// checkShare refuses what is no share.
func checkShare(r *reader, at string, share promise.Ratio) {
	if whole := promise.NewRatio(1, 1); share.Num() == 0 || whole.Less(share) {
		r.fault(at, "is not a share above 0 and at most 1", "write for instance 0.5")
	}
}

// referenceOf is the word pool, or a section with the path of a file.
type referenceOf struct{ to *string }

func (v referenceOf) kind() string { return "pool, or {file: path}" }

func (v referenceOf) json() any {
	if *v.to == "" {
		return nil
	}
	return object{{"file", *v.to}}
}

func (v referenceOf) shape() object {
	return object{{"anyOf", []object{{{"enum", []string{"pool"}}}, {{"type", "object"}, {"additionalProperties", false},
		{"properties", object{{"file", object{{"type", "string"}}}}}, {"required", []string{"file"}}}}}}
}

func (v referenceOf) read(r *reader, full string, n *yaml.Node) {
	switch {
	case n.Kind == yaml.ScalarNode && n.Value == "pool":
	case n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == "file":
		path(v.to).read(r, full, n.Content[1])
	default:
		r.faultAt(n, full, "is neither pool nor a file", "write pool, or {file: reference.csv}")
	}
}

// declares reports whether an attribute has a promise of its own.
func (a *attributeSettings) declares(r *reader, at string) bool { return r.set(at + ".promise") }

// checkPromises makes the promises of the sensitive attributes.
func checkPromises(c *Config, r *reader) {
	if c.schema == nil {
		return
	}
	c.promises = map[int]*promise.Promise{}
	for i := range c.Attributes {
		a, at := &c.Attributes[i], fmt.Sprintf("schema.attributes[%d]", i)
		for _, k := range []string{"promise", "values", "missing"} {
			if full := join(at, k); r.set(full) && a.Role != equivclass.Sensitive {
				r.fault(full, "belongs to a sensitive attribute, but the role is "+string(a.Role), "remove it")
			} else if r.set(full) && k != "values" && c.Policy.Level != L2 && (k == "promise" || a.Missing == equivclass.OpenMissing) {
				r.fault(full, "belongs to level L2, but policy.level is L1", "remove it, or set policy.level to L2")
			}
		}
		if a.Role == equivclass.Sensitive && a.declares(r, at) && r.sound(at+".promise") {
			c.promiseOf(r, i, at+".promise")
		} else if a.Role == equivclass.Sensitive && a.Missing == equivclass.OpenMissing && c.Policy.L >= 2 {
			c.promises[i] = &promise.Promise{L: c.Policy.L, Open: true}
		}
	}
	checkSeveral(c, r)
	checkTables(c, r)
}

// promiseOf makes the promise of an attribute.
func (c *Config) promiseOf(r *reader, i int, at string) {
	a := &c.Attributes[i]
	p := &promise.Promise{L: a.Promise.L, Gain: a.Promise.Gain, Most: a.Promise.Most, Open: a.Missing == equivclass.OpenMissing}
	for key, list := range map[string][]valueCap{"caps": a.Promise.Caps, "at_most": a.Promise.AtMost} {
		seen := map[string]bool{}
		for _, x := range list {
			value, why := c.labelOf(i, x.Value)
			if full := join(at, key); why != equivclass.Accepted {
				r.fault(full, fmt.Sprintf("names %q, which is no value of attribute %q (%s)", shortened(x.Value), a.Name, why),
					"write values as the records have them; of a hierarchy they are leaves")
				return
			} else if seen[value] {
				r.fault(full, fmt.Sprintf("names %q twice", shortened(value)), "keep one of them")
				return
			}
			if seen[value] = true; p.AtMost == nil {
				p.AtMost = map[string]promise.Ratio{}
			}
			if before, known := p.AtMost[value]; !known || x.Cap.Less(before) {
				p.AtMost[value] = x.Cap
			}
		}
	}
	if path := a.Promise.Reference; path != "" {
		if p.Gain == (promise.Ratio{}) {
			r.fault(join(at, "reference"), "is declared, but there is no gain that compares with it", "set gain, or remove it")
			return
		}
		if p.Reference = c.readReference(r, i, join(at, "reference"), path); p.Reference == nil {
			return
		}
	}
	if err := p.Check(); err != nil {
		for _, e := range split(err) {
			r.fault(at, e.Error(), "write for instance {l: 5}, {gain: 2, at_most: 0.5} or {caps: {\"yes\": 0.2}}")
		}
		return
	}
	c.promises[i] = p
}

// labelOf is what a value is called where promises are made: its text, or the interval of a number.
func (c *Config) labelOf(i int, text string) (string, equivclass.Reason) {
	a := c.schema.Attributes()[i]
	a.Exact = false
	dict := equivclass.NewDictionary(a)
	code, why := dict.EncodeLabel(text)
	if why != equivclass.Accepted {
		return "", why
	}
	return dict.Text(code), why
}

// readReference reads declared counts; nil after a fault.
func (c *Config) readReference(r *reader, i int, key, path string) map[string]int64 {
	content, err := r.expander.read(within(r.base, path))
	if err != nil {
		r.fault(key, "names a file that cannot be read: "+plain(err), "correct the path; it is relative to "+r.file)
		return nil
	}
	out, total := map[string]int64{}, int64(0)
	rows, line := csvfields.Splitter{}, 0
	fault := func(line int, reason string) map[string]int64 {
		r.failed[key] = true
		r.faults = append(r.faults, Fault{File: path, Key: key, Line: line, Reason: reason,
			Suggestion: "write the line value,count, then a line for each value with how many people have it"})
		return nil
	}
	for text := range bytes.Lines(bytes.TrimPrefix(content, []byte("\ufeff"))) {
		line++
		row, broken := rows.Fields(text)
		blank := broken == csvfields.None && len(row) == 1 && len(row[0]) == 0
		if blank || len(out) == 0 && len(row) == 2 && string(row[0]) == "value" && string(row[1]) == "count" {
			continue
		}
		switch {
		case broken != csvfields.None:
			return fault(line, "is no record of CSV: "+string(broken))
		case len(row) != 2:
			return fault(line, "has another number of columns than two")
		}
		value, why := c.labelOf(i, string(row[0]))
		n, err := strconv.ParseInt(string(row[1]), 10, 64)
		switch _, twice := out[value]; {
		case why != equivclass.Accepted:
			return fault(line, fmt.Sprintf("has a value that is none of attribute %q (%s)", c.Attributes[i].Name, why))
		case twice:
			return fault(line, "has a value for the second time")
		case err != nil || n < 0 || n >= 1<<34:
			return fault(line, "has a count that is no whole number from 0 to 2^34")
		}
		out[value], total = n, total+n
	}
	if total == 0 {
		return fault(line, "has no line value,count followed by values and counts")
	}
	return out
}

// checkSeveral refuses several sensitive attributes where one is known, and asks for policy.l where it serves one.
func checkSeveral(c *Config, r *reader) {
	sensitive := c.schema.Sensitive()
	if several := len(sensitive) > 1; several && c.Policy.Level == L1 {
		r.fault(fmt.Sprintf("schema.attributes[%d].role", sensitive[1]),
			fmt.Sprintf("is sensitive, but so is attribute %q, and policy.level is L1", c.Attributes[sensitive[0]].Name),
			"set policy.level to L2, or mark one of them drop; joined into one field, only the pair would be protected, and each "+
				"value of it may be known with certainty")
	} else if several && len(c.Policy.Diversity) > 0 {
		r.fault("policy.diversity", "is of a dataset with one sensitive attribute, but there are several",
			"remove it, and write promises (schema.attributes[].promise)")
	}
	for _, i := range sensitive {
		at := fmt.Sprintf("schema.attributes[%d]", i)
		if !c.Attributes[i].declares(r, at) && !r.set("policy.l") && r.sound("policy.l") {
			r.fault("policy.l", fmt.Sprintf("is missing, and sensitive attribute %q has no promise of its own", c.Attributes[i].Name),
				"set it, or write a promise for each sensitive attribute (schema.attributes[].promise)")
		}
		for _, d := range c.Policy.Diversity {
			if c.Attributes[i].Values != "" && d.T > 0 {
				r.fault(at+".values", "is exact, but policy.diversity has t-closeness", "remove one of them")
			}
		}
	}
}

// checkTables refuses pair tables that cannot be.
func checkTables(c *Config, r *reader) {
	refuse := func(reason string) {
		r.fault("release.tables", reason, "write pairs of names of sensitive attributes: [[diagnosis, hiv]]")
	}
	if len(c.Release.Tables) > 0 && c.Policy.Level != L2 {
		refuse("belong to level L2, but policy.level is L1")
	}
	seen := map[string]bool{}
	for _, pair := range c.Release.Tables {
		for _, name := range pair {
			if !slices.ContainsFunc(c.schema.Sensitive(), func(i int) bool { return c.Attributes[i].Name == name }) {
				refuse(fmt.Sprintf("name %q, which is no sensitive attribute", shortened(name)))
				return
			}
		}
		names := slices.Sorted(slices.Values(pair))
		if key := fmt.Sprintf("%q", names); len(names) != 2 || names[0] == names[1] || seen[key] {
			refuse("must each be of two attributes, and of no two twice")
			return
		} else {
			seen[key] = true
		}
	}
}

// Promises are those of the sensitive attributes at level L2, by attribute of the schema. One without has that of policy.l.
func (c *Config) Promises() map[int]*promise.Promise {
	if len(c.promises) == 0 {
		return nil
	}
	return maps.Clone(c.promises)
}

// Tables are the pairs of sensitive attributes, by name, of which a table is published for each pool.
func (c *Config) Tables() (out [][2]string) {
	for _, pair := range c.Release.Tables {
		out = append(out, [2]string{pair[0], pair[1]})
	}
	return out
}

// promised are the digests of promises and of what else an attribute has of them; nothing of one that has none.
func (c *Config) promised() map[string][32]byte {
	out := map[string][32]byte{}
	for i, a := range c.Attributes {
		at := fmt.Sprintf("schema.attributes[%s]", a.Name)
		if p := c.promises[i]; p != nil {
			var capped, counted []any
			for _, v := range slices.Sorted(maps.Keys(p.AtMost)) {
				capped = append(capped, v, p.AtMost[v].String())
			}
			for _, v := range slices.Sorted(maps.Keys(p.Reference)) {
				counted = append(counted, v, p.Reference[v])
			}
			out[promiseKey(a.Name)] = digestOf([]any{p.L, p.Gain.String(), p.Most.String(), p.Open, capped, counted})
		}
		if a.Values != "" {
			out[at+".values"] = digestOf(a.Values)
		}
		if a.Missing != "" {
			out[at+".missing"] = digestOf(a.Missing)
		}
	}
	if len(c.Release.Tables) > 0 {
		out["release.tables"] = digestOf(c.Release.Tables)
	}
	if c.Release.About != (About{}) { // a release that a stop left unfinished is made once more, and must be the same
		out["release.about"] = digestOf(c.Release.About)
	}
	return out
}

func promiseKey(attribute string) string {
	return fmt.Sprintf("schema.attributes[%s].promise", attribute)
}

// largestL is the largest l that is promised of an attribute, 0 if none is.
func (c *Config) largestL() int {
	l := c.Policy.L
	for _, p := range c.promises {
		l = max(l, p.L)
	}
	return l
}

// checkOne refuses what a command for a single table does not know: several sensitive attributes, and promises by attribute.
func checkOne(c *Config, r *reader) {
	for i, a := range c.Attributes {
		at := fmt.Sprintf("schema.attributes[%d]", i)
		if first := slices.IndexFunc(c.Attributes, func(a attributeSettings) bool { return a.Role == equivclass.Sensitive }); first < i &&
			a.Role == equivclass.Sensitive {
			r.fault(at+".role", fmt.Sprintf("is sensitive, but so is attribute %q, and this command knows one", c.Attributes[first].Name),
				"mark the other one drop")
		}
		if a.declares(r, at) {
			r.fault(at+".promise", "belongs to level L2, which this command does not know", "remove it, and set policy.l")
		}
	}
}
