package snapshot

import (
	"fmt"
	"io"
)

// RenderBirth renders once more what a release gives birth to, without writing it, and says what
// the files are: the entries that the manifest of the release has for its own part. The bytes are
// those of render, by the same code; what stands in earlier releases is not looked at.
//
// It is for a replay (anond audit --replay), which renders an input also with the values of others:
// by rule B (buckets) no byte of level L2 may follow from who of a bucket has which of its values.
func RenderBirth(in *Input, s *Settings) ([]FileEntry, error) {
	r := &rendering{in: in, settings: s, from: &standing{}, files: nowhere{}}
	if r.births, _ = in.changed(); len(r.births) == 0 {
		return nil, fmt.Errorf("%w: release %d gives birth to nothing", ErrView, in.Release)
	}
	r.gathered = r.relevant().gather(s.workers())
	var err error
	if r.source, err = newSource(r.gathered, s); err != nil {
		return nil, err
	}
	r.out.next = &standing{written: make([]uint32, in.Release), sums: newSums(len(r.cols))}
	if _, err := r.bear(); err != nil {
		return nil, err
	}
	return r.out.Manifest.Parts[0].Files, nil
}

// nowhere takes files in and keeps nothing.
type nowhere struct{ Files }

func (nowhere) Create(string) (io.WriteCloser, error) { return nowhere{}, nil }
func (nowhere) Write(text []byte) (int, error)        { return len(text), nil }
func (nowhere) Close() error                          { return nil }
