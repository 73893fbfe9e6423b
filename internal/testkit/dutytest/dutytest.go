// Package dutytest holds a command that works for long against what it shows: its status file and page, its metrics, its
// health and what the service manager hears.
package dutytest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/internal/cli"
	"anond/internal/testkit/eventtest"
	"anond/internal/testkit/programtest"
)

// patience bounds every wait, so far away that no busy machine comes near it.
const patience = time.Hour

// program is the whole of a program.
type program func(ctx context.Context, args []string, env cli.Env) int

// working is a command that goes on in this process, with its pages.
type working struct {
	t       *testing.T
	Log     programtest.Text
	Address string
	ended   chan int
	stop    context.CancelFunc
}

// Start starts a command that serves, and waits until it does.
func Start(t *testing.T, program program, env map[string]string, args ...string) *working {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	w := &working{t: t, ended: make(chan int, 1), stop: stop}
	t.Cleanup(stop)
	lookup := func(name string) (string, bool) {
		if v, ok := env[name]; ok {
			return v, true
		}
		return os.LookupEnv(name)
	}
	go func() {
		w.ended <- program(ctx, args, cli.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &w.Log, Lookup: lookup})
	}()
	listening := regexp.MustCompile(`http_listening.*?address[":=]+([0-9.:]+)`)
	Await(t, func() bool { return listening.MatchString(w.Log.String()) }, "%s serves nothing: %s", args[0], &w.Log)
	w.Address = "http://" + listening.FindStringSubmatch(w.Log.String())[1]
	return w
}

// Ends stops the command. Each line of its log is an event that docs/EVENTS.md has.
func (w *working) Ends(code int) {
	w.t.Helper()
	w.stop()
	require.Equal(w.t, code, <-w.ended, "%s", &w.Log)
	for line := range strings.Lines(w.Log.String()) {
		if strings.HasPrefix(line, "{") {
			require.NoError(w.t, eventtest.Check([]byte(line)), line)
		}
	}
}

// Moment is the status in the file and on the page, and the metrics, of one moment. The metric stamp has its time.
func (w *working) Moment(file, token, stamp string) (status map[string]string, metrics string) {
	w.t.Helper()
	Await(w.t, func() bool {
		before := Fetch(w.t, w.Address+"/metrics", token, 200)
		status = flat(w.t, Fetch(w.t, w.Address+"/status", token, 200))
		text, _ := os.ReadFile(file)
		written := flat(w.t, string(text))
		metrics = Fetch(w.t, w.Address+"/metrics", token, 200)
		moment := number(w.t, status["time"])
		if Scraped(w.t, before, stamp) != moment || Scraped(w.t, metrics, stamp) != moment || written["time"] != status["time"] {
			return false
		}
		assert.Equal(w.t, status, written, "page and file")
		return true
	}, "no moment lasted long enough")
	return status, metrics
}

// Agrees compares every metric of the program's own prefix with the status. figures says which figure of the status each
// has, # standing for each place of a list, whose number the label has; alone are those of one surface, or compared by the
// test itself.
func Agrees(t *testing.T, prefix string, figures map[string]string, alone []string, status map[string]string, metrics string) {
	t.Helper()
	compared := map[string]bool{}
	of := regexp.MustCompile(`(?m)^(` + prefix + `\w+)\{([^}]*)\} (\S+)$`)
	for _, m := range of.FindAllStringSubmatch(metrics, -1) {
		place, known := figures[m[1]]
		if !known {
			require.Contains(t, alone, m[1], "a metric that nothing is compared with")
			continue
		}
		compared[place] = true
		if at := regexp.MustCompile(`(?:shard|partition)="(\d+)"`).FindStringSubmatch(m[2]); at != nil {
			place = strings.Replace(place, "#", at[1], 1)
		}
		assert.InDelta(t, number(t, status[place]), Scraped(t, metrics, m[1]+"{"+m[2]+"}"), 2e-3, m[0])
	}
	require.NotEmpty(t, compared)
	for name := range status {
		any := regexp.MustCompile(`\.\d+`).ReplaceAllString(name, ".#")
		assert.True(t, compared[any] || slices.Contains(alone, any), "%s of the status is in no metric", name)
	}
}

// number is a figure of a status; one that is left out is 0, and true is 1.
func number(t *testing.T, text string) float64 {
	t.Helper()
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
	require.NoError(t, err, text)
	return v
}

// flat is JSON as dotted keys and values. Where there is no text it is empty.
func flat(t *testing.T, text string) map[string]string {
	t.Helper()
	out := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				walk(strings.TrimPrefix(path+"."+k, "."), x)
			}
		case []any:
			for i, x := range v {
				walk(fmt.Sprintf("%s.%d", path, i), x)
			}
		default:
			out[path] = fmt.Sprint(v)
		}
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if text != "" {
		require.NoError(t, d.Decode(&v))
		walk("", v)
	}
	return out
}

// Fetch asks for a page with a token.
func Fetch(t *testing.T, url, token string, want int) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	a, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	require.NoError(t, err)
	require.Equal(t, want, a.StatusCode, "%s: %s", url, body)
	return string(body)
}

// Scraped is the value of a metric.
func Scraped(t *testing.T, page, metric string) float64 {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n"+metric+" ")
	require.True(t, found, metric)
	v, err := strconv.ParseFloat(strings.SplitN(rest, "\n", 2)[0], 64)
	require.NoError(t, err)
	return v
}

// Await waits until something holds. What is asked once behind the deadline is asked again.
func Await(t *testing.T, condition func() bool, format string, args ...any) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		asked := time.Now()
		if condition() {
			return
		}
		if asked.After(deadline) {
			t.Fatalf(format, args...)
		}
		time.Sleep(max(5*time.Millisecond, 2*time.Since(asked)))
	}
}

// Hears listens as a service manager, and returns what it has heard so far.
func Hears(t *testing.T, path string) (heard func() string) {
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	var text programtest.Text
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		buffer := make([]byte, 1<<12)
		for {
			n, err := socket.Read(buffer)
			if err != nil {
				return
			}
			_, _ = text.Write(append(buffer[:n:n], '\n'))
		}
	}()
	t.Cleanup(func() { _ = socket.Close(); <-ended })
	return text.String
}
