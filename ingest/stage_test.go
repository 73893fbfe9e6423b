package ingest

import (
	"anond/incremental/state"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/ingest/decode"
)

// listed is a source that hands out given chunks.
type listed struct {
	Source
	chunks []*Chunk
}

func (l *listed) Next(context.Context) (*Chunk, error) {
	if len(l.chunks) == 0 {
		return nil, io.EOF
	}
	c := l.chunks[0]
	l.chunks = l.chunks[1:]
	return c, nil
}

func stageSchema(t *testing.T) *equivclass.Schema {
	s, err := equivclass.NewSchema([]equivclass.Attribute{{Name: "age", Role: equivclass.Quasi, Type: equivclass.Integer},
		{Name: "note", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "job", Role: equivclass.Sensitive, Type: equivclass.Categorical}}, equivclass.MissingValue)
	require.NoError(t, err)
	return s
}

// drawChunks draws chunks of several partitions, with faults of every kind.
func drawChunks(rng *rand.Rand) (out []*Chunk) {
	next := map[int32]int64{}
	for range 60 {
		p := rng.Int32N(3)
		c := &Chunk{Partition: state.Partition{Source: "s", ID: p}, From: next[p]}
		for range rng.IntN(30) {
			r := Record{Offset: next[p], Cut: rng.IntN(20) == 0}
			switch rng.IntN(12) {
			case 0:
				r.Value = []byte(`{"age":`)
			case 1:
				r.Value = nil
			case 2:
				r.Refused = decode.ReasonGrown
			case 3:
				r.Passed, r.End = decode.ReasonBlank, next[p]+1
			default:
				r.Value = fmt.Appendf(nil, `{"age":%d,"note":"%s","job":"j\u00%d"}`, rng.IntN(90), strings.Repeat("n", rng.IntN(40)), 41+rng.IntN(9))
			}
			c.Records = append(c.Records, r)
			next[p]++
		}
		c.Next = next[p]
		out = append(out, c)
	}
	return out
}

// subject is a digest of the first attribute.
func subject(row equivclass.Row) uint64 { return uint64(crc32.ChecksumIEEE(row[0])) }

// stagedText runs a stage and writes down what comes out of it, record by record.
func stagedText(t *testing.T, chunks []*Chunk, decoders []decode.Decoder, shares Shares) string {
	s := newStage(&listed{chunks: chunks}, decoders, 3, shares, subject)
	go s.run(t.Context())
	var out strings.Builder
	for b := range s.out {
		for i, r := range b.chunk.Records {
			fmt.Fprintf(&out, "%v %d %v %d %q\n", b.chunk.Partition, r.Offset, b.outcomes[i], b.subjects[i], [][]byte(b.rowAt(i)))
		}
		s.put(b)
	}
	require.ErrorIs(t, s.err, io.EOF)
	return out.String()
}

// What comes out of the stage, and in which order, does not depend on the number of
// decoders, nor on how little may be held at once.
func TestStageIsBlindToItsDecoders(t *testing.T) {
	schema := stageSchema(t)
	decoders := func(n int) (out []decode.Decoder) {
		for range n {
			d, err := decode.New(decode.JSON, schema, decode.Options{})
			require.NoError(t, err)
			out = append(out, d)
		}
		return out
	}
	for seed := range uint64(20) {
		chunks := drawChunks(rand.New(rand.NewPCG(seed, 1)))
		var want strings.Builder
		d, row := decoders(1)[0], make(equivclass.Row, 3)
		for _, c := range chunks {
			for i := range c.Records {
				o := decodeOne(d, &c.Records[i], nil, row)
				fmt.Fprintf(&want, "%v %d %v %d %q\n", c.Partition, c.Records[i].Offset, o, subject(row), [][]byte(row))
			}
		}
		for _, n := range []int{1, 2, 4} {
			for _, shares := range []Shares{SharesOf(0, 0), {Piece: 200, Stage: 500}} {
				require.Equal(t, want.String(), stagedText(t, chunks, decoders(n), shares), "seed %d, %d decoders", seed, n)
			}
		}
	}
}

// gateDecoder is a decoder that waits for its turn.
type gateDecoder struct{ before func(value string) }

func (d gateDecoder) Decode(value []byte, _ []string, row equivclass.Row) decode.Outcome {
	d.before(string(value))
	clear(row)
	row[0] = value
	return decode.Outcome{}
}

func (d gateDecoder) DecodeKeyed(_, value []byte, header []string, row equivclass.Row) decode.Outcome {
	return d.Decode(value, header, row)
}

func (gateDecoder) TooLarge([]byte, []string, equivclass.Row) decode.Outcome {
	return decode.Outcome{Reason: decode.ReasonTooLarge}
}

// The first chunk is decoded last, and comes out first; the chunks of one partition are
// decoded side by side.
func TestStageKeepsTheOrderOfItsSource(t *testing.T) {
	var chunks []*Chunk
	for i := range int64(3) {
		chunks = append(chunks, &Chunk{From: i, Next: i + 1, Records: []Record{{Offset: i, Value: fmt.Append(nil, i)}}})
	}
	last := make(chan struct{})
	before := func(value string) {
		switch value {
		case "0":
			<-last
		case "2":
			close(last)
		}
	}
	got := stagedText(t, chunks, []decode.Decoder{gateDecoder{before}, gateDecoder{before}}, SharesOf(0, 0))
	require.Equal(t, 3, strings.Count(got, "\n"))
	for i, line := range strings.Split(strings.TrimSpace(got), "\n") {
		require.Contains(t, line, fmt.Sprintf("%q", fmt.Sprint(i)))
	}
}

// A stop leaves out no chunk between two that are handed on.
func TestAStoppedStageLeavesNoGap(t *testing.T) {
	schema := stageSchema(t)
	for seed := range uint64(30) {
		var chunks []*Chunk
		for i := range int64(50) {
			chunks = append(chunks, &Chunk{From: i, Next: i + 1, Records: []Record{{Offset: i, Value: []byte(`{"age":1,"note":"x","job":"y"}`)}}})
		}
		one, err := decode.New(decode.JSON, schema, decode.Options{})
		require.NoError(t, err)
		two, err := decode.New(decode.JSON, schema, decode.Options{})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		s := newStage(&listed{chunks: chunks}, []decode.Decoder{one, two}, 3, SharesOf(0, 0), subject)
		go s.run(ctx)
		next := int64(0)
		for b := range s.out {
			require.Equal(t, next, b.chunk.From)
			next = b.chunk.Next
			if next > int64(seed) {
				stop()
			}
			s.put(b)
		}
		stop()
	}
}
