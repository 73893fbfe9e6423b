package postgres

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"anond/deliver"
)

// sink delivers to a database. It connects for each call.
type sink struct {
	config  *pgx.ConnConfig
	names   names
	dataset string
}

var _ deliver.Sink = (*sink)(nil)

// connectWithin bounds the time in which a server has to answer.
const connectWithin = 10 * time.Second

// Open reads the connection URL. It does not connect. The error does not repeat the URL,
// which may hold a password.
func Open(url, schema, table, dataset string) (*sink, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errors.New("outputs.postgres.url is no connection URL, or names a certificate or password file that cannot be read")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectWithin
	}
	config.RuntimeParams["application_name"] = "anond-deliver"
	s := &sink{config: config, names: names{schema, table}, dataset: dataset}
	return s, s.names.check()
}

// Name implements deliver.Sink.
func (s *sink) Name() string { return "table " + s.names.of("") }

// with connects, and runs do.
func (s *sink) with(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return explained(err)
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectWithin)
		defer cancel()
		_ = conn.Close(ending) // what counts was committed
	}()
	return explained(do(conn))
}

// Position implements deliver.Sink.
func (s *sink) Position(ctx context.Context) (p deliver.Position, err error) {
	err = s.with(ctx, func(conn *pgx.Conn) error {
		there, err := s.exists(ctx, conn, releasesTable)
		if err == nil && there {
			p, err = s.newest(ctx, conn)
		}
		return err
	})
	return p, err
}

// querier is a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func (s *sink) exists(ctx context.Context, q querier, suffix string) (there bool, err error) {
	return there, q.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", s.names.of(suffix)).Scan(&there)
}

// newest is the newest release of the tables.
func (s *sink) newest(ctx context.Context, q querier) (p deliver.Position, err error) {
	var release int32
	var dataset, sum string
	err = q.QueryRow(ctx, "SELECT release, dataset, manifest_sha256 FROM "+s.names.of(releasesTable)+
		" ORDER BY release DESC LIMIT 1").Scan(&release, &dataset, &sum)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	digest, err := hex.DecodeString(sum)
	switch {
	case dataset != s.dataset:
		return p, deliver.Other("the tables have dataset %s, the configuration %s", dataset, s.dataset)
	case err != nil || len(digest) != 32 || release < 1:
		return p, deliver.Other("%s has what anond did not write", s.names.of(releasesTable))
	}
	return deliver.Position{Release: uint32(release), SHA256: [32]byte(digest)}, nil
}

// Deliver implements deliver.Sink.
func (s *sink) Deliver(ctx context.Context, r *deliver.Release) error {
	if r.Manifest.Dataset != s.dataset {
		return deliver.Other("dataset of the configuration is %s, that of the releases %s", s.dataset, r.Manifest.Dataset)
	}
	return s.with(ctx, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return s.release(ctx, tx, r) })
	})
}

// release adds a release, in a transaction.
func (s *sink) release(ctx context.Context, tx pgx.Tx, r *deliver.Release) error {
	// Those who deliver to the same tables wait for each other.
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", "anond "+s.names.of("")); err != nil {
		return err
	}
	if err := s.makeTables(ctx, tx); err != nil {
		return err
	}
	there, err := s.isThere(ctx, tx, r)
	if there || err != nil {
		return err
	}
	m := r.Manifest
	_, err = tx.Exec(ctx, "INSERT INTO "+s.names.of(releasesTable)+" (release, dataset, created_at, records, classes, manifest_sha256,"+
		" manifest) VALUES ($1, $2, $3, $4, $5, $6, $7)", int32(m.Release), m.Dataset, m.CreatedAt, m.Records, m.Classes,
		hex.EncodeToString(r.SHA256[:]), string(r.Text))
	if err != nil {
		return err
	}
	if err := s.leave(ctx, tx, r); err != nil {
		return err
	}
	for i := range r.Births {
		if err := s.part(ctx, tx, &r.Births[i]); err != nil {
			return err
		}
	}
	if err := s.births(ctx, tx, r, s.insert); err != nil {
		return err
	}
	return s.removed(ctx, tx, r)
}

// isThere reports whether the tables have the release; an error if they have another one.
func (s *sink) isThere(ctx context.Context, tx pgx.Tx, r *deliver.Release) (bool, error) {
	p, err := s.newest(ctx, tx)
	number := r.Manifest.Release
	switch {
	case err != nil:
		return false, err
	case p.Release == 0 && number == r.Manifest.First(), p.Release > 0 && p.Release == number-1:
		return false, nil
	case p.Release < number:
		return false, deliver.Other("its newest release is %d, so release %d cannot be added", p.Release, number)
	}
	var sum string
	err = tx.QueryRow(ctx, "SELECT manifest_sha256 FROM "+s.names.of(releasesTable)+" WHERE release = $1", int32(number)).Scan(&sum)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return false, err
	}
	if sum != hex.EncodeToString(r.SHA256[:]) {
		return false, deliver.Other("its release %d has another manifest", number)
	}
	return true, nil
}

// removed adds the classes that died.
func (s *sink) removed(ctx context.Context, tx pgx.Tx, r *deliver.Release) error {
	if len(r.Deaths) == 0 {
		return nil
	}
	n, err := tx.CopyFrom(ctx, s.names.path(removedTable), []string{"part", "class", "release"},
		pgx.CopyFromSlice(len(r.Deaths), func(i int) ([]any, error) {
			return []any{r.Deaths[i].Part, int32(r.Deaths[i].Class), int32(r.Manifest.Release)}, nil
		}))
	if err == nil && n != int64(len(r.Deaths)) {
		err = fmt.Errorf("COPY took %d of %d classes that died", n, len(r.Deaths))
	}
	return err
}
