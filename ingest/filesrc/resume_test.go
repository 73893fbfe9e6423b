package filesrc

import (
	"anond/incremental/state"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/ingest"
)

// text is a file with the records that it must give, once it is complete.
type text struct {
	name      string
	layout    layout
	multiline bool
	text      string
	want      []string
}

var long = strings.Repeat("x", 100)

// texts use a longest record of 64 bytes; a longer one stands as its first 65.
var texts = []text{
	{"ndjson", NDJSON, false, "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n", []string{`{"a":1}`, `{"a":2}`, `{"a":3}`}},
	{"ndjson without last line break", NDJSON, false, "{\"a\":1}\n{\"a\":2}", []string{`{"a":1}`, `{"a":2}`}},
	{"ndjson with mark, CRLF and blank lines", NDJSON, false, "\ufeff\r\n{\"a\":1}\r\n \t\n\n{\"a\":2}\r\n\n",
		[]string{`{"a":1}`, `{"a":2}`}},
	{"ndjson with long lines", NDJSON, false, "{}\n" + long + "\n{\"a\":2}\n" + long + "\r\n{\"a\":3}\n" + long,
		[]string{"{}", long[:65], `{"a":2}`, long[:65], `{"a":3}`, long[:65]}},
	{"ndjson that begins with a long line", NDJSON, false, long + "\n{}\n", []string{long[:65], "{}"}},
	{"longest lines", NDJSON, false, long[:64] + "\n" + long[:64] + "\r\n" + long[:65] + "\n" + long[:66] + "\r\n",
		[]string{long[:64], long[:64], long[:65], long[:65]}},
	{"csv", CSV, false, "a,b\n1,2\n3,4\n", []string{"1,2", "3,4"}},
	{"csv with mark, CRLF and blank lines", CSV, false, "\ufeff\"a\",b\r\n\r\n1,2\r\n\n \n3,4", []string{"1,2", " ", "3,4"}},
	{"csv with a NUL and a CR", CSV, false, "a,b\n1,\x002\n3\r,4\n5,6\r", []string{"1,\x002", "3\r,4", "5,6"}},
	{"csv with quotes", CSV, false, "a,b\n\"1,\",\"\"\"\"\n3,\"\"\r\n5\",6\n\"7\"x\n8,\"9\n\"\n10,11\n",
		[]string{`"1,",""""`, `3,""`, `5",6`, `"7"x`, `8,"9`, `"`, "10,11"}},
	{"csv with an open quote", CSV, false, "a\n\"" + long + "\n1\n2\n", []string{`"` + long[:64], "1", "2"}},
	{"csv that ends in an open quote", CSV, false, "a\n1\n\"2\n3\n", []string{"1", `"2`, "3"}},
	{"multi-line csv", CSV, true, "a,b\n\"1\n\n,\",\"\"\"\n\"\"\"\n3,\"\"\r\n5\",6\n\"7\"x\n8,\"9\r\n\"\r\n",
		[]string{"\"1\n\n,\",\"\"\"\n\"\"\"", "3,\"\"", "5\",6", "\"7\"x", "8,\"9\r\n\""}},
	{"multi-line csv with an open quote", CSV, true, "a\n\"" + long + "\n1\n2\n", []string{`"` + long[:64], "1", "2"}},
	{"multi-line csv with a long field", CSV, true, "a\n\"x\n" + long + "\nx\"\n1\n2\n", []string{"\"x", long[:65], "x\"", "1", "2"}},
	{"multi-line csv with wrong fields", CSV, true, "a,b\n1,\"2\n3\",4\n5,\"6\n7\"x\n8,\"9\n1\"\r10\n11,12\n",
		[]string{`1,"2`, `3",4`, `5,"6`, `7"x`, `8,"9`, "1\"\r10", "11,12"}},
	{"multi-line csv without last line break", CSV, true, "a,b\n1,\"2\n3\"", []string{"1,\"2\n3\""}},
	{"multi-line csv that ends in an open quote", CSV, true, "a\n1\n\"2\n3\n", []string{"1", `"2`, "3"}},
	{"csv with a header of several lines", CSV, true, "a,\"b\nc\"\n1,2\n", []string{"1,2"}},
}

// config reads a text whole.
func (x text) config(path string) Config {
	return Config{Paths: []string{path}, Layout: x.layout, Multiline: x.multiline, Complete: true, MaxBytes: 64}
}

// growing reads a text that may still grow.
func (x text) growing(path string) Config {
	cfg := x.config(path)
	cfg.Complete = false
	return cfg
}

func TestRecordsOfAFile(t *testing.T) {
	for _, x := range texts {
		t.Run(x.name, func(t *testing.T) {
			s := newReading()
			s.run(t, x.config(write(t, temp(t, "f"), x.text)))
			assert.Equal(t, x.want, s.lines)
			for i, r := range s.records {
				assert.True(t, strings.HasPrefix(x.text[r.Offset:], s.lines[i]), "offset %d", r.Offset)
				assert.EqualValues(t, 1+strings.Count(x.text[:r.Offset], "\n"), r.Line, "line of offset %d", r.Offset)
			}
			for _, p := range s.positions {
				assert.EqualValues(t, len(x.text), p.Next, "read to the end")
			}
		})
	}
}

// A restart after any record gives the rest of the records, whatever blank
// lines the position has passed.
func TestRestartAfterEveryRecord(t *testing.T) {
	for _, x := range texts {
		t.Run(x.name, func(t *testing.T) {
			cfg := x.config(write(t, temp(t, "f"), x.text))
			whole := newReading()
			whole.run(t, cfg)
			part := onlyPartition(t, whole)
			for i, r := range whole.records {
				next := int64(len(x.text))
				if i+1 < len(whole.records) {
					next = whole.records[i+1].Offset
				}
				s := newReading()
				s.positions[part] = state.Position{Next: next, Last: r.Offset, Digest: digest(r.Value)}
				s.run(t, cfg)
				assert.Equal(t, whole.records[i+1:], append([]ingest.Record{}, s.records...), "after record %d", i)
			}
		})
	}
}

// A file that was followed up to any byte, and read on after a restart, gives
// the same records at the same offsets under the same name.
func TestRestartAtEveryByte(t *testing.T) {
	tier.NotShort(t, "it restarts at every byte")
	for _, x := range texts {
		t.Run(x.name, func(t *testing.T) {
			path := write(t, temp(t, "f"), x.text)
			whole := newReading()
			whole.run(t, x.config(path))
			for cut := range len(x.text) + 1 {
				write(t, path, x.text[:cut])
				s := newReading()
				follow := x.growing(path)
				follow.Follow = true
				s.run(t, follow)
				write(t, path, x.text)
				s.run(t, x.config(path))
				require.Equal(t, whole.records, s.records, "cut at %d", cut)
				require.Equal(t, whole.passed, s.passed, "cut at %d", cut)
				require.Equal(t, under(whole.positions), under(s.positions), "cut at %d", cut)
			}
		})
	}
}

// A file that grows by any step while it is followed gives the same records.
func TestFollowAGrowingFile(t *testing.T) {
	for _, x := range texts {
		for _, step := range []int{1, 2, 5, 1000} {
			whole := newReading()
			path := write(t, temp(t, "f"), x.text+"\n")
			whole.run(t, x.config(path))
			if x.name == "multi-line csv that ends in an open quote" {
				continue // such a file has no end while it may grow
			}
			write(t, path, "")
			rest := x.text + "\n"
			ctx, cancel := context.WithCancel(context.Background())
			cfg := x.growing(path)
			cfg.Follow = true
			cfg.Wait = func(ctx context.Context, _ time.Duration) error {
				if len(rest) == 0 {
					cancel()
					return ctx.Err()
				}
				n := min(step, len(rest))
				extend(t, path, rest[:n])
				rest = rest[n:]
				return nil
			}
			s := newReading()
			src, err := Open(ctx, cfg, s.resume(false))
			require.NoError(t, err)
			for {
				c, err := src.Next(ctx)
				if err != nil {
					require.ErrorIs(t, err, context.Canceled)
					break
				}
				s.apply(t, c)
			}
			require.NoError(t, src.Close())
			require.Equal(t, whole.records, s.records, "%s, step %d", x.name, step)
			require.Equal(t, whole.passed, s.passed, "%s, step %d", x.name, step)
		}
	}
}

func onlyPartition(t testing.TB, s *reading) state.Partition {
	t.Helper()
	require.Len(t, s.positions, 1)
	for p := range s.positions {
		return p
	}
	return state.Partition{}
}

func TestOnceStopsAtTheEndSeenAtOpen(t *testing.T) {
	for _, follow := range []bool{false, true} {
		path := write(t, temp(t, "f"), "{\"a\":1}\n{\"a\":2}\n")
		s := newReading()
		src, err := Open(context.Background(), Config{Paths: []string{path}, Layout: NDJSON, Follow: follow}, s.resume(true))
		require.NoError(t, err)
		extend(t, path, "{\"a\":3}\n")
		s.read(t, src)
		assert.Equal(t, []string{`{"a":1}`, `{"a":2}`}, s.lines)
		ends, err := src.Ends(context.Background())
		require.NoError(t, err)
		part := onlyPartition(t, s)
		assert.Equal(t, map[state.Partition]int64{part: 16}, ends)
		assert.Equal(t, ingest.Status{Connected: true, Partitions: []ingest.PartitionStatus{{Partition: part, Next: 16, End: 16}}},
			src.Status())
		_, err = src.Next(context.Background())
		assert.Equal(t, io.EOF, err, "and stays there")
		require.NoError(t, src.Close())
		s.run(t, Config{Paths: []string{path}, Layout: NDJSON, Follow: follow})
		assert.Equal(t, []string{`{"a":1}`, `{"a":2}`, `{"a":3}`}, s.lines)
	}
}
