package query

import "anond/equivclass"

// condition reads one condition.
func (p *queryParser) condition() (Condition, error) {
	c := Condition{At: p.tok.at}
	var err error
	if c.Attribute, err = p.name("the name of an attribute"); err != nil {
		return Condition{}, err
	}
	for _, word := range []string{Ever, First, Whole} {
		if p.tok.keyword(word) {
			c.Seen = word
			if err = p.next(); err != nil {
				return Condition{}, err
			}
			break
		}
	}
	switch {
	case p.tok.is("="), p.tok.is("!="):
		c.Not = p.tok.text == "!="
		err = p.single(&c)
	case p.tok.is("<"), p.tok.is("<="), p.tok.is(">"), p.tok.is(">="):
		err = p.compared(&c, p.tok.text)
	case p.tok.keyword("in"):
		err = p.in(&c)
	case p.tok.keyword("not"):
		c.Not = true
		err = p.notIn(&c)
	default:
		err = p.expected("=, !=, <, <=, >, >=, in or not in")
	}
	if err != nil {
		return Condition{}, err
	}
	return c, nil
}

func (p *queryParser) single(c *Condition) error {
	if err := p.next(); err != nil {
		return err
	}
	v, err := p.sequence()
	c.Values = []string{v}
	return err
}

// sequence reads a value, or several that follow each other in a history.
func (p *queryParser) sequence() (string, error) {
	v, err := p.name("a value")
	for parts := []string{v}; err == nil && p.tok.keyword("then"); v = equivclass.Joined(parts) {
		if err = p.next(); err == nil {
			v, err = p.name("a value")
		}
		parts = append(parts, v)
	}
	return v, err
}

func (p *queryParser) compared(c *Condition, sign string) error {
	if err := p.next(); err != nil {
		return err
	}
	v, err := p.bound()
	if err != nil {
		return err
	}
	open := len(sign) == 1
	if sign[0] == '<' {
		c.Range = &TextRange{Hi: v, HiOpen: open}
	} else {
		c.Range = &TextRange{Lo: v, LoOpen: open}
	}
	return nil
}

// bound reads a bound of a range, which may not be empty.
func (p *queryParser) bound() (string, error) {
	at := p.tok.at
	v, err := p.name("a number or a date")
	if err == nil && v == "" {
		err = queryError(at, "the bound is empty: give a number or a date, or compare with <, <=, > or >=")
	}
	return v, err
}

func (p *queryParser) notIn(c *Condition) error {
	if err := p.next(); err != nil {
		return err
	}
	if !p.tok.keyword("in") {
		return p.expected("`in`")
	}
	if err := p.next(); err != nil {
		return err
	}
	if !p.tok.is("{") {
		return p.expected("`{` and the values that are not wanted")
	}
	return p.list(c)
}

func (p *queryParser) in(c *Condition) error {
	if err := p.next(); err != nil {
		return err
	}
	switch {
	case p.tok.is("{"):
		return p.list(c)
	case p.tok.is("["), p.tok.is("("):
		return p.interval(c)
	default:
		return p.expected("`[A,B]` or `{V, W}`")
	}
}

func (p *queryParser) interval(c *Condition) (err error) {
	r := &TextRange{LoOpen: p.tok.is("(")}
	if err = p.next(); err != nil {
		return err
	}
	if r.Lo, err = p.bound(); err != nil {
		return err
	}
	if err = p.take(",", "`,` and the upper bound"); err != nil {
		return err
	}
	if r.Hi, err = p.bound(); err != nil {
		return err
	}
	if r.HiOpen = p.tok.is(")"); !r.HiOpen && !p.tok.is("]") {
		return p.expected("`]` or `)`")
	}
	c.Range = r
	return p.next()
}

func (p *queryParser) list(c *Condition) error {
	for more := true; more; more = p.tok.is(",") {
		if err := p.next(); err != nil {
			return err
		}
		v, err := p.sequence()
		if err != nil {
			return err
		}
		c.Values = append(c.Values, v)
	}
	return p.take("}", "`,` or `}`")
}
