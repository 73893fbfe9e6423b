package filesrc

import (
	"anond/incremental/state"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"anond/ingest"
)

// rereadBatch is the number of records read at once.
const rereadBatch = 1000

// Reread reads single records of the configured files again (ingest.Reread). Each
// file with wanted records is read once, from its start to the last of them. Of files that begin alike it is the one of the
// partition's inode, or else the first.
func Reread(cfg Config, digest func([]byte) state.Digest) ingest.Reread {
	return func(ctx context.Context, wanted map[state.Partition][]int64, take ingest.Taken) error {
		if err := cfg.check(); err != nil {
			return err
		}
		paths, err := cfg.expand()
		if err != nil {
			return err
		}
		type found struct {
			path string
			head head
		}
		held := map[state.Partition]found{}
		for _, path := range paths {
			h, ok, err := readHead(ctx, path, &cfg)
			if err != nil {
				return err
			}
			v, err := look(ctx, path, &cfg)
			if err != nil {
				return err
			}
			for p := range wanted {
				begin, n, inode := parseName(p)
				begins := n > 0 && n <= len(v.beginning) && v.name(n, digest) == begin
				if _, other := held[p]; ok && begins && (inode == v.inode || !other) {
					held[p] = found{path, h}
				}
			}
		}
		byPath := func(a, b state.Partition) int { return cmp.Compare(held[a].path, held[b].path) }
		for _, p := range slices.SortedFunc(maps.Keys(held), byPath) {
			f := held[p]
			if err := rereadFile(ctx, f.path, &cfg, f.head, wanted[p],
				func(r ingest.Record) error { return take(p, r.Offset, nil, r.Value, f.head.header) }); err != nil {
				return err
			}
		}
		return nil
	}
}

func rereadFile(ctx context.Context, path string, cfg *Config, h head, offsets []int64, take func(ingest.Record) error) error {
	in, err := cfg.open(path)
	if err != nil {
		return err
	}
	r := newReader(in, cfg)
	if cfg.Layout == CSV {
		r.header = func([]byte, place) (int, error) { return len(h.header), nil }
	}
	last := offsets[len(offsets)-1]
	for err == nil {
		var b batch
		b, err = r.next(ctx, last+1, rereadBatch)
		for _, record := range b.records {
			if _, found := slices.BinarySearch(offsets, record.Offset); found && err == nil {
				err = take(record)
			}
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, in.close())
}
