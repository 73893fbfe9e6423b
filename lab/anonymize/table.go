package anonymize

import (
	"context"
	"slices"

	"anond/equivclass"
	"anond/equivclass/flagged"
	"anond/internal/profile"
)

// Input says where a table is, and which of its attributes are semi-sensitive, by name.
type Input struct {
	profile.Input
	Semi map[string]semi
}

// inputTable is a table in memory with its semi-sensitive attributes.
type inputTable struct {
	*profile.Table
	semi  map[int]semi   // by attribute
	flags map[string]int // attributes that are flags, by name; they are not published
}

// Read is profile.Read.
func Read(ctx context.Context, in Input, schema *equivclass.Schema) (*inputTable, error) {
	if len(in.Semi) > 0 {
		in.Extend = func(s *equivclass.Schema) (*equivclass.Schema, []profile.Column, error) { return withFlags(s, in.Semi) }
	}
	read, err := profile.Read(ctx, in.Input, schema)
	if err != nil {
		return nil, err
	}
	t := &inputTable{Table: read, semi: map[int]semi{}, flags: map[string]int{}}
	for i, a := range read.Schema.Attributes() {
		if p, ok := in.Semi[a.Name]; ok {
			t.semi[i] = p
		}
		for _, p := range in.Semi {
			if p.Flag == a.Name {
				t.flags[a.Name] = i
			}
		}
	}
	return t, nil
}

// qi are the columns of the quasi-identifiers.
func (t *inputTable) qi() [][]equivclass.Code { return t.Columns(t.Schema.Quasi()...).Codes }

// shown are the attributes that are published: quasi-identifiers, semi-sensitive ones
// among them, in order of the schema, then the sensitive one.
func (t *inputTable) shown() []int {
	quasi := slices.DeleteFunc(slices.Clone(t.Schema.Quasi()), func(i int) bool {
		_, flag := t.flags[t.Schema.Attributes()[i].Name]
		return flag
	})
	return append(quasi, t.Schema.SensitiveIndex())
}

// published is the table of what is published.
func (t *inputTable) published() *equivclass.Table { return t.Columns(t.shown()...) }

// about is the table of what is published and not sensitive, and of some sensitive attributes.
func (t *inputTable) about(sensitive ...int) *equivclass.Table {
	shown := t.shown()
	return t.Columns(append(shown[:len(shown)-1], sensitive...)...)
}

// flagged is published with the flags of each record, by its columns. Every
// sensitive value is sensitive to its person.
func (t *inputTable) flagged() *flagged.Table {
	f := &flagged.Table{Table: t.published(), Flags: make([]uint64, t.Len())}
	for at, i := range t.shown() {
		p, semi := t.semi[i]
		if !semi && i != t.Schema.SensitiveIndex() {
			continue
		}
		flag, flagged := t.flags[p.Flag]
		for row := range f.Flags {
			sensitive := true
			if flagged {
				sensitive, _ = parseFlag(t.Dicts[flag].Text(t.Codes[flag][row]))
			}
			if sensitive {
				f.Flags[row] |= 1 << at
			}
		}
	}
	return f
}
