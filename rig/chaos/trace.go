package chaos

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// trace is what a simulation has done, in order: what it changed on its disks, and when it committed, read and delivered.
type trace struct {
	dir   string
	mu    sync.Mutex
	reach reach
	b     strings.Builder
}

func newTrace(dir string) *trace { return &trace{dir: dir, reach: reach{}} }

// taken notes that a step is taken, and struck that a fault happens at it.
func (t *trace) taken(step string) { t.struck(step, "") }

func (t *trace) struck(step, fault string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reach.add(step, fault, 1)
}

func (t *trace) note(words ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprint(&t.b, `"time":"`, time.Now().UnixNano(), `" `)
	t.b.WriteString(strings.Join(words, " "))
	t.b.WriteByte('\n')
}

// page is the order of pages in a file of bbolt, which is that of Go's maps.
var copied = regexp.MustCompile(`("event":"backup_made".*"sha256":")[0-9a-f]*`)

// owner is drawn by each process, for the names of what it renders.
var owner = regexp.MustCompile(`-[0-9a-f]{16}\b`)

// ofMachine are lines about the disk of the machine on which this runs.
var ofMachine = regexp.MustCompile(`(?m)^.*"event":"disk_forecast".*\n`)

// plain leaves out what is drawn from the system's generator, and names nothing else: the directory, and owners.
//
// Lines of one instant stand in the order of their texts: goroutines have written them side by side.
func (t *trace) plain(text string) string {
	text = ofMachine.ReplaceAllString(copied.ReplaceAllString(text, "$1"), "")
	text = inOrder(text)
	return owner.ReplaceAllString(strings.ReplaceAll(text, t.dir, ""), "-owner")
}

func (t *trace) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.plain(t.b.String())
}

func inOrder(text string) string {
	type line struct{ at, text string }
	var lines []line
	at := ""
	for l := range strings.Lines(text) {
		if _, rest, ok := strings.Cut(l, `"time":"`); ok {
			at, _, _ = strings.Cut(rest, `"`)
		}
		lines = append(lines, line{at, l})
	}
	var b strings.Builder
	for from := 0; from < len(lines); {
		to := from
		for to < len(lines) && lines[to].at == lines[from].at {
			to++
		}
		slices.SortFunc(lines[from:to], func(x, y line) int { return cmp.Compare(x.text, y.text) })
		for _, l := range lines[from:to] {
			b.WriteString(l.text)
		}
		from = to
	}
	return b.String()
}
