package crashtest

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTheSiteWorks: what the other tests rest on. A daemon publishes, stops at
// SIGTERM with 0, and says so in its log.
func TestTheSiteWorks(t *testing.T) {
	chosen.Demand(t)
	s := newSite(t, clinic("{type: file, format: csv, file: {path: in.csv, follow: true}}"))
	s.write("in.csv", "id,age,city,ill\np1,30,c1,d1\np2,31,c1,d2\np3,32,c1,d3\n")
	p := s.start("run")
	p.waitFor(`"event":"release_published"`)
	p.signal(syscall.SIGTERM)
	assert.Equal(t, 0, p.wait())
	assert.Len(t, events(t, p.log.String(), "stopped"), 1)
	assert.NotEmpty(t, s.read("releases/000001/part-000001/data.csv"))
	assert.Equal(t, 0, s.run("", "audit", "-c", "anond.yaml").code)
}
