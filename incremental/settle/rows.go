package settle

import "encoding/binary"

// AppendText adds a text to a row, or that there is none (nil).
func AppendText(row, text []byte) []byte {
	if text == nil {
		return append(row, 0)
	}
	return append(binary.AppendUvarint(row, uint64(len(text))+1), text...)
}

// CutText takes the first text off a row. ok: there is one, or the row says that there is none.
func CutText(row []byte) (text, rest []byte, ok bool) {
	d := decoder{b: row}
	if n := d.below(uint64(len(row)) + 1); n > 0 {
		text = d.take(n - 1)
		text = text[:len(text):len(text)]
	}
	return text, d.b, !d.bad
}

// texts are those that rows of open histories have, each once. One that no row has any more is not kept.
//
// Method: a row is written as a list of texts; for one that is here it has the number. Which texts have numbers depends on what
// was there when the row was written, so none of this is stored. A row that AppendText has not written is written as it is.
//
// Cost: some 80 bytes a text, of at most mostTexts; another one costs its length in each row. A look at a map for each text written.
type texts struct {
	numbers map[string]uint32
	held    []text
	free    []uint32 // numbers
	leave   bool     // rows that are read leave: their texts are counted no more
}

type text struct {
	text string
	uses int
}

const (
	mostTexts   = 1<<13 - 1 // a number takes two bytes at most
	longestText = 128
)

func (t *texts) append(out, row []byte) []byte {
	n := uint64(0)
	for rest, ok := row, true; len(rest) > 0; n++ {
		if _, rest, ok = CutText(rest); !ok {
			return append(binary.AppendUvarint(out, uint64(len(row))<<1), row...)
		}
	}
	out = binary.AppendUvarint(out, n<<1|1)
	for rest := row; len(rest) > 0; {
		var x []byte
		x, rest, _ = CutText(rest)
		if x == nil {
			out = append(out, 0)
		} else if number, ok := t.count(x); ok {
			out = binary.AppendUvarint(out, uint64(number+1)<<1)
		} else {
			out = append(binary.AppendUvarint(out, uint64(len(x))<<1|1), x...)
		}
	}
	return out
}

func (t *texts) read(d *decoder) (row []byte) {
	n := d.below(1 << 62)
	if n&1 == 0 {
		return append([]byte{}, d.take(n>>1)...)
	}
	row = make([]byte, 0, 64)
	for range n >> 1 {
		switch x := d.below(1 << 62); {
		case x == 0:
			row = AppendText(row, nil)
		case x&1 == 0:
			row = AppendText(row, []byte(t.held[x>>1-1].text))
			t.drop(uint32(x>>1 - 1))
		default:
			row = AppendText(row, d.take(x>>1))
		}
	}
	return row
}

// count returns the number of a text for one use more.
func (t *texts) count(x []byte) (number uint32, ok bool) {
	if len(x) < 2 || len(x) > longestText {
		return 0, false
	}
	number, ok = t.numbers[string(x)]
	switch n := len(t.free); {
	case ok:
	case n > 0:
		number, t.free = t.free[n-1], t.free[:n-1]
	case len(t.held) < mostTexts:
		number, t.held = uint32(len(t.held)), append(t.held, text{})
	default:
		return 0, false
	}
	if !ok {
		if t.numbers == nil {
			t.numbers = map[string]uint32{}
		}
		t.held[number].text = string(x)
		t.numbers[t.held[number].text] = number
	}
	t.held[number].uses++
	return number, true
}

// drop takes a use from the count of a text, if rows leave.
func (t *texts) drop(number uint32) {
	if !t.leave {
		return
	}
	if x := &t.held[number]; x.uses > 1 {
		x.uses--
	} else {
		delete(t.numbers, x.text)
		*x, t.free = text{}, append(t.free, number)
	}
}
