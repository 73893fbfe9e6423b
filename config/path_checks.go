package config

import (
	"os"
	"path/filepath"
	"strings"
)

// checkPaths refuses paths that conflict. release.dir is public, so nothing
// private may be in it. The ledger must survive the loss of release.dir, so it
// may not be in it either. anond never reads what it writes. Paths are compared
// after links are followed (resolve).
func checkPaths(c *Config, r *reader) {
	const release = "release.dir"
	private := []struct{ key, path, why string }{
		{"state.path", c.State.Path, "the state holds the records, and release.dir is public"},
		{"release.ledger", c.Release.Ledger, "the ledger must survive the loss of the releases to detect it"},
	}
	if c.State.Backup.Dir != "" {
		private = append(private, struct{ key, path, why string }{"state.backup.dir", filepath.Join(c.State.Backup.Dir, "backup"),
			"backups hold the records, and release.dir is public"})
	}
	if c.SubjectLedger != "" {
		private = append(private, struct{ key, path, why string }{"subject.ledger", filepath.Join(c.SubjectLedger, "claims"),
			"the ledger tells whose people are whose, and release.dir is public"})
	}
	if c.DeadLetter.Type == ToFile {
		const why = "dead letters are private, and release.dir is public"
		for _, path := range []string{c.DeadLetter.Path, filepath.Join(c.DeadLetter.Path, letterFile)} {
			private = append(private, struct{ key, path, why string }{"dead_letter.path", path, why})
		}
	}
	for _, p := range private {
		if !r.sound(p.key, release) {
			continue
		}
		// The directory counts too: a link there may lead elsewhere, but what anond
		// keeps next to it (status.json) does not.
		if Inside(c.Release.Dir, p.path) || Inside(c.Release.Dir, filepath.Dir(p.path)) {
			r.fault(p.key, "is inside release.dir: "+p.why, "choose a path outside of it")
		} else if named(c.Release.Dir, p.path) {
			r.fault(p.key, "is also inside release.dir, as a hard link: "+p.why, "remove the link in release.dir")
		}
	}
	if r.sound("state.path", "release.ledger") && same(c.State.Path, c.Release.Ledger) {
		r.fault("release.ledger", "is also the state file", "choose another path")
	}
	if c.DeadLetter.Type == ToFile {
		checkDeadLetterPath(c, r)
	}
	checkReadsOwnOutput(c, r)
}

// letterFile is the file of dead letters in its directory, as package ingest
// names it: it may be a link itself.
const letterFile = "dead-letter.ndjson"

// checkDeadLetterPath keeps directory and files apart.
func checkDeadLetterPath(c *Config, r *reader) {
	const deadLetters = "dead_letter.path"
	if !r.sound(deadLetters) {
		return
	}
	if r.sound("release.dir") && Inside(c.DeadLetter.Path, c.Release.Dir) && !same(c.DeadLetter.Path, c.Release.Dir) {
		r.fault("release.dir", "is inside dead_letter.path, which is private", "keep them apart")
	}
	for key, p := range map[string]string{"state.path": c.State.Path, "release.ledger": c.Release.Ledger} {
		if r.sound(key) && same(c.DeadLetter.Path, p) {
			r.fault(deadLetters, "is the same path as "+key, "name another directory")
		}
	}
}

// checkReadsOwnOutput refuses a file source that would read what anond writes.
func checkReadsOwnOutput(c *Config, r *reader) {
	const source = "source.file.path"
	if c.Source.Type != FromFile || c.Source.File.Path == "" || !r.sound(source) {
		return
	}
	dir := filepath.Dir(c.Source.File.Path)
	outputs := map[string]string{"release.dir": c.Release.Dir}
	if c.DeadLetter.Type == ToFile {
		outputs["dead_letter.path"] = c.DeadLetter.Path
	}
	for key, out := range outputs {
		if r.sound(key) && Inside(out, dir) {
			r.fault(source, "is inside "+key+": anond would read what it writes", "keep the source elsewhere")
		}
	}
}

// Inside reports whether path is dir or lies in it, links followed.
func Inside(dir, path string) bool {
	if dir == "" || path == "" {
		return false
	}
	rel, err := filepath.Rel(resolve(dir), resolve(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// same reports whether two paths lead to one place, or to one file by two names.
func same(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	return resolve(a) == resolve(b) || oneFile(a, b)
}

// named reports whether a file has a second name (a hard link) in a directory.
// Looking at the directory itself is enough: anond makes no others that stay.
func named(dir, path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if other, err := e.Info(); err == nil && os.SameFile(info, other) {
			return true
		}
	}
	return false
}

func oneFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// maxLinks bounds the links followed in one path, as operating systems do.
const maxLinks = 40

// resolve returns the absolute path to which the links in a path lead. What does
// not exist yet is taken as it is named, below what exists.
func resolve(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	for range maxLinks {
		next, again := step(abs)
		if !again {
			return next
		}
		abs = next
	}
	return abs
}

// step resolves the longest part of a path that exists. If the first name that
// does not is a link to nowhere, the link is replaced by where it leads, and the
// path has to be looked at again.
func step(path string) (next string, again bool) {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest), false
		}
		if to, err := os.Readlink(at); err == nil {
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(at), to)
			}
			return filepath.Join(to, rest), true
		}
		if at == filepath.Dir(at) {
			return path, false
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
