package topic

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"anond/deliver"
	"anond/snapshot"
)

// format is the version of keys, values and sizes of messages. The pieces into which rows
// and texts are divided belong to it: another size would give other messages.
const format = 1

// pieceBytes bounds the rows of a message, as JSON, and the piece of a text. A single row
// may be larger.
const pieceBytes = 256 << 10

// rowsMessage are rows of a data file of a part: those of a class, a group or a bucket, or a piece
// of them.
type rowsMessage struct {
	Part    string     `json:"part"`
	File    string     `json:"file"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// removedMessage is a class that died: its people are in other classes since that release.
type removedMessage struct {
	Release uint32 `json:"release"`
	Part    string `json:"part"`
	Class   uint32 `json:"class"`
}

// releaseMarker says what belongs to a release.
type releaseMarker struct {
	Format    int                     `json:"format"`
	Dataset   string                  `json:"dataset"`
	Release   uint32                  `json:"release"`
	First     uint32                  `json:"first"` // release of the topic
	CreatedAt string                  `json:"created_at"`
	Records   int                     `json:"records"`
	Previous  *snapshot.PreviousEntry `json:"previous"`
	Manifest  string                  `json:"manifest_sha256"`
	// What left with the release, and is deleted from the topic once the marker is there (rule W): the parts of the releases up
	// to Expired, and those of which the parts Rewritten, which the release has, took the place.
	Expired   uint32        `json:"expired,omitempty"`
	Rewritten []string      `json:"rewritten,omitempty"`
	Streams   []streamCount `json:"streams"`
}

// streamCount is what a release added: a file of a part, its manifest, a hierarchy, or the
// classes that died.
type streamCount struct {
	Name     string `json:"name"`
	Messages uint32 `json:"messages"`
	Bytes    int64  `json:"bytes,omitempty"` // of the file
	SHA256   string `json:"sha256,omitempty"`
}

// appendText appends a text as JSON: always the same bytes (RFC 8785).
func appendText(buf []byte, text string) ([]byte, error) { return jsontext.AppendQuote(buf, text) }

func appendTexts(buf []byte, texts []string) (_ []byte, err error) {
	buf = append(buf, '[')
	for i, t := range texts {
		if i > 0 {
			buf = append(buf, ',')
		}
		if buf, err = appendText(buf, t); err != nil {
			return nil, err
		}
	}
	return append(buf, ']'), nil
}

// appendHead appends what stands before the rows of a message.
func appendHead(buf []byte, part, file string, columns []string) (_ []byte, err error) {
	for _, m := range [][2]string{{`{"part":`, part}, {`,"file":`, file}} {
		if buf, err = appendText(append(buf, m[0]...), m[1]); err != nil {
			return nil, err
		}
	}
	if buf, err = appendTexts(append(buf, `,"columns":`...), columns); err != nil {
		return nil, err
	}
	return append(buf, `,"rows":[`...), nil
}

func removedValue(release uint32, d deliver.Died) []byte {
	buf := strconv.AppendUint([]byte(`{"release":`), uint64(release), 10)
	buf = append(append(append(buf, `,"part":"`...), d.Part...), `","class":`...)
	return append(strconv.AppendUint(buf, uint64(d.Class), 10), '}')
}

var errMessage = errors.New("it is no message of releases")

// decodeRows reads rows. The error does not quote them.
func decodeRows(value []byte) (*rowsMessage, error) {
	r := &rowsMessage{}
	if json.Unmarshal(value, r) != nil || r.Part == "" || r.File == "" || len(r.Columns) == 0 || len(r.Rows) == 0 {
		return nil, errMessage
	}
	for _, row := range r.Rows {
		if len(row) != len(r.Columns) {
			return nil, errMessage
		}
	}
	return r, nil
}

// decodeRemoved reads a class that died.
func decodeRemoved(value []byte) (*removedMessage, error) {
	r := &removedMessage{}
	if json.Unmarshal(value, r) != nil || r.Release == 0 || r.Part == "" || r.Class == 0 {
		return nil, errMessage
	}
	return r, nil
}

// decodeMarker reads a marker.
func decodeMarker(value []byte) (*releaseMarker, error) {
	m := &releaseMarker{}
	if json.Unmarshal(value, m) != nil || m.Release == 0 || m.First == 0 || m.First > m.Release || len(m.Streams) == 0 {
		return nil, errMessage
	}
	if m.Format != format {
		return nil, fmt.Errorf("%w: it has format %d, this anond knows %d", errMessage, m.Format, format)
	}
	seen := map[string]bool{}
	for _, s := range m.Streams {
		if s.Name == "" || s.Name == markerStream || s.Messages == 0 || seen[s.Name] {
			return nil, errMessage
		}
		seen[s.Name] = true
	}
	if !seen[manifestStream] {
		return nil, errMessage
	}
	return m, nil
}
