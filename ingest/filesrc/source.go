package filesrc

import (
	"anond/incremental/state"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"anond/ingest"
)

// Open returns the source that cfg describes, at the place where state stands.
// Every file that has a first record by now is identified, its header judged
// and its last read record compared, so that what an operator must correct
// shows at start.
func Open(ctx context.Context, cfg Config, resume ingest.Resume) (ingest.Source, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.Stdin != nil {
		return openStream(&cfg, resume)
	}
	s := &source{cfg: &cfg, resume: resume, known: map[string][]state.Partition{}}
	for p := range resume.Positions {
		s.learn(p)
	}
	if err := s.discover(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	for _, f := range s.files {
		if err := s.prepare(ctx, f); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	s.publish()
	return s, nil
}

// source reads files one after the other and, if they are followed, in turns.
type source struct {
	cfg    *Config
	resume ingest.Resume
	files  []*file // in order of path
	// known are the partitions of files by how these begin, of so many bytes (place.go).
	known   map[string][]state.Partition
	lengths []int
	at      int   // the file whose turn it is
	failed  error // final

	mu        sync.Mutex // guards what Status reads
	status    []ingest.PartitionStatus
	unread    ingest.Unread
	connected bool
}

// discover takes in files that match by now and did not before.
func (s *source) discover(ctx context.Context) error {
	paths, err := s.cfg.expand()
	if err != nil && len(s.files) == 0 {
		return err
	}
	for _, path := range paths {
		if slices.ContainsFunc(s.files, func(f *file) bool { return f.path == path }) {
			continue
		}
		if s.cfg.Follow && s.cfg.packed(path) {
			return fmt.Errorf("source file %s: a file that is packed, or in UTF-16, cannot be followed", path)
		}
		s.files = append(s.files, &file{path: path, cfg: s.cfg, digest: s.resume.Digest, end: -1, stop: noStop})
	}
	if len(s.files) == 0 && !s.cfg.Follow {
		return fmt.Errorf("source: no file matches %s", strings.Join(s.cfg.Paths, ", "))
	}
	slices.SortFunc(s.files, func(a, b *file) int { return strings.Compare(a.path, b.path) })
	return ctx.Err()
}

// prepare identifies a file and compares it with what state has read of it.
func (s *source) prepare(ctx context.Context, f *file) error {
	if err := f.identify(ctx); err != nil || !f.identified {
		return err
	}
	if s.sameAs(f) {
		return nil
	}
	if err := s.place(ctx, f); err != nil || !f.identified {
		return err
	}
	if f.cfg.packed(f.path) {
		return nil // unpacked and compared when its turn comes
	}
	if err := f.begin(ctx, s.resume.Positions[f.part]); err != nil {
		return err
	}
	size, err := f.in.size()
	if err != nil {
		return err
	}
	f.end = size
	if s.resume.Once {
		f.stop = size
	}
	if s.cfg.Follow {
		return nil
	}
	return f.release()
}

// Next returns the next chunk; see ingest.Source. Its error is final.
func (s *source) Next(ctx context.Context) (*ingest.Chunk, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.failed != nil {
		return nil, s.failed
	}
	c, err := s.next(ctx)
	if err != nil && ctx.Err() == nil {
		s.failed = err
	}
	s.publish()
	return c, err
}

func (s *source) next(ctx context.Context) (*ingest.Chunk, error) {
	for {
		for range s.files {
			c, err := s.turn(ctx, s.files[s.at])
			if c != nil || err != nil {
				return c, err
			}
			s.at = (s.at + 1) % len(s.files)
		}
		if !s.cfg.Follow || s.resume.Once {
			s.reportUnread()
			return nil, io.EOF
		}
		if err := s.cfg.Wait(ctx, s.cfg.Interval); err != nil {
			return nil, err
		}
		if err := s.discover(ctx); err != nil {
			return nil, err
		}
	}
}

// turn returns the next chunk of a file, nil if it has none for now.
func (s *source) turn(ctx context.Context, f *file) (*ingest.Chunk, error) {
	if f.done || (!f.identified && s.resume.Once) { // one that came later is not for this run
		return nil, nil
	}
	if !f.identified {
		err := s.prepare(ctx, f)
		if s.cfg.Follow && errors.Is(err, os.ErrNotExist) {
			err = nil // gone before it had a record; it may come back
		}
		if err != nil || !f.identified {
			f.reportIfStill()
			return nil, err
		}
	}
	if f.in == nil {
		err := f.begin(ctx, s.resume.Positions[f.part])
		for f.cfg.packed(f.path) && errors.Is(err, ingest.ErrReplaced) && f.identified {
			if err = s.place(ctx, f); err == nil && f.identified {
				err = f.begin(ctx, s.resume.Positions[f.part])
			}
		}
		if err != nil || !f.identified {
			return nil, err
		}
	}
	if s.cfg.Follow && !s.resume.Once && f.stop == noStop {
		if err := f.visit(); err != nil {
			return nil, err
		}
	}
	c, err := f.chunk(ctx)
	if err != io.EOF {
		return c, err
	}
	f.noteUnread()
	if s.cfg.Follow {
		return s.dry(ctx, f)
	}
	f.done = true
	return nil, f.release()
}

// dry ends a visit to a followed file. If another file has taken its path, that one
// comes next, once this one is read to its end.
func (s *source) dry(ctx context.Context, f *file) (*ingest.Chunk, error) {
	if s.resume.Once {
		return nil, nil
	}
	f.stop = noStop
	f.reportIfStill()
	f.reader.shrink()
	rotated, err := f.rotated()
	if err != nil || !rotated {
		return nil, err
	}
	c, err := f.chunk(ctx)
	if err != io.EOF {
		return c, err
	}
	f.noteUnread()
	f.reportUnread()
	f.cfg.Log.Info("another file took the path of a followed one, which was read to its end", "event", "file_rotated", "file", f.path)
	f.path, f.done = "", true
	return nil, f.release()
}

// Close closes all files.
func (s *source) Close() error {
	s.failed = os.ErrClosed
	s.publish()
	var faults []error
	for _, f := range s.files {
		faults = append(faults, f.release())
	}
	return errors.Join(faults...)
}
