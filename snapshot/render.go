package snapshot

import (
	"fmt"
	"io"
	"runtime"
)

// Files is where a rendering goes.
type Files interface {
	// Create makes a new file of a release, by its name.
	Create(name string) (io.WriteCloser, error)
}

// Rendered is what a rendering gave.
type Rendered struct {
	Manifest Manifest
	SHA256   [32]byte // of manifest.json
	// Members is the class number of each record (by RecordID), 0 where it is
	// not published. Private: for the gate and for `anond state members`.
	Members []uint32
}

// Render writes the data files and the manifest of the release that the input
// shows. prev is the release before, nil for release 1.
//
// Guarantee: the bytes are a function of the input's content, the settings and
// prev. They do not depend on the numbering of records, classes or dictionary
// codes, nor on the number of workers. Cost: n d + m log m for n records in m
// classes.
func Render(in *Input, s *Settings, prev *Previous, files Files) (*Rendered, error) {
	if err := checkPrevious(in, prev); err != nil {
		return nil, err
	}
	workers := s.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	t, err := newTable(in, s.Recoding, workers)
	if err != nil {
		return nil, err
	}
	m, err := newManifest(in, s, prev)
	if err != nil {
		return nil, err
	}
	s.Recoding.mark(t, m)
	if s.Recoding.alone(t) {
		m.AcrossReleases = AcrossNone
	}
	if m.AcrossReleases != "" && in.Release > 1 {
		return nil, fmt.Errorf("%w: recoding %s promises nothing across releases, so there is no release %d of it", ErrView, m.Recoding,
			m.Release)
	}
	out := &Rendered{Manifest: *m, Members: t.members(len(in.SA))}
	out.Manifest.Quality = t.quality(s.Policy.K)
	out.Manifest.Privacy = t.privacy(prev)
	for _, l := range s.Recoding.layouts(t) {
		entry, err := t.writeFile(l, files)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", l.name, err)
		}
		out.Manifest.Files = append(out.Manifest.Files, entry)
	}
	data, err := out.Manifest.encode()
	if err != nil {
		return nil, err
	}
	out.SHA256 = sha(data)
	if err := writeAll(files, manifestName, data); err != nil {
		return nil, fmt.Errorf("write %s: %w", manifestName, err)
	}
	return out, nil
}

func checkPrevious(in *Input, prev *Previous) error {
	switch {
	case in.Release == 0:
		return fmt.Errorf("%w: releases are numbered from 1", ErrView)
	case in.Release == 1 && prev == nil:
		return nil
	case prev == nil || prev.Release+1 != in.Release:
		return fmt.Errorf("%w: release %d needs the manifest of release %d", ErrView, in.Release, in.Release-1)
	}
	return nil
}

func (t *table) writeFile(l layout, files Files) (FileEntry, error) {
	w, err := files.Create(l.name)
	if err != nil {
		return FileEntry{}, err
	}
	entry, err := t.write(l, w)
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	return entry, err
}

func writeAll(files Files, name string, data []byte) error {
	w, err := files.Create(name)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	return err
}
