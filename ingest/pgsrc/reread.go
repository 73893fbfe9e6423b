package pgsrc

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"anond/incremental/state"
	"anond/ingest"
)

// rereadBatch is the number of rows asked for at once.
const rereadBatch = 1000

// Reread reads single rows again (ingest.Reread), as the query has them now.
func Reread(cfg Config) ingest.Reread {
	return func(ctx context.Context, wanted map[state.Partition][]int64, take ingest.Taken) error {
		if len(wanted[Partition]) == 0 {
			return nil
		}
		server, err := newServer(cfg)
		if err != nil {
			return err
		}
		t := &table{cfg: cfg}
		t.before, t.after = envelopeOf(cfg.Format)
		for places := range slices.Chunk(wanted[Partition], rereadBatch) {
			if err := t.again(ctx, server, places, take); err != nil {
				return err
			}
		}
		return nil
	}
}

func (t *table) again(ctx context.Context, server *server, places []int64, take ingest.Taken) error {
	list := make([]string, len(places))
	for i, at := range places {
		list[i] = strconv.FormatInt(at, 10)
	}
	s, err := server.read(ctx, " WHERE "+server.place+" IN ("+strings.Join(list, ",")+")")
	if err != nil {
		return err
	}
	defer s.close()
	for {
		r, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := take(Partition, r.at, nil, t.record(r).Value, nil); err != nil {
			return err
		}
	}
}
