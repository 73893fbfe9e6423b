package topic

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"anond/internal/kafkaclient"
)

// FuzzCollector gives a collector messages whose streams, numbers and values a stranger chose, with keys that fit: a
// plain reader of the same messages finds the same releases whole, and the same to be foreign or contradictory; Rebuild
// writes nothing outside of its directory.
func FuzzCollector(f *testing.F) {
	f.Add("manifest.json", uint32(1), []byte(`{}`), []byte(`{"format":1,"dataset":"w","release":1,"first":1,"created_at":"t",`+
		`"previous":null,"manifest_sha256":"00","streams":[{"name":"manifest.json","messages":1}]}`), []byte{0, 0, 4, 1, 3})
	f.Add("manifest.json", uint32(2), []byte(`{}`), []byte(`{"format":1,"dataset":"w","release":1,"first":1,"created_at":"t",`+
		`"previous":null,"manifest_sha256":"00","streams":[{"name":"manifest.json","messages":2}]}`), []byte{0, 9, 4})
	f.Add("../../x", uint32(70), []byte(`x`), []byte(`{}`), []byte{4, 0, 5, 2, 6})
	f.Fuzz(collected)
}

// TestCollectorAgainstPlainReader is FuzzCollector with orders of messages that are drawn.
func TestCollectorAgainstPlainReader(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		order := make([]byte, 1+r.IntN(12))
		for i := range order {
			order[i] = byte(r.Uint32())
		}
		marker := fmt.Appendf(nil, `{"format":1,"dataset":"w","release":%d,"first":1,"created_at":"t","previous":null,"manifest_sha256":"00",`+
			`"streams":[{"name":"manifest.json","messages":%d}]}`, 1+r.IntN(2), 1+r.IntN(2))
		collected(t, "manifest.json", 1+uint32(r.IntN(3)), []byte("{}"), marker, order)
	}
}

// collected holds a collector against the plain reader.
func collected(t *testing.T, name string, number uint32, value, marker, order []byte) {
	c, err := NewKeeping()
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	p := &plainTopic{}
	for _, m := range fuzzedMessages(name, number, value, marker, order) {
		refused := c.Add(m.Key, m.Value) != nil
		require.Equal(t, p.add(m), refused)
		if refused {
			return
		}
	}
	first, newest := c.Ends()
	require.Equal(t, p.foreign, c.Foreign)
	wantFirst, wantNewest := p.ends()
	require.Equal(t, wantFirst, uint64(first))
	require.Equal(t, wantNewest, uint64(newest))
	if newest == 0 {
		return
	}
	dir := t.TempDir()
	_, err = c.Rebuild(1, filepath.Join(dir, "out"))
	require.Error(t, err, "no manifest of a release is as short")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// fuzzedMessages are a stream and markers of releases 1 and 2, in an order and with repetitions that bytes choose, and
// messages whose keys do not fit.
func fuzzedMessages(name string, number uint32, value, marker, order []byte) (out []kafkaclient.Message) {
	if len(order) == 0 {
		order = []byte{0, 4}
	}
	for _, o := range order[:min(len(order), 12)] {
		release, of := uint32(o/8%2)+1, value
		stream, n := name, number
		switch o % 8 {
		case 1:
			n = 1
		case 2:
			of = append([]byte("another "), value...)
		case 4, 5:
			stream, n, of = markerStream, 1, marker
		}
		key := keyOf(release, stream, n, of).String()
		switch o % 8 {
		case 3:
			key += "0"
		case 6:
			of = append([]byte{1}, of...)
		}
		out = append(out, kafkaclient.Message{Key: []byte(key), Value: of})
	}
	return out
}

// plainTopic keeps all messages of a topic and looks at all of them for each question.
type plainTopic struct {
	log     []plainMessage
	foreign int
}

type plainMessage struct {
	release, number uint64
	stream, value   string
	marker          *plainMarker
}

// plainMarker is what the plain reader takes of a marker.
type plainMarker struct {
	Dataset        string
	Release, First uint64
	Streams        []struct {
		Name     string
		Messages uint64
	}
}

// add takes a message, and reports whether it contradicts what came before, or is no marker where one must be.
func (p *plainTopic) add(m kafkaclient.Message) (contradicts bool) {
	form := keyForm.FindStringSubmatch(string(m.Key))
	var x plainMessage
	if form != nil {
		x.release, _ = strconv.ParseUint(form[1], 10, 64)
		x.number, _ = strconv.ParseUint(form[3], 10, 64)
		x.stream, x.value = form[2], string(m.Value)
	}
	sum := fmt.Sprintf("/%x", sha256.Sum256(m.Value))
	written := fmt.Sprintf("%06d/%s/%d%s", x.release, x.stream, x.number, sum)
	if form == nil || m.Value == nil || written != string(m.Key) || len(m.Key) > maxKey || x.release == 0 || x.release > 1<<32-1 ||
		x.number > 1<<32-1 {
		p.foreign++
		return false
	}
	if x.stream == markerStream {
		return p.mark(x)
	}
	for _, y := range p.log {
		if y.marker == nil && y.release == x.release && y.stream == x.stream && y.number == x.number {
			return y.value != x.value
		}
	}
	p.log = append(p.log, x)
	return false
}

func (p *plainTopic) mark(x plainMessage) (contradicts bool) {
	if _, err := decodeMarker([]byte(x.value)); err != nil { // FuzzMessage judges it
		return true
	}
	x.marker = &plainMarker{}
	if json.Unmarshal([]byte(x.value), x.marker) != nil {
		return true
	}
	if x.marker.Release != x.release {
		p.foreign++
		return false
	}
	for _, y := range p.log {
		if y.marker == nil {
			continue
		}
		if y.release == x.release && y.value != x.value || y.marker.Dataset != x.marker.Dataset || y.marker.First != x.marker.First {
			return true
		}
	}
	p.log = append(p.log, x)
	return false
}

// ends are the first release and the last of those behind it without gap that are whole; 0: there is none.
func (p *plainTopic) ends() (first, newest uint64) {
	for _, x := range p.log {
		if x.marker != nil {
			first = x.marker.First
		}
	}
	if first == 0 || !p.whole(first) {
		return 0, 0
	}
	for newest = first; p.whole(newest + 1); newest++ {
	}
	return first, newest
}

// whole: the marker of a release is there, and of each stream that it counts the messages 1 to the last, and none else.
func (p *plainTopic) whole(release uint64) bool {
	for _, x := range p.log {
		if x.marker == nil || x.release != release {
			continue
		}
		for _, s := range x.marker.Streams {
			have, most := uint64(0), uint64(0)
			for _, y := range p.log {
				if y.marker == nil && y.release == release && y.stream == s.Name {
					have, most = have+1, max(most, y.number)
				}
			}
			if have != s.Messages || most > s.Messages {
				return false
			}
		}
		return true
	}
	return false
}
