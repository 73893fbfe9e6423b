package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// badRequest is a request that is answered with an error.
type badRequest struct {
	code int
	text string // as it is sent
}

// request writes one. Its headers carry a marker, as does its body.
func request(method, path, body string, headers ...string) string {
	headers = append([]string{"Host: localhost", "Connection: close", "X-Canary: CANARYname", fmt.Sprintf("Content-Length: %d", len(body))},
		headers...)
	return method + " " + path + " HTTP/1.1\r\n" + strings.Join(headers, "\r\n") + "\r\n\r\n" + body
}

const tokenHeader = "Authorization: Bearer CANARYTOKEN"

// refusedByHTTP are requests to the HTTP server: of what is not there, not allowed, not
// understood, too large, and not admitted.
var refusedByHTTP = []badRequest{
	{http.StatusNotFound, request("GET", "/CANARYbad?x=CANARYbad", "", tokenHeader)},
	{http.StatusNotFound, request("GET", "/metrics/CANARYbad", "", tokenHeader)},
	{http.StatusMethodNotAllowed, request("POST", "/", "CANARYbad", tokenHeader)},
	{http.StatusMethodNotAllowed, request("CANARYbad", "/metrics", "CANARYbad", tokenHeader)},
	{http.StatusBadRequest, "CANARYbad\r\n\r\n"},
	{http.StatusBadRequest, "GET / HTTP/1.1\r\nHost: CANARYbad CANARYbad\r\n\r\n"},
	{http.StatusBadRequest, "GET / HTTP/1.1\r\nHost: localhost\r\nCANARYbad\r\n\r\n"},
	{http.StatusBadRequest, "GET /CANARYbad%zz HTTP/1.1\r\nHost: localhost\r\n\r\n"},
	{http.StatusRequestHeaderFieldsTooLarge, request("GET", "/", "", "X-Large: "+strings.Repeat("CANARYbad", 4000))},
	{http.StatusUnauthorized, request("GET", "/", "", "Authorization: Basic CANARYbad")},
}

// refusedBySocket are requests to the control socket.
var refusedBySocket = []badRequest{
	{http.StatusNotFound, request("GET", "/CANARYbad", "")},
	{http.StatusMethodNotAllowed, request("DELETE", "/status", "CANARYbad")},
	{http.StatusBadRequest, "CANARYbad\r\n\r\n"},
	{http.StatusConflict, request("POST", "/forget", "CANARYbad")},
	{http.StatusConflict, request("POST", "/backup", `{"path":"`+strings.Repeat("CANARYbad", 2000)+`"}`)},
	{http.StatusConflict, request("POST", "/backup", `{"path":"relative"}`)},
	{http.StatusConflict, request("POST", "/backup", `["CANARYbad"]`)},
}

// refusals sends each, and looks at the whole answer, headers and all.
func (c *canary) refusals(network, address string, all []badRequest) {
	c.t.Helper()
	for _, bad := range all {
		conn, err := net.DialTimeout(network, address, patience)
		require.NoError(c.t, err)
		require.NoError(c.t, conn.SetDeadline(time.Now().Add(patience)))
		_, err = io.WriteString(conn, bad.text)
		require.NoError(c.t, err)
		var answer bytes.Buffer
		a, err := http.ReadResponse(bufio.NewReader(io.TeeReader(conn, &answer)), nil)
		where := fmt.Sprintf("%s: %.40q", network, bad.text)
		require.NoError(c.t, err, where)
		_, _ = io.Copy(io.Discard, a.Body) // a server may close before the rest of the request was sent
		assert.Equal(c.t, bad.code, a.StatusCode, where)
		require.NoError(c.t, conn.Close())
		c.quiet(where, answer.String(), false)
	}
}
