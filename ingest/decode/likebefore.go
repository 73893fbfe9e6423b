package decode

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"anond/equivclass"
	"anond/ingest/pointer"
)

// likeBefore reads objects that have the members of the object before, or some of them, in the same order: most records of a
// source do. Then a name is compared with one text, and that it is not repeated need not be looked up.
//
// It takes only texts that the reader by tokens takes as well, and makes the same row of them: an object whose members are numbers,
// literals and strings without escapes. Of every other text it says nothing, and that reader decides (FuzzLikeBefore holds one
// against the other). So no reason comes from here.
type likeBefore struct {
	members []named // of the object before; nil: it was none of these
	seen    []named // of the present object, while it is read by tokens
	lost    bool    // the present object is none of these
}

// named is a member by its name, in quotes. at: the attribute, -1: no value of it is needed.
type named struct {
	name []byte
	at   int
}

// see notes a member whose name was read by tokens, and returns the name: looking at what follows may have overwritten it.
func (l *likeBefore) see(r *objectReader, name []byte, at *pointer.Place) []byte {
	asked := at == nil && r.others != nil && r.ofEvent(name)
	l.lost = l.lost || asked || bytes.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == '"' || c == '\\' })
	if l.lost {
		return name
	}
	n := len(l.seen)
	l.seen = slices.Grow(l.seen, 1)[:n+1]
	m := &l.seen[n]
	m.name, m.at = append(append(append(m.name[:0], '"'), name...), '"'), -1
	if at != nil {
		m.at = at.Value
	}
	kind := r.dec.PeekKind()
	l.lost = kind == '{' || kind == '['
	return m.name[1 : len(m.name)-1]
}

// begin is told that a text is read by tokens, end that it was an object without fault.
func (l *likeBefore) begin() { l.seen, l.lost = l.seen[:0], false }

func (l *likeBefore) end() {
	if l.members, l.seen = l.seen, l.members; l.lost {
		l.members = l.members[:0]
	}
}

// read reads an object into row. false: it is not like the one before, and the row is empty.
func (l *likeBefore) read(r *objectReader, text []byte, row equivclass.Row) bool {
	if len(l.members) == 0 || !l.readMembers(r, text, row) {
		clear(row)
		return false
	}
	return true
}

func (l *likeBefore) readMembers(r *objectReader, text []byte, row equivclass.Row) bool {
	i := space(text, 0)
	if i == len(text) || text[i] != '{' {
		return false
	}
	i = space(text, i+1)
	for k := 0; ; {
		for ; k < len(l.members) && !bytes.HasPrefix(text[i:], l.members[k].name); k++ {
		}
		if k == len(l.members) {
			return false
		}
		m := &l.members[k]
		k++
		if i = space(text, i+len(m.name)); i == len(text) || text[i] != ':' {
			return false
		}
		start := space(text, i+1)
		end, kind := value(text, start)
		if kind == 0 {
			return false
		}
		if m.at >= 0 {
			row[m.at] = r.plain(text[start:end:end], kind, m.at)
		}
		if i = space(text, end); i == len(text) {
			return false
		}
		switch text[i] {
		case ',':
			i = space(text, i+1)
		case '}':
			return space(text, i+1) == len(text)
		default:
			return false
		}
	}
}

// plain is the text of a value without escapes; nil is missing.
func (r *objectReader) plain(raw []byte, kind byte, i int) []byte {
	switch {
	case kind == 'n':
		return nil
	case kind == '"' && len(raw) == 2:
		return nil
	case kind == '"':
		return raw[1 : len(raw)-1 : len(raw)-1]
	case kind == '0' && isKey(r.attributes[i].Role):
		return integerOf(raw)
	}
	return raw
}

// space passes white space.
func space(text []byte, i int) int {
	for i < len(text) && text[i] <= ' ' && (text[i] == ' ' || text[i] == '\n' || text[i] == '\r' || text[i] == '\t') {
		i++
	}
	return i
}

// value finds the end of the number, literal or string without escapes that begins at i. kind is that of jsontext; 0: it is none.
func value(text []byte, i int) (end int, kind byte) {
	if i == len(text) {
		return 0, 0
	}
	switch c := text[i]; {
	case c == '"':
		if end = quoted(text, i+1); end == 0 {
			return 0, 0
		}
		return end, '"'
	case c == '-' || '0' <= c && c <= '9':
		if end = number(text, i); end == 0 {
			return 0, 0
		}
		return end, '0'
	}
	for _, word := range []string{"null", "true", "false"} {
		if len(text)-i >= len(word) && string(text[i:i+len(word)]) == word {
			return i + len(word), word[0]
		}
	}
	return 0, 0
}

// quoted finds the end of a string whose quote is before i; 0: it has escapes, or is none.
func quoted(text []byte, i int) int {
	start, high := i, byte(0)
	for ; i < len(text); i++ {
		c := text[i]
		if c == '"' {
			if high >= utf8.RuneSelf && !utf8.Valid(text[start:i]) {
				return 0
			}
			return i + 1
		}
		if c < ' ' || c == '\\' {
			return 0
		}
		high |= c
	}
	return 0
}

// number finds the end of a number (RFC 8259, section 6); 0: it is none.
func number(text []byte, i int) int {
	if text[i] == '-' {
		i++
	}
	whole := digits(text, i)
	if whole == i || text[i] == '0' && whole > i+1 {
		return 0
	}
	if i = whole; i < len(text) && text[i] == '.' {
		part := digits(text, i+1)
		if part == i+1 {
			return 0
		}
		i = part
	}
	if i < len(text) && text[i]|' ' == 'e' {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		exponent := digits(text, i)
		if exponent == i {
			return 0
		}
		i = exponent
	}
	return i
}

func digits(text []byte, i int) int {
	for i < len(text) && '0' <= text[i] && text[i] <= '9' {
		i++
	}
	return i
}
