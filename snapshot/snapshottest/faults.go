package snapshottest

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"anond/snapshot"
)

// NoLinks fails to link some files.
type NoLinks struct {
	snapshot.FS
	Fault error
	Only  string // files of this name; empty: all
}

func (f NoLinks) Link(from, to string) error {
	if f.Only == "" || filepath.Base(from) == f.Only {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: f.Fault}
	}
	return f.FS.Link(from, to)
}

// TurningDisk turns bits of what is written to one file, once.
type TurningDisk struct {
	snapshot.FS
	Which func(path string) bool
	Turn  func(data []byte) []byte
	Path  string // of that file, once there is one
}

func (d *TurningDisk) Create(path string) (io.WriteCloser, error) { return d.made(path, d.FS.Create) }
func (d *TurningDisk) CreateSealed(path string) (io.WriteCloser, error) {
	return d.made(path, d.FS.CreateSealed)
}

func (d *TurningDisk) made(path string, by func(string) (io.WriteCloser, error)) (io.WriteCloser, error) {
	w, err := by(path)
	if err != nil || d.Path != "" || !d.Which(path) {
		return w, err
	}
	d.Path = path
	return &turnedFile{WriteCloser: w, turn: d.Turn}, nil
}

// turnedFile writes what it was given at its end.
type turnedFile struct {
	io.WriteCloser
	turn func([]byte) []byte
	data []byte
}

func (f *turnedFile) Write(p []byte) (int, error) { f.data = append(f.data, p...); return len(p), nil }

func (f *turnedFile) Close() error {
	if _, err := f.WriteCloser.Write(f.turn(f.data)); err != nil {
		return err
	}
	return f.WriteCloser.Close()
}

// decidedAt is the time of a manifest or an intent: any other is as good to whoever reads it.
var decidedAt = regexp.MustCompile(`"created_at": "\d{4}`)

// OtherTime turns the lowest bit of the year: no gate can know better.
func OtherTime(data []byte) []byte {
	at := decidedAt.FindIndex(data)
	out := bytes.Clone(data)
	out[at[1]-1] ^= 1
	return out
}

// Middle turns a bit in the middle.
func Middle(data []byte) []byte {
	out := bytes.Clone(data)
	out[len(out)/2] ^= 1
	return out
}
