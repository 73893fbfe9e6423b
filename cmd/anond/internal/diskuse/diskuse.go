// Package diskuse measures how much of the disks a dataset uses, and forecasts when they
// are full.
//
// Method: published files never change, so their times say how much was written lately:
// that much is expected to be written in the time that follows. The state is expected to
// grow at the same rate. The files of a part have one name in all releases that link to
// them, and are counted once.
//
// Cost: one look at each directory of a release and at each file that has a name of its own.
package diskuse

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Volume is one place on a disk.
type Volume struct {
	Used   int64      `json:"used"`              // bytes of the dataset's own files
	Free   int64      `json:"free"`              // on the disk, for the user of anond; -1: not known
	PerDay int64      `json:"per_day"`           // expected growth
	FullAt *time.Time `json:"full_at,omitempty"` // when nothing is free any more, if it goes on so
}

// Use is the use of both places.
type Use struct {
	Releases Volume `json:"releases"`
	State    Volume `json:"state"`
}

// window is the time whose growth is taken for that of the future.
const window = 30 * 24 * time.Hour

const day = 24 * time.Hour

// Measure looks at the directory of the releases and at the state file.
func Measure(releases, state string, now time.Time) (*Use, error) {
	w := walk{now: now, seen: map[string]bool{}, first: now}
	if err := w.releases(releases); err != nil {
		return nil, err
	}
	u, perDay := &Use{}, w.perDay()
	if pruned, ok := prunedPerDay(releases, w.used, now); ok {
		perDay = pruned
	}
	u.Releases = volume(w.used, perDay, Free(Existing(releases)), now)
	info, err := os.Stat(state)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var size, grows int64
	if err == nil {
		size = info.Size()
	}
	if w.used > 0 {
		grows = int64(float64(size) * float64(perDay) / float64(w.used))
	}
	u.State = volume(size, grows, Free(Existing(state)), now)
	return u, nil
}

func volume(used, perDay, free int64, now time.Time) Volume {
	v := Volume{Used: used, Free: free, PerDay: perDay}
	const centuries = 100 * 365
	if free >= 0 && perDay > 0 && free/perDay < centuries {
		at := now.Add(time.Duration(float64(free) / float64(perDay) * float64(day))).UTC().Truncate(time.Hour)
		v.FullAt = &at
	}
	return v
}

// Free is how many bytes the user may still write where a path is or will be; -1 if that is
// not known.
func Free(path string) int64 { return free(Existing(path)) }

// Existing is the nearest directory above a path that there is.
func Existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// walk adds up the files of releases.
type walk struct {
	now          time.Time
	first        time.Time // of the oldest file
	used, lately int64
	seen         map[string]bool // files of parts
}

func (w *walk) releases(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err == nil {
			err = w.entry(filepath.Join(dir, e.Name()), e)
		}
	}
	return err
}

// entry adds a file, or what is in a directory. Part directories carry the number of their
// part, so that one that was counted needs no second look.
func (w *walk) entry(path string, e fs.DirEntry) error {
	if !e.IsDir() {
		info, err := e.Info()
		if err == nil {
			w.add(info)
		}
		return gone(err)
	}
	if strings.HasPrefix(e.Name(), "part-") {
		if w.seen[e.Name()] {
			return nil
		}
		w.seen[e.Name()] = true
	}
	inside, err := os.ReadDir(path)
	for _, i := range inside {
		if err == nil {
			err = w.entry(filepath.Join(path, i.Name()), i)
		}
	}
	return gone(err)
}

// gone: a rendering in progress gets another name.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (w *walk) add(info fs.FileInfo) {
	w.used += info.Size()
	at := info.ModTime()
	if at.Before(w.first) {
		w.first = at
	}
	if w.now.Sub(at) < window {
		w.lately += info.Size()
	}
}

// perDay is the growth of a day. A dataset younger than a day has grown by all that it is.
func (w *walk) perDay() int64 {
	span := min(window, max(day, w.now.Sub(w.first)))
	return int64(float64(w.lately) / (float64(span) / float64(day)))
}

// Soon is how far ahead a full disk is told as something to see to.
const Soon = 14 * day

// Warnings says which disk will be full soon, as of a moment.
func (u *Use) Warnings(now time.Time) (out []string) {
	for _, of := range []struct {
		name string
		v    Volume
	}{{"releases", u.Releases}, {"state", u.State}} {
		if at := of.v.FullAt; at != nil && at.Sub(now) < Soon {
			out = append(out, fmt.Sprintf("the disk of the %s will be full on %s if it grows on like this: %s free, %s a day", of.name,
				at.Format(time.DateOnly), Bytes(of.v.Free), Bytes(of.v.PerDay)))
		}
	}
	return out
}

// Bytes writes a size for people.
func Bytes(n int64) string {
	size, unit := float64(n), 0
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	for ; size >= 1024 && unit < len(units)-1; unit++ {
		size /= 1024
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", size, units[unit])
}
