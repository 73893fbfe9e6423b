package snapshot

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
)

// partColumn is the first column of a release as one table: the directory of the part
// that a row is in. With it the numbers of classes and buckets, which begin anew in each
// part, name one class and one bucket of the release.
const partColumn = "part"

// Names are the data files of all parts, those of the newest first; of them the first has a row a record.
func (m *Manifest) Names() (out []string) {
	for _, p := range slices.Backward(m.Parts) {
		for _, f := range p.Files {
			if !slices.Contains(out, f.Name) {
				out = append(out, f.Name)
			}
		}
	}
	return out
}

// Stream writes one data file of a release as one table: one header, then part by part,
// as the manifest lists them, the rows of the classes that are alive, each behind the
// name of its part, and with none in the columns that the part does not have (Columns). open opens a file by its path in the release's
// directory. An era whose recoding has no such file has no rows.
//
// Guarantee: a row is written only of a file that is, byte for byte, the one the manifest
// names. The table shows what the parts show and nothing else (rule A, frozen: no second
// rendering of a class). Cost: each file is read twice, and one row is in memory.
func (m *Manifest) Stream(file, none string, open func(path string) (io.ReadSeekCloser, error), to io.Writer) error {
	out := bufio.NewWriterSize(to, 1<<16)
	s := streaming{manifest: m, file: file, numbers: m.numbering(file), out: out}
	if s.none = AppendField(nil, none); file == ValuesName || file == PoolsName {
		s.none = nil // no further record
	}
	in := func(p PartEntry) int {
		return slices.IndexFunc(p.Files, func(f FileEntry) bool { return f.Name == file })
	}
	s.put(AppendRow(nil, append([]string{partColumn}, m.Columns(file)...)))
	for _, of := range m.ByEra() {
		if len(of.Parts) > 0 && in(of.Parts[0]) < 0 && len(m.Eras) > 0 {
			continue
		}
		for _, p := range of.Parts {
			i := in(p)
			if i < 0 {
				return fmt.Errorf("%w: %s has no file %s", ErrDamaged, p.Dir(), file)
			}
			if err := s.part(&p, p.Files[i], open); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// streaming is a file of a release on its way to one table.
type streaming struct {
	manifest *Manifest
	file     string
	numbers  numbering
	none     []byte
	out      *bufio.Writer
}

func (s *streaming) part(p *PartEntry, f FileEntry, open func(path string) (io.ReadSeekCloser, error)) (err error) {
	name := partPath(p, f)
	file, err := open(name)
	if notExist(err) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := s.verify(name, f, file); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return s.copy(p, io.LimitReader(file, f.Bytes))
}

// verify holds a file against its hash.
func (s *streaming) verify(name string, f FileEntry, file io.Reader) error {
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(file, f.Bytes+1))
	if err == nil && (n != f.Bytes || hex.EncodeToString(sum.Sum(nil)) != f.SHA256) {
		return fmt.Errorf("%w: %s of release %d is not what its manifest says", ErrDamaged, name, s.manifest.Release)
	}
	return err
}

// copy writes the rows of the living classes of a part.
func (s *streaming) copy(p *PartEntry, file io.Reader) error {
	from := bufio.NewReaderSize(file, 1<<16)
	line, err := ReadRecord(from, nil)
	if err != nil {
		return fmt.Errorf("%w: %s has a file without a header", ErrDamaged, p.Dir())
	}
	if !bytes.Equal(line, AppendRow(nil, s.manifest.Under(p).Columns(s.file))) {
		return fmt.Errorf("%w: the columns of %s are not those of its schema", ErrDamaged, partPath(p, FileEntry{Name: s.file}))
	}
	prefix := append(AppendField(nil, p.Dir()), ',')
	place := &placing{at: s.manifest.Places(p, s.file), none: s.none}
	same := place.same()
	for {
		if line, err = ReadRecord(from, line[:0]); errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		dead := false
		if len(p.Dead) > 0 {
			if dead, err = s.dead(p, line); err != nil {
				return err
			}
		}
		if !dead {
			s.put(prefix)
			if same {
				s.put(line)
			} else {
				s.put(place.row(line))
			}
		}
	}
}

// put writes text. The writer keeps its first error for Flush.
func (s *streaming) put(text []byte) { _, _ = s.out.Write(text) }

// dead reports that the records of a row's class are in other classes.
func (s *streaming) dead(p *PartEntry, line []byte) (bool, error) {
	text := line[bytes.LastIndexByte(line, ',')+1 : len(line)-1]
	if len(s.numbers.front) > 0 {
		text = line[:max(0, bytes.IndexByte(line, ','))]
	}
	n, err := strconv.ParseUint(string(text), 10, 32)
	if err != nil {
		return false, errNoNumber
	}
	_, dead := slices.BinarySearch(p.Dead, uint32(n))
	return dead, nil
}

// partPath is the path of a file of a part in the release's directory.
func partPath(p *PartEntry, f FileEntry) string { return path.Join(p.Dir(), f.Name) }

// valuesOf is the file that has the values of groups apart from their rows.
func valuesOf(recoding string) string {
	switch recoding {
	case NameAnatomy:
		return "st.csv"
	case NamePermutation:
		return "pst.csv"
	}
	return ""
}
