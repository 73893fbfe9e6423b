package topic

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"anond/deliver"
	"anond/internal/kafkaclient"
	"anond/snapshot"
)

// batchBytes and batchMessages bound what is sent at once.
const (
	batchBytes    = 4 << 20
	batchMessages = 2000
)

// messageOverhead is what Kafka adds to key and value, generously.
const messageOverhead = 256

// parcel is a release on its way.
type parcel struct {
	*sink
	ctx     context.Context
	r       *deliver.Release
	streams []streamCount
	batch   []kafkaclient.Message
	bytes   int
}

// Deliver implements deliver.Sink: all messages of the release, and once the topic has
// them, its marker.
func (s *sink) Deliver(ctx context.Context, r *deliver.Release) error {
	if r.Manifest.Dataset != s.dataset {
		return deliver.Other("dataset of the configuration is %s, that of the releases %s", s.dataset, r.Manifest.Dataset)
	}
	p := &parcel{sink: s, ctx: ctx, r: r}
	for _, h := range r.Hierarchies {
		if err := p.text(h.Name, h.Text); err != nil {
			return err
		}
	}
	if err := p.text(manifestStream, r.Text); err != nil {
		return err
	}
	for i := range r.Births {
		for _, f := range r.Births[i].Files {
			if err := p.rows(&r.Births[i], f); err != nil {
				return err
			}
		}
	}
	if err := p.removed(); err != nil {
		return err
	}
	if err := p.flush(); err != nil {
		return err
	}
	if err := p.mark(); err != nil {
		return err
	}
	if err := p.flush(); err != nil {
		return err
	}
	for i := range r.Births {
		s.has[partOf(&r.Births[i])] = true
	}
	return s.withdraw(ctx, append(slices.Clone(r.Left), r.Absent...))
}

// text sends a file in pieces.
func (p *parcel) text(stream string, text []byte) error {
	sum := sha256.Sum256(text)
	out := streamCount{Name: stream, Bytes: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}
	for first := true; first || len(text) > 0; first = false {
		piece := text[:min(len(text), pieceBytes)]
		text = text[len(piece):]
		out.Messages++
		if err := p.add(stream, out.Messages, piece); err != nil {
			return err
		}
	}
	p.streams = append(p.streams, out)
	return nil
}

// removed sends the classes that died.
func (p *parcel) removed() error {
	for i, d := range p.r.Deaths {
		if err := p.add(removedStream, uint32(i+1), removedValue(p.r.Manifest.Release, d)); err != nil {
			return err
		}
	}
	if n := len(p.r.Deaths); n > 0 {
		p.streams = append(p.streams, streamCount{Name: removedStream, Messages: uint32(n)})
	}
	return nil
}

// mark sends the marker.
func (p *parcel) mark() error {
	m := p.r.Manifest
	value, err := json.Marshal(releaseMarker{Format: format, Dataset: m.Dataset, Release: m.Release, First: m.First(), CreatedAt: m.CreatedAt,
		Records: m.Records, Previous: m.Previous, Manifest: hex.EncodeToString(p.r.SHA256[:]), Expired: p.r.Expired, Rewritten: p.r.Rewritten,
		Streams: p.streams})
	if err != nil {
		return deliver.Final(err)
	}
	return p.add(markerStream, 1, value)
}

// rows sends a file of a part, one message for the rows of each class, group or bucket.
func (p *parcel) rows(b *snapshot.PartEntry, f snapshot.FileEntry) error {
	stream := path.Join(b.Part, f.Name)
	g := &grouping{part: b.Part, file: f.Name, run: p.r.Manifest.RunColumns(f.Name)}
	out := streamCount{Name: stream, Bytes: f.Bytes, SHA256: f.SHA256}
	g.emit = func(value []byte) error {
		out.Messages++
		return p.add(stream, out.Messages, value)
	}
	if err := p.r.Rows(b, f, g.row); err != nil {
		return err
	}
	if err := g.end(); err != nil {
		return err
	}
	p.streams = append(p.streams, out)
	return nil
}

// add puts a message into the batch.
func (p *parcel) add(stream string, number uint32, value []byte) error {
	key := keyOf(p.r.Manifest.Release, stream, number, value).String()
	if size := len(key) + len(value) + messageOverhead; size > p.most {
		return deliver.Final(fmt.Errorf("release %d: message %d of %s has %d bytes, more than outputs.kafka.max_message_bytes (%d); raise it, "+
			"and max.message.bytes of the topic", p.r.Manifest.Release, number, stream, size, p.most))
	}
	return p.put(key, value)
}

func (p *parcel) put(key string, value []byte) error {
	p.batch = append(p.batch, kafkaclient.Message{Key: []byte(key), Value: value})
	p.bytes += len(key) + len(value) + messageOverhead
	if p.bytes >= batchBytes || len(p.batch) >= batchMessages {
		return p.flush()
	}
	return nil
}

// flush returns once the topic has what was added.
func (p *parcel) flush() error {
	if len(p.batch) == 0 {
		return nil
	}
	err := p.writer.Write(p.ctx, p.batch)
	if errors.Is(err, kafkaclient.ErrTooLarge) {
		err = deliver.Final(fmt.Errorf("release %d: %w: raise max.message.bytes of the topic to outputs.kafka.max_message_bytes (%d), or "+
			"lower that", p.r.Manifest.Release, err, p.most))
	}
	p.batch, p.bytes = nil, 0
	return err
}

// grouping divides the rows of a file into messages.
type grouping struct {
	part, file string
	run        []int // columns that say which rows belong together
	emit       func(value []byte) error

	columns int
	head    []byte
	id      string // of the run at hand
	value   []byte // nil: no row yet
	rowText []byte
}

// row takes the header, then each row.
func (g *grouping) row(cells []string) (err error) {
	if g.head == nil {
		g.columns = len(cells)
		for i, at := range g.run {
			if at < 0 {
				g.run[i] = at + g.columns
			}
			if g.run[i] < 0 || g.run[i] >= g.columns {
				return fmt.Errorf("%w: the header lacks a column", snapshot.ErrDamaged)
			}
		}
		g.head, err = appendHead(nil, g.part, g.file, cells)
		return err
	}
	if len(cells) != g.columns {
		return fmt.Errorf("%w: a row has another number of cells than the header", snapshot.ErrDamaged)
	}
	if g.rowText, err = appendTexts(g.rowText[:0], cells); err != nil {
		return err
	}
	id := g.idOf(cells)
	if g.value != nil && (id != g.id || len(g.value)+len(g.rowText) > pieceBytes) {
		if err := g.end(); err != nil {
			return err
		}
	}
	if g.id = id; g.value == nil {
		g.value = append([]byte{}, g.head...)
	} else {
		g.value = append(g.value, ',')
	}
	g.value = append(g.value, g.rowText...)
	return nil
}

func (g *grouping) idOf(cells []string) string {
	if len(g.run) == 1 {
		return cells[g.run[0]]
	}
	var id strings.Builder
	for _, at := range g.run {
		id.WriteString(cells[at])
		id.WriteByte(0)
	}
	return id.String()
}

// end emits the message at hand.
func (g *grouping) end() error {
	if g.value == nil {
		return nil
	}
	value := append(g.value, "]}"...)
	g.value = nil
	return g.emit(value)
}
