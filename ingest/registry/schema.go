package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"

	"anond/equivclass"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/ingest/pointer"
	"anond/internal/fault"
)

// Places are what is looked for in messages: the attributes, and the members by which decoders know change events. The zero value
// is everything that is in them.
type Places struct {
	root      *pointer.Place
	attribute []place // those that a record has
	envelope  bool
}

// place is the place of an attribute, from the top of a message.
type place struct {
	name  string
	steps []string
}

// PlacesOf are the places of a schema's attributes in messages of a format. paths are JSON Pointers by attribute.
func PlacesOf(format decode.Format, schema *equivclass.Schema, paths map[string]string) (p Places, err error) {
	p = Places{root: pointer.New(), envelope: format == decode.Debezium}
	next := 0
	add := func(steps ...string) {
		p.root.Add(steps, next) // one that lies in another is refused by the decoder
		next++
	}
	for _, a := range schema.Attributes() {
		if a.Role == equivclass.Identifier || a.Role == equivclass.Drop {
			continue
		}
		steps := []string{a.Name}
		if text, ok := paths[a.Name]; ok {
			if steps, err = pointer.Parse(text); err != nil {
				return p, fmt.Errorf("path of %s: %w", a.Name, err)
			}
		}
		if p.envelope {
			add(append([]string{"before"}, steps...)...)
			steps = append([]string{"after"}, steps...)
		}
		add(steps...)
		p.attribute = append(p.attribute, place{a.Name, steps})
	}
	for _, name := range decode.EventMembers {
		if !slices.ContainsFunc(p.attribute, func(a place) bool { return a.steps[0] == name }) {
			add(name)
		}
	}
	return p, nil
}

// lacks says that a schema has no place for an attribute.
func (p Places) lacks(a place, of string, envelope bool) error {
	hint := "give the attribute a path, or the field of the schema an alias; source.registry.may_lack takes such records without a value"
	if envelope && !p.envelope {
		hint = "the schema is that of Debezium's change events: set source.format to debezium"
	}
	return fault.Errorf(fault.Config, hint, "%w: %s has no value at /%s for attribute %s", ingest.ErrSchema, of,
		strings.Join(a.steps, "/"), a.name)
}

// avro compiles a schema of Avro with those that it refers to.
func (r *Registry) avro(ctx context.Context, text sr.Schema) (*node, error) {
	c := compiler{types: map[string]*avro.SchemaNode{}, made: map[made]*node{}}
	var cache avro.SchemaCache
	if err := r.refer(ctx, &cache, &c, text.References, map[sr.SchemaReference]bool{}); err != nil {
		return nil, err
	}
	root, err := c.parse(&cache, text.Schema)
	if err != nil {
		return nil, err
	}
	for _, a := range r.o.Places.attribute {
		if !r.o.MayLack && !c.has(root, a.steps) {
			return nil, r.o.Places.lacks(a, c.name(root), c.has(root, []string{"op"}))
		}
	}
	return c.node(root, r.o.Places.root, r.o.Places.root == nil), nil
}

// refer parses the schemas that another one refers to, those first that they refer to.
func (r *Registry) refer(ctx context.Context, cache *avro.SchemaCache, c *compiler, to []sr.SchemaReference,
	seen map[sr.SchemaReference]bool) error {
	for _, ref := range to {
		if seen[ref] {
			continue
		}
		if seen[ref] = true; len(seen) > mostRefers {
			return fault.Errorf(fault.Config, "have the producer use fewer", "%w: it refers to more than %d others", ingest.ErrSchema, mostRefers)
		}
		text, err := r.client.SchemaByVersion(ctx, ref.Subject, ref.Version)
		if err != nil {
			return fmt.Errorf("%s, version %d, to which it refers: %w", ref.Subject, ref.Version, answered(err))
		}
		if err := r.refer(ctx, cache, c, text.References, seen); err != nil {
			return err
		}
		if _, err := c.parse(cache, text.Schema.Schema); err != nil {
			return err
		}
	}
	return nil
}

// compiler makes nodes of a schema.
type compiler struct {
	types map[string]*avro.SchemaNode // by full name
	made  map[made]*node
}

type made struct {
	of    *avro.SchemaNode
	at    *pointer.Place
	every bool
}

// parse reads a schema, and notes its named types.
func (c *compiler) parse(cache *avro.SchemaCache, text string) (*avro.SchemaNode, error) {
	s, err := cache.Parse(text, avro.WithLaxNames(nil))
	if err != nil {
		return nil, fault.Errorf(fault.Config, "correct it in the registry", "%w: it is no schema of Avro", ingest.ErrSchema)
	}
	root := s.Root()
	c.note(root)
	return root, nil
}

func (c *compiler) note(n *avro.SchemaNode) {
	if n == nil {
		return
	}
	if slices.Contains([]string{"record", "error", "enum", "fixed"}, n.Type) {
		c.types[c.name(n)] = n
	}
	for i := range n.Fields {
		c.note(&n.Fields[i].Type)
	}
	for i := range n.Branches {
		c.note(&n.Branches[i])
	}
	c.note(n.Items)
	c.note(n.Values)
}

func (c *compiler) name(n *avro.SchemaNode) string {
	if n.Namespace == "" || strings.Contains(n.Name, ".") {
		return n.Name
	}
	return n.Namespace + "." + n.Name
}

// typeOf is the type of a node: itself, or the one that it names.
func (c *compiler) typeOf(n *avro.SchemaNode) *avro.SchemaNode {
	if named := c.types[n.Type]; named != nil {
		return named
	}
	return n
}

// has reports whether a schema has a value at a place: one that is neither record nor array nor map.
func (c *compiler) has(n *avro.SchemaNode, steps []string) bool {
	n = c.typeOf(n)
	if n.Type == "union" {
		return slices.ContainsFunc(n.Branches, func(b avro.SchemaNode) bool { return b.Type != "null" && c.has(&b, steps) })
	}
	if len(steps) == 0 {
		return !slices.Contains([]string{"record", "error", "array", "map", "null"}, n.Type)
	}
	switch n.Type {
	case "record", "error":
		for i := range n.Fields {
			if f := &n.Fields[i]; f.Name == steps[0] || slices.Contains(f.Aliases, steps[0]) {
				return c.has(&f.Type, steps[1:])
			}
		}
	case "map":
		return c.has(n.Values, steps[1:])
	case "array":
		_, err := strconv.Atoi(steps[0])
		return err == nil && c.has(n.Items, steps[1:])
	}
	return false
}

// units are the times of Avro, of Kafka Connect and of Debezium.
var units = map[string]int64{
	"date": day, "io.debezium.time.Date": day, "org.apache.kafka.connect.data.Date": day,
	"timestamp-millis": int64(time.Millisecond), "timestamp-micros": int64(time.Microsecond), "timestamp-nanos": 1,
	"local-timestamp-millis": int64(time.Millisecond), "local-timestamp-micros": int64(time.Microsecond), "local-timestamp-nanos": 1,
	"io.debezium.time.Timestamp": int64(time.Millisecond), "io.debezium.time.MicroTimestamp": int64(time.Microsecond),
	"io.debezium.time.NanoTimestamp": 1, "org.apache.kafka.connect.data.Timestamp": int64(time.Millisecond),
}

var kinds = map[string]kind{"null": null, "boolean": boolean, "int": whole, "long": whole, "float": float, "double": double,
	"string": text, "bytes": raw, "fixed": fixed, "enum": enum, "array": array, "map": mapped,
	"record": record, "error": record, "union": union}

// node compiles a type, of which the places below at are written, or everything; nil: nothing.
func (c *compiler) node(of *avro.SchemaNode, at *pointer.Place, every bool) *node {
	of = c.typeOf(of)
	if n := c.made[made{of, at, every}]; n != nil {
		return n
	}
	n := &node{kind: kinds[of.Type], size: of.Size, scale: -1, written: every || at != nil, every: every}
	c.made[made{of, at, every}] = n
	if of.LogicalType == "decimal" {
		n.scale = of.Scale
	}
	if n.unit = units[of.LogicalType]; n.unit == 0 {
		connect, _ := of.Props["connect.name"].(string)
		n.unit = units[connect]
	}
	for _, symbol := range of.Symbols {
		n.symbols = append(n.symbols, appendQuoted(nil, []byte(symbol)))
	}
	for i := range of.Fields {
		f := &of.Fields[i]
		name, place := f.Name, at.Member([]byte(f.Name))
		for k := 0; k < len(f.Aliases) && place == nil; k++ {
			name, place = f.Aliases[k], at.Member([]byte(f.Aliases[k]))
		}
		n.fields = append(n.fields, field{append(appendQuoted(nil, []byte(name)), ':'), c.node(&f.Type, place, every)})
	}
	for i := range of.Branches {
		n.others = append(n.others, c.node(&of.Branches[i], at, every))
	}
	switch n.kind {
	case array:
		n.of = c.node(of.Items, nil, every)
		for i := range at.Elements() {
			var element *node
			if place := at.Element(i); place != nil {
				element = c.node(of.Items, place, false)
			}
			n.elements = append(n.elements, element)
		}
	case mapped:
		n.of, n.members = c.node(of.Values, nil, every), map[string]*node{}
		for name, place := range at.Members() {
			n.members[name] = c.node(of.Values, place, false)
		}
	}
	return n
}

// checkJSON looks for the attributes in a JSON Schema, as far as that names its properties.
func (p Places) checkJSON(text string, mayLack bool) error {
	var root map[string]any
	if err := json.Unmarshal([]byte(text), &root); err != nil || mayLack {
		return nil // a schema that is no object allows everything, or nothing
	}
	for _, a := range p.attribute {
		if !named(root, a.steps) {
			title, _ := root["title"].(string)
			_, op := properties(root)["op"]
			return p.lacks(a, strings.TrimSpace("the JSON Schema "+title), op)
		}
	}
	return nil
}

// named reports whether a JSON Schema may have a value at a place: it names no properties, or this one.
func named(s map[string]any, steps []string) bool {
	in := properties(s)
	if len(steps) == 0 || in == nil {
		return true
	}
	below, there := in[steps[0]]
	if of, ok := below.(map[string]any); ok {
		return named(of, steps[1:])
	}
	return there
}

// properties are those that a JSON Schema names; nil: others may be there as well by its other words.
func properties(s map[string]any) map[string]any {
	for _, word := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "patternProperties", "if"} {
		if s[word] != nil {
			return nil
		}
	}
	in, _ := s["properties"].(map[string]any)
	return in
}
