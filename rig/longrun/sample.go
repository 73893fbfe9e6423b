package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"anond/internal/dataset"
)

// sample looks at the daemon once. It also returns how far each partition was read.
func (p *process) sample(fed int64) (row, map[int32]int64, error) {
	r := row{Seconds: time.Since(p.started).Seconds(), Fed: fed}
	r.Heap, r.Goroutines = p.trace.newest()
	ends, err := p.status(&r)
	err = errors.Join(err, p.proc(&r))
	if info, e := os.Stat(filepath.Join(p.dir, "state", "anond.db")); e == nil {
		r.State = info.Size()
	}
	newest, e := p.newestRelease()
	r.Disk = newest
	return r, ends, errors.Join(err, e)
}

// status reads status.json, which is not there in the first second.
func (p *process) status(r *row) (map[int32]int64, error) {
	data, err := os.ReadFile(filepath.Join(p.dir, "state", "status.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var s dataset.Status
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return nil, err
	}
	r.Sent, r.Published, r.Pending = int64(s.Counts.Sent), int64(s.Counts.Published), int64(s.Counts.Pending.Total())
	r.Beyond, r.Left, r.Forgotten = int64(s.Counts.Beyond), int64(s.Counts.Expired+s.Counts.Withdrawn), int64(s.Counts.Forgotten)
	r.DeadLetter, r.Releasing = int64(s.Counts.DeadLetter), s.Releasing
	if n := s.Newest; n != nil {
		r.Release, r.Newcomers, r.Millis, r.NCP = n.Release, int64(n.Newcomers), n.Millis, n.NCP
	}
	ends := map[int32]int64{}
	for _, p := range s.Partitions {
		ends[p.ID] = p.Next
	}
	return ends, nil
}

// proc asks the kernel about the process.
func (p *process) proc(r *row) error {
	dir := filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid))
	descriptors, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return err
	}
	r.Descriptors = int64(len(descriptors))
	text, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return err
	}
	fields := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if words := strings.Fields(value); len(words) > 0 {
			fields[name], _ = strconv.ParseInt(words[0], 10, 64)
		}
	}
	r.RSS, r.Peak, r.Threads = fields["VmRSS"]<<10, fields["VmHWM"]<<10, fields["Threads"]
	if r.RSS == 0 {
		return fmt.Errorf("%s/status does not say how much memory is resident", dir)
	}
	r.CPU, err = processorSeconds(filepath.Join(dir, "stat"))
	p.used = r.CPU
	r.CPU += p.usedBefore
	return err
}

// processorSeconds reads the time in user and in kernel mode. The kernel counts it in
// hundredths of a second.
func processorSeconds(path string) (float64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the program's name may contain spaces
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0, fmt.Errorf("%s is not as expected", path)
	}
	user, err1 := strconv.ParseFloat(f[11], 64)
	kernel, err2 := strconv.ParseFloat(f[12], 64)
	return (user + kernel) / 100, errors.Join(err1, err2)
}

// newestRelease adds up the files of the release that CURRENT names. Its parts are
// links: this is the size of one release, not what it adds to the disk.
func (p *process) newestRelease() (size int64, err error) {
	releases := filepath.Join(p.dir, "releases")
	current, err := os.ReadFile(filepath.Join(releases, "CURRENT"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	err = filepath.WalkDir(filepath.Join(releases, strings.TrimSpace(string(current))), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
