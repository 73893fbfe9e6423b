package boltstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"anond/internal/disk"
)

// Copied says what a backup is.
type Copied struct {
	Path    string
	Bytes   int64
	SHA256  [sha256.Size]byte // of the file
	Release uint32            // newest release that it knows as decided
	Records uint64
	KeyID   string // of the key that opens it, empty if it is not encrypted
}

// BackupTo writes a consistent copy of the state, which is a state file itself, to
// dst, while the store is in use. dst must not exist, and appears only when it is
// complete, synced and has been loaded once. The copy of an encrypted state is encrypted
// under the same key; any other holds persons' values.
//
// Commits go on meanwhile, in pages that the copy does not show, so the file grows. Only
// a commit for which the mapping of the file must grow (mapAhead) waits. When ctx is done
// the copy is given up.
func (s *Store) BackupTo(ctx context.Context, dst string) (Copied, error) {
	out := Copied{Path: dst, KeyID: s.key.ID()}
	err := appear(ctx, dst, s.key, func(tmp string) error {
		sum := sha256.New()
		err := disk.Fill(files, tmp, func(w io.Writer) error {
			return guarded(func() error {
				return s.view(func(tx *transaction) error {
					e, err := readEnds(tx)
					if err != nil {
						return err
					}
					out.Release, out.Records = uint32(e.intents), e.records
					out.Bytes, err = tx.WriteTo(untilDone{ctx, io.MultiWriter(w, sum)})
					return err
				})
			})
		})
		sum.Sum(out.SHA256[:0])
		return err
	})
	if err != nil {
		return Copied{}, fmt.Errorf("backup of state %s: %w", s.path, writeError(err))
	}
	return out, nil
}

// BackupFile is BackupTo for the state at src, which no writer may be using.
func BackupFile(ctx context.Context, src, dst string, o Options) (Copied, error) {
	o.ReadOnly = true
	s, err := Open(src, o)
	if err != nil {
		return Copied{}, err
	}
	out, err := s.BackupTo(ctx, dst)
	return out, errors.Join(err, s.Close())
}

// untilDone writes until ctx is done.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u untilDone) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(p)
}
