package fetch

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/segmentio/kafka-go/compress"
)

// decompressed is the content of a compressed batch as a stream. It ends with
// errPastBound behind the bytes that a batch may decompress to.
type decompressed struct {
	*bufio.Reader
	codec io.ReadCloser
	left  int
}

var errPastBound = errors.New("the batch decompresses to too many bytes")

// decompress starts to decompress a batch. The memory that the codecs need in
// addition is bounded by the size of the answer: windows of zstd and lz4 by
// what they have read, snappy by snappyClaims.
func (b *batch) decompress(bound int) (*decompressed, error) {
	code := compress.Compression(b.attributes & codecBits)
	codec := code.Codec()
	if codec == nil {
		return nil, b.spoiled("unknown compression %d", int8(code))
	}
	if code == compress.Snappy && !snappyClaims(b.payload) {
		return nil, b.spoiled("%s does not decompress", codec.Name())
	}
	u := &decompressed{codec: codec.NewReader(bytes.NewReader(b.payload)), left: bound}
	u.Reader = bufio.NewReaderSize(counted{u}, 32<<10)
	return u, nil
}

func (u *decompressed) close() { _ = u.codec.Close() }

// counted is the stream below the buffer.
type counted struct{ u *decompressed }

func (c counted) Read(p []byte) (int, error) {
	if c.u.left < 0 {
		return 0, errPastBound
	}
	// One byte more than may come shows whether the stream ends or goes on too
	// far.
	n, err := c.u.codec.Read(p[:min(len(p), c.u.left+1)])
	if c.u.left -= n; c.u.left < 0 {
		return 0, errPastBound
	}
	return n, err
}

// failed says why a batch could not be decompressed. The codec's own error may
// quote what it could not read.
func (b *batch) failed(err error, bound int) error {
	if errors.Is(err, errPastBound) {
		return b.spoiled("decompresses to more than the %d bytes of memory.max_in_flight", bound)
	}
	return b.spoiled("does not decompress into records")
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
