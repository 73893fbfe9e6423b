package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // so that a container without a file of time zones knows them

	"github.com/adhocore/gronx"
	"go.yaml.in/yaml/v3"

	"anond/equivclass"
	"anond/incremental/retire"
)

// Recoding says how classes are written.
type Recoding string

// The recodings.
const (
	Buckets        Recoding = "buckets"
	Generalization Recoding = "generalization"
	Anatomy        Recoding = "anatomy"
	Permutation    Recoding = "permutation"
)

// releaseOn says what makes a release due.
type releaseOn string

// The triggers.
const (
	OnUpdate   releaseOn = "update"
	OnRecords  releaseOn = "records"
	OnInterval releaseOn = "interval"
	OnCron     releaseOn = "cron"
)

// Trigger is the block `release.trigger`.
type Trigger struct {
	On          releaseOn
	MinInterval time.Duration // OnUpdate, OnInterval, OnCron
	Records     int           // OnRecords: accepted records between two releases
	Interval    time.Duration // OnInterval
	At          string        // OnCron: five fields
	Zone        timeZone      // OnCron
	Missed      missed        // OnInterval, OnCron
}

// missed says what becomes of the scheduled moments at which nobody ran.
type missed string

// The treatments of missed moments.
const (
	missedOnce missed = "once" // all of them together make one release at the start
	MissedSkip missed = "skip"
)

// releaseSettings is the block `release`.
type releaseSettings struct {
	Dir      string
	Ledger   string
	Recoding Recoding
	Tables   [][]string    // pairs of sensitive attributes
	Views    []View        // level L2: directories that show less
	Window   retire.Window // level L2: how long a part stays in the releases
	About    About
	Keep     Keep
	MaxRate  int64 // bytes per second that a release may write; 0: no limit
	Trigger  Trigger
}

// About is the block `release.about`: what the owner says of the releases.
type About struct {
	Licence string
	Contact string
}

// Keep is the block `release.keep`: a release stays on disk if one of the two keeps it.
// Both 0: all releases stay.
type Keep struct {
	Releases int
	Days     int
}

func (rel *releaseSettings) keys() []key {
	t := &rel.Trigger
	return []key{
		{path: "release.dir", value: path(&rel.Dir), derived: "required; for a shard ./releases/shards/INDEX",
			doc: "Directory of the releases. Everything in it is public."},
		{path: "release.ledger", value: path(&rel.Ledger), derived: "ledger next to state.path", doc: "Append-only list of the releases. If " +
			"it is on another disk than the state, it also detects a state restored from an old backup."},
		{path: "release.recoding", value: oneOf(&rel.Recoding, Buckets, Generalization, Anatomy, Permutation),
			derived: "buckets; generalization at level L1", doc: "buckets (level L2): generalized cells with class and bucket, and a table of " +
				"sensitive values per bucket. generalization (level L1): one table with generalized cells and the value in its row. anatomy: exact " +
				"quasi-identifiers, and a table of sensitive values per bucket (at level L1: per group). permutation: each value is in a row of its " +
				"bucket that is drawn, next to generalized cells (at level L1: each column of a group is shuffled by itself, cells exact). Exact " +
				"cells reveal who is in the data."},
		{path: "release.tables", value: list[[]string]{&rel.Tables, func(to *[]string) value { return list[string]{to, text} }}, def: "[]",
			doc: "With level L2: pairs of sensitive attributes, such as [[diagnosis, hiv]], of which each pool of eight buckets or more shows how " +
				"often their values occur together. A table tells who knows one of the two as much about the other as it tells of the pool."},
		{path: "release.views", value: objects[View]{&rel.Views, (*View).keys}, def: "[]", doc: "With level L2 and recoding buckets: views for " +
			"recipients who are to see less, [{name: insurer, columns: [age, sex, diagnosis], cells: {age: 10}, values: {diagnosis: level 1}}]. " +
			"Each has a directory and a chain of its own, and each of its releases is a function of the release of that number, so all " +
			"recipients together learn what `release.dir` says, and nothing more. Two datasets of the same people have no such bound."},
		{path: "release.window", value: window(&rel.Window), derived: "none: everybody published stays", doc: "With level L2 and a subject: " +
			"how long people stay in the releases, as a number of releases such as 12, or as an age such as 365d, counted from the " +
			"`created_at` of the release that published them first. They leave in whole parts: all that one granule gave birth to, a twelfth of " +
			"the window, and at least 1 of its unit; so the oldest stay up to that much longer. With an age a release is made, too, when a " +
			"part leaves. Whoever left stays known and is not published again. It takes nothing back that was published. The same in all " +
			"shards, which measure it by their own releases. Fixed with release 1."},
		{path: "release.about.licence", value: text(&rel.About.Licence), def: "\"\"", doc: "Licence of the releases: its identifier, such as " +
			"CC-BY-4.0, or an address with ://. It is in the manifest, in datapackage.json and on the receiver's sheet of each release."},
		{path: "release.about.contact", value: text(&rel.About.Contact), def: "\"\"", doc: "Who answers questions about the releases: a " +
			"name, or an address of mail. It is where the licence is."},
		{path: "release.keep.releases", value: atLeast(0, "0 sets no number", &rel.Keep.Releases), def: "0", doc: "Number of newest releases " +
			"whose files stay on disk; older ones are pruned after each release, unless `release.keep.days` keeps them. Their manifests " +
			"stay, and the rows of all of them stay in the parts of later releases. Pruning takes nothing back that was published. With both " +
			"keys 0 nothing is pruned."},
		{path: "release.keep.days", value: atLeast(0, "0 sets no age", &rel.Keep.Days), def: "0", doc: "Days for which the files of a release " +
			"stay on disk, counted from its `created_at`. A release is pruned if neither key keeps it; the newest always stays."},
		{path: "release.max_bytes_per_second", value: bytesSize(&rel.MaxRate), def: "0", doc: "Most bytes per second, on average, that the " +
			"making of a release writes to `release.dir`, and reads of earlier releases, such as 20MiB. 0: no limit. The release takes longer, " +
			"and has the same bytes; reading goes on meanwhile. A stop parks a release that waits for this limit. The check of what was " +
			"written, which is in memory still, and that at a start do not wait."},
		{path: "release.trigger.on", value: oneOf(&t.On, OnUpdate, OnRecords, OnInterval, OnCron), def: "update",
			doc: "What makes a release due: a local update, a number of records, an interval, or a cron schedule."},
		{path: "release.trigger.min_interval", value: duration(&t.MinInterval, 0), derived: "10s; none for on interval and cron",
			doc: "With on update, interval and cron: minimum time between two releases. A slot that comes earlier waits. `anond release now` does " +
				"not wait."},
		{path: "release.trigger.every", value: every{t}, derived: "none; needed for on records and interval",
			doc: "With on records: number of records read between two releases, refused ones included. With on interval: a duration such as 1h."},
		{path: "release.trigger.at", value: text(&t.At), derived: "none; needed for on cron", doc: "With on cron: schedule of minute, " +
			"hour, day, month and weekday, such as \"0 2 * * *\"."},
		{path: "release.trigger.time_zone", value: zone(&t.Zone), def: "UTC", doc: "With on cron: time zone of the schedule, such as " +
			"Europe/Berlin. A slot in the hour that the clock skips in spring is due when the clock is put forward; one in the hour that comes " +
			"twice in autumn is due once, the first time."},
		{path: "release.trigger.missed", value: oneOf(&t.Missed, missedOnce, MissedSkip), def: "once", doc: "With on interval and cron: what " +
			"becomes of slots at which no process ran, or at which anond was paused. once: all of them together make one release at once. skip: " +
			"the next slot makes the next release."},
	}
}

// leastRate is below what any disk or network does: a lower limit is a size without its unit.
const leastRate = 1 << 10

// checkRate refuses a limit that lacks its unit.
func (r *reader) checkRate(key string, rate int64) {
	if rate > 0 && rate < leastRate && r.sound(key) {
		r.fault(key, "is too small", "write at least 1KiB, with the unit, such as 20MiB; or 0 for no limit")
	}
}

// window reads release.window.
func window(to *retire.Window) value {
	const such = "write a number of releases such as 12, or an age such as 365d"
	return scalar[retire.Window]{to: to, name: "number of releases or age", tags: []string{"!!str", "!!int"}, suggestion: such,
		show: func(w retire.Window) any {
			if w.None() {
				return nil
			}
			return w.String()
		},
		parse: func(s string) (retire.Window, error) {
			w, err := retire.Parse(s)
			if err != nil { // 24h and 1d leave in granules of their own
				w, err = retire.Parse(inUnits(s))
			}
			if err != nil {
				return w, complain(err.Error(), such)
			}
			return w, nil
		}}
}

// checkWindow refuses a window where nothing may leave (rule W): values in rows, and people who are not known.
func checkWindow(c *Config, r *reader) {
	const full = "release.window"
	w, hold := c.Release.Window, c.Policy.MaxHold
	if w.None() || !r.sound(full, "policy.level", "policy.max_hold", "release.recoding") {
		return
	}
	of, all := c.byRole(r)
	switch {
	case c.Policy.Level != L2:
		r.fault(full, "belongs to level L2, but policy.level is L1", "remove it, or set policy.level to L2")
	case c.Release.Recoding != Buckets:
		r.fault(full, fmt.Sprintf("belongs to recoding buckets, but release.recoding is %s", c.Release.Recoding),
			"remove it, or set release.recoding to buckets")
	case all && len(of[equivclass.Subject]) == 0:
		r.fault(full, "needs to know who was published, but no attribute has role subject: who leaves would be published again",
			"mark the field that identifies a person, or remove the window")
	case w.Age() > 0 && !hold.Counted && hold.Time > time.Duration(w.Age())*time.Second,
		w.Releases() > 0 && hold.Counted && int64(hold.Releases) > w.Releases():
		r.fault(full, fmt.Sprintf("is %s, shorter than policy.max_hold = %s", w, hold), "lengthen it, or shorten policy.max_hold")
	case c.Shard.Set() && w.Releases() > 0:
		r.warn(full, fmt.Sprintf("is %s releases, and each shard counts its own: people stay in the union for different times", w),
			"write an age such as 365d")
	}
}

func checkTrigger(c *Config, r *reader) {
	t := &c.Release.Trigger
	if !r.set("release.ledger") {
		c.Release.Ledger = filepath.Join(filepath.Dir(c.State.Path), "ledger")
	}
	r.checkRate("release.max_bytes_per_second", c.Release.MaxRate)
	exact, instead := []Recoding{Anatomy, Permutation}, Generalization
	if c.Policy.Level == L2 {
		exact, instead = []Recoding{Anatomy}, Buckets
	}
	if slices.Contains(exact, c.Release.Recoding) {
		r.warn("release.recoding", "is "+string(c.Release.Recoding)+": quasi-identifiers are published exactly, which reveals who is in the "+
			"data, but not their sensitive values", "use "+string(instead)+" if presence in the data is confidential")
	}
	if !r.sound("release.trigger.on") {
		return
	}
	for key, owners := range map[string][]releaseOn{"min_interval": {OnUpdate, OnInterval, OnCron}, "every": {OnRecords, OnInterval},
		"at": {OnCron}, "time_zone": {OnCron}, "missed": {OnInterval, OnCron}} {
		full := "release.trigger." + key
		if r.set(full) && !slices.Contains(owners, t.On) {
			r.fault(full, fmt.Sprintf("does not belong to on %s", t.On), "remove it, or set release.trigger.on to "+wordsOf(owners))
		}
	}
	if t.On == OnUpdate && !r.set("release.trigger.min_interval") {
		t.MinInterval = 10 * time.Second
	}
	switch t.On {
	case OnRecords, OnInterval:
		checkEvery(c, r)
	case OnCron:
		checkCron(c, r)
	}
}

func wordsOf(on []releaseOn) string {
	words := make([]string, len(on))
	for i, o := range on {
		words[i] = string(o)
	}
	return strings.Join(words, " or ")
}

func checkEvery(c *Config, r *reader) {
	const full = "release.trigger.every"
	t := &c.Release.Trigger
	example := map[releaseOn]string{OnRecords: "a number of records such as 10000", OnInterval: "a duration such as 1h"}[t.On]
	switch {
	case !r.sound(full):
	case !r.set(full):
		r.fault(full, fmt.Sprintf("is missing, but on is %s", t.On), "write "+example)
	case (t.On == OnRecords) != (t.Records > 0):
		r.fault(full, fmt.Sprintf("does not fit on %s", t.On), "write "+example)
	}
}

// checkCron accepts five fields or one of gronx's words such as @daily. Six
// fields are refused: some tools put seconds first, others the year last.
func checkCron(c *Config, r *reader) {
	const full = "release.trigger.at"
	at := c.Release.Trigger.At
	switch {
	case !r.sound(full):
	case at == "":
		r.fault(full, "is missing, but on is cron", `write five fields, such as "0 2 * * *"`)
	case len(strings.Fields(at)) != 5 && !strings.HasPrefix(at, "@") || !gronx.IsValid(at):
		r.fault(full, "is not a cron schedule", `write minute, hour, day, month and weekday, such as "0 2 * * *" for 02:00 each day`)
	default:
		start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) // a leap year: 29 February occurs
		if _, err := gronx.NextTickAfter(at, start, true); err != nil {
			r.fault(full, "is a schedule that never occurs", "correct day and month")
		}
	}
}

// every reads release.trigger.every, which is a count or a duration depending
// on release.trigger.on; checkEvery checks which one is right.
type every struct{ to *Trigger }

func (e every) kind() string { return "integer >= 1 or duration" }

func (e every) json() any {
	switch {
	case e.to.Records > 0:
		return e.to.Records
	case e.to.Interval > 0:
		return span(e.to.Interval)
	}
	return nil
}

func (e every) read(r *reader, full string, n *yaml.Node) {
	s, literal, ok := r.text(full, n, "number of records or duration", []string{"!!str", "!!int"}, "write for instance 10000, or 1h", false)
	if !ok {
		return
	}
	if count, err := whole(s); err == nil && count >= 1 {
		e.to.Records = count
		return
	}
	d, err := parseDuration(s)
	if err == nil && d >= time.Second {
		e.to.Interval = d
		return
	}
	reason := "is neither a positive number of records nor a duration of at least 1s"
	if literal {
		reason = fmt.Sprintf("%q %s", shortened(s), reason)
	}
	r.faultAt(n, full, reason, "write for instance 10000, or 1h")
}

// zone is the name of a time zone. Only the names of the database of time zones are
// taken: "Local" would be another zone on another machine.
func zone(to *timeZone) value {
	return scalar[timeZone]{to: to, name: "time zone", tags: []string{"!!str"}, suggestion: inQuotes,
		show: func(z timeZone) any { return z.Name },
		parse: func(s string) (timeZone, error) {
			at, err := time.LoadLocation(s)
			if err != nil || s == "Local" || s == "" {
				return timeZone{}, complain("is not a time zone", "write UTC or a name such as Europe/Berlin")
			}
			return timeZone{s, at}, nil
		}}
}

// timeZone is a time zone.
type timeZone struct {
	Name string
	At   *time.Location
}
