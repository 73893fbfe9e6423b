package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"anond/internal/dataset"
	"anond/internal/disk"
	"anond/internal/fault"
	"anond/internal/ops/diskuse"
	"anond/internal/upkeep"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// process says whether a daemon runs.
func (e *examination) process() {
	switch s := e.Status; {
	case s == nil:
		e.add(Note, "process", "", "no daemon has written a status yet")
	case e.Live && s.Paused:
		e.add(Warning, "process", "anond resume", "pid %d is paused", s.PID)
	case e.Live && s.Stalled:
		e.add(Warning, "process", "look at the brokers and at the network", "pid %d runs, and its source is stalled", s.PID)
	case e.Live:
		e.add(OK, "process", "", "pid %d runs", s.PID)
	case s.Ended != nil && s.Ended.How == dataset.EndFailed:
		e.add(Warning, "process", "docs/RUN.md has the exit codes", "no daemon answers; the last one failed at %s with exit code %d: %s",
			s.Ended.At.UTC().Format(time.RFC3339), s.Ended.ExitCode, s.Ended.Error)
	default:
		e.add(Note, "process", "", "no daemon answers; the last status is of %s", s.Time.UTC().Format(time.RFC3339))
	}
}

// files does in each directory what a release does, removes what that made, and looks who else may read.
func (e *examination) files() {
	c := e.Config
	for _, p := range dataset.Places(c) {
		info, err := os.Stat(p.Dir)
		there := err == nil
		if err == nil && !info.IsDir() {
			e.add(Failed, p.Key, "name a directory", "%s is no directory", p.Dir)
			continue
		}
		existing := diskuse.Existing(p.Dir)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = errors.Join(publish.Try(snapshot.OS(), existing), publish.TryAppend(snapshot.OS(), p.File))
		}
		switch unread := disk.Unreadable(existing); {
		case err != nil:
			e.add(Failed, p.Key, "run this as the user of anond, or give that user the directory, on a disk with room, hard links and renames",
				"%s cannot be used: %v", p.Dir, err)
		case len(unread) > 0:
			e.add(Warning, p.Key, "chmod +r "+unread[0], "the names in %s cannot be made durable: it may not be read", unread[0])
		case !there:
			e.add(OK, p.Key, "", "%s will be made", p.Dir)
		case p.Private && info.Mode().Perm()&0o007 != 0:
			e.add(Warning, p.Key, "chmod o-rwx "+p.Dir, "%s may be entered by everybody (mode %04o)", p.Dir, info.Mode().Perm())
		default:
			e.add(OK, p.Key, "", "%s can be written", p.Dir)
		}
	}
	err := upkeep.CheckBackupDir(c)
	if kind, hint := fault.Of(err); kind == fault.Config {
		e.add(Failed, "state.backup.dir", hint, "%v", err)
	} else if err != nil {
		e.add(Warning, "state.backup.dir", "look at the directory", "%v", err)
	}
	if info, err := os.Stat(c.State.Path); err == nil && info.Mode().Perm()&0o077 != 0 {
		e.add(Failed, "state.path", "chmod 600 "+c.State.Path, "others may read the state (mode %04o)", info.Mode().Perm())
	}
	if same, known := diskuse.OneDisk(diskuse.Existing(filepath.Dir(c.State.Path)), diskuse.Existing(filepath.Dir(c.Release.Ledger))); known &&
		same {
		e.add(Warning, "release.ledger", "put release.ledger on another disk",
			"it is on the disk of the state, so an old copy of both would not show")
	}
}

// views says how far they are, as the newest status has it.
func (e *examination) views() {
	if e.Status == nil {
		return
	}
	for _, v := range e.Status.Views {
		switch {
		case v.Failure != "":
			e.add(Warning, "release.views", "docs/RUNBOOK.md#anondviewfailing", "view %s is %d releases behind: %s", v.Name, v.Behind, v.Failure)
		case v.Behind > 0:
			e.add(Warning, "release.views", "a start makes up for them", "view %s is %d releases behind", v.Name, v.Behind)
		default:
			e.add(OK, "release.views", "", "view %s is at release %d", v.Name, v.Release)
		}
	}
}

// ledger reads the ledger of subjects.
func (e *examination) ledger(ctx context.Context) {
	if e.Config.SubjectLedger == "" {
		return
	}
	content, err := dataset.ReadLedger(ctx, e.Config)
	switch {
	case err != nil:
		e.add(Failed, "subject.ledger", fault.Hint(err), "%v", err)
	case content != nil:
		own := "this one has not joined yet"
		for _, m := range content.Members {
			if m.Dataset == e.Config.Dataset {
				own = fmt.Sprintf("this one has %d people", m.Claimed)
			}
		}
		e.add(OK, "subject.ledger", "", "whole, of %d datasets; %s", len(content.Members), own)
	}
}

// disks forecasts when they are full.
func (e *examination) disks() {
	u, err := diskuse.Measure(e.Config.Release.Dir, e.Config.State.Path, e.Status.Samples(), e.Now)
	if err != nil {
		e.add(Warning, "disk", "look at the directory of the releases", "its use cannot be measured: %v", err)
		return
	}
	const least = 100 << 20
	for _, of := range []struct {
		name string
		v    diskuse.Volume
	}{{"releases", u.Releases}, {"state", u.State}} {
		grade, remedy, until := OK, "", ""
		if of.v.FullAt != nil {
			until = "; full on " + of.v.FullAt.Format(time.DateOnly) + " if it grows on like this"
		}
		switch {
		case of.v.Free >= 0 && of.v.Free < least:
			grade, remedy = Failed, "make room: a release needs space before it can be published"
		case of.v.FullAt != nil && of.v.FullAt.Sub(e.Now) < diskuse.Soon:
			grade, remedy = Warning, "make room in time"
		}
		e.add(grade, "disk of the "+of.name, remedy, "%s used, %s a day, %s free%s", diskuse.Bytes(of.v.Used), diskuse.Bytes(of.v.PerDay),
			diskuse.Bytes(of.v.Free), until)
	}
}

// clock compares the clock with what was published. A clock that goes back delays the
// schedule; releases carry their times.
func (e *examination) clock() {
	m, err := snapshot.Show(snapshot.OS(), e.Config.Release.Dir, 0)
	if errors.Is(err, snapshot.ErrNoRelease) {
		e.add(OK, "clock", "", "%s; there is no release to compare it with", e.Now.UTC().Format(time.RFC3339))
		return
	}
	if err != nil {
		e.add(Warning, "clock", "anond release verify", "the newest release cannot be read: %v", err)
		return
	}
	if at, err := time.Parse(time.RFC3339, m.CreatedAt); err == nil && at.After(e.Now.Add(time.Minute)) {
		e.add(Failed, "clock", "set the clock, and let a time server keep it", "it shows %s, and the newest release is of %s",
			e.Now.UTC().Format(time.RFC3339), m.CreatedAt)
		return
	}
	e.add(OK, "clock", "", "%s; the newest release is of %s", e.Now.UTC().Format(time.RFC3339), m.CreatedAt)
}
