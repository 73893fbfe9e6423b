package chaos

import (
	"regexp"
	"strings"
	"sync"
)

// trace is what a simulation has done, in order: what it changed on its disks, and when it committed, read and delivered.
type trace struct {
	dir string
	mu  sync.Mutex
	b   strings.Builder
}

func newTrace(dir string) *trace { return &trace{dir: dir} }

func (t *trace) note(words ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b.WriteString(strings.Join(words, " "))
	t.b.WriteByte('\n')
}

// page is the order of pages in a file of bbolt, which is that of Go's maps.
var copied = regexp.MustCompile(`("event":"backup_made".*"sha256":")[0-9a-f]*`)

// owner is drawn by each process, for the names of what it renders.
var owner = regexp.MustCompile(`-[0-9a-f]{16}\b`)

// plain leaves out what is drawn from the system's generator, and names nothing else: the directory, and owners.
func (t *trace) plain(text string) string {
	text = copied.ReplaceAllString(text, "$1")
	return owner.ReplaceAllString(strings.ReplaceAll(text, t.dir, ""), "-owner")
}

func (t *trace) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.plain(t.b.String())
}
