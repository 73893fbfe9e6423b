package daemon

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"anond/config"
	"anond/ingest"
	"anond/internal/testkit/hospital"
	"anond/snapshot"
)

const windowedConfig = `version: 1
dataset: hospital
source: {type: stdin}
dead_letter: {type: file, path: ./dead-letter}
schema:
  attributes:
    - {name: patient, role: subject}
    - {name: age, role: quasi, type: integer}
    - {name: diagnosis, role: sensitive, type: categorical}
policy: {k: 5, l: 2, max_hold: 1s, min_pool: 100}
initial: {max_records: 300, min_pool: 100}
release: {dir: ./releases, window: 6h, trigger: {on: interval, every: 24h}}
state: {path: ./state/anond.db}
`

// TestAPartLeavesWithoutARecord: a release is made when a part leaves, whatever the trigger; a clock that leaps ends the run with a way on.
func TestAPartLeavesWithoutARecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anond.yaml")
	require.NoError(t, os.WriteFile(path, []byte(windowedConfig), 0o600))
	cfg, _, err := config.Load(path, os.LookupEnv, os.ReadFile)
	require.NoError(t, err)
	d := &timed{t: t, cfg: cfg, path: path, stream: hospital.New(5), clock: &handClock{now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}}
	t.Cleanup(d.halt)
	d.Start()
	var b bytes.Buffer
	for i := range 300 {
		fmt.Fprintf(&b, `{"patient":"p%d","age":%d,"diagnosis":"d%d"}`+"\n", i, 20+i*7%60, i%6)
	}
	_, err = d.input.Write(b.Bytes())
	require.NoError(t, err)
	d.release(1)
	for range 6 {
		d.pass(time.Hour) // a granule is an hour: it is over at 13:00, and leaves six hours later
		require.EqualValues(t, 1, d.newest())
	}
	d.clock.advance(time.Hour)
	d.release(2)
	m, _, err := snapshot.ReadManifest(snapshot.OS(), cfg.Release.Dir, 2)
	require.NoError(t, err)
	require.EqualValues(t, 1, m.Expired)
	require.Empty(t, m.Parts)
	require.Positive(t, m.PeopleEver)
	d.pass(time.Minute)
	d.halt()

	d.clock.advance(100 * time.Hour)
	d.Start()
	d.until("it says that it ends", func(ingest.Report) bool { return d.event("failed") > 0 || len(d.ended) > 0 })
	require.NoError(t, d.input.Close())
	err = <-d.ended
	require.ErrorContains(t, err, "the clock lies further ahead of when it was seen last than release.window")
	d.stop()
	d.Options.TrustClock = true
	d.Start()
	d.runs()
	d.Options.TrustClock = false
}
