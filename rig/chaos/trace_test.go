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

// plain leaves out what is drawn from the system's generator, and names nothing else (the directory, and owners, whom each process draws
// for the names of what it renders), what follows from where the pages of a file of bbolt lie (the SHA-256 of a backup), and lines about
// the disk of the machine on which this runs.
//
// Lines of one instant stand in the order of their texts: goroutines have written them side by side.
func (t *trace) plain(text string) string {
	type line struct{ at, text string }
	var lines []line
	at := ""
	for l := range strings.Lines(text) {
		switch {
		case strings.Contains(l, `"event":"disk_forecast"`):
			continue
		case strings.Contains(l, `"event":"backup_made"`):
			l = sums.ReplaceAllString(l, "")
		}
		if _, rest, ok := strings.Cut(l, `"time":"`); ok {
			at, _, _ = strings.Cut(rest, `"`)
		}
		lines = append(lines, line{at, withoutOwner(strings.ReplaceAll(l, t.dir, ""))})
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

var sums = regexp.MustCompile(`"sha256":"[0-9a-f]*"`)

// withoutOwner leaves 16 hexadecimal digits behind a dash out.
func withoutOwner(line string) string {
	const digits = 16
	for at := strings.IndexByte(line, '-'); at >= 0 && at+digits < len(line); {
		n := 0
		for at+1+n < len(line) && strings.IndexByte("0123456789abcdef", line[at+1+n]) >= 0 {
			n++
		}
		if n >= digits {
			line = line[:at+1] + "owner" + line[at+1+digits:]
		}
		next := strings.IndexByte(line[at+1:], '-')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return line
}

func (t *trace) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.plain(t.b.String())
}
