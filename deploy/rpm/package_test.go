package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
		{"the first installation", pre, "1", "exit 2", both("getent group USER;groupadd --system USER;getent passwd USER;useradd --system " +
			"--gid USER --home-dir /var/lib/USER --no-create-home --shell /sbin/nologin USER;")},
		{"an upgrade", pre, "2", "exit 0", both("getent group USER;getent passwd USER;")},
		{"post without systemd", post, "1", "", ""},
		{"preun without systemd", preun, "0", "", ""},
		{"postun without systemd", postun, "0", "", ""},
		{"post", systemd(post), "1", "", "systemctl daemon-reload;"},
		{"post of an upgrade", systemd(post), "2", "", "systemctl daemon-reload;systemctl try-restart anond.service anond@*.service " +
			"anond-*@*.service;"},
		{"preun", systemd(preun), "0", "", "systemctl --no-reload disable --now anond.service;systemctl stop anond@*.service " +
			"anond-*@*.service;"},
		{"preun of an upgrade", systemd(preun), "1", "", ""},
		{"postun", systemd(postun), "0", "", "systemctl daemon-reload;"},
	} {
		if got := called(t, c.script, c.getent, c.arg); got != c.calls {
			t.Errorf("%s calls %q, not %q", c.name, got, c.calls)
		}
	}
}

// TestScriptsForDebian: the same of the scripts that dpkg runs, with its words.
func TestScriptsForDebian(t *testing.T) {
	if _, err := os.Stat("/run/systemd/system"); err == nil {
		t.Skip("systemd runs here; the scripts would look for it")
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("..", "deb", name))
		must(t, err)
		return strings.ReplaceAll(string(text), "/etc/anond", filepath.Join(t.TempDir(), "anond"))
	}
	user := both("getent passwd USER;")
	made := both("getent passwd USER;adduser --system --group --quiet --home /var/lib/USER --no-create-home --shell /usr/sbin/nologin USER;")
	all := "anond.service anond@*.service anond-*@*.service;"
	for _, c := range []struct {
		name, script, getent string
		args                 []string
		calls                string
	}{
		{"the first installation", read("postinst"), "exit 2", []string{"configure", ""}, made + "install -d -m 0750 -g anond DIR;"},
		{"with systemd", systemd(read("postinst")), "exit 0", []string{"configure", ""},
			user + "install -d -m 0750 -g anond DIR;systemctl daemon-reload;"},
		{"an upgrade", systemd(read("postinst")), "exit 0", []string{"configure", "0.1.0"},
			user + "install -d -m 0750 -g anond DIR;systemctl daemon-reload;systemctl try-restart " + all},
		{"another step", systemd(read("postinst")), "exit 0", []string{"abort-upgrade", "0.1.0"}, ""},
		{"prerm", systemd(read("prerm")), "", []string{"remove"}, "systemctl stop " + all},
		{"prerm of an upgrade", systemd(read("prerm")), "", []string{"upgrade", "0.2.0"}, ""},
		{"prerm without systemd", read("prerm"), "", []string{"remove"}, ""},
		{"postrm", systemd(read("postrm")), "", []string{"remove"}, "systemctl daemon-reload;"},
		{"postrm of an upgrade", systemd(read("postrm")), "", []string{"upgrade", "0.2.0"}, ""},
		{"postrm without systemd", read("postrm"), "", []string{"remove"}, ""},
	} {
		got := regexp.MustCompile(` /\S*/anond;`).ReplaceAllString(called(t, c.script, c.getent, c.args...), " DIR;")
		if got != c.calls {
			t.Errorf("%s calls %q, not %q", c.name, got, c.calls)
		}
	}
}

// TestEachUnitIsStopped: the names that the scripts give to systemd cover each unit that the packages have.
func TestEachUnitIsStopped(t *testing.T) {
	units, err := filepath.Glob(filepath.Join("..", "*.service"))
	must(t, err)
	if len(units) < 6 {
		t.Fatalf("only %d units", len(units))
	}
	for _, script := range []string{"../deb/postinst", "../deb/prerm", "post", "preun"} {
		text, err := os.ReadFile(script)
		must(t, err)
		names := regexp.MustCompile(`anond[^ ']*\.service`).FindAllString(string(text), -1)
		for _, unit := range units {
			covered := false
			for _, name := range names {
				instance := strings.Replace(filepath.Base(unit), "@", "@hospital", 1)
				ok, err := filepath.Match(name, instance)
				must(t, err)
				covered = covered || ok
			}
			if !covered {
				t.Errorf("%s forgets %s", script, filepath.Base(unit))
			}
		}
	}
}

// both is what is called for each of the users.
func both(calls string) string {
	return strings.ReplaceAll(calls, "USER", "anond") + strings.ReplaceAll(calls, "USER", "anond-lake")
}

// systemd is a script that takes systemd to be there.
func systemd(script string) string { return strings.ReplaceAll(script, "/run/systemd/system", "/") }

// called runs a script and lists the programs that it calls. Those of systemd fail.
func called(t *testing.T, script, getent string, args ...string) string {
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	must(t, os.WriteFile(calls, nil, 0o600))
	for _, name := range []string{"getent", "groupadd", "useradd", "adduser", "install", "systemctl"} {
		end := "exit 1"
		switch name {
		case "getent":
			end = getent
		case "groupadd", "useradd", "adduser", "install":
			end = "exit 0"
		}
		text := "#!/bin/sh\nprintf '%s;' \"" + name + " $*\" >>" + calls + "\n" + end + "\n"
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700))
	}
	cmd := exec.Command("/bin/sh", append([]string{"-e", "-c", script, "script"}, args...)...)
	cmd.Env = []string{"PATH=" + dir}
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, out, script)
	}
	text, err := os.ReadFile(calls)
	must(t, err)
	return string(text)
}
