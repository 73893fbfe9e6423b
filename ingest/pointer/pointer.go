// Package pointer says where the attributes of a record lie in a JSON text: JSON Pointers
// (RFC 6901), and the tree of all of them, by which a text is read in one pass.
package pointer

import (
	"errors"
	"strconv"
	"strings"
)

// errSyntax: a text is no pointer to a value inside of an object.
var errSyntax = errors.New("is not a JSON Pointer")

// Parse splits a pointer, such as /code/coding/0/code, into its steps. The empty one, which
// is the whole text, is refused.
func Parse(text string) (steps []string, err error) {
	rest, ok := strings.CutPrefix(text, "/")
	if !ok {
		return nil, errSyntax
	}
	for _, step := range strings.Split(rest, "/") {
		plain := strings.NewReplacer("~0", "", "~1", "").Replace(step)
		if strings.Contains(plain, "~") {
			return nil, errSyntax
		}
		steps = append(steps, strings.NewReplacer("~0", "~", "~1", "/").Replace(step))
	}
	return steps, nil
}

// Place is a place in a text: of a value that is read, or above some of them.
type Place struct {
	Value    int // its number; -1: it is above others
	members  map[string]*Place
	elements map[int]*Place // the members whose names are indices
	last     int            // largest index of them
}

// New returns the tree of no place.
func New() *Place { return &Place{Value: -1, last: -1} }

// Member is the place of a member of an object; nil: nothing in it is read. In nil nothing is.
func (p *Place) Member(name []byte) *Place {
	if p == nil {
		return nil
	}
	return p.members[string(name)]
}

// Members are the places of all members, by name. In nil none is.
func (p *Place) Members() map[string]*Place {
	if p == nil {
		return nil
	}
	return p.members
}

// Elements is how many elements of an array come up to the last in which something is read.
func (p *Place) Elements() int {
	if p == nil {
		return 0
	}
	return p.last + 1
}

// Element is the place of an element of an array; nil: nothing in it is read.
func (p *Place) Element(i int) *Place {
	if i > p.last {
		return nil
	}
	return p.elements[i]
}

// Add gives a value its place. If another value lies there, above or below it, Add returns
// the number of that one and false.
func (p *Place) Add(steps []string, value int) (other int, ok bool) {
	for _, s := range steps {
		if p.Value >= 0 {
			return p.Value, false
		}
		p = p.below(s)
	}
	if other = p.first(); other >= 0 {
		return other, false
	}
	p.Value = value
	return 0, true
}

// below makes sure that there is a place for a member or element.
func (p *Place) below(step string) *Place {
	if p.members == nil {
		p.members, p.elements = map[string]*Place{}, map[int]*Place{}
	}
	q := p.members[step]
	if q == nil {
		q = New()
		p.members[step] = q
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && strconv.Itoa(i) == step {
			p.elements[i], p.last = q, max(p.last, i)
		}
	}
	return q
}

// first is the smallest value at a place or below it; -1: none.
func (p *Place) first() int {
	least := p.Value
	for _, q := range p.members {
		if v := q.first(); v >= 0 && (least < 0 || v < least) {
			least = v
		}
	}
	return least
}
