package crashtest

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counted is a clinic that makes a release of every 30 records.
func counted() string {
	config := clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}")
	config = strings.Replace(config, "{on: update, min_interval: 1s}", "{on: records, every: 30}", 1)
	return config + "initial: {max_records: 30}\n"
}

// TestReadingWaitsForRoom: the disk of the releases is full and counts decide
// about releases. Reading waits, status and log say so, and it goes on by itself
// when there is room.
func TestReadingWaitsForRoom(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, counted())
	fill, free := smallDisk(t, s.path("releases"))
	s.write("in.csv", crowd(30))
	p := s.start("run")
	p.waitFor(`"event":"release_published"`)
	fill()
	all := crowd(150)
	s.append("in.csv", all[len(crowd(30)):])
	p.waitFor(`"event":"release_waits"`)
	p.until("the status says so, and why", func() bool {
		now := s.live()
		return now.Doing == "waiting_for_release" && now.Releasing == 2 &&
			strings.Contains(s.read("state/status.json"), "no space left on device")
	})
	free()
	p.until("it goes on", func() bool {
		now := s.live()
		return now.Counts.Sent == 150 && now.Counts.Release == 5 && now.Releasing == 0
	})
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
	assert.Equal(t, 0, s.run("", "release", "verify", "-c", "anond.yaml").code)
}

// blocked puts a directory in the place of the ledger, as a mistake of an
// operator may; the returned function puts it right.
func blocked(t *testing.T, s *site) (clear func()) {
	t.Helper()
	require.NoError(t, os.Rename(s.path("ledger"), s.path("ledger.old")))
	require.NoError(t, os.Mkdir(s.path("ledger"), 0o755))
	return func() {
		require.NoError(t, os.Remove(s.path("ledger")))
		require.NoError(t, os.Rename(s.path("ledger.old"), s.path("ledger")))
	}
}

// TestAStopWhileReadingWaits ends soon, and the next start publishes.
func TestAStopWhileReadingWaits(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, counted())
	s.write("in.csv", crowd(30))
	p := s.start("run")
	p.waitFor(`"event":"release_published"`)
	clear := blocked(t, s)
	s.append("in.csv", crowd(150)[len(crowd(30)):])
	p.waitFor(`"event":"release_waits"`)
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
	assert.Len(t, events(t, p.log.String(), "release_parked"), 1)
	clear()
	r := s.run("", "run", "--once")
	assert.Equal(t, 0, r.code, r.stderr)
	assert.Equal(t, 5, s.live().Counts.Release)
	assert.Equal(t, 0, s.run("", "release", "verify", "-c", "anond.yaml").code)
}

// TestOnceGivesUpPublishing: what a retry may correct is tried a few times, then
// the run ends with 1 and the decision stays.
func TestOnceGivesUpPublishing(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, counted())
	fill, free := smallDisk(t, s.path("releases"))
	s.write("in.csv", crowd(30))
	require.Equal(t, 0, s.run("", "run", "--once").code)
	s.write("in.csv", crowd(60))
	fill()
	r := s.run("", "run", "--once")
	assert.Equal(t, 1, r.code, r.stderr)
	assert.Contains(t, r.stderr, "5 attempts failed")
	assert.Contains(t, r.stderr, "no space left on device")
	assert.Contains(t, r.stderr, "hint:")
	free()
	r = s.run("", "run", "--once")
	assert.Equal(t, 0, r.code, r.stderr)
	assert.Equal(t, 2, s.live().Counts.Release)
}

// TestAPermanentFaultEndsTheDaemon: what no retry can correct is not tried again.
func TestAPermanentFaultEndsTheDaemon(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, counted())
	s.write("in.csv", crowd(30))
	p := s.start("run")
	p.waitFor(`"event":"release_published"`)
	s.write("releases/000001/manifest.json", "{}\n") // somebody changed a release
	s.append("in.csv", crowd(60)[len(crowd(30)):])
	assert.Equal(t, 1, p.wait())
	assert.Len(t, events(t, p.log.String(), "release_refused"), 1)
	assert.Empty(t, events(t, p.log.String(), "release_failed"))
}

// TestAHierarchyThatIsNoTreeEnds, however it is found: it is not tried again
// without end.
func TestAHierarchyThatIsNoTreeEnds(t *testing.T) {
	chosen.Demand(t)
	for _, how := range [][]string{{"run"}, {"run", "--once"}} {
		config := strings.Replace(clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"),
			"{name: city, role: quasi, type: categorical}", "{name: city, role: quasi, type: categorical, hierarchy: city.csv}", 1)
		s := newSite(t, config)
		s.write("city.csv", "c0;other;north;*\nc1;other;south;*\nc2;east;south;*\n")
		s.write("in.csv", "id,age,city,ill\np1,30,c0,d1\np2,31,c1,d2\np3,32,c2,d3\np4,30,c0,d1\np5,31,c1,d2\np6,32,c2,d3\n")
		p := s.start(how...)
		assert.NotEqual(t, 0, p.wait())
		assert.Empty(t, events(t, p.log.String(), "release_failed"), p.log)
	}
}
