package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
	"anond/internal/dataset"
	"anond/internal/testkit/dutytest"
	"anond/internal/testkit/eventtest"
	"anond/internal/testkit/programtest"
)

// canaryConfig has a field of each kind; the release generalizes what it shows.
const canaryConfig = `version: 1
dataset: hospital
source: {type: file, format: json, file: {path: in.ndjson, follow: true}}
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: note, role: drop}
    - {name: name, role: identifier}
    - {name: age, role: quasi, type: integer}
    - {name: place, role: quasi, type: categorical}
    - {name: diagnosis, role: sensitive, type: categorical}
policy: {k: 5, l: 3, max_hold: 1 releases}
initial: {min_pool: 15, max_records: 400}
release: {dir: ./releases, trigger: {on: records, every: 300}}
http: {listen: "127.0.0.1:0", auth: {token: CANARYTOKEN}}
state: {path: ./state/anond.db}
`

// canaries are records with a marker in each field, and lines that are refused for
// every field.
func canaries(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"patient":"CANARYpatient%d","note":"CANARYnote","name":"CANARYname","age":%d,"place":"CANARYplace%d",`+
			`"diagnosis":"CANARYdiagnosis%d"}`+"\n", i, 20+i%60, i%9, i%7)
	}
	// Nine people, since whoever has one record refused for its value is not looked at again (rule S).
	for i, line := range []string{
		`{"patient":"CANARYp","age":"CANARYage","place":"a","diagnosis":"b"}`, `{"patient":"CANARYp","age":5,"place":["CANARY"],"diagnosis":"b"}`,
		`{"patient":"CANARYp","age":5,"place":"CANARY\u0001","diagnosis":"b"}`, `{"CANARYbad`, `CANARYbad`, `["CANARYbad"]`,
		`{"patient":"CANARYp","age":5,"place":"a","diagnosis":"` + strings.Repeat("CANARY", 400) + `"}`,
		`{"patient":"CANARYp","patient":"CANARYq","age":5,"place":"a","diagnosis":"b"}`, `{"patient":"CANARYr","place":"a","diagnosis":"CANARY"}`,
	} {
		b.WriteString(strings.Replace(line, "CANARYp", fmt.Sprintf("CANARYp%d", i), 1) + "\n")
	}
	return b.String()
}

// TestSurfacesAgreeAndHideValues: a daemon at work shows the same figures on status.json,
// metrics and dashboard, and nowhere a value of a record: not on these, not in its log,
// its health pages, its report or its dead letters.
func TestSurfacesAgreeAndHideValues(t *testing.T) {
	tier.NotShort(t, "it runs a daemon")
	t.Parallel()
	s := &site{t: t, dir: t.TempDir()}
	s.config = s.path("anond.yaml")
	s.write("anond.yaml", canaryConfig)
	s.write("in.ndjson", canaries(1200))
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
		return m != nil && strings.Contains(log.String(), `"event":"release_published","release":2`)
	}, patience, 20*time.Millisecond, "the daemon has published: %s", &log)

	var status dataset.Status
	pages := map[string]string{}
	eventually(t, func() bool { // at rest
		for _, path := range []string{"/healthz", "/readyz"} {
			pages[path] = fetch(t, address+path, "CANARYTOKEN", 200)
		}
		_, _, atOnce, at := atOneMoment(t, s, address)
		pages["/"], pages["/metrics"] = atOnce["/"], atOnce["/metrics"]
		status = s.status()
		return status.Time.Equal(at) && status.Counts.Sent == 1209 && status.Releasing == 0 && status.Counts.Outbox == 0
	}, "no rest: %s", &log)
	fetch(t, address+"/metrics", "wrong", 401)

	for _, x := range []struct {
		metric, tile string
		want         float64
	}{
		{`anond_ingest_records_total{dataset="hospital",outcome="refused"}`, "letters", float64(status.Counts.DeadLetter)},
		{`anond_ingest_records_total{dataset="hospital",outcome="accepted"}`, "", float64(status.Counts.Sent - status.Counts.DeadLetter)},
		{`anond_pending_records{dataset="hospital",reason="waiting"}`, "pending", float64(status.Counts.Pending.Waiting)},
		{`anond_release_sequence{dataset="hospital"}`, "release", float64(status.Counts.Release)},
		{`anond_release_records{dataset="hospital"}`, "published", float64(status.Counts.Published)},
		{`anond_release_information_loss{dataset="hospital"}`, "loss", status.Newest.NCP},
		{`anond_release_min_class_size{dataset="hospital"}`, "k", 5},
	} {
		assert.InDelta(t, x.want, scraped(t, pages["/metrics"], x.metric), 1e-9, x.metric)
		if x.tile != "" {
			assert.InDelta(t, x.want, tile(t, pages["/"], x.tile), 1e-4, x.tile)
		}
	}
	stop()
	require.Equal(t, exitOK, <-ended, "%s", &log)

	pages["log"], pages["output"], pages["status.json"] = log.String(), out.String(), s.read("state/status.json")
	pages["dead letters"] = s.read("dead-letter/dead-letter.ndjson")
	pages["report"], pages["state info"] = s.must("release report --with-state"), s.must("state info")
	for name, page := range pages {
		assert.True(t, page != "" || name == "output", "%s is empty", name)
		assert.NotContains(t, page, "CANARY", name)
	}
	assert.Contains(t, s.read("releases/000001/part-000001/data.csv"), "CANARYplace", "what the recoding shows is in the release")
	for line := range strings.Lines(pages["log"]) {
		if strings.HasPrefix(line, "{") {
			require.NoError(t, eventtest.Check([]byte(line)), line)
		}
	}
}

func (s *site) status() (out dataset.Status) {
	s.t.Helper()
	require.NoError(s.t, json.Unmarshal([]byte(s.read("state/status.json")), &out))
	return out
}

// rests reports whether a running daemon has read n records and published every release that it has
// decided. Until then it refuses orders that need a release to be over.
func (s *site) rests(n int) bool {
	s.t.Helper()
	now := s.status()
	return now.Counts.Sent == uint64(n) && now.Releasing == 0 && now.Newest != nil && now.Newest.Release == now.Counts.Release
}

var fetch, scraped, eventually = dutytest.Fetch, dutytest.Scraped, dutytest.Await

// tile is the main figure of a tile of the dashboard.
func tile(t *testing.T, page, id string) float64 {
	t.Helper()
	m := regexp.MustCompile(`id="` + id + `"><h2><a [^>]*>[^<]*</a></h2><p class="figure">([^<]*)</p>`).FindStringSubmatch(page)
	require.NotNil(t, m, id)
	v, err := strconv.ParseFloat(strings.ReplaceAll(m[1], "\u202f", ""), 64)
	require.NoError(t, err)
	return v
}

// TestAPortThatIsTaken: an address that the configuration names must be free; that of
// the default need not.
func TestAPortThatIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.write("admissions.ndjson", ndjson(1, 50))
	s.edit("state: {path", fmt.Sprintf("http: {listen: %q}\nstate: {path", taken.Addr()))
	r := s.run("run --once")
	assert.Equal(t, exitFailed, r.code, r.stderr)
	assert.Contains(t, r.stderr, "set http.listen to a free address, or to off")

	s.edit(fmt.Sprintf("http: {listen: %q}\n", taken.Addr()), "http: {listen: off}\n")
	s.must("run --once")
	s.edit("http: {listen: off}\n", "http: {listen: \"127.0.0.1:0\", tls: {cert: none.pem, key: none.pem}}\n")
	assert.Equal(t, exitConfig, s.run("run --once").code)
}
