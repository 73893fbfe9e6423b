package config

import (
	"os"
	"path/filepath"
	"strings"
)

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
