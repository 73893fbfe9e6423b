package pgsrc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/deliver/delivertest"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/ingest/pgsrc"
	"anond/internal/fault"
	"anond/internal/retry"
)

// nothing is a feed that has ended.
type nothing struct{}

func (nothing) Ends(context.Context) (map[state.Partition]int64, error) { return nil, nil }
func (nothing) Next(context.Context) (*ingest.Chunk, error)             { return nil, io.EOF }
func (nothing) Ack(map[state.Partition]int64)                           {}
func (nothing) Status() ingest.Status                                   { return ingest.Status{Connected: true} }
func (nothing) Close() error                                            { return nil }

func read(t *testing.T, cfg pgsrc.Config, take func(*ingest.Chunk)) error {
	t.Helper()
	s, err := pgsrc.Open(t.Context(), cfg, ingest.Resume{Digest: func([]byte) state.Digest { return state.Digest{1} }},
		func(ingest.Resume) (ingest.Source, error) { return nothing{}, nil })
	if err != nil {
		return err
	}
	defer func() { require.NoError(t, s.Close()) }()
	for {
		c, err := s.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		take(c)
	}
}

// TestRowsOfAServer: what a PostgreSQL says of queries and columns that do not serve, and what rows come.
func TestRowsOfAServer(t *testing.T) {
	server := delivertest.NewServer(t)
	server.Psql(`CREATE TABLE p (id bigint PRIMARY KEY, name text, born date, big numeric, u uuid, "Odd ""id" int, dup int, none int);
		INSERT INTO p SELECT i * 1000000007, 'canary' || i, date '1990-01-01' + i::int, i * 1e18, gen_random_uuid(), i, i / 2, nullif(i, 3)
		FROM generate_series(0::bigint, 4999) i;
		CREATE USER nobody_may; CREATE TABLE q (id int, t text); CREATE SEQUENCE s`)
	config := func(query, by string) pgsrc.Config {
		return pgsrc.Config{URL: server.URL() + "&password=hunter2", Query: query, OrderBy: by, Format: decode.JSON, MaxBytes: 200, Piece: 4096,
			Log: slog.New(slog.DiscardHandler), Retry: retry.Policy{Initial: time.Millisecond, Max: 10 * time.Millisecond}}
	}
	for name, c := range map[string]struct {
		query, by, want string
		other           string // in place of the URL's user
	}{
		"uuid":       {"SELECT * FROM p", "u", "is no column of type smallint, integer or bigint", ""},
		"numeric":    {"SELECT * FROM p", "big", "is no column of type", ""},
		"null":       {"SELECT * FROM p", "none", "is NULL in some rows", ""},
		"twice":      {"SELECT * FROM p", "dup", "has a value twice", ""},
		"negative":   {"SELECT -id AS id FROM p", "id", "has a negative value", ""},
		"no column":  {"SELECT * FROM p", "nope", "nope does not exist", ""},
		"no table":   {"SELECT * FROM nope", "id", "does not exist (SQLSTATE 42P01)", ""},
		"no query":   {"DELETE FROM p RETURNING id", "id", "SQLSTATE 42601", ""},
		"no writing": {"SELECT id, setval('s', 1) FROM p", "id", "SQLSTATE 25006", ""},
		"no rights":  {"SELECT * FROM p", "id", "permission denied", "nobody_may"},
		"no row":     {"SELECT id, (name || 'x')::int AS v FROM p", "id", "cannot compute a row of the query (SQLSTATE 22P02)", ""},
	} {
		cfg := config(c.query, c.by)
		if c.other != "" {
			cfg.URL = strings.Replace(cfg.URL, "user=anond", "user="+c.other, 1)
		}
		err := read(t, cfg, func(*ingest.Chunk) {})
		require.ErrorContains(t, err, c.want, name)
		kind, hint := fault.Of(err)
		assert.Equal(t, fault.Config, kind, name)
		assert.NotEmpty(t, hint, name)
		assert.NotContains(t, err.Error()+hint, "canary", name)
		assert.NotContains(t, err.Error()+hint, "hunter2", name)
	}
	_, err := pgsrc.Open(t.Context(), pgsrc.Config{URL: "postgres://u:hunter2@[::/x"},
		ingest.Resume{Digest: func([]byte) state.Digest { return state.Digest{} }}, nil)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")

	for _, cfg := range []pgsrc.Config{config("SELECT id, name, born, big FROM p -- all of them", "id"),
		config(`SELECT "Odd ""id", name, born, big, id FROM p`, `Odd "id`)} {
		rows, chunks := 0, 0
		require.NoError(t, read(t, cfg, func(c *ingest.Chunk) {
			chunks++
			for _, r := range c.Records {
				if cfg.OrderBy == "id" {
					assert.EqualValues(t, rows*1000000007, r.Offset)
					if rows == 9 {
						assert.Equal(t, `{"id":9000000063,"name":"canary9","born":"1990-01-10","big":9000000000000000000}`, string(r.Value))
					}
				}
				rows++
			}
		}))
		assert.Equal(t, 5000, rows)
		assert.Greater(t, chunks, 50, "memory is bounded")
	}
	server.Psql("INSERT INTO q SELECT i, repeat('é', 10 * i) FROM generate_series(1, 40) i")
	cut := 0
	require.NoError(t, read(t, config("SELECT * FROM q", "id"), func(c *ingest.Chunk) {
		for _, r := range c.Records {
			assert.LessOrEqual(t, len(r.Value), 200)
			if r.Cut {
				cut++
			}
		}
	}))
	assert.Equal(t, 31, cut, "those longer than the longest message")

	var seen []int64
	wanted := map[state.Partition][]int64{pgsrc.Partition: {3, 5, 77}}
	require.NoError(t, pgsrc.Reread(config("SELECT * FROM q", "id"))(t.Context(), wanted,
		func(p state.Partition, at int64, _, value []byte, _ []string) error {
			assert.True(t, bytes.HasPrefix(value, fmt.Appendf(nil, `{"id":%d,`, at)))
			seen = append(seen, at)
			return nil
		}))
	assert.Equal(t, []int64{3, 5}, seen, "what the query has no more is left out")
}

// TestAServerThatRestarts: each row comes once, although connections end in the middle.
func TestAServerThatRestarts(t *testing.T) {
	server := delivertest.NewServer(t)
	server.Psql(`CREATE TABLE p (id bigserial PRIMARY KEY, t text);
		INSERT INTO p (t) SELECT repeat('x', 1000) FROM generate_series(1, 20000)`)
	cfg := pgsrc.Config{URL: server.URL(), Query: "SELECT * FROM p", OrderBy: "id", Format: decode.JSON, MaxBytes: 1 << 20, Piece: 1 << 16,
		Log: slog.New(slog.DiscardHandler), Retry: retry.Policy{Initial: time.Millisecond, Max: 10 * time.Millisecond}}
	rows, stops := int64(0), 0
	require.NoError(t, read(t, cfg, func(c *ingest.Chunk) {
		for _, r := range c.Records {
			rows++
			require.Equal(t, rows, r.Offset)
		}
		if rows/5000 > int64(stops) {
			stops++
			if stops%2 == 0 {
				server.Psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'anond'")
			} else {
				server.Stop()
				server.Start()
			}
		}
	}))
	assert.EqualValues(t, 20000, rows)
	assert.GreaterOrEqual(t, stops, 3)
}
