package render

import (
	"encoding/binary"
	"slices"

	"anond/snapshot"
)

// drawn holds the seed, which must not be printed (rule R, randomness).
type drawn struct {
	buckets
	seed [32]byte
}

// DrawnValues is Permutation for level L2: the files of Buckets, and in each row of data.csv
// a value of each sensitive attribute, behind the cells. The values of a bucket's rows are its
// bag in random order: they belong to the bucket, not to the row in which they stand, and the
// promise is judged by bucket. Each attribute has an order of its own, so which values stand
// together in a row is chance.
//
// Guarantee: that of Buckets (rule B, buckets), since the file is made of what Buckets
// shows and of random draws. Method: each bag is sorted, shuffled by a generator keyed
// by (seed, purpose, attribute, birth, content of the bucket), and assigned to the bucket's rows
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
	d := len(t.sa)
	rows := make([]uint32, d*b.people)
	for a := range t.sa {
		values := slices.Clone(b.bags[a])
		shuffle(s.draws(r.seed, r.key(t, s, b, a)), values)
		for i, v := range values {
			rows[i*d+a] = v
		}
	}
	for i := 0; i < len(b.classes); {
		from, place := i, b.classes[i].place
		for i < len(b.classes) && b.classes[i].place == place {
			i++
		}
		n := d * t.k * (i - from)
		s.ranks = append(s.ranks[:0], rows[:n]...)
		t.sortRows(s, rows[:0], d)
		for _, c := range b.classes[from:i] {
			c.values, rows = rows[:d*t.k], rows[d*t.k:]
		}
	}
}

// key names an attribute of a bucket by its content: what is published of it but for the draws. It
// holds texts, not ranks: these shift when the dictionary grows.
func (r *drawn) key(t *table, s *scratch, b *sharedBucket, attribute int) []byte {
	sa := &t.sa[attribute]
	s.text = appendCounted(append(s.text[:0], "anond bucket values 2\x00"...), []byte(sa.name), attribute)
	s.text = binary.BigEndian.AppendUint32(s.text, b.classes[0].born)
	s.text = binary.AppendUvarint(s.text, uint64(len(b.classes)))
	for _, c := range b.classes {
		s.prefix = t.appendCells(s.prefix[:0], c.cells)
		s.text = appendCounted(s.text, s.prefix, len(c.members))
	}
	for v, n := range runs(b.bags[attribute]) {
		s.text = appendCounted(s.text, sa.quoted[v], n)
	}
	return s.text
}

// appendCounted appends a text so that no other text and count give the same bytes.
func appendCounted(to, text []byte, n int) []byte {
	to = binary.AppendUvarint(to, uint64(len(text)))
	return binary.AppendUvarint(append(to, text...), uint64(n))
}

func (r *drawn) layouts(t *table) []layout {
	out := r.buckets.layouts(t)
	data := &out[0]
	data.header = t.names()
	for a := range t.sa {
		data.header = append(data.header, t.sa[a].name)
	}
	data.header = append(data.header, "class", "bucket")
	data.append = func(s *scratch, buf []byte, number int, c *class) ([]byte, int) {
		s.prefix = t.appendCells(s.prefix[:0], c.cells)
		s.text = append(c.appendNumbers(s.text[:0], number), '\n')
		for row := range slices.Chunk(c.values, len(t.sa)) {
			buf = append(buf, s.prefix...)
			for a, v := range row {
				buf = append(append(buf, ','), t.sa[a].quoted[v]...)
			}
			buf = append(buf, s.text...)
		}
		return buf, len(c.members)
	}
	return out
}
