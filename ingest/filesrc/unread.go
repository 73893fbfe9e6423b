package filesrc

import (
	"bytes"
	"time"

	"anond/ingest"
)

// unread is the text at the end of a file that is not taken in yet.
type unread struct {
	place
	lines int
	bytes int64
}

// unread tells what is read and not taken: the last line if it may still grow,
// or those from an open quote on.
func (r *recordReader) unread() unread {
	u := unread{place: r.place, lines: bytes.Count(r.buf, []byte{'\n'}), bytes: int64(len(r.buf))}
	if r.skip != nil {
		return unread{place: place{r.skip.Offset, r.skip.Line}, lines: 1, bytes: u.bytes + r.off - r.skip.Offset}
	}
	if u.bytes > 0 && r.buf[u.bytes-1] != '\n' {
		u.lines++
	}
	return u
}

// noteUnread remembers the text at the end of the file that may still grow.
func (f *file) noteUnread() {
	left := unread{}
	if f.reader.position() < f.stop {
		left = f.reader.unread()
	}
	f.setLeft(left)
}

func (f *file) setLeft(left unread) {
	if left != f.left {
		f.same = 0
	}
	f.left = left
}

// whole is the end of what can be taken in at present, -1 if unknown.
func (f *file) whole() int64 {
	if f.left.bytes > 0 {
		return f.next
	}
	return f.end
}

// reportUnread logs the text at the end of a file that is not taken in.
func (f *file) reportUnread() {
	if f.left.lines > 0 {
		why := "the file ends in a line without line break, which may still grow: it is left unread; " +
			"end it with a line break, or set source.file.complete if files do not grow"
		if f.left.lines > 1 {
			why = "the file ends in a quoted field that is not closed, but may still be: the lines from there on are left unread; " +
				"close the quote, or set source.file.complete if files do not grow"
		}
		at := []any{"event", "unterminated_line", "file", f.path, "offset", f.left.off, "lines", f.left.lines}
		if f.left.line > 0 {
			at = append(at, "line", f.left.line)
		}
		f.cfg.Log.Warn(why, at...)
	}
	if !f.identified && !f.done {
		f.cfg.Log.Info("the file has no record yet, by which it would be known: nothing of it is taken in",
			"event", "no_record", "file", f.path, "lines", f.head.before)
	}
}

// stillFor is the time after which the log is told of a line in a followed file
// that is not being written any more.
const stillFor = time.Minute

// reportIfStill is reportUnread for a followed file, whose last line is usually
// just being written.
func (f *file) reportIfStill() {
	f.same++
	if f.left.lines > 0 && f.same == 1+int(stillFor/f.cfg.Interval) {
		f.reportUnread()
	}
}

// reportUnread tells the log of all files at the end of a run.
func (s *source) reportUnread() {
	for _, f := range s.files {
		f.reportUnread()
	}
}

// countUnread counts the lines that are left in the files.
func (s *source) countUnread() (u ingest.Unread) {
	for _, f := range s.files {
		u.Unterminated += f.left.lines
		if f.aside {
			u.SetAside++
		} else if !f.identified && !f.done {
			u.WithoutRecord += f.head.before
		}
	}
	return u
}
