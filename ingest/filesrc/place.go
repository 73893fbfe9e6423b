package filesrc

import (
	"anond/incremental/state"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"anond/incremental"
	"anond/ingest"
)

// A file is known by a keyed digest of its beginning: of mostBeginning bytes, or of as many as it had at first sight. Files
// that begin alike are told apart by device and inode, and where these do not tell, by the last record that was read.
// The name of a file's partition has all of that, so that the state keeps it.
const mostBeginning = 4 << 10

// sight is what is seen of a file before it is read.
type sight struct {
	beginning []byte
	sums      map[int]string // digests of the beginning, by length
	info      os.FileInfo    // nil: it was not seen
	inode     string         // empty: not known here
}

func look(ctx context.Context, path string, cfg *Config) (v sight, err error) {
	o, err := cfg.open(path)
	if err != nil {
		return v, err
	}
	v.beginning, v.sums = make([]byte, 0, mostBeginning), map[int]string{}
	for err == nil && len(v.beginning) < mostBeginning {
		var n int
		n, err = o.read(ctx, v.beginning[len(v.beginning):mostBeginning])
		v.beginning = v.beginning[:len(v.beginning)+n]
	}
	if err = ignoreEOF(err); err == nil {
		v.info, err = o.file.Stat()
	}
	if err == nil {
		v.inode = inodeOf(v.info)
	}
	return v, errors.Join(err, o.close())
}

// sum is the digest of the first n bytes.
func (v *sight) sum(n int, digest func([]byte) state.Digest) string {
	if v.sums[n] == "" {
		d := digest(v.beginning[:n])
		v.sums[n] = hex.EncodeToString(d[:])
	}
	return v.sums[n]
}

// name is that of the partition of a file that begins so, up to its inode.
func (v *sight) name(n int, digest func([]byte) state.Digest) string {
	return "file:" + v.sum(n, digest) + ":" + strconv.Itoa(n) + ":"
}

// parseName divides the name of a file's partition: how the file begins, of how many bytes, and its inode.
func parseName(p state.Partition) (begin string, n int, inode string) {
	parts := strings.Split(p.Source, ":")
	if parts[0] != "file" || len(parts) < 4 {
		return "", 0, ""
	}
	n, _ = strconv.Atoi(parts[2]) // 0: no file has that name
	return strings.Join(parts[:3], ":") + ":", n, parts[3]
}

// learn notes a partition of a file by how the file begins.
func (s *source) learn(p state.Partition) {
	begin, n, _ := parseName(p)
	if s.known[begin] = append(s.known[begin], p); !slices.Contains(s.lengths, n) {
		s.lengths = append(s.lengths, n)
	}
}

// place finds the partition of a file: the one that it continues, or one of its own. A clash is a file that begins like one that
// was read and does not continue it: with Config.Apart it is a file of its own, which is read from its beginning; else it is
// set aside, since people who are in both would not be known again (rule S, one record of a subject).
func (s *source) place(ctx context.Context, f *file) error {
	alike := s.alike(f)
	for _, p := range alike {
		if slices.Contains(f.tried, p) || s.taken(f, p) {
			continue
		}
		f.tried = append(f.tried, p)
		_, _, of := parseName(p)
		inode := of == f.inode && of != ""
		if f.part = p; inode && f.cfg.packed(f.path) {
			return nil // unpacked and compared when its turn comes
		}
		err := f.continues(ctx, s.resume.Positions[p])
		if cut := (*cutError)(nil); err == nil || !errors.Is(err, ingest.ErrReplaced) || inode && !s.cfg.Apart && errors.As(err, &cut) {
			return err
		}
	}
	if len(alike) > 0 && !s.cfg.Apart {
		f.leave("it begins like one that was read, and is not the same: people who are in both would not be known again")
		return nil
	}
	name := f.name(len(f.beginning), f.digest) + f.inode
	f.part.Source = name
	for n := 2; slices.Contains(alike, f.part); n++ {
		f.part.Source = name + ":" + strconv.Itoa(n)
	}
	s.learn(f.part)
	return nil
}

// alike are the partitions whose files begin like this one, of those that state knows or this run has begun: first those of
// its inode, then the newest.
func (s *source) alike(f *file) (out []state.Partition) {
	for _, n := range s.lengths {
		if n > 0 && n <= len(f.beginning) {
			out = append(out, s.known[f.name(n, f.digest)]...)
		}
	}
	rank := func(p state.Partition) int {
		if _, _, inode := parseName(p); inode == f.inode {
			return -incremental.MostPartitions - int(s.resume.Positions[p].Number)
		}
		return -int(s.resume.Positions[p].Number)
	}
	slices.SortFunc(out, func(a, b state.Partition) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Source, b.Source))
	})
	return out
}

// taken reports whether a partition is that of another file: it was found to be, or will be by its inode.
func (s *source) taken(f *file, p state.Partition) bool {
	return slices.ContainsFunc(s.files, func(g *file) bool {
		if g == f || g.identified || g.done {
			return g != f && g.identified && g.part == p
		}
		info, err := os.Stat(g.path)
		_, _, inode := parseName(p)
		return err == nil && inode != "" && inode == inodeOf(info)
	})
}

// sameAs lets another file of this run go on under the path of one that is the same: it was renamed. A second name of a
// file is left alone.
func (s *source) sameAs(f *file) bool {
	for _, g := range s.files {
		if g == f || g.info == nil || !os.SameFile(g.info, f.info) {
			continue
		}
		if now, err := os.Stat(g.path); err == nil && os.SameFile(now, f.info) {
			f.leave("it is the same file as another one")
			return true
		}
		g.path, f.path = f.path, ""
		f.identified, f.done = false, true
		return true
	}
	return false
}

// leave sets a file aside: nothing of it is read.
func (f *file) leave(why string) {
	f.identified, f.done, f.aside = false, true, true
	f.cfg.Log.Warn("the file is set aside: "+why, "event", "file_set_aside", "file", f.path)
}
