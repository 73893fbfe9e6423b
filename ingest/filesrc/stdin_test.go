package filesrc

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/ingest"
)

// feed reads an input to its end, or up to a number of records, after which the process is killed.
func (s *reading) feed(t *testing.T, cfg Config, most int) error {
	t.Helper()
	src, err := Open(context.Background(), cfg, s.resume(true))
	require.NoError(t, err)
	defer func() { require.NoError(t, src.Close()) }()
	for most > 0 {
		c, err := src.Next(context.Background())
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if n := len(c.Records); n > most { // a commit in the midst of a chunk
			c.Records = c.Records[:most]
			c.Next = max(c.Records[most-1].Offset+1, c.Records[most-1].End)
		}
		most -= len(c.Records)
		s.apply(t, c)
	}
	return nil
}

// TestStandardInputIsResumed: whatever was committed of an input, its next run reads what follows; also of one that has grown.
func TestStandardInputIsResumed(t *testing.T) {
	for _, x := range texts {
		cfg := func(text string) Config {
			return Config{Stdin: strings.NewReader(text), Layout: x.layout, Multiline: x.multiline, MaxBytes: 64}
		}
		for most := 1; most < 12; most++ {
			s := newReading()
			require.NoError(t, s.feed(t, cfg(x.text), most))
			for range 2 {
				require.NoError(t, s.feed(t, cfg(x.text), 1000))
				require.Equal(t, x.want, s.lines, "%s, %d lines", x.name, most)
			}
			if strings.HasSuffix(x.text, "\n") && len(x.want) > 0 {
				last := x.want[len(x.want)-1]
				require.NoError(t, s.feed(t, cfg(x.text+last+"\n"), 1000))
				require.Equal(t, append(slices.Clone(x.want), last), s.lines, x.name)
			}
		}
	}
}

// TestStandardInputThatIsAnother: one that differs anywhere in what was read, that holds less, or that is said to be another.
func TestStandardInputThatIsAnother(t *testing.T) {
	text := daily("a", 3, 20)
	for name, other := range map[string]string{"differs": strings.Replace(text, `"a":7`, `"b":7`, 1), "less": daily("a", 3, 10),
		"moved": strings.Replace(text, "\n", "\n\n", 1)} {
		s := newReading()
		require.NoError(t, s.feed(t, Config{Stdin: strings.NewReader(text), Layout: NDJSON}, 1000))
		require.NoError(t, s.feed(t, Config{Stdin: strings.NewReader(other), Layout: NDJSON}, 1000))
		require.Len(t, s.lines, 23+strings.Count(strings.ReplaceAll(other, "\n\n", "\n"), "\n"), name)
		require.Len(t, s.positions, 2)
		for range 2 { // each is known
			require.NoError(t, s.feed(t, Config{Stdin: strings.NewReader(text), Layout: NDJSON}, 1000))
			require.NoError(t, s.feed(t, Config{Stdin: strings.NewReader(other), Layout: NDJSON}, 1000))
		}
		require.Len(t, s.positions, 2, name)
		require.NoError(t, s.feed(t, Config{Stdin: strings.NewReader(text), Layout: NDJSON, Again: true}, 1000))
		require.Len(t, s.positions, 3, name)
	}
}

// TestALongInputIsNotHeld: more than can be held is told apart only if it is the known one.
func TestALongInputIsNotHeld(t *testing.T) {
	line := strings.Repeat("x", 1<<20)
	input := func(last string) Config {
		readers := []io.Reader{}
		for i := range mostHeld>>20 + 2 {
			readers = append(readers, strings.NewReader(fmt.Sprintf("{\"%d\":\"", i)), strings.NewReader(line), strings.NewReader("\"}\n"))
		}
		return Config{Stdin: io.MultiReader(append(readers, strings.NewReader(last))...), Layout: NDJSON, MaxBytes: 2 << 20}
	}
	s := newReading()
	src, err := Open(context.Background(), input("{\"a\":1}\n"), s.resume(true))
	require.NoError(t, err)
	for err == nil {
		var c *ingest.Chunk
		if c, err = src.Next(context.Background()); err == nil {
			s.apply(t, c)
			s.lines, s.records = s.lines[:0], s.records[:0]
		}
	}
	require.ErrorIs(t, err, io.EOF)
	require.ErrorIs(t, s.feed(t, input("{\"a\":2}\n"), 1000), errAgain)
	require.NoError(t, s.feed(t, input("{\"a\":1}\n{\"a\":3}\n"), 1000))
	require.Equal(t, []string{`{"a":3}`}, s.lines)
}
