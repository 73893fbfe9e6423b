package render

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"

	"anond/snapshot"
)

// permutation holds the seed, which must not be printed (rule R, randomness).
type permutation struct {
	single
	seed [32]byte
}

// Permutation (Li, He, Cao and Chen 2015, Definition 1) writes the exact
// quasi-identifiers with each column of a group shuffled on its own into
// pqt.csv, and each group's sensitive values, one row a record, into pst.csv.
//
// Guarantee: a row of pqt.csv tells nothing beyond the columns of its group,
// each as a multiset. Method: a column is sorted first, then shuffled by a
// generator keyed by (seed, release, purpose), rule R, where the release is
// that of the group's birth and the purpose names the group by its content. The
// result is thus a function of what is published anyway and of random draws, not of
// how values were joined in the records; it does not depend on record ids; and a
// group that lives on is written the same way in each release, which rule A
// (frozen classes) asks for.
func Permutation(seed [32]byte) Recoding { return &permutation{seed: seed} }

func (*permutation) Name() string { return snapshot.NamePermutation }

// String and GoString keep the seed out of texts.
func (p *permutation) String() string   { return snapshot.NamePermutation }
func (p *permutation) GoString() string { return snapshot.NamePermutation }

func (p *permutation) rows(t *table, s *scratch, dst []uint32, c *class) []uint32 {
	n, d := len(c.members), len(t.cols)
	columns := s.columns[:0] // column after column
	for j := range t.cols {
		for _, m := range c.members {
			columns = append(columns, t.cols[j].rank[t.cols[j].codes.At(int(m))])
		}
		slices.Sort(columns[j*n:])
	}
	s.columns = columns
	draws := p.draws(t, s, c.born, columns, n)
	s.ranks = slices.Grow(s.ranks[:0], n*d)[:n*d]
	for j := range d {
		column := columns[j*n : (j+1)*n]
		shuffle(draws, column)
		for i, v := range column {
			s.ranks[i*d+j] = v
		}
	}
	return t.sortRows(s, dst, d)
}

// draws returns the generator of a group. The key holds texts, not ranks: these
// shift when the dictionary grows.
func (p *permutation) draws(t *table, s *scratch, born uint32, columns []uint32, n int) *rand.ChaCha8 {
	s.text = append(s.text[:0], "anond permutation 1\x00"...)
	s.text = binary.BigEndian.AppendUint32(s.text, born)
	for i, v := range columns {
		text := t.cols[i/n].quoted[v]
		s.text = binary.AppendUvarint(s.text, uint64(len(text)))
		s.text = append(s.text, text...)
	}
	return s.draws(p.seed, s.text)
}

// draws is the generator that a seed and a text are the key of. A scratch serves
// one seed.
func (s *scratch) draws(seed [32]byte, text []byte) *rand.ChaCha8 {
	if s.mac == nil {
		s.mac = hmac.New(sha256.New, seed[:])
	}
	s.mac.Reset()
	s.mac.Write(text)
	s.mac.Sum(s.key[:0])
	s.drawn.Seed(s.key)
	return &s.drawn
}

// shuffle is Fisher-Yates, written out because its draws are part of the format:
// a retry after an upgrade must render the same bytes.
func shuffle(draws *rand.ChaCha8, v []uint32) {
	for i := len(v) - 1; i > 0; i-- {
		j := below(draws, uint64(i+1))
		v[i], v[j] = v[j], v[i]
	}
}

// below draws uniformly from 0..n-1 without bias (Lemire 2019).
func below(draws *rand.ChaCha8, n uint64) uint64 {
	hi, lo := bits.Mul64(draws.Uint64(), n)
	for lo < n && lo < -n%n {
		hi, lo = bits.Mul64(draws.Uint64(), n)
	}
	return hi
}

func (p *permutation) layouts(t *table) []layout {
	pst := layout{
		name:   "pst.csv",
		header: []string{"group", t.sa[0].name},
		append: func(_ *scratch, buf []byte, number int, c *class) ([]byte, int) {
			for _, v := range c.bag {
				buf = append(strconv.AppendInt(buf, int64(number), 10), ',')
				buf = append(append(buf, t.sa[0].quoted[v]...), '\n')
			}
			return buf, len(c.bag)
		},
	}
	return []layout{t.exactLayout("pqt.csv"), pst}
}
