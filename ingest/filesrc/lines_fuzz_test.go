package filesrc

import (
	"anond/incremental/plan"
	"anond/incremental/state"
	"bytes"
	"context"
	stdcsv "encoding/csv"
	stdjson "encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"anond/equivclass"
	"anond/equivclass/equivtest/cuts"
	"anond/incremental"
	"anond/incremental/memstore"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/ingest/dialect"
	"anond/internal/fault"
)

// plainReader reads a text in the simplest way: it splits at LF and looks at
// one line at a time.
type plainReader struct {
	header, blank, records, unterminated int
	heading                              string
	cells                                map[string]bool // of single lines
}

// emptyRow is a row whose fields are all empty.
var emptyRow = regexp.MustCompile(`^((""|),)*(""|)$`)

func readPlainly(text string, csv, complete bool) plainReader {
	p := plainReader{cells: map[string]bool{}}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if !complete && !strings.HasSuffix(line, "\n") {
			p.unterminated++
			continue
		}
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		switch {
		case csv && emptyRow.MatchString(line), !csv && strings.Trim(line, " \t\r") == "":
			p.blank++
		case csv && (p.header == 0 || line == p.heading && strings.Contains(line, ",")):
			p.header, p.heading = p.header+1, line
		default:
			p.records++
			p.note(line, csv)
		}
	}
	return p
}

func (p *plainReader) note(line string, csv bool) {
	if csv {
		fields, _ := stdcsv.NewReader(strings.NewReader(line)).Read()
		for _, f := range fields {
			p.add(f)
		}
		return
	}
	var object map[string]stdjson.RawMessage
	_ = stdjson.Unmarshal([]byte(line), &object)
	for _, raw := range object {
		var s string
		if stdjson.Unmarshal(raw, &s) != nil {
			s = string(raw)
		}
		p.add(s)
	}
}

// add takes a cell in as a release shows it: composed, without space around it.
func (p *plainReader) add(cell string) { p.cells[strings.TrimSpace(norm.NFC.String(cell))] = true }

// lineRig reads a file through source, decoder, loop and machine.
type lineRig struct {
	t      testing.TB
	schema *equivclass.Schema
	store  *memstore.Store
	cfg    Config
	format decode.Format
	mu     sync.Mutex
	cells  []string // of all releases
}

var errCrash = errors.New("crash")

func (r *lineRig) run(commit int, hook func(string) error) (incremental.Status, ingest.Unread, error) {
	m, err := incremental.Open(r.store, incremental.Options{Schema: r.schema, Seed: [32]byte{1}, Policy: state.Policy{
		Requirement: equivclass.Requirement{K: 2, L: 2}, Republication: state.Append, Threshold: 1,
		MaxHold: 1, HoldInCuts: true, Neighbours: 4, Similar: 2, CutEvery: 1, Initial: cuts.Median{}, Local: cuts.Median{}}})
	require.NoError(r.t, err)
	src, err := Open(r.t.Context(), r.cfg, ingest.Resume{Positions: m.Intake().Positions(), Digest: m.Digest, Once: true})
	if err != nil {
		return incremental.Status{}, ingest.Unread{}, err
	}
	defer src.Close()
	h := &ingest.Host{Machine: m, Store: r.store, Source: src, Schema: r.schema, DeadLetters: r, Publisher: r, Clock: lineClock{},
		NewDecoder: func() (decode.Decoder, error) {
			return decode.New(r.format, r.schema, decode.Options{MaxBytes: r.cfg.MaxBytes, Multiline: r.cfg.Multiline})
		},
		Log: slog.New(slog.DiscardHandler), Once: true, Limits: ingest.Limits{CommitRecords: commit}, Ports: ingest.Ports{Hook: hook}}
	err = h.Run(r.t.Context())
	var infeasible *plan.InfeasibleError
	if errors.As(err, &infeasible) { // at the last record, before the source was asked for more
		for err = nil; err == nil; {
			_, err = src.Next(r.t.Context())
		}
		require.Equal(r.t, io.EOF, err)
		err = nil
	}
	return m.Status(), src.Status().Unread, err
}

func (r *lineRig) Deliver(context.Context, []state.DeadLetter) error { return nil }
func (r *lineRig) Close() error                                      { return nil }

// Publish keeps the texts of the published records.
func (r *lineRig) Publish(_ context.Context, v *incremental.View) (ingest.Release, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range v.Classes {
		for _, id := range c.Members {
			for j, i := range r.schema.Quasi() {
				r.cells = append(r.cells, v.Dictionaries[i].Text(v.QI[j].At(int(id))))
			}
			r.cells = append(r.cells, v.Dictionaries[r.schema.SensitiveIndex()].Text(v.SA[0].At(int(id))))
		}
	}
	return ingest.Release{}, nil
}

type lineClock struct{}

func (lineClock) Now() time.Time { return time.Unix(1700000000, 0) }
func (lineClock) Ticker(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(d)
	return t.C, t.Stop
}

func lineSchema(t testing.TB) *equivclass.Schema {
	s, err := equivclass.NewSchema([]equivclass.Attribute{
		{Name: "id", Role: equivclass.Drop},
		{Name: "city", Role: equivclass.Quasi, Type: equivclass.Categorical},
		{Name: "ill", Role: equivclass.Sensitive, Type: equivclass.Categorical},
	}, equivclass.RefuseMissing)
	require.NoError(t, err)
	return s
}

// FuzzLines holds source, decoder, loop and machine against plainReader, which
// shares nothing with them: whatever bytes a file holds, each of its lines is
// counted once, also over a crash at any durable step, and no published cell
// holds a byte of two lines.
func FuzzLines(f *testing.F) {
	for _, x := range texts {
		f.Add([]byte(x.text), x.layout == CSV, false, true, uint8(1), uint8(0))
		f.Add([]byte(x.text), x.layout == CSV, false, true, uint8(129), uint8(0))
	}
	for _, text := range []string{
		"p1,c0,d2\np2,c0,d3\nq1,\"open,d1\np5,c1,d5\np6,c1,d6\nz9,c9\",d1\n",
		"p1,\"c0\",d2\n\n\np2,\"c\"\"0\",d3\r\np3,\"c0\rx\",d3\np4,c0,d4",
		"p1,c0,d1\n" + strings.Repeat("p,c0,\"d\n", 40) + strings.Repeat("z", 300) + "\np2,c0,\"d\n2\"\n",
	} {
		f.Add([]byte(text), true, true, false, uint8(3), uint8(2))
		f.Add([]byte(text), true, true, true, uint8(1), uint8(5))
		f.Add([]byte(text), true, true, false, uint8(131), uint8(2))
	}
	f.Add([]byte("{\"city\":\"a\",\"ill\":\"b\"}\n{\"city\":\"a\",\n\"ill\":\"c\"}\n{\"city\":\"a\",\"ill\":\"c\"}\n{\"city\":1"), false,
		false, false, uint8(2), uint8(3))
	path := filepath.Join(f.TempDir(), "f") // one file for all: to make a directory for each costs as much as the rest
	f.Fuzz(func(t *testing.T, data []byte, csv, header, complete bool, commit, crash uint8) {
		if csv && header {
			data = append([]byte("id,city,ill\n"), data...)
		}
		require.NoError(t, os.WriteFile(path, data, 0o600))
		if csv && commit >= 128 { // with multi-line fields the further lines of a record are counted too
			r := newLineRig(t, Config{Paths: []string{path}, Layout: CSV, Multiline: true, Complete: complete})
			if got, unread, ok := r.runCrashing(int(commit)-127, int(crash)); ok {
				checkSum(t, data, got, unread)
			}
			return
		}
		checkLines(t, data, Config{Paths: []string{path}, Layout: layouts[csv], Complete: complete}, 1+int(commit), int(crash))
	})
}

var layouts = map[bool]layout{false: NDJSON, true: CSV}

func newLineRig(t testing.TB, cfg Config) *lineRig {
	r := &lineRig{t: t, schema: lineSchema(t), store: memstore.New(), format: decode.JSON, cfg: cfg}
	r.cfg.MaxBytes = 128
	if cfg.Layout == CSV {
		r.format = decode.CSV
		r.cfg.CheckHeader = func(header []string) error { return decode.CheckHeader(r.schema, header, false) }
	}
	return r
}

// runCrashing runs up to a durable step, and then again to the end. ok is false
// if the file is refused as a whole, for its header or its encoding.
func (r *lineRig) runCrashing(commit, crash int) (got incremental.Status, unread ingest.Unread, ok bool) {
	if crash > 0 {
		n := 0
		_, _, _ = r.run(commit, func(string) error {
			if n++; n == crash {
				return errCrash
			}
			return nil
		})
	}
	got, unread, err := r.run(commit, nil)
	var header *decode.HeaderError
	if errors.As(err, &header) || errors.Is(err, decode.ErrHeaderSyntax) || errors.Is(err, errHeaderTooLong) {
		return got, unread, false
	}
	if kind, _ := fault.Of(err); kind == fault.Config { // refused as a whole: it is not in its encoding, or no text
		data, broken := os.ReadFile(r.cfg.Paths[0])
		require.NoError(r.t, broken)
		require.False(r.t, dialect.Plain(data, true), "%v", err)
		return got, unread, false
	}
	require.NoError(r.t, err)
	return got, unread, true
}

func checkLines(t *testing.T, data []byte, cfg Config, commit, crash int) {
	r := newLineRig(t, cfg)
	got, unread, ok := r.runCrashing(commit, crash)
	if !ok || bytes.Contains(bytes.ToLower(data), []byte("sep=,")) { // a line before the header, of which the other reader does not know
		return
	}
	csv, complete := cfg.Layout == CSV, cfg.Complete
	want := readPlainly(string(data), csv, complete)
	if want.records == 0 { // not known yet: nothing of it is in state
		assert.Zero(t, got.Sent)
		assert.Empty(t, got.Ignored)
		assert.Equal(t, want.header+want.blank, unread.WithoutRecord)
	} else {
		assert.EqualValues(t, want.records, got.Sent)
		assert.EqualValues(t, want.header, got.Ignored[decode.ReasonHeaderLine])
		assert.EqualValues(t, want.blank, got.Ignored[decode.ReasonBlank])
		assert.Zero(t, unread.WithoutRecord)
	}
	assert.Equal(t, want.unterminated, unread.Unterminated)
	assert.Equal(t, got.Accounted(), got.Sent)
	checkSum(t, data, got, unread)
	for _, cell := range r.cells {
		assert.True(t, want.cells[cell], "%q is no cell of a line", cell)
	}
}

// checkSum holds the sum: lines in = header + records + refused + ignored +
// blank + unterminated (+ lines of a file that has no record yet).
func checkSum(t *testing.T, data []byte, got incremental.Status, unread ingest.Unread) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	lines := bytes.Count(data, []byte{'\n'})
	if len(data) > 0 && data[len(data)-1] != '\n' {
		lines++
	}
	sum := int(got.Sent) + unread.Unterminated + unread.WithoutRecord
	for _, n := range got.Ignored {
		sum += int(n)
	}
	assert.Equal(t, lines, sum)
}
