package dashboard

import (
	"fmt"
	"html/template"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"anond/equivclass"
	"anond/incremental"
	"anond/ingest"
	"anond/internal/ops/duty"
	"anond/internal/ops/monitor"
	"anond/internal/ops/present"
)

// model is what the template writes: texts.
type model struct {
	Style                            template.CSS
	Script                           template.JS
	Dataset, Version, Level, Trigger string
	Shard                            string // behind the dataset; empty: it is not sharded
	K, L                             int
	Ready                            bool
	Condition, AsOf                  string
	Parts                            []duty.Part
	Tiles                            []tile
	Charts                           []present.Picture
	Bars                             []barTable
	Releases                         []releaseRow
	Buckets                          bool
	Events                           []eventRow
}

type tile struct {
	ID, Title, Figure, Note string
	Bad                     bool
}

// About says what the figure of a tile is, and which page of the documentation has more.
func (t tile) About() string { return about[t.ID] }

var about = map[string]string{
	"release": "The newest version of the table that is public. It contains everybody who was published before. Files: docs/FORMAT.md.",
	"published": "Records in the newest release. A published row never changes and never leaves. Who is published when: " +
		"docs/POOLS.md.",
	"loss": "How much the published quasi-identifiers say less than the true ones: the mean part of its range that a cell covers " +
		"(NCP). What lowers it: docs/CHOOSING.md.",
	"k": "Records of the smallest class. The rows of a class show the same quasi-identifiers, so that none of them is a certain " +
		"person's with a probability above 1/k. The choice: docs/CHOOSING.md.",
	"share": "The largest share that one sensitive value has in a bucket, or at level L1 in a class. With no higher probability can " +
		"somebody who has all releases, and believed the same of everybody before, tell a person's value. The promise: docs/THREAT_MODEL.md.",
	"pending": "Records that were accepted and are not published. At level L2 they wait until there are enough people for the next " +
		"pool. Why that is: docs/POOLS.md.",
	"rate":    "Records read a second, in the newest 10 s. What fits: docs/CAPACITY.md.",
	"lag":     "What is in the source and was not read. If it grows, anond is too slow, or is held up: docs/RUNBOOK.md.",
	"letters": "Records that were refused; below by reason. anond dlq list says which; what each reason means: docs/DEAD_LETTERS.md.",
	"forgotten": "Records of people who were removed on request. A published row of such a person stays, without owner: " +
		"docs/RECOVER.md.",
	"views": "Directories of releases for recipients who are to see less. Each follows behind each release, or is made up for when what " +
		"was in the way is gone: docs/CHOOSING.md.",
	"elsewhere": "Records of people whose first record arrived at another dataset that shares the subject ledger. They are never " +
		"published here: docs/DURABLE.md.",
	"state": "The file that holds all records and decisions. It is private: docs/SECURITY.md.",
}

type releaseRow struct{ Number, At, Records, New, Pending, Classes, Buckets, K, Top, Loss string }

type eventRow struct{ At, Level, Name, Text, More string }

func modelOf(v *monitor.View) (*model, error) {
	s := v.Settings
	m := &model{Dataset: s.Dataset, Version: s.Version, Level: s.Level, Trigger: s.Trigger, K: s.K, L: s.L, Parts: v.Parts(), Ready: true,
		Buckets: s.Level == "L2"}
	if s.Shards > 0 {
		m.Shard = fmt.Sprintf(", shard %d of %d", s.Shard, s.Shards)
	}
	for _, p := range m.Parts {
		m.Ready = m.Ready && p.Ready
	}
	m.Condition, m.AsOf = condition(v, m.Ready)
	m.Tiles = tiles(v)
	m.Bars = barTables(v)
	m.Releases, m.Events = releaseRows(v), eventRows(v)
	var err error
	m.Charts, err = present.Pictures(append(present.OfReleases(v.Releases), ofTime(v)...))
	return m, err
}

// condition says in a line what the daemon does.
func condition(v *monitor.View, ready bool) (text, asOf string) {
	r := &v.Report
	if r.Time.IsZero() {
		return strings.ToUpper(string(v.Phase[:1])) + string(v.Phase[1:]), "since " + present.Clock(v.Started)
	}
	text = "Reading"
	if v.Phase == duty.Ending {
		text = "Ending"
	} else if r.Doing != "" {
		text = doing[r.Doing]
	} else if r.Full {
		text = "State full, not reading"
	} else if r.Paused {
		text = "Paused, not reading"
	}
	if !ready {
		text += ", not ready"
	}
	return text, "as of " + present.Clock(r.Time)
}

// doing are words for what the loop does when it does not read.
var doing = map[string]string{ingest.DoingOpen: "Loading the state", ingest.DoingVerify: "Comparing releases and state",
	ingest.DoingConnect: "Connecting to the source", ingest.DoingDecide: "Deciding a release", ingest.DoingCommit: "Writing the state",
	ingest.DoingView: "Preparing a release", ingest.DoingWait: "Waiting for the release before",
	ingest.DoingDeliver:  "Delivering dead letters",
	ingest.DoingRemove:   "Removing people whose parts have left the releases",
	ingest.DoingClaim:    "Looking up whose people are whose in the subject ledger",
	ingest.DoingForget:   "Forgetting people",
	ingest.DoingCompact:  "Compacting the state",
	ingest.DoingReplay:   "Judging dead letters again",
	ingest.DoingPlan:     "Looking at what a release would publish",
	ingest.DoingJournal:  "Writing the journal",
	ingest.DoingRepeat:   "Repeating what the journal has",
	ingest.DoingDraining: "Stopping"}

func tiles(v *monitor.View) []tile {
	r, s := &v.Report, v.Settings
	out := []tile{{ID: "release", Title: "Newest release", Figure: "none"}}
	if n := len(v.Releases); n > 0 {
		x := v.Releases[n-1]
		out = []tile{{ID: "release", Title: "Newest release", Figure: strconv.Itoa(int(x.Number)), Note: ago(v, x.CreatedAt) + dueNote(r)},
			{ID: "published", Title: "Published", Figure: present.Count(x.Records), Note: newcomers(x.Newcomers)},
			{ID: "loss", Title: "Information loss", Figure: fmt.Sprintf("%.4f", x.NCP), Note: "0: exact, 1: nothing left"},
			{ID: "k", Title: "Smallest class", Figure: strconv.Itoa(x.KMin), Note: fmt.Sprintf("promised: at least %d", s.K), Bad: x.KMin < s.K},
			{ID: "share", Title: "Top share", Figure: present.Percent(x.TopShare), Note: "promised: at most " + present.Percent(x.Allowed),
				Bad: slices.ContainsFunc(x.Reached, func(r equivclass.Reached) bool { return r.Share > r.Allowed+1e-9 })}}
	}
	if r.Time.IsZero() {
		return out
	}
	lag, known := r.Source.Lag(r.Time)
	lagNote := map[bool]string{true: "left to read", false: "at least; the end is not known"}[known]
	if s.Topic == "" {
		lagNote = "bytes " + lagNote
	}
	if len(r.Views) > 0 {
		out = append(out, viewsTile(r.Views))
	}
	if o := r.Owned; o != nil {
		out = append(out, tile{ID: "elsewhere", Title: "Of other datasets", Figure: present.Count(int(r.Machine.Elsewhere)),
			Note: fmt.Sprintf("records; %s people are this dataset's, of %d datasets", present.Count(o.People), o.Datasets)})
	}
	return append(out,
		tile{ID: "pending", Title: "Waiting", Figure: present.Count(r.Machine.Pending.Total()), Note: waitingNote(v)},
		tile{ID: "rate", Title: "Throughput", Figure: rate(v.Hour), Note: "records a second"},
		tile{ID: "lag", Title: "Lag", Figure: present.Count(int(lag)), Note: lagNote, Bad: r.Source.Stalled},
		tile{ID: "letters", Title: "Dead letters", Figure: present.Count(int(r.Machine.DeadLetter)),
			Note: fmt.Sprintf("of %s read; %s to deliver", present.Count(int(r.Machine.Sent)), present.Count(r.Machine.Outbox)),
			Bad:  r.LetterFailure != ""},
		tile{ID: "forgotten", Title: "Forgotten", Figure: present.Count(int(r.Machine.Forgotten)), Note: forgottenNote(&r.Machine)},
		tile{ID: "state", Title: "State", Figure: present.Bytes(r.State.File), Note: stateNote(r), Bad: r.Full})
}

// viewsTile says how far the views are, by the one that is farthest behind.
func viewsTile(views []ingest.View) tile {
	last := slices.MaxFunc(views, func(a, b ingest.View) int { return a.Behind - b.Behind })
	t := tile{ID: "views", Title: "Views", Figure: strconv.Itoa(last.Behind), Note: fmt.Sprintf("releases behind, of %d views", len(views))}
	if t.Bad = slices.ContainsFunc(views, func(v ingest.View) bool { return v.Failure != "" }); t.Bad || last.Behind > 0 {
		t.Note = fmt.Sprintf("releases that %s lacks", last.Name)
	}
	return t
}

// forgottenNote says what the records read are, with those of people who were forgotten.
func forgottenNote(m *incremental.Status) string {
	if m.Forgotten == 0 && m.ForgetDue == 0 && m.Beyond == 0 {
		return "of " + present.Count(int(m.Sent)) + " read"
	}
	published := "published"
	if m.Public < m.Release {
		published += " or decided"
	}
	note := fmt.Sprintf("records; %s read = %s %s + %s waiting + %s dead letters + %s beyond + %s forgotten", present.Count(int(m.Sent)),
		present.Count(m.Published), published, present.Count(m.Pending.Total()), present.Count(int(m.DeadLetter)),
		present.Count(m.Beyond), present.Count(int(m.Forgotten)))
	if m.Expired > 0 {
		note += " + " + present.Count(m.Expired) + " expired"
	}
	if m.Withdrawn > 0 {
		note += " + " + present.Count(m.Withdrawn) + " withdrawn"
	}
	if m.ForgetDue > 0 {
		note += "; people to forget at the next cut: " + present.Count(m.ForgetDue)
	}
	return note
}

func dueNote(r *ingest.Report) string {
	switch {
	case r.Releasing != 0:
		return fmt.Sprintf("; %d in progress", r.Releasing)
	case r.NextRelease.IsZero():
		return ""
	}
	return "; next in " + present.Span(max(0, r.NextRelease.Sub(r.Time)))
}

func newcomers(n int) string {
	if n < 0 {
		return "records"
	}
	return "records, " + present.Count(n) + " of them new"
}

// waitingNote says how long people wait, and at level L2 for how many others.
func waitingNote(v *monitor.View) string {
	age := monitor.OldestAge(v.Report, v.Settings)
	note := "oldest: " + present.Span(time.Duration(age*float64(time.Second)))
	if v.Settings.HoldInCuts {
		note = fmt.Sprintf("oldest: %.0f releases", age)
	}
	if p := v.Report.Machine.Pool; p != nil && !p.Possible {
		note += "; no pool is possible"
	} else if p != nil {
		note += "; a pool needs " + present.Count(p.Records)
	}
	return note
}

func stateNote(r *ingest.Report) string {
	s := r.State
	if r.Full {
		return "full: nothing is read until state.max_bytes is larger; limit " + present.Bytes(s.Quota)
	}
	if s.Quota == 0 {
		return present.Bytes(s.Free) + " of it free, no limit"
	}
	return present.Bytes(s.Free) + " of it free, limit " + present.Bytes(s.Quota)
}

// releasesShown and eventsShown are the rows of the two tables.
const releasesShown, eventsShown = 12, 25

func releaseRows(v *monitor.View) (out []releaseRow) {
	list := v.Releases[max(0, len(v.Releases)-releasesShown):]
	for _, r := range slices.Backward(list) {
		news := "-"
		if r.Newcomers >= 0 {
			news = present.Count(r.Newcomers)
		}
		out = append(out, releaseRow{strconv.Itoa(int(r.Number)), r.CreatedAt.UTC().Format("2006-01-02 15:04:05"), present.Count(r.Records), news,
			present.Count(r.Pending), present.Count(r.Classes), present.Count(r.Buckets), strconv.Itoa(r.KMin),
			present.Percent(r.TopShare), fmt.Sprintf("%.4f", r.NCP)})
	}
	return out
}

func eventRows(v *monitor.View) (out []eventRow) {
	list := v.Events[max(0, len(v.Events)-eventsShown):]
	for _, e := range slices.Backward(list) {
		level := "info"
		if e.Level >= slog.LevelError {
			level = "error"
		} else if e.Level >= slog.LevelWarn {
			level = "warn"
		}
		out = append(out, eventRow{e.At.Format("01-02 15:04:05"), level, e.Name, e.Text, e.More})
	}
	return out
}

func ago(v *monitor.View, t time.Time) string {
	now := v.Report.Time
	if now.IsZero() {
		return present.Clock(t)
	}
	return present.Span(max(0, now.Sub(t))) + " ago"
}

// rate is the newest throughput that is known.
func rate(samples []monitor.Sample) string {
	if n := len(samples); n > 0 && samples[n-1].Rate >= 0 {
		return present.Count(int(samples[n-1].Rate + .5))
	}
	return "-"
}
