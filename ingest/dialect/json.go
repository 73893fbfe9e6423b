package dialect

import (
	"bytes"
	"encoding/json"
	"slices"
)

// json reports whether the records are JSON, and says of which kind.
func (d *Found) json() bool {
	text := bytes.TrimLeft(d.Text, " \t\n")
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	line = bytes.TrimSpace(line)
	switch {
	case text[0] == '{' && len(line) == 1, text[0] == '[' && bytes.HasPrefix(bytes.TrimLeft(text[1:], " \t\n"), []byte("{")):
		d.Format = OneJSON
		d.note(Finding{Of: "format", Why: "is one JSON text over several lines, or an array", Do: "write an object a line: jq -c '.[]'",
			Fatal: true})
		return true
	case text[0] != '{':
		return false
	}
	if d.Format = JSON; json.Valid(line) {
		d.object(line)
	}
	return true
}

// object says what kind of record the first object is.
func (d *Found) object(line []byte) {
	members := membersOf(line)
	for _, m := range members {
		d.Columns = append(d.Columns, m.name)
	}
	value := func(in []member, name string) []byte {
		if i := slices.IndexFunc(in, func(m member) bool { return m.name == name }); i >= 0 {
			return in[i].value
		}
		return nil
	}
	inside := members
	if p := value(members, "payload"); len(p) > 0 && p[0] == '{' {
		inside = membersOf(p)
	}
	op, deleted := value(inside, "op"), value(inside, "__op") != nil || value(inside, "__deleted") != nil
	change := slices.Contains([]string{`"c"`, `"r"`, `"u"`, `"d"`}, string(op))
	switch after, before := value(inside, "after"), value(inside, "before"); {
	case change && (after != nil || before != nil):
		d.Format = Debezium
		d.note(Finding{Of: "format", Why: "holds Debezium change events", Key: "source.format", Value: string(Debezium)})
	case change || deleted:
		d.Format = DebeziumFlat
		d.note(Finding{Of: "format", Why: "holds flat change events (op, __op or __deleted)", Key: "source.format", Value: string(DebeziumFlat)})
	case value(members, "resourceType") != nil:
		d.Format = FHIR
		d.note(Finding{Of: "format", Why: "holds FHIR resources, whose values are nested", Key: "schema.attributes[].path"})
	}
}

// member is a member of an object with its value as it is written.
type member struct {
	name  string
	value []byte
}

// membersOf are the members of a valid object, in order.
func membersOf(object []byte) (out []member) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		text, ok := name.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			break
		}
		out = append(out, member{text, value})
	}
	return out
}
