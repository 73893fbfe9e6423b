package audit

import (
	"encoding/binary"
	"slices"
)

// otherContents counts the buckets of one table that the other does not have: with the
// same bag, over classes that show the same.
func otherContents(t, o *table) (other int) {
	left := map[string]int{}
	for _, key := range t.contents() {
		left[key]++
	}
	for _, key := range o.contents() {
		left[key]--
	}
	for _, n := range left {
		other += max(n, -n)
	}
	return other
}

// contents gives all that a table shows of each bucket, as a key.
func (t *table) contents() []string {
	b := &t.local.attrs[0]
	classes := make([][]string, b.m)
	var key []byte
	for c := range t.m {
		key = t.classKey(c, key)
		i := b.rows(t, c)[0] - 1
		classes[i] = append(classes[i], string(key))
	}
	out := make([]string, b.m)
	for i, list := range classes {
		slices.Sort(list)
		key = binary.LittleEndian.AppendUint32(key[:0], b.bags()[i])
		for _, c := range list {
			key = binary.LittleEndian.AppendUint32(key, uint32(len(c)))
			key = append(key, c...)
		}
		out[i] = string(key)
	}
	return out
}
