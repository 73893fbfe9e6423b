package dashboard

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

// chromium names the browser, or skips the test.
func chromium(t *testing.T) string {
	t.Helper()
	tier.Heavy(t, "it starts a browser")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no chromium")
	return ""
}

// browse runs the browser on an address, without a screen, and returns what it prints
// and what the page's console says.
func browse(t *testing.T, address string, flags ...string) (out, console string) {
	t.Helper()
	profile, err := os.MkdirTemp("", "chromium")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(profile) }) // a process of the browser may still write to it
	args := append([]string{"--headless=new", "--disable-gpu", "--no-first-run", "--hide-scrollbars", "--enable-logging=stderr",
		"--user-data-dir=" + profile, "--virtual-time-budget=6000", "--timeout=120000"}, flags...)
	if os.Getuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	c := exec.CommandContext(t.Context(), chromium(t), append(args, address)...)
	var stderr strings.Builder
	c.Stderr = &stderr
	printed, err := c.Output()
	require.NoError(t, err, stderr.String())
	return string(printed), strings.Join(regexp.MustCompile(`.*CONSOLE.*`).FindAllString(stderr.String(), -1), "\n")
}

// TestPageInABrowser: with its policy the page has its style and its script, follows
// the daemon, and says nothing on the console.
func TestPageInABrowser(t *testing.T) {
	chromium(t)
	m := lived(t, "L2")
	var mu sync.Mutex
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if asked++; asked == 2 {
			later := reportAt(61, 0, "L2")
			later.Time = later.Time.Add(time.Second)
			m.Observe(later)
		}
		Handler(m).ServeHTTP(w, r)
	}))
	defer server.Close()
	dom, console := browse(t, server.URL, "--dump-dom")
	assert.Empty(t, console)
	assert.Equal(t, "62", figure(t, dom, "release"), "the script takes over the newer page")
	assert.Contains(t, dom, ">Live.<")
	mu.Lock()
	assert.GreaterOrEqual(t, asked, 2)
	mu.Unlock()
}

// TestScreenshots draws the page as people see it: light, dark, on a phone. With
// ANOND_SCREENSHOTS the pictures stay in that directory, to be looked at.
func TestScreenshots(t *testing.T) {
	chromium(t)
	dir := os.Getenv("ANOND_SCREENSHOTS")
	if dir == "" {
		dir = t.TempDir()
	}
	m, mux := lived(t, "L2"), http.NewServeMux()
	mux.Handle("/{$}", Handler(m))
	mux.HandleFunc("/bare", func(w http.ResponseWriter, _ *http.Request) { // without the policy, which allows no frame
		body, err := render(m.Now())
		assert.NoError(t, err)
		_, _ = w.Write(body)
	})
	mux.HandleFunc("/phone", func(w http.ResponseWriter, _ *http.Request) { // a browser's window cannot be that narrow
		_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><body style="margin:0"><iframe src="/bare" ` +
			`style="border:0;width:360px;height:5200px"></iframe>`))
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	for name, flags := range map[string][]string{
		"light":      {"--window-size=1200,2400"},
		"dark":       {"--window-size=1200,2400", "--blink-settings=preferredColorScheme=0"},
		"phone":      {"--window-size=500,5200"},
		"phone-dark": {"--window-size=500,5200", "--blink-settings=preferredColorScheme=0"},
	} {
		path := filepath.Join(dir, name+".png")
		page := server.URL + map[bool]string{true: "/phone", false: "/"}[strings.HasPrefix(name, "phone")]
		_, console := browse(t, page, append(flags, "--screenshot="+path)...)
		assert.Empty(t, console, name)
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Greater(t, info.Size(), int64(20_000), "%s is empty", name)
	}
}
