package boltstore

import (
	"encoding/binary"
	"maps"
	"slices"
)

// A layout says once how a value is written and read: it passes each of its fields to a coder, which does the one or the
// other. A value that is written is passed as a copy.
type layout[T any] func(c *coder, v *T)

func (l layout[T]) encode(v T) []byte {
	c := &coder{writing: true}
	l(c, &v)
	return c.out
}

func (l layout[T]) decode(content []byte) (v T, err error) {
	c := &coder{reader: reader{b: content}}
	l(c, &v)
	return v, c.done()
}

// A coder writes what it is given to out, or reads it.
type coder struct {
	reader
	out     []byte
	writing bool
}

func (c *coder) u(v *uint64) {
	if c.writing {
		c.out = binary.AppendUvarint(c.out, *v)
	} else {
		*v = c.uvarint()
	}
}

func (c *coder) i(v *int64) {
	if c.writing {
		c.out = binary.AppendVarint(c.out, *v)
	} else {
		*v = c.varint()
	}
}

// fixed is a value of as many bytes as v has.
func (c *coder) fixed(v []byte) {
	if c.writing {
		c.out = append(c.out, v...)
	} else {
		copy(v, c.bytes(len(v)))
	}
}

func (c *coder) flags(flags ...*bool) {
	for _, v := range flags {
		if c.writing {
			c.out = appendFlag(c.out, *v)
		} else {
			*v = c.flag()
		}
	}
}

// whole is a number from 0 to limit.
func whole[T ~int | ~uint32 | ~uint8](c *coder, v *T, limit int) {
	if c.writing {
		c.out = binary.AppendUvarint(c.out, uint64(*v))
	} else {
		*v = T(c.count(limit))
	}
}

// step is a number of 32 bits, as distance from the one before.
func step[T ~uint32](c *coder, v *T, before *int64) {
	distance := int64(*v) - *before
	c.i(&distance)
	if *before += distance; *before < 0 || *before > maxRecord {
		c.fail()
	}
	*v = T(*before)
}

func words[T ~string](c *coder, v *T) {
	if c.writing {
		c.out = appendText(c.out, string(*v))
	} else {
		*v = T(c.text())
	}
}

// listed is a list of things that take at least one byte each.
func listed[T any](c *coder, list *[]T, each func(*coder, *T)) {
	n := len(*list)
	if whole(c, &n, len(c.b)); !c.writing {
		*list = make([]T, n)
	}
	for i := range *list {
		each(c, &(*list)[i])
	}
}

// rest is a list up to the end, of one thing at least.
func rest[T any](c *coder, list *[]T, each func(*coder, *T)) {
	if !c.writing && len(c.b) == 0 {
		c.fail()
	}
	for i := range *list {
		each(c, &(*list)[i])
	}
	for len(c.b) > 0 {
		var v T
		each(c, &v)
		*list = append(*list, v)
	}
}

// keyed is a map: its length plus one and its entries in order of key; nil is 0, as nil and empty may differ in meaning.
func keyed[K comparable, V any](c *coder, m *map[K]V, order func(a, b K) int, entry func(*coder, *K, *V)) {
	n := 0
	if *m != nil {
		n = len(*m) + 1
	}
	whole(c, &n, len(c.b)+1)
	if c.writing {
		for _, k := range slices.SortedFunc(maps.Keys(*m), order) {
			v := (*m)[k]
			entry(c, &k, &v)
		}
		return
	}
	if n == 0 {
		return
	}
	*m = make(map[K]V, n-1)
	for range n - 1 {
		var k K
		var v V
		entry(c, &k, &v)
		(*m)[k] = v
	}
	if len(*m) != n-1 {
		c.fail()
	}
}
