// Package programtest builds and runs the real program for tests that need it as a process,
// and tells the go command which sources it is made of.
package programtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

const programs = "anond/cmd/"

// Build builds anond, and other programs next to it, and returns its path. go run keeps what it has linked
// in the build cache, which go build does not, so it is linked once for all
// packages that need it; cp stands in for running it.
func Build(dir string, others ...string) (string, error) {
	for _, name := range append([]string{"anond"}, others...) {
		path := filepath.Join(dir, name)
		build := exec.Command("go", "build", "-o", path, programs+name)
		if cp, err := exec.LookPath("cp"); err == nil {
			build = exec.Command("go", "run", "-exec", cp, programs+name, path)
		}
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s does not build: %w\n%s", name, err, out)
		}
	}
	return filepath.Join(dir, "anond"), nil
}

// LookAtSources looks at every file of this module that anond, anond-deliver and anond-lab are built
// from, and at no other. The go command keeps the result of a test until a file
// changes at which the test has looked; it does not see what a child process
// reads. So a test that runs the program calls this: then it runs again after a
// change of the program, and not after a change of other packages or of tests.
// It must be called in a test: what TestMain looks at does not count.
var LookAtSources = sync.OnceValue(func() error {
	files, err := sources()
	for _, f := range files {
		_, e := os.Stat(f)
		err = errors.Join(err, e)
	}
	return err
})

// sources lists the module's files that they are built from.
func sources() ([]string, error) {
	const format = `{{if not .Standard}}{{with .Module}}{{if .Main}}{{.GoMod}}{{end}}{{end}}` +
		`{{$dir := .Dir}}{{if and .Module .Module.Main}}{{range .GoFiles}}|{{$dir}}/{{.}}{{end}}` +
		`{{range .EmbedFiles}}|{{$dir}}/{{.}}{{end}}{{end}}{{end}}`
	out, err := exec.Command("go", "list", "-deps", "-f", format, programs+"anond", programs+"anond-deliver", programs+"anond-lab").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	files := strings.FieldsFunc(string(out), func(r rune) bool { return r == '|' || r == '\n' })
	if len(files) < 100 {
		return nil, fmt.Errorf("go list names only %d files of the program", len(files))
	}
	return files, nil
}
