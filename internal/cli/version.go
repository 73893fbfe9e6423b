package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Release is the version of this source, the first of CHANGELOG.md, which says
// what a version number promises. make dist replaces it where it is given another.
var Release = "0.3.0-dev"

// BuildVersion identifies the program. Other programs read it as JSON.
type BuildVersion struct {
	program  string
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"` // of the revision
	Modified bool   `json:"modified"`       // built from changed files
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// VersionOf reads what the Go tool has put into the binary.
func VersionOf(program string, info *debug.BuildInfo) BuildVersion {
	v := BuildVersion{program: program, Version: Release, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// String writes the version on one line.
func (v BuildVersion) String() string {
	text := v.program + " " + v.Version
	if v.Revision != "" {
		text += " " + v.Revision[:min(12, len(v.Revision))]
	}
	if v.Modified {
		text += " (modified)"
	}
	return fmt.Sprintf("%s, %s, %s", text, v.Go, v.Platform)
}

// NewVersionCommand is the command version of a program.
func NewVersionCommand(env *Env, program string) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print release, commit and Go version",
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			v := VersionOf(program, info)
			if asJSON {
				return WriteJSON(env.Stdout, v)
			}
			_, err := fmt.Fprintln(env.Stdout, v)
			return err
		},
	}
	JSONFlag(c, &asJSON)
	return c
}
