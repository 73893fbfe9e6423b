// Package diskuse measures how much of the disks a dataset uses, and forecasts when they
// are full.
//
// Method: growth is what was added between two looks, over the time between them: the oldest
// look of the last 30 days, and the present one. The first look is behind release 1, so that a
// first load counts for no growth. Looks are kept with the status. The files of a part have one
// name in all releases that link to them, and are counted once.
//
// Cost: one look at each directory of a release and at each file that has a name of its own.
package diskuse

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	Releases Volume   `json:"releases"`
	State    Volume   `json:"state"`
	Samples  []Sample `json:"samples,omitempty"` // of the last 30 days, oldest first
}

// Sample is what was used at an earlier look.
type Sample struct {
	At       time.Time `json:"at"`
	Releases int64     `json:"releases"`
	State    int64     `json:"state"`
}

// window is the time whose growth is taken for that of the future; a sample is taken each day.
const (
	window = 30 * day
	day    = 24 * time.Hour
)

// Measure looks at the directory of the releases and at the state file; before are the samples
// of the measurement before.
func Measure(releases, state string, before []Sample, now time.Time) (*Use, error) {
	w := walk{seen: map[string]bool{}}
	if err := w.releases(releases); err != nil {
		return nil, err
	}
	is := Sample{At: now.UTC(), Releases: w.used}
	info, err := os.Stat(state)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil {
		is.State = info.Size()
	}
	past := slices.DeleteFunc(slices.Clone(before), func(s Sample) bool { return s.At.After(now) }) // the clock was set back
	for len(past) > 1 && now.Sub(past[0].At) > window {
		past = past[1:]
	}
	was := is
	if len(past) > 0 {
		was = past[0]
	}
	perDay := func(was, is int64, over time.Duration) int64 {
		return max(0, int64(float64(is-was)*float64(day)/float64(max(over, time.Minute))))
	}
	u, over := &Use{Samples: past}, now.Sub(was.At)
	u.Releases = volume(is.Releases, perDay(was.Releases, is.Releases, over), Free(releases), now)
	u.State = volume(is.State, perDay(was.State, is.State, over), Free(state), now)
	if is.Releases > 0 && (len(past) == 0 || now.Sub(past[len(past)-1].At) >= day) {
		u.Samples = append(u.Samples, is)
	}
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
	used int64
	seen map[string]bool // files of parts
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
			w.used += info.Size()
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
