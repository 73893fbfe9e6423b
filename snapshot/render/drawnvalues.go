package render

import (
	"encoding/binary"
	"slices"
	"strconv"

	"anond/snapshot"
)

// drawn holds the seed, which must not be printed (rule R, randomness).
type drawn struct {
	buckets
	seed [32]byte
}

// DrawnValues is Permutation for level L2: data.csv alone, a row a record with the
// tight cells of its class, a sensitive value and the bucket. The values of a bucket's
// rows are its bag in random order: they belong to the bucket, not to the row in
// which they stand, and l is judged by bucket.
//
// Guarantee: that of Buckets (rule B, buckets), since the file is made of what Buckets
// shows and of random draws. Method: the bag is sorted, shuffled by a generator keyed
// by (seed, purpose, birth, content of the bucket), and assigned to the bucket's rows
// in canonical order. Once, at birth: later releases copy the bytes. A shuffle of the
// members' own values would be the same law, but someone who gets hold of the seed
// could invert it; what starts from a sorted bag has forgotten whose value is whose.
func DrawnValues(seed [32]byte) Recoding { return &drawn{buckets: buckets{cells: true}, seed: seed} }

func (*drawn) Name() string { return snapshot.NamePermutation }

// String and GoString keep the seed out of texts.
func (*drawn) String() string   { return snapshot.NamePermutation }
func (*drawn) GoString() string { return snapshot.NamePermutation }

func (*drawn) mark(m *snapshot.Manifest) { m.Values = snapshot.ValuesDrawn }

func (r *drawn) order(t *table) {
	t.placeShared()
	t.each(len(t.shared), func(_, lo, hi int) {
		var s scratch
		for _, b := range t.shared[lo:hi] {
			r.assign(t, &s, b)
		}
	})
	t.numberShared()
}

// assign gives the rows of a bucket their values: in the order of cells, and where
// these are equal, ascending.
func (r *drawn) assign(t *table, s *scratch, b *sharedBucket) {
	values := slices.Clone(b.bag)
	shuffle(s.draws(r.seed, r.key(t, s, b)), values)
	for i := 0; i < len(b.classes); {
		from, place := i, b.classes[i].place
		for i < len(b.classes) && b.classes[i].place == place {
			i++
		}
		n := 0
		for _, c := range b.classes[from:i] {
			n += len(c.members)
		}
		slices.Sort(values[:n])
		for _, c := range b.classes[from:i] {
			c.values, values = values[:len(c.members)], values[len(c.members):]
		}
	}
}

// key names a bucket by its content: what is published of it but for the draws. It
// holds texts, not ranks: these shift when the dictionary grows.
func (r *drawn) key(t *table, s *scratch, b *sharedBucket) []byte {
	s.text = append(s.text[:0], "anond bucket values 1\x00"...)
	s.text = binary.BigEndian.AppendUint32(s.text, b.classes[0].born)
	s.text = binary.AppendUvarint(s.text, uint64(len(b.classes)))
	for _, c := range b.classes {
		s.prefix = t.appendCells(s.prefix[:0], c.cells)
		s.text = appendCounted(s.text, s.prefix, len(c.members))
	}
	for v, n := range runs(b.bag) {
		s.text = appendCounted(s.text, t.sa.quoted[v], n)
	}
	return s.text
}

// appendCounted appends a text so that no other text and count give the same bytes.
func appendCounted(to, text []byte, n int) []byte {
	to = binary.AppendUvarint(to, uint64(len(text)))
	return binary.AppendUvarint(append(to, text...), uint64(n))
}

func (r *drawn) layouts(t *table) []layout {
	var classes []*class
	for _, b := range t.shared {
		classes = append(classes, b.classes...)
	}
	return []layout{{
		name:    dataName,
		header:  append(t.names(), t.sa.name, "bucket"),
		classes: classes,
		append: func(s *scratch, buf []byte, _ int, c *class) ([]byte, int) {
			s.prefix = append(t.appendCells(s.prefix[:0], c.cells), ',')
			for _, v := range c.values {
				buf = append(append(buf, s.prefix...), t.sa.quoted[v]...)
				buf = append(strconv.AppendInt(append(buf, ','), int64(c.bucket.number), 10), '\n')
			}
			return buf, len(c.members)
		},
	}}
}
