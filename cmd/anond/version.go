package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is the version of this source, the first of CHANGELOG.md, which says
// what a version number promises. make dist replaces it where it is given another.
var release = "0.3.0-dev"

// buildVersion identifies the program. Other programs read it as JSON.
type buildVersion struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"` // of the revision
	Modified bool   `json:"modified"`       // built from changed files
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// versionOf reads what the Go tool has put into the binary.
func versionOf(info *debug.BuildInfo) buildVersion {
	v := buildVersion{Version: release, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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
func (v buildVersion) String() string {
	text := "anond " + v.Version
	if v.Revision != "" {
		text += " " + v.Revision[:min(12, len(v.Revision))]
	}
	if v.Modified {
		text += " (modified)"
	}
	return fmt.Sprintf("%s, %s, %s", text, v.Go, v.Platform)
}

func newVersionCommand(env *environment) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print release, commit and Go version",
		RunE: func(*cobra.Command, []string) error {
			info, _ := debug.ReadBuildInfo()
			v := versionOf(info)
			if asJSON {
				return writeJSON(env.stdout, v)
			}
			_, err := fmt.Fprintln(env.stdout, v)
			return err
		},
	}
	jsonFlag(c, &asJSON)
	return c
}
