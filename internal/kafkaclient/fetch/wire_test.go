package fetch

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"github.com/segmentio/kafka-go/protocol"
	"github.com/stretchr/testify/require"
)

// script is a connection that takes everything and answers what it was told.
type script struct{ answer *bytes.Reader }

func (s script) Write(b []byte) (int, error) { return len(b), nil }
func (s script) Read(b []byte) (int, error)  { return s.answer.Read(b) }

func exchange(version int16, answer []byte) (protocol.Message, error) {
	r := (&Ask{Topic: "admissions", ClientID: "t", MaxBytes: 1, Most: 1 + AnswerOverhead}).request()
	r.Required(map[protocol.ApiKey]int16{protocol.Fetch: version})
	return r.RawExchange(script{bytes.NewReader(answer)})
}

func TestAnswersThatMakeNoSense(t *testing.T) {
	frame := func(size, correlation uint32, body []byte) []byte {
		return append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, size), correlation), body...)
	}
	body := encodedAnswer(11, encodeBatch(0, 0, -1, 0, record(0, "a")))
	good := frame(uint32(len(body)+4), fetchCorrelation, body)
	res, err := exchange(11, good)
	require.NoError(t, err)
	require.Equal(t, int64(11), res.(*Response).Stable)

	for name, c := range map[string]struct {
		version int16
		data    []byte
		want    string
	}{
		"another protocol":   {11, []byte("HTTP/1.1 400 Bad Request\r\n"), "makes no sense"},
		"negative length":    {11, frame(1<<31, fetchCorrelation, nil), "makes no sense"},
		"another request's":  {11, frame(uint32(len(body)+4), 99, body), "makes no sense"},
		"a cut body":         {11, frame(24, fetchCorrelation, body[:20]), "is cut"},
		"a broker too old":   {3, good, "Kafka 0.11"},
		"a version too new":  {12, good, "version 12"},
		"a closed socket":    {11, nil, io.EOF.Error()},
		"closed in the body": {11, good[:len(good)-5], io.ErrUnexpectedEOF.Error()},
	} {
		_, err := exchange(c.version, c.data)
		require.ErrorContains(t, err, c.want, name)
	}
}
