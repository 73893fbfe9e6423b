package postgres

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/deliver"
	"anond/deliver/delivertest"
	"anond/equivclass/equivtest/tier"
	"anond/internal/retry"
	"anond/snapshot"
	"anond/snapshot/publish/publishtest"
)

func open(t testing.TB, s *delivertest.Server, table string) *sink {
	t.Helper()
	sink, err := Open(s.URL(), "public", table, "wards")
	require.NoError(t, err)
	return sink
}

func deliverAll(ctx context.Context, s deliver.Sink, dir string, patience time.Duration) (deliver.Summary, error) {
	return deliver.Run(ctx, s, deliver.Options{FS: snapshot.OS(), Dir: dir, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Patience: patience, Reconnect: retry.Policy{Initial: 5 * time.Millisecond, Max: 20 * time.Millisecond}})
}

// rowsOfFiles are the living rows of the first or second file of a release, by its own
// files: part, then cells, sorted.
func rowsOfFiles(t testing.TB, dir string, release uint32, at int) (out []string) {
	t.Helper()
	p, err := deliver.NewHistory(snapshot.OS(), dir).Published(release)
	require.NoError(t, err)
	for _, part := range p.Manifest.Parts {
		file, err := os.Open(filepath.Join(dir, fmt.Sprintf("%06d", release), part.Part, part.Files[at].Name))
		require.NoError(t, err)
		rows, err := csv.NewReader(file).ReadAll()
		require.NoError(t, err)
		require.NoError(t, file.Close())
		class := slices.IndexFunc(rows[0], func(c string) bool { return c == "class" || c == "group" })
		for _, r := range rows[1:] {
			if class >= 0 {
				n, err := strconv.Atoi(r[class])
				require.NoError(t, err)
				if slices.Contains(part.Dead, uint32(n)) {
					continue
				}
				r[class] = "N" // a part that was joined has other numbers
			}
			for i, c := range rows[0] {
				if c == "bucket" || c == "pool" {
					r[i] = "N"
				}
			}
			out = append(out, strings.Join(r, "\x01"))
		}
	}
	slices.Sort(out)
	return out
}

// rowsOfTable are those of the database.
func rowsOfTable(s *delivertest.Server, view string, release uint32) []string {
	var columns []string
	for _, c := range strings.Split(s.Psql("SELECT column_name FROM information_schema.columns WHERE table_name = '"+view+
		"' ORDER BY ordinal_position"), "\n") {
		switch c {
		case partColumn, releaseColumn:
		case "class", "group", "bucket", "pool":
			columns = append(columns, "'N'")
		default:
			columns = append(columns, column(c)+"::text")
		}
	}
	text := s.Psql(fmt.Sprintf("SELECT concat_ws(E'\\x01', %s) FROM %s WHERE anond_release = %d", strings.Join(columns, ", "),
		column(view), release))
	if text == "" {
		return nil
	}
	out := strings.Split(text, "\n")
	slices.Sort(out)
	return out
}

// TestTablesAreTheReleases: rows of the views are those of the files, of each release and
// every recoding, whatever names and values are; and a repeated delivery changes nothing.
func TestTablesAreTheReleases(t *testing.T) {
	tier.Heavy(t, "it starts a PostgreSQL")
	s := delivertest.NewServer(t)
	for _, kind := range delivertest.Some(t, 0, 2) {
		t.Run(kind.Name, func(t *testing.T) {
			chain := delivertest.New(t, kind, 11)
			table := "t_" + strings.ReplaceAll(kind.Name, "-", "_") + `"; DROP TABLE x; --`
			sink := open(t, s, table)
			sum, err := deliverAll(t.Context(), sink, chain.Dir, 0)
			require.NoError(t, err)
			require.Equal(t, chain.Newest(), sum.Last)
			quoted := column(table)
			require.Equal(t, strconv.Itoa(int(sum.Last)), s.Psql("SELECT count(*) FROM "+column(table+releasesTable)))
			p, err := deliver.NewHistory(snapshot.OS(), chain.Dir).Published(sum.Last)
			require.NoError(t, err)
			for at, f := range p.Manifest.Parts[0].Files {
				suffix := suffixOf(f.Name, at == 0)
				for _, n := range []uint32{1, 2, sum.Last} {
					require.Equal(t, rowsOfFiles(t, chain.Dir, n, at), rowsOfTable(s, table+suffix+historyView, n), "release %d, %s", n, f.Name)
				}
				require.Equal(t, strconv.Itoa(len(rowsOfFiles(t, chain.Dir, sum.Last, at))),
					s.Psql("SELECT count(*) FROM "+column(table+suffix+currentView)))
			}
			before := s.Psql("SELECT count(*), sum(xmin::text::bigint) FROM " + quoted)
			again, err := deliverAll(t.Context(), sink, chain.Dir, 0)
			require.NoError(t, err)
			require.Equal(t, deliver.Summary{At: sum.Last}, again)
			assert.Equal(t, before, s.Psql("SELECT count(*), sum(xmin::text::bigint) FROM "+quoted))
			assert.Equal(t, strconv.Itoa(len(p.Text)), s.Psql("SELECT octet_length(manifest) FROM "+column(table+releasesTable)+
				" ORDER BY release DESC LIMIT 1"))
		})
	}
	t.Run("two at once", func(t *testing.T) { twoAtOnce(t, s) })
	t.Run("other releases", func(t *testing.T) { otherReleases(t, s) })
	t.Run("whole releases only", func(t *testing.T) { wholeOnly(t, s) })
	t.Run("away and back", func(t *testing.T) { awayAndBack(t, s) })
	t.Run("lost rows", func(t *testing.T) { lostRows(t, s) })
	t.Run("what left", func(t *testing.T) { whatLeft(t, s) })
	t.Run("erasure", func(t *testing.T) { erasure(t, s) })
	t.Run("eras", func(t *testing.T) { eras(t, s) })
}

// eras: columns that come with new settings are added, and rows of parts without a column have NULL there.
func eras(t *testing.T, s *delivertest.Server) {
	dir := t.TempDir()
	e := publishtest.NewEras(t, 4)
	e.Publish(t, dir)
	sink := open(t, s, "eras")
	sink.dataset = e.Settings.Dataset
	_, err := deliverAll(t.Context(), sink, dir, 0)
	require.NoError(t, err)
	require.NoError(t, delivered(t, sink, dir, true))
	require.Equal(t, "112 16 96 96 112", strings.ReplaceAll(
		s.Psql("SELECT count(*), count(ward), count(income), count(drug), count(age) FROM "+column("eras"+currentView)), "|", " "))
	require.Equal(t, "16", s.Psql("SELECT count(*) FROM "+column("eras"+historyView)+" WHERE "+column(releaseColumn)+" = 2"))
	require.Equal(t, "64", s.Psql("SELECT count(*) FROM "+column("eras"+historyView)+
		" WHERE "+column(releaseColumn)+" = 3 AND bucket IS NOT NULL"))
}

// whatLeft: rows of a part that left are deleted from every table, in the transaction of the release in which it left, and no
// other rows; also where the tables were away for several releases, or get their first one when the files of what left are
// gone. The views show what is left of older releases.
func whatLeft(t *testing.T, s *delivertest.Server) {
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 8)
	first := rowsOfFiles(t, chain.Dir, 1, 0)
	begun, err := deliverHistory(chain.Dir).Published(1)
	require.NoError(t, err)
	files := begun.Manifest.Parts[0].Files
	deliver := func(table string, whole bool) {
		t.Helper()
		require.NoError(t, delivered(t, open(t, s, table), chain.Dir, whole))
	}
	same := func(table string) {
		newest := chain.Newest()
		var parts []string
		for at, f := range files {
			suffix, rows := suffixOf(f.Name, at == 0), rowsOfFiles(t, chain.Dir, newest, at)
			require.Equal(t, rows, rowsOfTable(s, table+suffix+historyView, newest), f.Name)
			require.Equal(t, strconv.Itoa(len(rows)), s.Psql("SELECT count(*) FROM "+table+suffix+currentView))
		}
		pieces, err := deliverHistory(chain.Dir).Pieces(newest)
		require.NoError(t, err)
		for _, piece := range pieces {
			parts = append(parts, piece.Part)
		}
		require.Equal(t, strings.Join(parts, "\n"), s.Psql("SELECT part FROM "+table+partsTable+" ORDER BY part"))
		require.Equal(t, strconv.Itoa(int(newest)), s.Psql("SELECT max(release) FROM "+table+releasesTable))
	}
	deliver("always", false)
	deliver("sometimes", false)
	require.Equal(t, first, rowsOfTable(s, "always_by_release", 1))
	for i, leave := range []func(){
		func() { chain.Expire(2) },
		func() { chain.Withdraw(1, 2) },
		func() { chain.Join(3) },
		func() { chain.Withdraw(0, 1); chain.Prune() },
		func() { chain.Expire(5) },
		func() { chain.Expire(chain.Newest()) },
	} {
		leave()
		late := fmt.Sprint("late", i)
		deliver(late, false)
		deliver("always", i%2 == 1)
		if i%3 == 2 {
			deliver("sometimes", true)
			same("sometimes")
		}
		same("always")
		if i < 5 { // else nothing was there to make tables of
			same(late)
		}
		deliver("always", true)
		require.Equal(t, "0", s.Psql("SELECT count(*) FROM always_by_release WHERE anond_release <= 2"))
	}
	require.Equal(t, "0", s.Psql("SELECT count(*) FROM always"))
}

// erasure: rows of buckets in which people asked are deleted, by a sink that has every release, and one that was away.
func erasure(t *testing.T, s *delivertest.Server) {
	chain := delivertest.Erasing(t, 3)
	for i, step := range []func(){func() {}, func() { chain.Forget(1, 40) }, func() { chain.Keep(1); chain.Forget(2, 70) }} {
		step()
		for _, table := range []string{"erased", "erased_late"} {
			if table == "erased_late" && i == 1 {
				continue // away
			}
			require.NoError(t, delivered(t, open(t, s, table), chain.Dir, false))
			require.NoError(t, delivered(t, open(t, s, table), chain.Dir, true))
			for at, suffix := range []string{"", "_values"} {
				require.Equal(t, rowsOfFiles(t, chain.Dir, chain.Newest(), at), rowsOfTable(s, table+suffix+historyView, chain.Newest()))
			}
		}
	}
}

func deliverHistory(dir string) interface {
	Published(uint32) (*deliver.Published, error)
	Pieces(uint32) (deliver.Pieces, error)
} {
	return deliver.NewHistory(snapshot.OS(), dir)
}

// delivered delivers what there is; whole compares each cell first.
func delivered(t *testing.T, s deliver.Sink, dir string, whole bool) error {
	_, err := deliver.Run(t.Context(), s, deliver.Options{FS: snapshot.OS(), Dir: dir, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Whole: whole})
	return err
}

// lostRows: at each start rows are counted, and asked to, each cell is compared. What is missing, too much or other is named.
func lostRows(t *testing.T, s *delivertest.Server) {
	chain := delivertest.New(t, delivertest.Kinds[0], 4)
	sink := open(t, s, "lost")
	begins := func(whole bool) error { return delivered(t, sink, chain.Dir, whole) }
	require.NoError(t, begins(false))
	require.NoError(t, begins(true))
	text := s.Psql("SELECT column_name FROM information_schema.columns WHERE table_name = 'lost' AND data_type = 'text' AND column_name <> '" +
		partColumn + "' LIMIT 1")
	for _, x := range []struct {
		sql, says string
		counted   bool
	}{
		{"DELETE FROM lost WHERE ctid = (SELECT min(ctid) FROM lost)", `"lost" has`, true},
		{"INSERT INTO lost SELECT * FROM lost LIMIT 1", `"lost" has`, true},
		{"ALTER TABLE lost ADD COLUMN note text", `column "note"`, false},
		{"UPDATE lost SET " + column(text) + " = 'other' WHERE ctid = (SELECT min(ctid) FROM lost)", `"lost" has other rows`, false},
	} {
		s.Psql("CREATE TABLE kept AS TABLE lost")
		s.Psql(x.sql)
		err := begins(false)
		require.Equal(t, x.counted, err != nil, x.sql)
		err = begins(true)
		require.ErrorIs(t, err, deliver.ErrOther, x.sql)
		require.ErrorContains(t, err, x.says)
		require.NotContains(t, err.Error(), "'other'")
		s.Psql("ALTER TABLE lost DROP COLUMN IF EXISTS note; TRUNCATE lost; INSERT INTO lost TABLE kept; DROP TABLE kept")
		require.NoError(t, begins(true))
	}
}

// twoAtOnce: those who deliver take turns, and each release is there once.
func twoAtOnce(t *testing.T, s *delivertest.Server) {
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 4)
	var wg sync.WaitGroup
	errs := make([]error, 3)
	for i := range errs {
		wg.Go(func() { _, errs[i] = deliverAll(t.Context(), open(t, s, "twice"), chain.Dir, time.Minute) })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	newest := chain.Newest()
	require.Equal(t, strconv.Itoa(int(newest)), s.Psql("SELECT count(*) FROM twice_releases"))
	require.Equal(t, rowsOfFiles(t, chain.Dir, newest, 0), rowsOfTable(s, "twice_by_release", newest))
}

// otherReleases: tables of another chain or dataset are left alone.
func otherReleases(t *testing.T, s *delivertest.Server) {
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 3)
	_, err := deliverAll(t.Context(), open(t, s, "mine"), chain.Dir, 0)
	require.NoError(t, err)
	before := s.Psql("SELECT count(*) FROM mine")
	_, err = deliverAll(t.Context(), open(t, s, "mine"), delivertest.New(t, delivertest.Find(t, "anatomy-l2"), 3).Dir, 0)
	require.ErrorIs(t, err, deliver.ErrOther)
	clinic, err := Open(s.URL(), "public", "mine", "clinic")
	require.NoError(t, err)
	_, err = deliverAll(t.Context(), clinic, chain.Dir, 0)
	require.ErrorIs(t, err, deliver.ErrOther)
	s.Psql("CREATE TABLE foreign_releases (LIKE mine_releases INCLUDING ALL); CREATE TABLE \"foreign\" (a text);" +
		"CREATE TABLE foreign_parts (LIKE mine_parts)")
	_, err = deliverAll(t.Context(), open(t, s, "foreign"), chain.Dir, 0)
	require.ErrorIs(t, err, deliver.ErrOther, "the table has other columns")
	require.Equal(t, before, s.Psql("SELECT count(*) FROM mine"))
}

// wholeOnly: a delivery that fails behind its first rows leaves nothing of the release.
func wholeOnly(t *testing.T, s *delivertest.Server) {
	chain := delivertest.New(t, delivertest.Find(t, "regrouped"), 3)
	sink := open(t, s, "whole")
	_, err := deliverAll(t.Context(), &failing{sink, 2}, chain.Dir, 0)
	require.ErrorIs(t, err, errStop)
	s.Psql("CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'secret %', NEW.part; END $$")
	for _, table := range []string{"whole_parts", "whole"} { // before the rows, and behind the first of them
		s.Psql("CREATE TRIGGER late AFTER INSERT ON " + table + " EXECUTE FUNCTION fail()")
		_, err = deliverAll(t.Context(), sink, chain.Dir, 0)
		require.ErrorContains(t, err, "PostgreSQL: ")
		require.Equal(t, "1|1|part-000001", s.Psql("SELECT (SELECT count(*) FROM whole_releases), (SELECT count(*) FROM whole_parts), "+
			"(SELECT max(anond_part) FROM whole)"))
		require.Equal(t, rowsOfFiles(t, chain.Dir, 1, 0), rowsOfTable(s, "whole_by_release", 1))
		s.Psql("DROP TRIGGER late ON " + table)
	}
	_, err = deliverAll(t.Context(), sink, chain.Dir, 0)
	require.NoError(t, err)
	require.Equal(t, rowsOfFiles(t, chain.Dir, chain.Newest(), 0), rowsOfTable(s, "whole_by_release", chain.Newest()))
}

var errStop = errors.New("stop")

// failing fails from a release on.
type failing struct {
	*sink
	at uint32
}

func (f *failing) Deliver(ctx context.Context, r *deliver.Release) error {
	if r.Manifest.Release >= f.at {
		return deliver.Final(errStop)
	}
	return f.sink.Deliver(ctx, r)
}

// awayAndBack: who follows waits for a server that is away, and delivers what came
// meanwhile.
func awayAndBack(t *testing.T, s *delivertest.Server) {
	chain := delivertest.New(t, delivertest.Find(t, "buckets"), 2)
	sink := open(t, s, "follow")
	s.Stop()
	_, err := deliverAll(t.Context(), sink, chain.Dir, 0)
	require.Error(t, err)
	require.NotErrorIs(t, err, deliver.ErrFinal)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := deliver.Run(ctx, sink, deliver.Options{FS: snapshot.OS(), Dir: chain.Dir, Follow: true, Poll: 5 * time.Millisecond,
			Now: time.Now, Log: slog.New(slog.DiscardHandler),
			Reconnect: retry.Policy{Initial: 5 * time.Millisecond, Max: 20 * time.Millisecond}})
		ended <- err
	}()
	s.Start()
	delivered := func() bool {
		return s.Psql("SELECT to_regclass('follow_releases') IS NOT NULL") == "t" &&
			s.Psql("SELECT max(release) FROM follow_releases") == strconv.Itoa(int(chain.Newest()))
	}
	require.Eventually(t, delivered, time.Hour, 10*time.Millisecond)
	chain.Grow(int(chain.Newest()) + 1)
	require.Eventually(t, delivered, time.Hour, 10*time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
	require.Equal(t, rowsOfFiles(t, chain.Dir, chain.Newest(), 0), rowsOfTable(s, "follow_by_release", chain.Newest()))
}

// TestNamesThatDoNotFit: PostgreSQL would cut them off, so they are refused.
func TestNamesThatDoNotFit(t *testing.T) {
	long := strings.Repeat("x", maxName)
	require.NoError(t, checkColumns([]string{long, "a\"b", "Class"}))
	for _, columns := range [][]string{{long + "y"}, {""}, {partColumn}, {releaseColumn}, {"a\x00"}} {
		err := checkColumns(columns)
		require.ErrorIs(t, err, deliver.ErrFinal, "%q", columns)
		require.ErrorContains(t, err, strconv.Quote(columns[0]))
	}
	_, err := Open("postgres:///x", "public", long, "wards")
	require.ErrorContains(t, err, "outputs.postgres.table")
	_, err = Open("postgres:///x", "public", "", "wards")
	require.Error(t, err)
}

// TestNoPassword: a URL that cannot be read is not repeated, and no error has a password.
func TestNoPassword(t *testing.T) {
	_, err := Open("postgres://anond:secret@[::1/x", "public", "t", "wards")
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "secret")
	s, err := Open("postgres://anond:secret@127.0.0.1:1/x?connect_timeout=1", "public", "t", "wards")
	require.NoError(t, err)
	_, err = s.Position(t.Context())
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "secret")
	assert.NotContains(t, s.Name(), "secret")
}

// TestRuleVAnswers: what a server says of data is not repeated.
func TestRuleVAnswers(t *testing.T) {
	for code, shown := range map[string]bool{"22P02": false, "23505": false, "42501": true, "57P01": true} {
		err := explained(&pgconn.PgError{Code: code, Message: "invalid input: \"flu\"", Detail: "Key (x)=(flu)"})
		assert.Equal(t, shown, strings.Contains(err.Error(), "flu"), code)
		assert.Equal(t, code != "57P01", errors.Is(err, deliver.ErrFinal), code)
		assert.NotContains(t, err.Error(), "Key (x)")
	}
}
