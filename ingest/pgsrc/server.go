package pgsrc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"anond/internal/fault"
)

// connector begins to read rows whose place is from or more, in a snapshot of its own.
type connector func(ctx context.Context, from int64) (stream, error)

// stream gives rows by their places; io.EOF at the end.
type stream interface {
	next() (row, error)
	close()
}

// row is one of a query. Its text belongs to the stream until the next one.
type row struct {
	at   int64
	text []byte // JSON
	cut  bool   // text is only its beginning
}

// connectWithin bounds the time in which a server has to answer, and closes a connection.
const connectWithin = 10 * time.Second

// server is how the rows of a query are asked for.
type server struct {
	config       *pgx.ConnConfig
	query, place string
	max          int
}

// alias is the name of the query's rows. A column of that name would stand in for the row.
const alias = "anond_initial_source"

func newServer(c Config) (*server, error) {
	config, err := pgx.ParseConfig(c.URL)
	if err != nil {
		return nil, fault.Errorf(fault.Config, "write for instance postgres://anond@db.example.org/his?sslmode=verify-full", "%w", errURL)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectWithin
	}
	// A server that is gone without a word is noticed, however long it may take for a row.
	alive := net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 6}
	config.DialFunc = (&net.Dialer{KeepAliveConfig: alive}).DialContext
	config.DefaultQueryExecMode = pgx.QueryExecModeExec // keeps no statement, for poolers
	config.RuntimeParams["application_name"] = "anond"
	place := alias + "." + pgx.Identifier{c.OrderBy}.Sanitize()
	return &server{config: config, query: "(" + c.Query + "\n) AS " + alias, place: place, max: c.MaxBytes}, nil
}

// connection is one that reads rows.
type connection struct {
	conn *pgx.Conn
	rows pgx.Rows
}

// from implements connector.
func (s *server) from(ctx context.Context, from int64) (stream, error) {
	where := ""
	if from > math.MinInt64 {
		where = " WHERE " + s.place + " >= " + strconv.FormatInt(from, 10)
	}
	return s.read(ctx, where)
}

// read connects and begins to read the rows that a condition leaves.
func (s *server) read(ctx context.Context, where string) (_ stream, err error) {
	conn, err := pgx.ConnectConfig(ctx, s.config)
	if err != nil {
		return nil, explained(err)
	}
	c := &connection{conn: conn}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	for _, sql := range []string{"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", "SET LOCAL statement_timeout = 0"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return nil, explained(err)
		}
	}
	if err := s.judge(ctx, conn); err != nil {
		return nil, err
	}
	long := "octet_length(json.text) > " + strconv.Itoa(s.max)
	c.rows, err = conn.Query(ctx, "SELECT "+s.place+", CASE WHEN "+long+" THEN left(json.text, "+strconv.Itoa(s.max)+") ELSE json.text END, "+
		long+" FROM "+s.query+", LATERAL (SELECT row_to_json("+alias+")::text AS text OFFSET 0) AS json"+where+" ORDER BY "+s.place)
	return c, explained(err)
}

// judge looks whether the column can be one of places.
func (s *server) judge(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, "SELECT "+s.place+" FROM "+s.query+" LIMIT 0")
	if err != nil {
		return explained(err)
	}
	rows.Close()
	if rows.Err() != nil {
		return explained(rows.Err())
	}
	switch rows.FieldDescriptions()[0].DataTypeOID {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
	default:
		return unfit("is no column of type smallint, integer or bigint", "name one, such as the primary key, or cast it in the query")
	}
	var null bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+s.query+" WHERE "+s.place+" IS NULL)").Scan(&null); err != nil {
		return explained(err)
	}
	if null {
		return unfit("is NULL in some rows", "leave them out in the query, or name another column")
	}
	return nil
}

// unfit says why a column cannot be one of places.
func unfit(why, hint string) error {
	return fault.Errorf(fault.Config, hint, "initial.source.order_by %s", why)
}

func (c *connection) next() (r row, err error) {
	if !c.rows.Next() {
		if err := c.rows.Err(); err != nil {
			return r, explained(err)
		}
		return r, io.EOF
	}
	v := c.rows.RawValues()
	r.text, r.cut = v[1], string(v[2]) == "t"
	r.at, err = strconv.ParseInt(string(v[0]), 10, 64)
	return r, err
}

func (c *connection) close() {
	ctx, cancel := context.WithTimeout(context.Background(), connectWithin)
	defer cancel()
	_ = c.conn.Close(ctx) // it was only read
}

// Classes of SQLSTATE. Trying again does not help against those of names, rights, limits, what PostgreSQL does not have, a
// database that is not there, and a refused log-in. Messages of the others, which are not told, may quote a value.
const (
	lasting = "0A 28 3D 3F 42 54"
	told    = lasting + " 08 25 40 53 55 57 58"
	data    = "22 23 P0"
)

// explained says what a server answered, without what it quotes of data (rule V, values). What lasts is a fault.
func explained(err error) error {
	var answer *pgconn.PgError
	if err == nil || !errors.As(err, &answer) || len(answer.Code) != 5 {
		return err
	}
	class, text := answer.Code[:2], "it cannot compute a row of the query"
	if strings.Contains(told, class) {
		text = answer.Message
	}
	text = fmt.Sprintf("PostgreSQL: %s (SQLSTATE %s)", text, answer.Code)
	if strings.Contains(lasting+" "+data, class) || answer.Code == "25006" { // a statement that writes
		return fault.Errorf(fault.Config, "correct initial.source, or the rights of its user: it needs SELECT on what the query names",
			"initial.source: %s", text)
	}
	return errors.New(text)
}
