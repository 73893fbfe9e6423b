package control

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"anond/internal/fault"
)

// ErrNobody: no daemon answers at the socket.
var ErrNobody = fault.Errorf(fault.Failed, "start anond run with this configuration; if it runs, wait until it has opened its state",
	"no running anond answers")

// Client asks a daemon over its socket.
type Client struct {
	path string
	http http.Client
}

// NewClient makes a client for the socket at a path. It connects when asked.
func NewClient(path string) *Client {
	c := &Client{path: path}
	c.http.Transport = &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", path)
	}}
	return c
}

// Status returns the daemon's status as JSON.
func (c *Client) Status(ctx context.Context) ([]byte, error) {
	var out status
	err := c.ask(ctx, http.MethodGet, "/status", nil, &out)
	return out, err
}

// Release asks for a release, and waits until it is published.
func (c *Client) Release(ctx context.Context) (*Released, error) {
	return post[Released](ctx, c, "/release", nil)
}

// Plan asks what a release would publish.
func (c *Client) Plan(ctx context.Context) (*Plan, error) {
	out := new(Plan)
	return out, c.ask(ctx, http.MethodGet, "/plan", nil, out)
}

// Pause stops reading.
func (c *Client) Pause(ctx context.Context) (*Changed, error) {
	return post[Changed](ctx, c, "/pause", nil)
}

// Resume goes on reading.
func (c *Client) Resume(ctx context.Context) (*Changed, error) {
	return post[Changed](ctx, c, "/resume", nil)
}

// Reload has the configuration read again.
func (c *Client) Reload(ctx context.Context) (*Changed, error) {
	return post[Changed](ctx, c, "/reload", nil)
}

// Backup asks for a copy of the state at an absolute path, and returns its description.
func (c *Client) Backup(ctx context.Context, to string) (json.RawMessage, error) {
	return c.raw(ctx, "/backup", socketPlace{to})
}

// Forget asks to forget a person, and returns the receipt.
func (c *Client) Forget(ctx context.Context, subject []byte) (json.RawMessage, error) {
	return c.raw(ctx, "/forget", person{subject})
}

// Replay asks to judge dead letters again.
func (c *Client) Replay(ctx context.Context, which any) (json.RawMessage, error) {
	return c.raw(ctx, "/replay", which)
}

func (c *Client) raw(ctx context.Context, path string, body any) (json.RawMessage, error) {
	out, err := post[json.RawMessage](ctx, c, path, body)
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// Copy asks for a copy of the state to read. It is there until close is called, or this
// process or the daemon ends.
func (c *Client) Copy(ctx context.Context) (path string, close func(), err error) {
	r, err := c.send(ctx, http.MethodPost, "/copy", nil)
	if err != nil {
		return "", nil, err
	}
	var at socketPlace
	if err := json.NewDecoder(r.Body).Decode(&at); err != nil {
		_ = r.Body.Close()
		return "", nil, err
	}
	return at.Path, func() { _ = r.Body.Close() }, nil
}

func post[T any](ctx context.Context, c *Client, path string, body any) (*T, error) {
	out := new(T)
	return out, c.ask(ctx, http.MethodPost, path, body, out)
}

// Events gives each line of the log to see, first so many that were logged before and chooses
// takes, until ctx or the daemon ends. chooses is asked for those before only.
func (c *Client) Events(ctx context.Context, before int, chooses func(line []byte) bool, see func(line []byte) error) error {
	r, err := c.send(ctx, http.MethodGet, "/events?before="+strconv.Itoa(kept), nil)
	if err != nil {
		return err
	}
	defer func() { _ = r.Body.Close() }()
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	earlier, _ := strconv.Atoi(r.Header.Get(earlierHeader))
	var chosen [][]byte
	for ; earlier > 0 && lines.Scan(); earlier-- {
		if chooses(lines.Bytes()) {
			chosen = append(chosen, bytes.Clone(lines.Bytes()))
		}
	}
	for _, line := range chosen[max(0, len(chosen)-before):] {
		if err := see(line); err != nil {
			return err
		}
	}
	for lines.Scan() {
		if err := see(lines.Bytes()); err != nil {
			return err
		}
	}
	return ctx.Err() // a daemon that ends, ends the lines
}

func (c *Client) ask(ctx context.Context, method, path string, body, out any) error {
	r, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = r.Body.Close() }()
	return json.NewDecoder(r.Body).Decode(out)
}

func (c *Client) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	q, err := http.NewRequestWithContext(ctx, method, "http://anond"+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r, err := c.http.Do(q)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return nil, fmt.Errorf("%w at %s", ErrNobody, c.path)
	case err != nil:
		return nil, fmt.Errorf("the control socket %s: %w", c.path, err)
	case r.StatusCode != http.StatusOK:
		defer func() { _ = r.Body.Close() }()
		var f refusal
		if json.NewDecoder(r.Body).Decode(&f) != nil || f.Error == "" {
			return nil, fmt.Errorf("the control socket %s answers %s: it is not that of this version of anond", c.path, r.Status)
		}
		return nil, fault.With(f.Kind, f.Hint, errors.New(f.Error))
	}
	return r, nil
}
