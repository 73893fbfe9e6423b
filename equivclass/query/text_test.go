package query

import "strings"

// String writes the query as Parse reads it.
func (q Query) String() string {
	var b strings.Builder
	switch {
	case q.Sum == "":
		b.WriteString("count")
	case q.Mean:
		b.WriteString("mean(" + quoteWord(q.Sum) + ")")
	default:
		b.WriteString("sum(" + quoteWord(q.Sum) + ")")
	}
	for i, c := range q.Where {
		if i == 0 {
			b.WriteString(" where ")
		} else {
			b.WriteString(" and ")
		}
		b.WriteString(c.String())
	}
	return b.String()
}

// String writes the condition as Parse reads it.
func (c Condition) String() string {
	name := quoteWord(c.Attribute)
	switch {
	case c.Range != nil:
		return name + " " + c.Range.text()
	case len(c.Values) == 1 && c.Not:
		return name + " != " + quoteWord(c.Values[0])
	case len(c.Values) == 1:
		return name + " = " + quoteWord(c.Values[0])
	}
	words := make([]string, len(c.Values))
	for i, v := range c.Values {
		words[i] = quoteWord(v)
	}
	not := ""
	if c.Not {
		not = "not "
	}
	return name + " " + not + "in {" + strings.Join(words, ", ") + "}"
}

func (r TextRange) text() string {
	lo, hi := quoteWord(r.Lo), quoteWord(r.Hi)
	switch {
	case r.Hi == "" && r.LoOpen:
		return "> " + lo
	case r.Hi == "":
		return ">= " + lo
	case r.Lo == "" && r.HiOpen:
		return "< " + hi
	case r.Lo == "":
		return "<= " + hi
	}
	open, shut := "[", "]"
	if r.LoOpen {
		open = "("
	}
	if r.HiOpen {
		shut = ")"
	}
	return "in " + open + lo + "," + hi + shut
}

// quoteWord writes a name or a value so that it reads back as itself.
func quoteWord(word string) string {
	bare := word != "" && !isKeyword(word) && !strings.ContainsAny(word, querySigns+`\`)
	for i := 0; bare && i < len(word); i++ {
		bare = !isSpace(word[i])
	}
	if bare {
		return word
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}
