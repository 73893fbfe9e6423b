package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/ops/duty"
	"anond/internal/testkit/programtest"
)

// shown is the status of one moment, flat, and which of its keys were compared.
type shown struct {
	t      *testing.T
	values map[string]string
	used   map[string]bool
}

// num is a figure of the status; one that is left out is 0, and true is 1.
func (s *shown) num(key string) float64 {
	s.used[key] = true
	text := s.values[key]
	switch text {
	case "", "false":
		return 0
	case "true":
		return 1
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return float64(at.UnixMilli()) / 1000
	}
	v, err := strconv.ParseFloat(text, 64)
	require.NoError(s.t, err, key)
	return v
}

func (s *shown) has(key string) float64 {
	s.used[key] = true
	if s.values[key] == "" {
		return 0
	}
	return 1
}

// key is a figure that has one name in the status.
func key(name string) func(*shown) float64 { return func(s *shown) float64 { return s.num(name) } }

// sharedFigures are what the metrics, and the tiles of the dashboard, share with the status.
// TestNoFigureContradictsAnother fails for a metric, a key or a tile that is neither here
// nor in alone.
var sharedFigures = []struct {
	metric, labels, tile string
	status               func(*shown) float64
}{
	{metric: "anond_report_timestamp_seconds", status: key("time")},
	{metric: "anond_source_connected", status: key("connected")},
	{metric: "anond_source_stalled", status: key("stalled")},
	{metric: "anond_source_lag", tile: "lag", status: key("lag")},
	{metric: "anond_source_lag_known", status: key("lag_known")},
	{metric: "anond_ingest_records_total", labels: `outcome="accepted"`,
		status: func(s *shown) float64 { return s.num("counts.sent") - s.num("counts.dead_letter") }},
	{metric: "anond_ingest_records_total", labels: `outcome="refused"`, tile: "letters", status: key("counts.dead_letter")},
	{metric: "anond_ingest_last_record_timestamp_seconds", status: key("last_record")},
	{metric: "anond_dlq_waiting", status: key("counts.outbox")},
	{metric: "anond_dlq_failing", status: func(s *shown) float64 { return s.has("dead_letter_failure") }},
	{metric: "anond_dlq_oldest_age_seconds", status: func(s *shown) float64 {
		if s.has("dead_letters_since") == 0 {
			return 0
		}
		return max(0, s.num("time")-s.num("dead_letters_since"))
	}},
	{metric: "anond_local_updates_total", status: key("local_updates.updates")},
	{metric: "anond_local_update_classes_total", status: key("local_updates.classes")},
	{metric: "anond_pending_oldest_age_releases", status: func(s *shown) float64 {
		return s.num("counts.now") - s.num("counts.oldest_tick")
	}},
	{metric: "anond_beyond_records", status: key("counts.beyond")},
	{metric: "anond_elsewhere_records_total", tile: "elsewhere", status: key("counts.elsewhere")},
	{metric: "anond_subject_ledger_people", status: key("subject_ledger.people")},
	{metric: "anond_subject_ledger_datasets", status: key("subject_ledger.datasets")},
	{metric: "anond_view_release_sequence", labels: `view="short"`, status: key("views.0.release")},
	{metric: "anond_view_last_success_timestamp_seconds", labels: `view="short"`, status: key("views.0.created_at")},
	{metric: "anond_view_behind_releases", labels: `view="short"`, tile: "views", status: key("views.0.behind")},
	{metric: "anond_view_failing", labels: `view="short"`, status: func(s *shown) float64 { return s.has("views.0.failure") }},
	{metric: "anond_expired_records", status: key("counts.expired")},
	{metric: "anond_withdrawn_records", status: key("counts.withdrawn")},
	{metric: "anond_lapsed_people_total", status: key("counts.lapsed")},
	{metric: "anond_pool_needed_records", status: key("counts.pool.records")},
	{metric: "anond_pool_missing_records", status: key("counts.pool.missing")},
	{metric: "anond_pool_possible", status: key("counts.pool.possible")},
	{tile: "pending", status: func(s *shown) float64 {
		return s.num("counts.pending.waiting") + s.num("counts.pending.quarantined") +
			s.num("counts.pending.infeasible")
	}},
	{metric: "anond_release_sequence", tile: "release", status: key("newest.release")},
	{metric: "anond_release_sequence", status: key("counts.public_release")},
	{metric: "anond_release_records", tile: "published", status: key("newest.records")},
	{metric: "anond_release_newcomers", status: key("newest.newcomers")},
	{metric: "anond_release_classes", status: key("newest.classes")},
	{metric: "anond_release_information_loss", tile: "loss", status: key("newest.ncp")},
	{metric: "anond_release_last_success_timestamp_seconds", status: key("newest.created_at")},
	{metric: "anond_release_in_progress", status: key("releasing")},
	{metric: "anond_release_failing", status: func(s *shown) float64 { return s.has("release_failure") }},
	{metric: "anond_release_verified", status: key("verified")},
	{metric: "anond_releases_damaged_files", status: key("damage.faults")},
	{metric: "anond_state_file_bytes", status: key("state.file")},
	{metric: "anond_state_free_bytes", status: key("state.free")},
	{metric: "anond_state_quota_bytes", status: key("state.quota")},
	{metric: "anond_state_full", status: key("full")},
	{metric: "anond_state_stale", status: key("state.stale")},
	{metric: "anond_forgotten_records", tile: "forgotten", status: key("counts.forgotten")},
	{metric: "anond_forget_due_people", status: key("counts.forget_due")},
}

// counted are metrics with one series for each reason of a part of the status.
var counted = map[string]string{
	"anond_dlq_records_total":    "counts.refused.",
	"anond_ingest_ignored_total": "counts.ignored.",
	"anond_pending_records":      "counts.pending.",
}

// alone are the figures that one surface has, and why nothing can contradict them.
var alone = map[string]string{
	"anond_build_info":                    "of the program",
	"counts.pool.attribute":               "a name",
	"quarantined_for":                     "names",
	"anond_up_since_timestamp_seconds":    "of the process",
	"anond_phase":                         "status.json is written while running",
	"anond_part_ready":                    "compared with /readyz and the status below",
	"anond_policy_k":                      "a setting",
	"anond_config_last_reload_successful": "the start counts, too",
	"anond_config_last_reload_success_timestamp_seconds": "likewise",
	"anond_config_reloads_total":                         "counts attempts",
	"anond_certificate_expiry_timestamp_seconds":         "of files",
	"anond_log_messages_total":                           "of the log",
	"anond_events_total":                                 "of the log",
	"anond_kafka_assigned_partitions":                    "Kafka",
	"anond_kafka_rebalances_total":                       "Kafka",
	"anond_kafka_offset_gap_records_total":               "Kafka",
	"anond_release_suppressed_records":                   "of the manifest",
	"anond_release_buckets":                              "of the manifest",
	"anond_release_min_class_size":                       "compared with tile k",
	"anond_release_max_value_share":                      "of the manifest; tile share rounds it",
	"anond_release_allowed_value_share":                  "of the manifest",
	"anond_releases_on_disk":                             "of the directory",
	"anond_release_class_sizes":                          "of the release",
	"anond_release_bucket_sizes":                         "of the release",
	"anond_state_behind_ledger":                          "of the ledger",
	"anond_state_restore_remaining_records":              "of the start",
	"anond_state_commit_duration_seconds":                "measured",
	"anond_release_decision_duration_seconds":            "measured",
	"anond_release_view_duration_seconds":                "measured",
	"anond_release_duration_seconds":                     "measured",
	"anond_release_withheld_total":                       "counts cuts",
	"anond_release_failures_total":                       "counts attempts",
	"anond_dlq_write_failures_total":                     "counts attempts",
	"pid":                                                "of the process",
	"dataset":                                            "a setting",
	"shard.":                                             "a setting",
	"anond_shard_index":                                  "a setting",
	"anond_shards":                                       "a setting",
	"counted":                                            "of the status",
	"views.0.name":                                       "a setting",
	"doing":                                              "of the status",
	"since":                                              "of doing",
	"counts.published":                                   "decided, not only published",
	"counts.classes":                                     "likewise",
	"counts.release":                                     "likewise",
	"counts.infeasible":                                  "of the log",
	"counts.initial_done":                                "of the first load",
	"unread.":                                            "lines of files",
	"partitions.":                                        "their sum is lag",
	"counts.first_load.":                                 "of the first load",
	"newest.ms":                                          "measured",
	"progress.":                                          "of the moment of asking",
	"rendering.":                                         "likewise",
	"disk.":                                              "measured now and then",
	"certificates.":                                      "as the metric has it",
	"k":                                                  "compared with the metric",
	"share":                                              "rounded; it shows anond_release_max_value_share, which is of the manifest",
	"rate":                                               "of two reports",
	"state":                                              "rounded",
}

func isAlone(name string) bool {
	for of := range alone {
		if name == of || strings.HasSuffix(of, ".") && strings.HasPrefix(name, of) {
			return true
		}
	}
	return false
}

// atOneMoment fetches every surface as of one report: the metrics carry its time, and are
// fetched first and last.
func atOneMoment(t *testing.T, s *site, address string) (status, socket map[string]string, pages map[string]string, of time.Time) {
	flat := func(text string) map[string]string {
		lines, err := flatten([]byte(text))
		require.NoError(t, err)
		out := map[string]string{}
		for _, l := range lines {
			out[l[0]] = l[1]
		}
		return out
	}
	for deadline := time.Now().Add(patience); ; {
		require.True(t, time.Now().Before(deadline), "no moment lasted long enough")
		before := fetch(t, address+"/metrics", "CANARYTOKEN", 200)
		file, live := flat(s.read("state/status.json")), flat(s.must("status --json"))
		pages = map[string]string{"/": fetch(t, address+"/", "CANARYTOKEN", 200), "/readyz": fetch(t, address+"/readyz", "CANARYTOKEN", 200),
			"/metrics": fetch(t, address+"/metrics", "CANARYTOKEN", 200)}
		at, err := time.Parse(time.RFC3339Nano, file["time"])
		require.NoError(t, err)
		const stamp = `anond_report_timestamp_seconds{dataset="hospital"}`
		moment := float64(at.UnixMilli()) / 1000
		if live["time"] == file["time"] && scraped(t, before, stamp) == moment && scraped(t, pages["/metrics"], stamp) == moment {
			return file, live, pages, at
		}
	}
}

// TestNoFigureContradictsAnother holds all surfaces of one moment against each other,
// while records flow and releases are made, and at rest.
func TestNoFigureContradictsAnother(t *testing.T) {
	tier.NotShort(t, "it runs a daemon for some seconds")
	t.Parallel()
	s := &site{t: t, dir: programtest.TempDir(t)}
	s.config = s.path("anond.yaml")
	c := strings.Replace(canaryConfig, "source: {", "control: {socket: ./c.sock}\nsource: {max_records_per_second: 500, ", 1)
	s.write("anond.yaml", strings.Replace(c, "release: {", "subject: {ledger: ./people, key: "+strings.Repeat("ab", 32)+"}\n"+
		"release: {views: [{name: short, columns: [age, diagnosis]}], ", 1))
	s.write("in.ndjson", canaries(2000))
	ctx, stop := context.WithCancel(t.Context())
	var out, log programtest.Text
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"run", "-c", s.config}, streams(&out, &log))
	}()
	t.Cleanup(stop)
	address := ""
	require.Eventually(t, func() bool {
		m := regexp.MustCompile(`"event":"http_listening","address":"([^"]*)"`).FindStringSubmatch(log.String())
		if m != nil {
			address = "http://" + m[1]
		}
		return m != nil && strings.Contains(log.String(), `"event":"release_published"`)
	}, patience, 20*time.Millisecond, "the daemon has published: %s", &log)
	moments, fed := map[time.Time]bool{}, 2000
	for sent := ""; sent != strconv.Itoa(fed+9); {
		status, socket, pages, at := atOneMoment(t, s, address)
		moments[at], sent = true, status["counts.sent"]
		compareSurfaces(t, status, socket, pages)
		if sent == strconv.Itoa(fed+9) && len(moments) < 3 { // records flowed faster than a busy machine looks
			s.append("in.ndjson", strings.Join(strings.SplitAfter(canaries(fed+500), "\n")[fed:fed+500], ""))
			fed += 500
		}
	}
	assert.Greater(t, len(moments), 2, "records flowed meanwhile")
	eventually(t, func() bool { return s.rests(fed + 9) }, "the releases do not end: %s", &log)
	status, _, _, _ := atOneMoment(t, s, address)
	var plan struct {
		Waiting int
		Pool    struct{ Records int }
	}
	require.NoError(t, json.Unmarshal([]byte(s.must("release plan --json")), &plan))
	assert.Equal(t, status["counts.pool.records"], strconv.Itoa(plan.Pool.Records))
	assert.Equal(t, status["counts.pending.waiting"], strconv.Itoa(plan.Waiting))
	s.agreesOnTheForgotten(address)
	stop()
	require.Equal(t, exitOK, <-ended, "%s", &log)
}

// agreesOnTheForgotten forgets a published person, who comes again, and holds the surfaces and the report
// against each other.
func (s *site) agreesOnTheForgotten(address string) {
	s.t.Helper()
	s.must("forget CANARYpatient3 --json")
	s.append("in.ndjson", strings.SplitAfter(canaries(4), "\n")[3])
	var status map[string]string
	for status["counts.forgotten"] != "1" {
		var socket, pages map[string]string
		status, socket, pages, _ = atOneMoment(s.t, s, address)
		compareSurfaces(s.t, status, socket, pages)
	}
	assert.Equal(s.t, "true", status["state.stale"])
	page := s.must("release report --with-state")
	figures := map[string]string{}
	for _, m := range regexp.MustCompile(`<td id="(\w+)">([^<]*)</td>`).FindAllStringSubmatch(page, -1) {
		figures[m[1]] = strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, m[2])
	}
	for _, name := range []string{"sent", "published", "dead_letter", "forgotten", "beyond"} {
		assert.Equal(s.t, status["counts."+name], figures[name], name)
	}
	sum := &shown{s.t, figures, map[string]bool{}}
	assert.Equal(s.t, sum.num("sent"), sum.num("published")+sum.num("pending")+sum.num("dead_letter")+sum.num("forgotten")+
		sum.num("beyond"))
	assert.Contains(s.t, page, "People were forgotten.")
}

// compareSurfaces compares every figure of one moment.
func compareSurfaces(t *testing.T, status, socket, pages map[string]string) {
	t.Helper()
	s := &shown{t, status, map[string]bool{}}
	for name := range status {
		if !strings.HasPrefix(name, "progress.") && !strings.HasPrefix(name, "rendering.") && !strings.HasPrefix(name, "disk.") {
			assert.Equal(t, status[name], socket[name], "status.json and anond status --json: %s", name)
		}
	}
	pending := 0.
	for name := range status {
		if strings.HasPrefix(name, "counts.pending.") {
			pending += s.num(name)
		}
	}
	assert.Equal(t, s.num("counts.sent"), s.num("counts.published")+pending+s.num("counts.dead_letter")+
		s.num("counts.forgotten")+s.num("counts.beyond"))
	seen, tiles := map[string]bool{}, map[string]bool{}
	for _, f := range sharedFigures {
		want := f.status(s)
		if f.metric != "" {
			seen[f.metric] = true
			series := f.metric + `{dataset="hospital"` + prefixed(f.labels) + "}"
			exact := 1e-6
			if strings.HasSuffix(f.metric, "_age_seconds") {
				exact = 2e-3 // num takes times to the millisecond
			}
			assert.InDelta(t, want, scraped(t, pages["/metrics"], series), exact, series)
		}
		if f.tile != "" {
			tiles[f.tile] = true
			assert.InDelta(t, want, tile(t, pages["/"], f.tile), 1e-4, "tile %s", f.tile)
		}
	}
	for metric, part := range counted {
		seen[metric] = true
		for name := range status {
			if reason, of := strings.CutPrefix(name, part); of {
				series := fmt.Sprintf(`%s{dataset="hospital",reason=%q}`, metric, reason)
				assert.InDelta(t, s.num(name), scraped(t, pages["/metrics"], series), 1e-9, series)
			}
		}
	}
	assert.InDelta(t, scraped(t, pages["/metrics"], `anond_release_min_class_size{dataset="hospital"}`), tile(t, pages["/"], "k"), 1e-9)
	compareParts(t, s, pages)
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (anond_\w+) `).FindAllStringSubmatch(pages["/metrics"], -1) {
		assert.True(t, seen[m[1]] || isAlone(m[1]), "metric %s is compared with nothing", m[1])
	}
	for name := range status {
		assert.True(t, s.used[name] || isAlone(name), "status %s is compared with nothing", name)
	}
	for _, m := range regexp.MustCompile(`id="(\w+)"><h2>[^<]*</h2><p class="figure">`).FindAllStringSubmatch(pages["/"], -1) {
		assert.True(t, tiles[m[1]] || isAlone(m[1]), "tile %s is compared with nothing", m[1])
	}
}

func prefixed(labels string) string {
	if labels == "" {
		return ""
	}
	return "," + labels
}

// compareParts holds the parts of /readyz against the metrics and against the status.
func compareParts(t *testing.T, s *shown, pages map[string]string) {
	t.Helper()
	var ready struct{ Parts []duty.Part }
	require.NoError(t, json.Unmarshal([]byte(pages["/readyz"]), &ready))
	fine := map[string]bool{"state": true, "chain": s.num("verified") == 1 && s.num("damage.faults") == 0,
		"source": s.num("connected") == 1 && s.num("stalled") == 0, "sink": s.has("dead_letter_failure") == 0,
		"quota": s.num("full") == 0, "release": s.has("release_failure") == 0}
	names := map[string]bool{}
	for _, p := range ready.Parts {
		names[p.Name] = true
		assert.Equal(t, fine[p.Name], p.Ready, p.Name)
		series := fmt.Sprintf(`anond_part_ready{dataset="hospital",part=%q}`, p.Name)
		assert.Equal(t, p.Ready, scraped(t, pages["/metrics"], series) == 1, series)
	}
	assert.Equal(t, slices.Sorted(maps.Keys(fine)), slices.Sorted(maps.Keys(names)))
}
