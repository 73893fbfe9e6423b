package journal

import (
	"anond/incremental/state"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Entry is one thing that a host writes down. Exactly one field is set.
type Entry struct {
	Genesis   *Genesis   `json:"genesis,omitempty"`
	Begin     *Begin     `json:"begin,omitempty"`
	Ends      *Ends      `json:"ends,omitempty"`
	Runs      *Runs      `json:"runs,omitempty"`
	Cut       *Cut       `json:"cut,omitempty"`
	Intent    *Intent    `json:"intent,omitempty"`
	Published *Published `json:"published,omitempty"`
	Erase     *Erase     `json:"erase,omitempty"`
	// Remove is that the state loses the people whose parts have left the releases, which follows from the releases.
	Remove *struct{} `json:"remove,omitempty"`
}

// Digest is written as hexadecimal digits.
type Digest [32]byte

// Genesis begins a journal: which state follows it.
type Genesis struct {
	// State tells states apart by their seeds and tells nothing of a seed (incremental.Machine.SeedCheck): that stays in
	// the state (rule R, randomness).
	State Digest `json:"state"`
	// Records that the state had, which cannot be repeated by the journal. 0: it was a new state.
	Records int `json:"records"`
}

// Begin is the start of a process. Whoever repeats the journal needs its settings.
type Begin struct {
	Settings Digest `json:"settings"`
}

// Ends is where the first load ends, as the source said.
type Ends struct {
	Source string     `json:"source"`
	Ends   [][2]int64 `json:"ends"` // partition and offset, ascending
}

// Run is a stretch of one partition that was taken in at one time of the host.
type Run struct {
	Partition int32
	Tick      int64 // the time of the host (incremental.Machine.Ticked)
	Next      int64 // offset behind it
	Idle      int64 // the log's time to which the partition moved on before that, since it was idle; 0: it was not
}

// Runs is in which order records were taken in, since the entry before.
type Runs struct {
	Source string `json:"source"`
	Runs   []Run  `json:"runs"`
	// Records accepted, and positions that held a record, up to here in all. Who repeats the runs
	// and counts otherwise does not have the records that were there.
	Records int    `json:"records"`
	Sent    uint64 `json:"sent"`
}

// Cut is the attempt to make a release, of everything up to here.
type Cut struct {
	Now       int64          `json:"now"`        // the time of the host (incremental.Machine.Ticked)
	CreatedAt int64          `json:"created_at"` // Unix seconds, for the manifest
	Occasion  state.Occasion `json:"occasion"`
	Settings  Digest         `json:"settings"`
	Records   int            `json:"records"`
}

// Intent is what a cut has decided. It is written before anything of it is rendered.
type Intent struct {
	Release   uint32 `json:"release"`
	CreatedAt int64  `json:"created_at"`
	Decided   Digest `json:"decided"` // incremental.Machine.Decided
}

// Published is that a release is public.
type Published struct {
	Release  uint32 `json:"release"`
	Manifest Digest `json:"manifest"` // SHA-256
}

// Erase is that the state forgets those whose deletes it has read, and these people.
type Erase struct {
	People []state.Digest `json:"people"` // as the list of who was forgotten has them
}

var errEntry = errors.New("the entry of the journal cannot be read")

// MostBytes bounds the text of an entry, and so the message: brokers take 1 MiB by default.
const MostBytes = 768 << 10

// padding is what texts are filled up to a multiple of.
const padding = 256

// encode writes an entry: length, JSON, zeros.
func (e *Entry) encode() ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	if len(text) > MostBytes {
		return nil, fmt.Errorf("%w: it would have %d bytes", errEntry, len(text))
	}
	out := binary.BigEndian.AppendUint32(nil, uint32(len(text)))
	out = append(out, text...)
	return append(out, make([]byte, (padding-len(out)%padding)%padding)...), nil
}

// decode reads what encode wrote, and nothing else.
func decode(content []byte) (*Entry, error) {
	if len(content) < 4 || len(content)%padding != 0 {
		return nil, errEntry
	}
	n := int(binary.BigEndian.Uint32(content))
	if n > MostBytes || n > len(content)-4 || len(content)-4-n >= padding {
		return nil, errEntry
	}
	text, rest := content[4:4+n], content[4+n:]
	if len(bytes.Trim(rest, "\x00")) > 0 {
		return nil, errEntry
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	e := &Entry{}
	if err := d.Decode(e); err != nil {
		return nil, errEntry // the library's own word may repeat the text
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errEntry
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	if again, err := json.Marshal(e); err != nil || !bytes.Equal(again, text) {
		return nil, errEntry
	}
	return e, nil
}

// check demands one field, and that what it has makes sense.
func (e *Entry) check() error {
	set := 0
	for _, is := range []bool{e.Genesis != nil, e.Begin != nil, e.Ends != nil, e.Runs != nil, e.Cut != nil, e.Intent != nil,
		e.Published != nil, e.Erase != nil, e.Remove != nil} {
		if is {
			set++
		}
	}
	switch {
	case set != 1,
		e.Genesis != nil && e.Genesis.Records < 0,
		e.Cut != nil && e.Cut.Records < 0,
		e.Intent != nil && e.Intent.Release == 0,
		e.Published != nil && e.Published.Release == 0:
		return errEntry
	case e.Ends != nil:
		return e.Ends.check()
	case e.Runs != nil:
		return e.Runs.check()
	}
	return nil
}

func (x *Ends) check() error {
	for i, end := range x.Ends {
		if end[0] < 0 || end[0] > 1<<31-1 || end[1] < 0 || i > 0 && end[0] <= x.Ends[i-1][0] {
			return errEntry
		}
	}
	return nil
}

func (x *Runs) check() error {
	if x.Records < 0 {
		return errEntry
	}
	for _, r := range x.Runs {
		if r.Partition < 0 || r.Next < 0 {
			return errEntry
		}
	}
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%x", d[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != 2*len(d) {
		return errEntry
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// MarshalJSON writes a run as three numbers.
func (r Run) MarshalJSON() ([]byte, error) {
	if r.Idle > 0 {
		return fmt.Appendf(nil, "[%d,%d,%d,%d]", r.Partition, r.Tick, r.Next, r.Idle), nil
	}
	return fmt.Appendf(nil, "[%d,%d,%d]", r.Partition, r.Tick, r.Next), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Run) UnmarshalJSON(text []byte) error {
	var n []int64
	if err := json.Unmarshal(text, &n); err != nil || len(n) < 3 || len(n) > 4 || n[0] < 0 || n[0] > 1<<31-1 {
		return errEntry
	}
	*r = Run{Partition: int32(n[0]), Tick: n[1], Next: n[2]}
	if len(n) == 4 {
		if r.Idle = n[3]; r.Idle <= 0 {
			return errEntry
		}
	}
	return nil
}
