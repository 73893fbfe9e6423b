package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anond/config"
	"anond/incremental"
	"anond/ingest"
	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/internal/ops/duty"
	"anond/internal/ops/logs"
)

// summarize tells a person what a run with --once came to: counts that add up to what was read, over all runs of the
// state, and which command comes next. It goes to standard output, which has nothing else of a run; where that is also
// where a log of JSON goes, it is left out, so that the log stays one. Programs take status.json, which has the same counts.
//
// stopped: a signal has ended the run, maybe in front of the end of its input.
func (e *environment) summarize(cfg *config.Config, path string, r *ingest.Report, logged []duty.Event, stopped bool) error {
	if logs.InJSON(cfg.Log, cli.IsTerminal(e.Stderr)) && sameStream(e.Stdout, e.Stderr) {
		return nil
	}
	t := cli.NewTable(e.Stdout, cli.Left("", 9), cli.Right("", 10), cli.Left("", 0))
	now, before := &r.Machine, &r.Before
	count := func(name string, n, was int, more string) {
		if n != was && was > 0 {
			more = fmt.Sprintf("%+d in this run", n-was) + map[bool]string{true: "; "}[more != ""] + more
		}
		t.Row(name, grouped(n), more)
	}
	count("read", int(now.Sent), int(before.Sent), "")
	count("published", now.Published, before.Published, publishedNote(cfg, now))
	if now.Expired > 0 {
		count("expired", now.Expired, before.Expired, "of parts that left by release.window")
	}
	if now.Withdrawn > 0 {
		count("withdrawn", now.Withdrawn, before.Withdrawn, "of buckets in which people asked to be erased")
	}
	if n := now.Pending.Total(); n > 0 {
		count("waiting", n, before.Pending.Total(), waitingNote(cfg, r))
	}
	if now.DeadLetter > 0 {
		count("refused", int(now.DeadLetter), int(before.DeadLetter), reasonList(now.Refused))
	}
	if now.Beyond > 0 {
		count("beyond", now.Beyond, before.Beyond, "of people who are known already: never published")
	}
	if now.Forgotten > 0 {
		count("forgotten", int(now.Forgotten), int(before.Forgotten), "")
	}
	if n := r.Source.Unread.Unterminated; n > 0 {
		t.Row("not read", grouped(n), "without line break at the end of a file: end it, or set source.file.complete if files do not grow")
	}
	if names := warnings(logged); len(names) > 0 {
		t.Row("warnings", fmt.Sprint(len(names)), strings.Join(names, ", ")+": the log says what they are about")
	}
	if stopped {
		t.Row("stopped", "", "by a signal, maybe in front of the end of the input")
	}
	for i, next := range comesNext(path, now, stopped) {
		t.Row(map[bool]string{true: "next"}[i == 0], "", next)
	}
	return t.Err
}

// publishedNote says where what is published is.
func publishedNote(cfg *config.Config, s *incremental.Status) string {
	decided := ""
	if s.Public < s.Release {
		decided = "some of them decided, and not public: "
	}
	if s.Public == 0 {
		return strings.TrimPrefix(decided, "some of them ") + "no release yet"
	}
	return decided + fmt.Sprintf("in %s; the newest is %s", cli.Count(int(s.Public), "release"),
		fromHere(filepath.Join(cfg.Release.Dir, fmt.Sprintf("%06d", s.Public))))
}

// fromHere is a path as somebody in the working directory writes it.
func fromHere(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if short, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(short) {
		return short
	}
	return path
}

// waitingNote says what those wait for who are not published, and how many of them never will be.
func waitingNote(cfg *config.Config, r *ingest.Report) string {
	why := whyLine(reported(cfg, r))
	if n := r.Machine.Pending.Quarantined; n > 0 {
		why = fmt.Sprintf("%s of them quarantined, for ever; ", grouped(n)) + why
	}
	return why
}

// reported is a report as the status shows it.
func reported(cfg *config.Config, r *ingest.Report) *shownStatus {
	s := dataset.StatusOf(cfg, *r)
	return &shownStatus{Status: &s, hold: cfg.Policy.MaxHold}
}

// warnings are the events that were logged as warnings, each once.
func warnings(logged []duty.Event) (names []string) {
	for _, e := range logged {
		if e.Level == slog.LevelWarn && !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	return names
}

// comesNext are the commands that a person runs next.
func comesNext(path string, s *incremental.Status, stopped bool) (out []string) {
	with := " -c " + path
	if path == "anond.yaml" {
		with = ""
	}
	if stopped {
		out = append(out, "anond run --once"+with+"    # goes on where this run was stopped")
	} else if s.Public < s.Release {
		out = append(out, fmt.Sprintf("anond run --once%s    # publishes release %d, which is decided", with, s.Release))
	} else if s.Public > 0 {
		out = append(out, "anond audit"+with+"    # certifies the promise, with the state")
	} else if s.FirstLoad != nil && s.FirstLoad.Records < s.FirstLoad.Wanted {
		out = append(out, "anond run --once"+with+"    # when there is more input; initial.min_pool says how many release 1 needs")
	}
	if s.DeadLetter > 0 {
		out = append(out, "anond dlq list"+with+"    # where the refused records are, and why, without their values")
	}
	return out
}

// sameStream reports whether two streams are one file, pipe or terminal.
func sameStream(a, b any) bool {
	f, isFile := a.(*os.File)
	g, also := b.(*os.File)
	if !isFile || !also {
		return false
	}
	one, err := f.Stat()
	other, wrong := g.Stat()
	return err == nil && wrong == nil && os.SameFile(one, other)
}
