// Package registry makes plain JSON of the messages that serializers of a schema registry write: a zero byte, the number of a
// schema, and a record in Avro, or in JSON. What it makes is read by the decoders of JSON and of change events, so that
// whatever they judge, refuse and count is the same in all formats.
//
// # Guarantee
//
// A message is read by the schema that its writer registered, so a new version of it needs no configuration: attributes are found
// by name, or by an alias that the schema gives. A schema without a place for an attribute ends the source (ingest.ErrSchema),
// unless Options.MayLack: otherwise each of its records would be refused. The text has the places of attributes, and the members by
// which decoders know change events; it is a function of the message and its schema. Of a message that does not follow its
// schema the text ends where that shows, so decoders refuse it and may know its person. A message without a frame, or
// whose schema the registry does not know, is handed on as it is: decoders say schema_registry_framing of the latter.
//
// A registry that is away is waited for: nothing is refused for it. Errors name schemas and fields, never a value (rule V: no value
// is shown).
//
// # Cost
//
// A schema is asked for once. A text is at most some six times as long as its message, and the places; 200 ns for six fields.
//
// # Source
//
// Confluent's wire format; Apache Avro 1.12, "Binary encoding"; Debezium's and Kafka Connect's names of dates and times.
package registry

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"anond/ingest"
	"anond/internal/clock"
	"anond/internal/fault"
)

// Options say which registry is asked, and what is looked for in messages.
type Options struct {
	URL                string
	Username, Password string // of HTTP's basic authentication; empty: none
	Token              string // a bearer token; empty: none
	TLS                *tls.Config
	Places             Places
	MayLack            bool // a schema may lack attributes
	Clock              clock.Clock
}

// Registry asks for schemas, and keeps what it was told. Safe for concurrent use.
type Registry struct {
	o      Options
	client *sr.Client
	mu     sync.RWMutex
	known  map[uint32]*schema
	held   int // bytes of the texts of known
}

// schema is one that the registry has; nil inside: it is JSON. unknown says that the registry had none of the number at a time.
type schema struct {
	avro    *node
	unknown time.Time
	weight  int
}

const (
	frame      = 5                // bytes before a record
	mostSchema = 4 << 20          // bytes of an answer
	mostHeld   = 64 << 20         // bytes of the texts of schemas that are kept
	ofUnknown  = 4 << 10          // bytes that one that does not exist counts for
	askAgain   = time.Minute      // after which a number that was unknown is asked for again
	patience   = 15 * time.Second // for an answer
	mostRefers = 100              // schemas that a schema refers to
)

// New returns what asks a registry. It connects to nobody.
func New(o Options) (*Registry, error) {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = o.TLS
	opts := []sr.ClientOpt{sr.URLs(o.URL), sr.UserAgent("anond"),
		sr.HTTPClient(&http.Client{Timeout: patience, Transport: bounded{transport}})}
	switch {
	case o.Token != "":
		opts = append(opts, sr.BearerToken(o.Token))
	case o.Username != "":
		opts = append(opts, sr.BasicAuth(o.Username, o.Password))
	}
	client, err := sr.NewClient(opts...)
	if err != nil {
		return nil, fault.Errorf(fault.Config, "correct source.registry", "source.registry: %w", err)
	}
	return &Registry{o: o, client: client, known: map[uint32]*schema{}}, nil
}

// bounded is a transport whose answers are not longer than mostSchema.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(answer.Body, mostSchema), answer.Body}
	}
	return answer, err
}

// Plain appends the JSON text of a message. framed is false if the message is handed on as it is. An
// error that is ingest.ErrSchema is final; any other one may pass.
func (r *Registry) Plain(ctx context.Context, to, message []byte) (out []byte, framed bool, err error) {
	if len(message) < frame || message[0] != 0 {
		return to, false, nil
	}
	s, err := r.of(ctx, binary.BigEndian.Uint32(message[1:]))
	switch {
	case err != nil:
		return to, false, err
	case !s.unknown.IsZero():
		return to, false, nil
	case s.avro == nil:
		return append(to, message[frame:]...), true, nil
	}
	return appendJSON(to, s.avro, message[frame:]), true, nil
}

// of is the schema of a number.
func (r *Registry) of(ctx context.Context, id uint32) (*schema, error) {
	r.mu.RLock()
	s := r.known[id]
	r.mu.RUnlock()
	if s != nil && (s.unknown.IsZero() || r.o.Clock.Now().Sub(s.unknown) < askAgain) {
		return s, nil
	}
	s, err := r.ask(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("schema %d of the registry: %w", id, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held += s.weight; r.held > mostHeld { // those in use are asked for again
		clear(r.known)
		r.held = s.weight
	}
	r.known[id] = s
	return s, nil
}

func (r *Registry) ask(ctx context.Context, id uint32) (*schema, error) {
	text, err := r.client.SchemaByID(ctx, int(id))
	if refused := (*sr.ResponseError)(nil); errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound {
		return &schema{unknown: r.o.Clock.Now(), weight: ofUnknown}, nil
	}
	if err != nil {
		return nil, answered(err)
	}
	out := &schema{weight: len(text.Schema) + ofUnknown}
	switch text.Type {
	case sr.TypeAvro:
		out.avro, err = r.avro(ctx, text)
	case sr.TypeJSON:
		err = r.o.Places.checkJSON(text.Schema, r.o.MayLack)
	default:
		err = fault.Errorf(fault.Config, "have the producer write Avro or JSON", "%w: it is %s, which is not read", ingest.ErrSchema, text.Type)
	}
	return out, err
}

// answered says what a failed request means. What the registry writes in its answer is not shown: it is text of strangers.
func answered(err error) error {
	refused := (*sr.ResponseError)(nil)
	switch {
	case !errors.As(err, &refused):
		return fault.With(0, "see that source.registry.url is the registry, and that it is up", err)
	case refused.StatusCode == http.StatusUnauthorized || refused.StatusCode == http.StatusForbidden:
		return fault.Errorf(0, "correct the credentials of source.registry", "the registry refuses this client (%d)", refused.StatusCode)
	}
	return fault.Errorf(0, "see the log of the registry", "the registry answers %d", refused.StatusCode)
}
