package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/sassoftware/go-rpmutils"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// installed is a tree as deploy/root makes it.
var installed = fstest.MapFS{
	"usr/bin/anond":                           {Data: []byte("program"), Mode: 0o755},
	"usr/lib/systemd/system/anond.service":    {Data: []byte("unit"), Mode: 0o644},
	"usr/share/doc/anond/README.md":           {Data: []byte("read me"), Mode: 0o644},
	"usr/share/man/man1/anond.1.gz":           {Data: []byte("page"), Mode: 0o600}, // the umask of a build does not matter
	"usr/share/zsh/site-functions/_anond":     {Data: []byte("zsh"), Mode: 0o644},
	"usr/share/fish/vendor_completions.d/a.f": {Data: nil, Mode: 0o644},
}

var made = time.Unix(1_700_000_000, 0)

func packed(t *testing.T, version string) []byte {
	p, err := pack(installed, "amd64", version, made)
	must(t, err)
	var out bytes.Buffer
	must(t, p.Write(&out))
	return out.Bytes()
}

// TestSameTreeSameBytes: nothing in a package comes from the machine or the hour.
func TestSameTreeSameBytes(t *testing.T) {
	one := packed(t, "0.2.0-dev")
	time.Sleep(1100 * time.Millisecond) // times in packages are whole seconds
	if !bytes.Equal(one, packed(t, "0.2.0-dev")) {
		t.Fatal("two packages of one tree differ")
	}
}

// TestContent reads a package with another library: files, modes, owners, content.
func TestContent(t *testing.T) {
	p, err := rpmutils.ReadRpm(bytes.NewReader(packed(t, "0.2.0-dev")))
	must(t, err)
	name, err := p.Header.GetNEVRA()
	must(t, err)
	if got := name.String(); got != "anond-0:0.2.0~dev-1.x86_64.rpm" && got != "anond-0.2.0~dev-1.x86_64.rpm" {
		t.Errorf("it is called %s", got)
	}
	files, err := p.Header.GetFiles()
	must(t, err)
	want := map[string]string{"/etc/anond": "drwxr-x--- root anond", "/usr/share/doc/anond": "drwxr-xr-x root root"}
	for name := range installed {
		want["/"+name] = "-rw-r--r-- root root"
	}
	want["/usr/bin/anond"] = "-rwxr-xr-x root root"
	for _, f := range files {
		mode := fs.FileMode(f.Mode() & 0o777)
		if f.Mode()&directory != 0 {
			mode |= fs.ModeDir
		}
		if got := mode.String() + " " + f.UserName() + " " + f.GroupName(); got != want[f.Name()] {
			t.Errorf("%s is %q, not %q", f.Name(), got, want[f.Name()])
		}
		if f.Mtime() != int(made.Unix()) {
			t.Errorf("%s has a time of its own", f.Name())
		}
		delete(want, f.Name())
	}
	if len(want) > 0 {
		t.Errorf("not in the package: %v", want)
	}
	content, err := p.PayloadReader()
	must(t, err)
	for {
		h, err := content.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		text, err := io.ReadAll(content)
		must(t, err)
		if f := installed[strings.TrimPrefix(h.Filename(), "/")]; f != nil && !bytes.Equal(f.Data, text) {
			t.Errorf("%s has other bytes", h.Filename())
		}
	}
}

// TestOddTreesAreRefused rather than packed otherwise than meant.
func TestOddTreesAreRefused(t *testing.T) {
	if _, err := pack(fstest.MapFS{"usr/bin/anond": {Mode: fs.ModeSymlink}}, "amd64", "1", made); err == nil {
		t.Error("a link was packed")
	}
	if _, err := pack(installed, "sparc", "1", made); err == nil {
		t.Error("an unknown architecture was packed")
	}
}

// TestScripts runs the scripts with programs that only note their calls. The user is made
// once, daemons are stopped by a removal only, and no fault of systemd keeps a package from
// being installed or removed.
func TestScripts(t *testing.T) {
	if _, err := os.Stat("/run/systemd/system"); err == nil {
		t.Skip("systemd runs here; the scripts would look for it")
	}
	for _, c := range []struct {
		name, script, arg, getent, calls string
	}{
		{"the first installation", pre, "1", "exit 2", "getent group anond;groupadd --system anond;getent passwd anond;useradd --system " +
			"--gid anond --home-dir /var/lib/anond --no-create-home --shell /sbin/nologin anond;"},
		{"an upgrade", pre, "2", "exit 0", "getent group anond;getent passwd anond;"},
		{"post without systemd", post, "1", "", ""},
		{"preun without systemd", preun, "0", "", ""},
		{"postun without systemd", postun, "0", "", ""},
		{"post", systemd(post), "1", "", "systemctl daemon-reload;"},
		{"post of an upgrade", systemd(post), "2", "", "systemctl daemon-reload;systemctl try-restart anond.service anond@*.service " +
			"anond-deliver-*@*.service;"},
		{"preun", systemd(preun), "0", "", "systemctl --no-reload disable --now anond.service;systemctl stop anond@*.service " +
			"anond-deliver-*@*.service;"},
		{"preun of an upgrade", systemd(preun), "1", "", ""},
		{"postun", systemd(postun), "0", "", "systemctl daemon-reload;"},
	} {
		if got := called(t, c.script, c.arg, c.getent); got != c.calls {
			t.Errorf("%s calls %q, not %q", c.name, got, c.calls)
		}
	}
}

// systemd is a script that takes systemd to be there.
func systemd(script string) string { return strings.ReplaceAll(script, "/run/systemd/system", "/") }

// called runs a script and lists the programs that it calls. All but getent fail.
func called(t *testing.T, script, arg, getent string) string {
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	must(t, os.WriteFile(calls, nil, 0o600))
	for _, name := range []string{"getent", "groupadd", "useradd", "systemctl"} {
		end := "exit 1"
		switch name {
		case "getent":
			end = getent
		case "groupadd", "useradd":
			end = "exit 0"
		}
		text := "#!/bin/sh\nprintf '%s;' \"" + name + " $*\" >>" + calls + "\n" + end + "\n"
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700))
	}
	cmd := exec.Command("/bin/sh", "-e", "-c", script, "script", arg)
	cmd.Env = []string{"PATH=" + dir}
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, out, script)
	}
	text, err := os.ReadFile(calls)
	must(t, err)
	return string(text)
}
