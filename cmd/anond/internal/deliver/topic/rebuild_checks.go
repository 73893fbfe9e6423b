package topic

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"anond/snapshot/readback"
)

// dead compares the classes that died, as the topic tells it, with the manifest.
func (r *rebuilding) dead() error {
	died := map[string][]uint32{}
	for n := r.first; n <= r.release; n++ {
		if !r.listed(n, removedStream) {
			continue
		}
		err := r.each(n, removedStream, func(value []byte) error {
			d, err := decodeRemoved(value)
			if err == nil {
				died[d.Part] = append(died[d.Part], d.Class)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for i := range r.manifest.Parts {
		p := &r.manifest.Parts[i]
		births, err := r.manifest.Within(p, r.births)
		if err != nil {
			return err
		}
		var have []uint32
		before := uint32(0)
		for _, b := range births {
			slices.Sort(died[b.Part])
			for _, class := range died[b.Part] {
				have = append(have, before+class)
			}
			before += uint32(b.Classes)
		}
		if !slices.Equal(have, p.Dead) {
			return fmt.Errorf("%s: the topic removed other classes than the manifest says", p.Part)
		}
	}
	return nil
}

// whole writes the tables over all parts, where the release has them (release.single_file).
func (r *rebuilding) whole() error {
	if len(r.manifest.Files) == 0 {
		return nil
	}
	read, err := readback.OpenNumber(r.dir, r.release)
	if err != nil {
		return err
	}
	want := read.Manifest.Files
	read.Manifest.Files = nil // else they would be copied
	var made []io.Closer
	var failed error
	have, err := read.Table().Write(func(name string) io.Writer {
		f, err := create(filepath.Join(r.dir, fmt.Sprintf("%06d", r.release), filepath.Base(name)))
		if err != nil {
			failed = errors.Join(failed, err)
			return io.Discard
		}
		made = append(made, f)
		return f
	})
	for _, f := range made {
		err = errors.Join(err, f.Close())
	}
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	if !slices.Equal(have, want) {
		return errors.New("the tables over all parts are not what the manifest says")
	}
	for _, f := range want {
		r.out.Files, r.out.Bytes = r.out.Files+1, r.out.Bytes+f.Bytes
	}
	return nil
}
