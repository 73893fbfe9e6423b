package deadletter

import (
	"anond/incremental/state"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"anond/ingest"
	"anond/internal/disk"
)

// FileName is the file that a File keeps in its directory.
const FileName = "dead-letter.ndjson"

// letterFile appends dead letters to an NDJSON file, each exactly once.
//
// Delivery is at least once. The file itself tells what it has: dead letters
// come in order of Seq, so the number of its last whole line says which ones
// are there. A delivery is one write and one fsync; a torn tail is cut off, at
// start after a crash and at once after a failed write. Directory 0700, file
// 0600. Only one process may use a directory, which the lock on the state sees
// to.
type letterFile struct {
	path string
	file storage
	size int64  // bytes of whole lines
	last uint64 // Seq of the last whole line, 0 if none
	torn bool   // bytes may lie above size
	now  func() time.Time
}

var _ ingest.DeadLetters = (*letterFile)(nil)

// deadLetterStorage is what File needs of an open file.
type storage interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

// OpenFile opens the dead-letter file of a directory, creating both as
// needed, and recovers it.
func OpenFile(dir string) (*letterFile, error) {
	if err := disk.MakeDir(disk.OS(0o700), dir); err != nil {
		return nil, fmt.Errorf("dead-letter directory: %w", err)
	}
	path := filepath.Join(dir, FileName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("dead-letter file: %w", err)
	}
	info, err := f.Stat()
	if err == nil {
		err = disk.Sync(dir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("dead-letter file: %w", err), f.Close())
	}
	d := &letterFile{path: path, file: f}
	if err := d.recover(info.Size()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return d, nil
}

// Stamp notes in each dead letter when it is delivered, by a clock.
func (d *letterFile) Stamp(now func() time.Time) *letterFile {
	d.now = now
	return d
}

// recover finds the last whole line and cuts off what follows it.
func (d *letterFile) recover(size int64) error {
	end, err := d.lineBreakBefore(size)
	if err != nil {
		return err
	}
	d.size, d.torn = end, end < size
	if err := d.cutTorn(); err != nil || end == 0 {
		return err
	}
	start, err := d.lineBreakBefore(end - 1)
	if err != nil {
		return err
	}
	line := make([]byte, end-start)
	if _, err := d.file.ReadAt(line, start); err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	seq, ok := letterSeq(line)
	if !ok {
		return fmt.Errorf("%s: the last line, at byte %d, is no dead letter: move the file away, and a new one is made", d.path, start)
	}
	d.last = seq
	return nil
}

// lineBreakBefore returns the offset after the last LF below end, 0 if none.
func (d *letterFile) lineBreakBefore(end int64) (int64, error) {
	block := make([]byte, 4096)
	for end > 0 {
		from := max(0, end-int64(len(block)))
		b := block[:end-from]
		if _, err := d.file.ReadAt(b, from); err != nil {
			return 0, fmt.Errorf("%s: %w", d.path, err)
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			return from + int64(i) + 1, nil
		}
		end = from
	}
	return 0, nil
}

// letterSeq reads the number of an encoded dead letter.
func letterSeq(line []byte) (uint64, bool) {
	var letter struct {
		Seq uint64 `json:"seq"`
	}
	err := json.Unmarshal(line, &letter)
	return letter.Seq, err == nil && letter.Seq > 0
}

// cutTorn cuts off bytes that a failed write or a crash left above the last
// line.
func (d *letterFile) cutTorn() error {
	if !d.torn {
		return nil
	}
	if err := errors.Join(d.file.Truncate(d.size), d.file.Sync()); err != nil {
		return fmt.Errorf("%s: cutting off a torn line: %w", d.path, err)
	}
	d.torn = false
	return nil
}

// Deliver appends the dead letters that the file does not have yet and makes
// them durable. They must come in order of Seq. After an error nothing of the
// delivery is in the file, and the caller delivers again.
func (d *letterFile) Deliver(ctx context.Context, letters []state.DeadLetter) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.cutTorn(); err != nil {
		return err
	}
	known := 0
	for known < len(letters) && letters[known].Seq <= d.last {
		known++
	}
	if err := d.verify(letters[:known]); err != nil || known == len(letters) {
		return err
	}
	return d.append(letters[known:])
}

func (d *letterFile) append(letters []state.DeadLetter) error {
	var lines []byte
	var at time.Time
	if d.now != nil {
		at = d.now()
	}
	for _, l := range letters {
		lines = append(append(lines, EncodeDelivered(l, at)...), '\n')
	}
	_, err := d.file.WriteAt(lines, d.size)
	if err == nil {
		err = d.file.Sync()
	}
	if err != nil {
		d.torn = true
		return errors.Join(fmt.Errorf("%s: %w", d.path, err), d.cutTorn())
	}
	d.size += int64(len(lines))
	d.last = letters[len(letters)-1].Seq
	return nil
}

// verify checks that dead letters which were delivered before are in the file
// as they are now, whenever that was. Without it, a new state with an old file would lose its
// first dead letters. It reads the whole file, and runs only after a crash
// between a delivery and the commit that notes it.
func (d *letterFile) verify(letters []state.DeadLetter) error {
	if len(letters) == 0 {
		return nil
	}
	lines := bufio.NewReader(io.NewSectionReader(d.file, 0, d.size))
	next := 0
	for next < len(letters) {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return fmt.Errorf("%s: dead letter %d: %w", d.path, letters[next].Seq, ingest.ErrForeignLetters)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.path, err)
		}
		there, err := Decode(line)
		if err == nil && bytes.Equal(Encode(there.DeadLetter), Encode(letters[next])) {
			next++
		}
	}
	return nil
}

// Close closes the file. Everything delivered is already durable.
func (d *letterFile) Close() error { return d.file.Close() }
