package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"anond/incremental"
	"anond/incremental/plan"
	"anond/ingest"
	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/internal/ops/certificate"
	"anond/internal/ops/diskuse"
)

// statusLines is the screen of anond status: what is always there, then what is wrong.
func statusLines(s, before *shownStatus) (lines [][2]string) {
	add := func(name, format string, args ...any) {
		lines = append(lines, [2]string{name, fmt.Sprintf(format, args...)})
	}
	c := s.Counts
	add(s.Dataset, "%s", doingLine(s))
	if p := s.Shard; p != nil {
		add("shard", "%d of %d", p.Index, p.Of)
	}
	add("source", "%s", sourceLine(s, before))
	published := "published"
	if c.Public < c.Release {
		published += " or decided"
	}
	if c.People > 0 {
		published += fmt.Sprintf(" (of %s people)", grouped(c.People))
	}
	sum := fmt.Sprintf("%s sent = %s %s + %s pending + %s dead letters", grouped(int(c.Sent)), grouped(c.Published), published,
		grouped(c.Pending.Total()), grouped(int(c.DeadLetter)))
	if c.Expired > 0 {
		sum += " + " + grouped(c.Expired) + " expired"
	}
	if c.Withdrawn > 0 {
		sum += " + " + grouped(c.Withdrawn) + " withdrawn"
	}
	if c.Beyond > 0 {
		sum += " + " + grouped(c.Beyond) + " beyond"
		if c.Lapsed > 0 {
			sum += " (" + grouped(c.Lapsed) + " people have lapsed)"
		}
		if c.Elsewhere > 0 {
			sum += " (" + grouped(int(c.Elsewhere)) + " of people of other datasets)"
		}
	}
	if c.Forgotten > 0 {
		sum += " + " + grouped(int(c.Forgotten)) + " forgotten"
	}
	add("records", "%s", sum)
	if c.DeadLetter > 0 {
		add("refused", "%s", refusedLine(&c))
	}
	lines = append(lines, forgettingLines(s)...)
	add("pending", "%s", pendingLine(s))
	if p := c.Pool; p != nil {
		add("next pool", "%s wait, it needs %s", grouped(c.WaitingPlain()), needLine(p, c.WaitingPlain()-c.Outdated))
	}
	for i := range c.Strata {
		of := &c.Strata[i]
		add("", "%s of stratum %s wait, a pool of theirs needs %s", grouped(of.Waiting), of.Stratum, needLine(&of.PoolNeed, of.Waiting))
	}
	if f := c.FirstLoad; f != nil {
		add("first load", "%s records, at least %s", grouped(f.Records), grouped(f.Wanted))
	}
	add("release", "%s", releaseLine(s))
	add("", "%s", nextLine(s))
	if why := whyLine(s); why != "" {
		add("", "%s", why)
	}
	if d := s.Disk; d != nil {
		add("disk", "releases %s, state %s, %s a day; %s and %s free", diskuse.Bytes(d.Releases.Used), diskuse.Bytes(d.State.Used),
			diskuse.Bytes(d.Releases.PerDay+d.State.PerDay), diskuse.Bytes(d.Releases.Free), diskuse.Bytes(d.State.Free))
	}
	if b := s.Backup; b != nil && !b.Made.IsZero() {
		add("backup", "of release %d, made %s, loaded as a test%s", b.Release, b.Made.Format(time.RFC3339), sentText(b))
	} else if b != nil {
		add("backup", "none yet")
	}
	for _, v := range s.Views {
		add("view "+v.Name, "%s", viewLine(&v))
	}
	if o := s.Ledger; o != nil {
		add("ledger", "%s people are this dataset's, of %s; %s records of others", grouped(o.People), cli.Count(o.Datasets, "dataset"),
			grouped(int(c.Elsewhere)))
	}
	return append(lines, troubleLines(s)...)
}

// viewLine says how far a view is.
func viewLine(v *ingest.View) string {
	out := "no release yet"
	if v.Release > 0 {
		out = fmt.Sprintf("release %d of %s", v.Release, v.CreatedAt.UTC().Format(time.RFC3339))
	}
	if v.Behind > 0 {
		out += ", " + cli.Count(v.Behind, "release") + " behind"
	}
	return out
}

// needLine says what a pool needs, of which so many are there.
func needLine(p *plan.PoolNeed, there int) string {
	if !p.Possible {
		return fmt.Sprintf("more than there can be: the published values of %q are at what is promised", p.Attribute)
	}
	needs := grouped(p.Records)
	if p.Bounded {
		needs += " (policy.max_pool; the published values ask for more, so it may be quarantined)"
	}
	if n := p.Records - there; n > 0 {
		needs += ", " + grouped(n) + " are missing"
	} else if p.Missing > 0 {
		needs += ", " + grouped(p.Missing) + " newcomers are missing"
	}
	if p.Attribute != "" {
		needs += fmt.Sprintf("; %q asks most", p.Attribute)
	}
	return needs
}

// sentText says when a backup was taken elsewhere.
func sentText(b *ingest.Backup) string {
	if b.Sent.IsZero() {
		return ""
	}
	return ", taken elsewhere " + b.Sent.Format(time.RFC3339)
}

// refusedLine says how much of what was read was refused, and why.
func refusedLine(c *incremental.Status) string {
	return fmt.Sprintf("%.1f %% of the records read, %s", 100*c.RefusedShare(), reasons(c.Refused))
}

// forgettingLines say what erasures have left to do.
func forgettingLines(s *shownStatus) (lines [][2]string) {
	if n := s.Counts.ForgetDue; n > 0 {
		lines = append(lines, [2]string{"", grouped(n) + " deleted people to forget: at the next cut or start, within an hour"})
	}
	if s.State.Stale {
		lines = append(lines, [2]string{"", "free pages of the state may hold who was forgotten, until the next start"})
	}
	return lines
}

// doingLine says whether the daemon lives, and what it does.
func doingLine(s *shownStatus) string {
	doing := "reading"
	switch {
	case s.Doing != "":
		doing = strings.ReplaceAll(s.Doing, "_", " ")
		if s.Since != nil {
			doing += " for " + short(s.Time.Sub(*s.Since))
		}
		if p := s.Progress; p != nil {
			doing += ", " + p.String()
		}
	case s.Paused:
		doing = "paused: anond resume goes on"
	case s.Full:
		doing = "not reading: the state is full"
	case !s.Connected:
		doing = "waiting for the source"
	}
	if !s.fresh {
		return endLine(s, doing)
	}
	return fmt.Sprintf("%s (pid %d)", doing, s.PID)
}

// endLine says how and when a process ended. One that could not say so was killed, or has crashed.
func endLine(s *shownStatus, doing string) string {
	e := s.Ended
	switch {
	case s.held:
		return "a process has the state and shows no status: it starts, hangs, or is another command"
	case e == nil:
		return fmt.Sprintf("not running: no end was noted; at %s it was %s (pid %d)", s.Time.UTC().Format(time.RFC3339), doing, s.PID)
	}
	at := e.At.UTC().Format(time.RFC3339)
	ended := fmt.Sprintf("at %s with exit code %d (pid %d)", at, e.ExitCode, e.PID)
	switch e.How {
	case dataset.EndStopped:
		return "not running: stopped" + by(e.Signal) + " " + ended
	case dataset.EndSource:
		return "not running: done, the source was at its end " + ended
	case dataset.EndLease:
		return fmt.Sprintf("stands by: another member of the group publishes since %s (pid %d)", at, e.PID)
	}
	return "not running: failed " + ended
}

func by(signal string) string {
	if signal == "" {
		return ""
	}
	return " by " + signal
}

func sourceLine(s, before *shownStatus) string {
	out := "connected"
	if !s.fresh {
		out = "not read"
	} else if !s.Connected {
		out = strings.TrimSuffix("not connected: "+s.SourceFailure, ": ")
	}
	if s.Stalled {
		out += ", stalled"
	}
	lag := grouped(int(s.Lag))
	if !s.LagKnown {
		lag = "at least " + lag
	}
	out += ", lag " + lag
	if before == nil || before.PID != s.PID || !s.Counted.After(before.Counted) {
		return out
	}
	rate := float64(s.Counts.Sent-before.Counts.Sent) / s.Counted.Sub(before.Counted).Seconds()
	out += fmt.Sprintf(", %s records/s", grouped(int(rate)))
	if rate > 0 && s.Lag > 0 {
		out += ", caught up in about " + short(time.Duration(float64(s.Lag)/rate*float64(time.Second)))
	}
	return out
}

// pendingLine counts those who wait, and says how long the oldest has waited.
func pendingLine(s *shownStatus) string {
	p := s.Counts.Pending
	parts := []string{grouped(p.Waiting) + " waiting"}
	if p.Waiting > 0 {
		parts[0] += ", the oldest for " + age(s)
	}
	for _, of := range []struct {
		n    int
		what string
	}{{p.Settling, "settling"}, {p.Quarantined, "quarantined"}, {p.Infeasible, "infeasible"}} {
		if of.n > 0 {
			parts = append(parts, grouped(of.n)+" "+of.what)
		}
		if of.what == "quarantined" && len(s.QuarantinedFor) > 0 {
			parts[len(parts)-1] += " for " + strings.Join(s.QuarantinedFor, " and ")
		}
	}
	return strings.Join(parts, ", ")
}

// age is how long the oldest record that waits has waited.
func age(s *shownStatus) string {
	ticks := max(0, s.Counts.Now-s.Counts.OldestTick)
	if s.hold.Counted {
		return cli.Count(int(ticks), "release")
	}
	return short(time.Duration(ticks) * time.Millisecond)
}

func releaseLine(s *shownStatus) string {
	if s.Counts.Release == 0 {
		return "none yet"
	}
	if s.Counts.Public < s.Counts.Release {
		return parkedLine(s)
	}
	out := fmt.Sprintf("%d, %s classes", s.Counts.Release, grouped(s.Counts.Classes))
	if n := s.Newest; n != nil {
		out += fmt.Sprintf(", loss %.4f, %s newcomers, at %s", n.NCP, grouped(n.Newcomers), n.CreatedAt.Format(time.RFC3339))
	}
	return out
}

// parkedLine is releaseLine while the newest release is decided and not public.
func parkedLine(s *shownStatus) string {
	public := "none is public yet"
	if s.Counts.Public > 0 {
		public = fmt.Sprintf("%d is public", s.Counts.Public)
	}
	what := "not published yet"
	switch {
	case !s.fresh:
		what = "parked: the next start publishes it"
	case s.Releasing != 0:
		what = "being published"
	}
	return fmt.Sprintf("%s; %d is decided (%s classes) and %s", public, s.Counts.Release, grouped(s.Counts.Classes), what)
}

func nextLine(s *shownStatus) string {
	switch {
	case !s.fresh:
		return "no release until anond runs again"
	case s.Releasing != 0:
		out := fmt.Sprintf("release %d is in progress", s.Releasing)
		if p := s.Rendering; p != nil {
			out += ", " + p.String()
		}
		return out
	case s.Paused:
		return "no release by the trigger while paused"
	case s.NextRelease != nil:
		return "next due at " + s.NextRelease.Format(time.RFC3339)
	}
	return "next when the trigger asks"
}

// whyLine says what the next release waits for, and until when at the latest; empty: for nothing that
// is known. It knows of those who wait how many they are and since when, and nothing else (rule H, held).
func whyLine(s *shownStatus) string {
	c := s.Counts
	waiting := c.WaitingPlain() - c.Outdated
	switch f := c.FirstLoad; {
	case c.Public < c.Release:
		return ""
	case f != nil && len(f.Failed) > 0:
		return fmt.Sprintf("the first load is refused for %s: the newest line of the log with event infeasible says why, and what may be changed",
			quoted(f.Failed))
	case f != nil && f.Refused:
		return "the first load is refused: the newest line of the log with event infeasible says why, and what may be changed"
	case f != nil && f.Records < f.Wanted:
		return fmt.Sprintf("release 1 waits for %s more records, however long that takes", grouped(f.Wanted-f.Records))
	case f != nil && !c.InitialEnd:
		return "release 1 comes when the source is read to where it ended at the first start"
	case c.Pool != nil && !c.Pool.Possible:
		return "no later release: no pool is large enough, whoever comes"
	case c.Pending.Waiting == 0:
		return "the next release waits for newcomers: nobody is waiting"
	case c.Pool != nil && waiting < c.Pool.Records:
		return fmt.Sprintf("the next release waits for %s more people, however long that takes", grouped(c.Pool.Records-waiting))
	case c.Pool != nil && c.Pool.Missing > 0:
		return fmt.Sprintf("the next release waits for %s more people, but for nobody longer than policy.max_hold and a twentieth of it",
			grouped(c.Pool.Missing))
	}
	out, hold := "who waits is published at the latest ", s.hold.Time
	if c.Pool == nil {
		out = "who waits and can form a class is published at the latest "
	} else {
		hold += hold / 20 // newcomers may be missing
	}
	waited := max(0, c.Now-c.OldestTick)
	switch left := hold - time.Duration(waited)*time.Millisecond; {
	case s.hold.Counted && waited < int64(s.hold.Releases):
		return out + "in " + cli.Count(s.hold.Releases-int(waited), "release")
	case s.hold.Counted, left <= 0:
		return out + "with the next release"
	default:
		return out + "by the first release after " + s.Counted.Add(left).UTC().Format(time.RFC3339)
	}
}

// quoted lists names of attributes.
func quoted(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = strconv.Quote(name)
	}
	return strings.Join(out, ", ")
}

// troubleLines are what needs somebody's attention.
func troubleLines(s *shownStatus) (lines [][2]string) {
	add := func(format string, args ...any) {
		lines = append(lines, [2]string{"attention", fmt.Sprintf(format, args...)})
	}
	if s.Note != "" {
		add("%s", s.Note)
	}
	if s.Ended != nil && s.Ended.Error != "" {
		add("%s", s.Ended.Error)
	}
	if s.Full {
		add("the state has no room below state.max_bytes: raise it and run anond reload")
	}
	if s.ReleaseFailure != "" {
		add("release %d cannot be published: %s", s.Releasing, s.ReleaseFailure)
	}
	for _, v := range s.Views {
		if v.Failure != "" {
			add("view %s: %s", v.Name, v.Failure)
		}
	}
	if s.Counts.Outbox > 0 && s.LetterFailure != "" {
		add("%s dead letters cannot be delivered: %s", grouped(s.Counts.Outbox), s.LetterFailure)
	}
	if n := s.Counts.Ahead; n > 0 {
		add("the time stamps of %s lay more than a day ahead of this machine's clock and counted as none: correct the clock of who sends them",
			cli.Count(int(n), "record"))
	}
	if s.Counts.Infeasible {
		add("what waits cannot satisfy the policy (infeasible)")
	}
	if d := s.Damage; d != nil {
		add("%s of published releases: anond release verify lists them", cli.Count(d.Faults, "damaged file"))
	}
	if r := s.Reload; r != nil && !r.OK {
		add("the reload at %s was refused; its log line says why", r.At.UTC().Format(time.RFC3339))
	}
	if b := s.Backup; b != nil && b.Failed {
		add("the newest backup of the state failed; event backup_failed or backup_not_sent has the error")
	}
	for _, use := range slices.Sorted(maps.Keys(s.Certificates)) {
		if ends := s.Certificates[use]; ends.Sub(s.Time) < certificate.Soon {
			add("the certificate %s ends on %s: replace its file", use, ends.UTC().Format(time.RFC3339))
		}
	}
	if d := s.Disk; d != nil {
		for _, l := range d.Warnings(s.Time) {
			add("%s", l)
		}
	}
	return lines
}

// grouped writes a number with commas.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// short writes a time span in its two largest units.
func short(d time.Duration) string {
	d = d.Round(time.Second)
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%dd%dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%dm", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return d.String()
}
