package verify

import (
	"context"
	"io"

	"anond/snapshot"
)

// Inspection looks at all published releases while anond runs: every file is
// hashed and held against its manifest, every manifest against what state knows
// of it, newest release first. It reads only.
type Inspection struct {
	FS        snapshot.FS
	Dir       string
	Published []snapshot.LedgerEntry // of state, in order of release
	// Pause is called after each inspectStep of bytes, so that publishing gets
	// the disk in between; nil: no pause.
	Pause func(context.Context)
	// Found is told each fault as it is found.
	Found func(Finding)
}

// inspectStep is the number of bytes read between two pauses.
const inspectStep = 1 << 20

// Run looks at everything once, or until ctx is done: then it returns the cause.
// Releases that are published meanwhile are not looked at.
func (i *Inspection) Run(ctx context.Context) (*verification, error) {
	v := newVerifier(&inspected{FS: i.FS, ctx: ctx, pause: i.Pause}, i.Dir)
	v.found = func(f Finding) {
		if ctx.Err() == nil { // else the fault is that the reading was given up
			i.Found(f)
		}
	}
	names, err := v.ReadDir(i.Dir)
	if err != nil {
		v.find(0, ".", FindUnreadable, "%v", err)
	}
	v.strays(names)
	for n := len(i.Published) - 1; n >= 0 && ctx.Err() == nil; n-- {
		v.published(i.Published[n])
	}
	return &v.out, context.Cause(ctx)
}

// inspected is a file system whose files are read slowly, and no more once ctx
// is done.
type inspected struct {
	snapshot.FS
	ctx   context.Context
	pause func(context.Context)
}

func (f *inspected) Open(path string) (io.ReadCloser, error) {
	r, err := f.FS.Open(path)
	if err != nil {
		return nil, err
	}
	return &slowReader{ReadCloser: r, of: f}, nil
}

type slowReader struct {
	io.ReadCloser
	of   *inspected
	read int
}

func (r *slowReader) Read(p []byte) (int, error) {
	if err := r.of.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.ReadCloser.Read(p)
	if r.read += n; r.read >= inspectStep && r.of.pause != nil {
		r.read = 0
		r.of.pause(r.of.ctx)
	}
	return n, err
}
