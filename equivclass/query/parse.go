package query

import (
	"strings"
)

// maxQueryText bounds the text of a query.
const maxQueryText = 1 << 16

// Parse reads a query:
//
//	count where age in [40,70] and sex = F and disease = flu
//	mean(income) where age > 40 and state in {"New York", Ohio} and sex != F
//
// A condition is NAME = V, NAME != V, NAME < V (also <=, >, >=), NAME in [A,B]
// (round brackets leave a bound out), NAME in {V, W, …} or NAME not in {…}.
// Of histories NAME ever = V asks for a record anywhere, NAME first = V for the first one, NAME whole = V then W for a history of these two
// records, and NAME ever = V then W for V directly followed by W; != and not in ask for all other histories.
// Names and values that hold a space, one of ()[]{},=<>!" or a keyword are
// written in double quotes, with \" and \\ inside. Keywords are count, sum, mean,
// where, and, in, not, in any case. Errors are *Error: they name the column and say what to
// write instead.
func Parse(text string) (Query, error) {
	if len(text) > maxQueryText {
		return Query{}, queryError(maxQueryText, "the query is longer than %d bytes: shorten it", maxQueryText)
	}
	p := &queryParser{text: text}
	if err := p.next(); err != nil {
		return Query{}, err
	}
	return p.query()
}

// tokenKind tells words from signs.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenQuoted
	tokenSign // one of ()[]{}, or a comparison
)

type queryToken struct {
	kind tokenKind
	text string
	at   int
}

func (t queryToken) is(sign string) bool { return t.kind == tokenSign && t.text == sign }

func (t queryToken) keyword(word string) bool {
	return t.kind == tokenWord && strings.EqualFold(t.text, word)
}

// isName reports whether the token can be a name or a value.
func (t queryToken) isName() bool {
	return t.kind == tokenQuoted || t.kind == tokenWord && !isKeyword(t.text)
}

func (t queryToken) shown() string {
	if t.kind == tokenEnd {
		return "the end of the query"
	}
	return "`" + t.text + "`"
}

const querySigns = `()[]{},=<>!"`

var queryKeywords = []string{"count", "sum", "mean", "where", "and", "in", "not"}

func isKeyword(word string) bool {
	for _, k := range queryKeywords {
		if strings.EqualFold(word, k) {
			return true
		}
	}
	return false
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// queryParser reads tokens by one of look-ahead.
type queryParser struct {
	text string
	at   int
	tok  queryToken
}

// next reads the next token.
func (p *queryParser) next() error {
	for p.at < len(p.text) && isSpace(p.text[p.at]) {
		p.at++
	}
	from := p.at
	switch {
	case from == len(p.text):
		p.tok = queryToken{at: from}
	case p.text[from] == '"':
		return p.quoted()
	case strings.IndexByte(querySigns, p.text[from]) >= 0:
		p.at++
		if strings.IndexByte("<>!", p.text[from]) >= 0 && p.at < len(p.text) && p.text[p.at] == '=' {
			p.at++
		}
		p.tok = queryToken{tokenSign, p.text[from:p.at], from}
	default:
		for p.at < len(p.text) && !isSpace(p.text[p.at]) && strings.IndexByte(querySigns, p.text[p.at]) < 0 {
			p.at++
		}
		p.tok = queryToken{tokenWord, p.text[from:p.at], from}
	}
	return nil
}

func (p *queryParser) quoted() error {
	from := p.at
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			p.tok = queryToken{tokenQuoted, b.String(), from}
			return nil
		case c == '\\' && p.at+1 < len(p.text):
			p.at++
			b.WriteByte(p.text[p.at])
		default:
			b.WriteByte(c)
		}
	}
	return queryError(from, "the quoted text that starts here has no end: add a \"")
}

// expected is the error that another token was expected here.
func (p *queryParser) expected(what string) error {
	return queryError(p.tok.at, "expected %s, found %s", what, p.tok.shown())
}

// take consumes a sign.
func (p *queryParser) take(sign, what string) error {
	if !p.tok.is(sign) {
		return p.expected(what)
	}
	return p.next()
}

// name consumes a name or a value.
func (p *queryParser) name(what string) (string, error) {
	if !p.tok.isName() {
		if p.tok.kind == tokenWord {
			return "", queryError(p.tok.at, "`%s` is a keyword: write \"%s\" if this is %s", p.tok.text, p.tok.text, what)
		}
		return "", p.expected(what)
	}
	text := p.tok.text
	return text, p.next()
}

func (p *queryParser) query() (Query, error) {
	q, err := p.head()
	if err != nil || p.tok.kind == tokenEnd {
		return q, err
	}
	for word := "where"; ; word = "and" {
		if p.tok.kind == tokenEnd && word == "and" {
			return q, nil
		}
		if !p.tok.keyword(word) {
			return Query{}, p.expected("`" + word + "`")
		}
		if err := p.next(); err != nil {
			return Query{}, err
		}
		c, err := p.condition()
		if err != nil {
			return Query{}, err
		}
		q.Where = append(q.Where, c)
	}
}

// head reads count, sum(NAME) or mean(NAME).
func (p *queryParser) head() (q Query, err error) {
	mean := p.tok.keyword("mean")
	switch {
	case p.tok.keyword("count"):
		return q, p.next()
	case !mean && !p.tok.keyword("sum"):
		return q, p.expected("`count`, `sum(attribute)` or `mean(attribute)`")
	}
	if err = p.next(); err != nil {
		return Query{}, err
	}
	if err = p.take("(", "`(` and the attribute to sum"); err != nil {
		return Query{}, err
	}
	at := p.tok.at
	name, err := p.name("the attribute to sum")
	if err != nil {
		return Query{}, err
	}
	if name == "" {
		return Query{}, queryError(at, "the attribute to sum has no name: write it between the brackets")
	}
	if err = p.take(")", "`)`"); err != nil {
		return Query{}, err
	}
	return Query{Sum: name, SumAt: at, Mean: mean}, nil
}
