package kafkasrc

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/segmentio/kafka-go/compress"
)

// unfolding is the content of a compressed batch as a stream. It ends with
// errUnfoldsTooFar behind the bytes that a batch may unfold to.
type unfolding struct {
	*bufio.Reader
	codec io.ReadCloser
	left  int
}

var errUnfoldsTooFar = errors.New("the batch unfolds too far")

// unfold starts to decompress a batch. What the codecs need besides is bounded
// by the size of the answer: windows of zstd and lz4 by what they have read,
// snappy by snappyClaims.
func (b *batch) unfold(bound int) (*unfolding, error) {
	code := compress.Compression(b.attributes & codecBits)
	codec := code.Codec()
	if codec == nil {
		return nil, b.spoiled("unknown compression %d", int8(code))
	}
	if code == compress.Snappy && !snappyClaims(b.payload) {
		return nil, b.spoiled("%s does not unfold", codec.Name())
	}
	u := &unfolding{codec: codec.NewReader(bytes.NewReader(b.payload)), left: bound}
	u.Reader = bufio.NewReaderSize(counted{u}, 32<<10)
	return u, nil
}

func (u *unfolding) close() { _ = u.codec.Close() }

// counted is the stream below the buffer.
type counted struct{ u *unfolding }

func (c counted) Read(p []byte) (int, error) {
	if c.u.left < 0 {
		return 0, errUnfoldsTooFar
	}
	// One byte more than may come tells the end from too much.
	n, err := c.u.codec.Read(p[:min(len(p), c.u.left+1)])
	if c.u.left -= n; c.u.left < 0 {
		return 0, errUnfoldsTooFar
	}
	return n, err
}

// failed says why a batch could not be unfolded. The codec's own error may quote
// what it could not read.
func (b *batch) failed(err error, bound int) error {
	if errors.Is(err, errUnfoldsTooFar) {
		return b.spoiled("unfolds to more than the %d bytes of memory.max_in_flight", bound)
	}
	return b.spoiled("does not unfold into records")
}

// snappyMost is how much longer a text can be than its snappy block: a copy of
// 64 bytes takes three.
const snappyMost = 22

// xerialMagic begins a sequence of snappy blocks as Java clients write it: 8
// bytes, two versions of 4 bytes, then blocks behind their lengths.
var xerialMagic = []byte{130, 'S', 'N', 'A', 'P', 'P', 'Y', 0}

// snappyClaims reports whether the lengths that a snappy text claims are
// possible. The codec allocates what they claim before it looks further.
func snappyClaims(text []byte) bool {
	if !bytes.HasPrefix(text, xerialMagic) {
		return snappyBlockClaims(text)
	}
	for text = text[min(16, len(text)):]; len(text) > 0; {
		if len(text) < 4 {
			return false
		}
		n := binary.BigEndian.Uint32(text)
		if text = text[4:]; uint64(n) > uint64(len(text)) || !snappyBlockClaims(text[:n]) {
			return false
		}
		text = text[n:]
	}
	return true
}

func snappyBlockClaims(block []byte) bool {
	n, size := binary.Uvarint(block)
	return size > 0 && n <= uint64(len(block))*snappyMost
}
