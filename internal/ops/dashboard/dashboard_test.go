package dashboard

import (
	"anond/incremental/plan"
	"anond/incremental/state"
	"bytes"
	"encoding/xml"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
	"anond/ingest"
	"anond/internal/ops/duty"
	"anond/internal/ops/monitor"
	"anond/snapshot"
)

var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// lived is a monitor of a dataset of a million people that has run for an hour and has
// published sixty releases.
func lived(t testing.TB, level string) *monitor.Monitor {
	t.Helper()
	m := monitor.New(monitor.Settings{Dataset: "hospital", Version: "1.2", Topic: "admissions", K: 5, L: 3, Level: level, Recoding: "buckets",
		Trigger: "every 1m0s", FS: snapshot.OS(), Releases: t.TempDir(), Now: func() time.Time { return begin }})
	log := m.Log(slog.New(slog.NewTextHandler(io.Discard, nil)))
	for minute := range 60 {
		for part := range 6 {
			m.Observe(reportAt(minute, part, level))
		}
		log.Info("release published", "event", "release_published", "release", minute+1, "records", 15000*(minute+1))
	}
	log.Warn("the first failure <b>", "event", "source_disconnected", "partition", 3, "error", `dial "kafka1"`)
	log.Error("publishing failed", "event", "release_failed", "release", 61, "error", "no space left on device")
	buckets := map[int]int(nil)
	if level == "L2" {
		buckets = map[int]int{10: 40000, 15: 20000, 20: 9000, 25: 400, 40: 12, 45: 7, 60: 3, 95: 1, 120: 1, 240: 1}
	}
	m.Sized(snapshot.Sizes{Release: 60, Classes: map[int]int{5: 180000}, Buckets: buckets})
	return m
}

func reportAt(minute, part int, level string) ingest.Report {
	at := begin.Add(time.Duration(minute)*time.Minute + time.Duration(part)*10*time.Second)
	waiting := 400 + 60*part + int(120*math.Sin(float64(minute)/4))
	published := 15000 * (minute + 1)
	r := ingest.Report{Time: at, Counted: at, Verified: true, LastRecord: at, NextRelease: at.Add(time.Minute),
		State: ingest.StateSize{File: 350 << 20, Free: 12 << 20, Quota: 1 << 30},
		Source: ingest.Status{Connected: true, Partitions: []ingest.PartitionStatus{{Partition: state.Partition{Source: "kafka:admissions"},
			Next: 1000, End: 1000 + int64(200+150*math.Sin(float64(minute)/3)), Heard: at}}},
		Newest: &ingest.Latest{Intent: state.Intent{Release: uint32(minute + 1), CreatedAt: at.Unix(), Records: published,
			Classes: published / 5, Pending: state.Pending{Waiting: waiting}},
			Release: ingest.Release{KMin: 5, MaxFrequency: 1. / 3, Allowed: 1. / 3, NCP: .11 + .04*math.Exp(-float64(minute)/15),
				Buckets: published / 12}},
		Machine: incremental.Status{Sent: uint64(published + waiting + 37), Published: published, DeadLetter: 37, Release: uint32(minute + 1),
			Refused: map[equivclass.Reason]uint64{"missing_value": 37}, Now: at.UnixMilli(),
			OldestTick: at.Add(-time.Duration(200+10*minute) * time.Second).UnixMilli(), Pending: state.Pending{Waiting: waiting}}}
	if level == "L2" {
		r.Machine.Pool = &plan.PoolNeed{Records: 210, Possible: true}
	}
	return r
}

func get(t *testing.T, m *monitor.Monitor) (*http.Response, string) {
	t.Helper()
	w := httptest.NewRecorder()
	Handler(m).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	body, err := io.ReadAll(w.Result().Body)
	require.NoError(t, err)
	return w.Result(), string(body)
}

// figure is the main figure of a tile.
func figure(t *testing.T, body, id string) string {
	t.Helper()
	tile := regexp.MustCompile(`id="` + id + `"><h2><a href="#about-` + id + `">[^<]*</a></h2><p class="figure">([^<]*)</p>`)
	m := tile.FindStringSubmatch(body)
	require.NotNil(t, m, "there is no tile %s", id)
	return m[1]
}

// TestPageSaysWhatTheViewSays: the main figures are in the page itself.
func TestPageSaysWhatTheViewSays(t *testing.T) {
	_, body := get(t, lived(t, "L2"))
	for id, want := range map[string]string{"release": "60", "published": "900\u202f000", "k": "5", "share": "33.3\u202f%",
		"letters": "37", "state": "350.0\u202fMiB", "lag": "309", "loss": "0.1108"} {
		assert.Equal(t, want, figure(t, body, id), id)
	}
	for _, want := range []string{"a pool needs 210", "release_failed", "source_disconnected", "Sizes of buckets, release 60",
		"the first failure &lt;b&gt;", "Information loss", "Age of the oldest that waits", "mean of ten releases"} {
		assert.Contains(t, body, want)
	}
	assert.Equal(t, 6, strings.Count(body, "<svg class=\"chart\""))
	_, body = get(t, lived(t, "L1"))
	assert.NotContains(t, body, "buckets")
}

// TestPageTakesNothingFromElsewhere: no address of another place, and a policy that
// names the page's own style and script.
func TestPageTakesNothingFromElsewhere(t *testing.T) {
	answer, body := get(t, lived(t, "L2"))
	assert.NotRegexp(t, `(?i)(src|href)="(?:https?:)?//|@import|url\(|http://|https://`, body)
	assert.NotContains(t, body, " style=")
	assert.NotContains(t, body, " onload=")
	got := answer.Header.Get("Content-Security-Policy")
	assert.Contains(t, got, "default-src 'none'")
	assert.NotContains(t, got, "unsafe")
	assert.Contains(t, got, hash(style))
	assert.Contains(t, body, "<style>"+style+"</style>")
	assert.Contains(t, body, "<script>"+script+"</script>")
	assert.Less(t, len(body), 200_000)
}

// TestPageBeforeTheFirstReport: there is a page at any time.
func TestPageBeforeTheFirstReport(t *testing.T) {
	m := monitor.New(monitor.Settings{Dataset: "d", K: 5, L: 3, FS: snapshot.OS(), Releases: t.TempDir()})
	_, body := get(t, m)
	assert.Contains(t, body, "Opening")
	m.Enter(duty.Standby)
	_, body = get(t, m)
	assert.Contains(t, body, "Standby")
	assert.NotContains(t, body, "NaN")
	wellFormed(t, body)
}

// TestNothingIsDrawnThatIsOnePointOrFlat: one release is no line; k and the promised share bound what is reached, so that
// their charts would be flat; groups of one size have no table of sizes.
func TestNothingIsDrawnThatIsOnePointOrFlat(t *testing.T) {
	m := monitor.New(monitor.Settings{Dataset: "d", K: 5, L: 3, Level: "L2", FS: snapshot.OS(), Releases: t.TempDir()})
	m.Observe(reportAt(0, 0, "L2"))
	m.Sized(snapshot.Sizes{Release: 1, Classes: map[int]int{5: 180000}, Buckets: map[int]int{15: 60000}})
	_, body := get(t, m)
	assert.Equal(t, "1", figure(t, body, "release"))
	assert.NotContains(t, body, `class="chart"`)
	assert.NotContains(t, body, "Sizes of")
	_, body = get(t, lived(t, "L2"))
	for _, flat := range []string{"<figcaption>Smallest class", "<figcaption>Top share", "Sizes of classes"} {
		assert.NotContains(t, body, flat)
	}
}

// TestEachTileLinksToWhatExplainsIt: to a text on the page, which names a page of the documentation that is there.
func TestEachTileLinksToWhatExplainsIt(t *testing.T) {
	_, body := get(t, lived(t, "L2"))
	tiles := regexp.MustCompile(`<h2><a href="#(about-[a-z]+)">`).FindAllStringSubmatch(body, -1)
	require.Len(t, tiles, 11)
	for _, m := range tiles {
		explains := regexp.MustCompile(`<dt id="` + m[1] + `">[^<]+</dt><dd>[^<]+ (docs/[A-Z_]+\.md)\.</dd>`)
		text := explains.FindStringSubmatch(body)
		require.NotNil(t, text, m[1])
		assert.FileExists(t, filepath.Join("..", "..", "..", text[1]))
	}
}

// TestRefusalsAreShownByReason: the most frequent first.
func TestRefusalsAreShownByReason(t *testing.T) {
	m := lived(t, "L2")
	r := reportAt(61, 0, "L2")
	r.Machine.Refused = map[equivclass.Reason]uint64{"missing_value": 7, "not_a_number": 30}
	m.Observe(r)
	_, body := get(t, m)
	assert.Regexp(t, `(?s)Refused records by reason.*<td>not_a_number</td><td>30</td>.*"100.0".*<td>missing_value</td><td>7</td>.*"23.3"`,
		body)
}

// TestPageOfAShard says which of the shards it shows.
func TestPageOfAShard(t *testing.T) {
	_, body := get(t, monitor.New(monitor.Settings{Dataset: "d", Shard: 2, Shards: 8, FS: snapshot.OS(), Releases: t.TempDir()}))
	assert.Contains(t, body, "<h1>d, shard 2 of 8</h1>")
	_, body = get(t, monitor.New(monitor.Settings{Dataset: "d", FS: snapshot.OS(), Releases: t.TempDir()}))
	assert.Contains(t, body, "<h1>d</h1>")
}

// wellFormed checks that the charts are XML.
func wellFormed(t *testing.T, body string) {
	t.Helper()
	for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(body, -1) {
		d := xml.NewDecoder(bytes.NewReader([]byte(svg)))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestManySizesAreJoined(t *testing.T) {
	sizes := map[int]int{}
	for n := 5; n <= 500; n += 5 {
		sizes[n] = 1
	}
	rows := sizeRows(sizes)
	assert.Equal(t, barRow{"5 to 9", "1", "2.7"}, rows[0])
	assert.Equal(t, barRow{"320 to 500", "37", "100.0"}, rows[len(rows)-1])
	assert.Equal(t, []barRow{{"5", "10", "100.0"}, {"12", "5", "50.0"}}, sizeRows(map[int]int{5: 10, 12: 5}))
}

// BenchmarkPage is the page of a dataset of a million people.
func BenchmarkPage(b *testing.B) {
	m := lived(b, "L2")
	for b.Loop() {
		if _, err := render(m.Now()); err != nil {
			b.Fatal(err)
		}
	}
}
