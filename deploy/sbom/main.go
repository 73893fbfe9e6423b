// Command sbom writes the bill of materials of a Go program in CycloneDX 1.6 (JSON), from
// what the Go tool has put into the binary. The same binary gives the same bytes: there is
// no time and no random number in it.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// component is a part of the program, or the program.
type component struct {
	Ref     string `json:"bom-ref"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Hashes  []hash `json:"hashes,omitempty"`
	PURL    string `json:"purl"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type metadata struct {
	Component component `json:"component"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

type bill struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY VERSION > FILE")
		os.Exit(2)
	}
	text, err := billOf(os.Args[1], os.Args[2])
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// billOf reads a binary and writes its bill.
func billOf(path, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	out := bill{Format: "CycloneDX", SpecVersion: "1.6", Version: 1, Components: []component{
		{Ref: "pkg:golang/std@" + plain(info.GoVersion), Type: "library", Name: "std", Version: plain(info.GoVersion),
			PURL: "pkg:golang/std@" + plain(info.GoVersion)}}}
	out.Metadata.Component = component{Type: "application", Name: filepath.Base(path), Version: version,
		Ref: "pkg:golang/" + info.Main.Path + "@" + version, PURL: "pkg:golang/" + info.Main.Path + "@" + version,
		Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}}
	for _, m := range info.Deps {
		c, err := moduleOf(m, version)
		if err != nil {
			return nil, err
		}
		out.Components = append(out.Components, c)
	}
	slices.SortFunc(out.Components, func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	all := dependency{Ref: out.Metadata.Component.Ref}
	for _, c := range out.Components {
		all.DependsOn = append(all.DependsOn, c.Ref)
	}
	out.Dependencies = []dependency{all}
	text, err := json.MarshalIndent(out, "", "  ")
	return append(text, '\n'), err
}

// plain is a Go version without what the linker adds.
func plain(version string) string {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "go"), " ")
	return version
}

// moduleOf is a module that was linked, with the hash of its files as go.sum has it.
// The project's own module, of which lake/ is made, comes from the directory next to it.
func moduleOf(m *debug.Module, version string) (component, error) {
	if m.Path == "anond" && m.Replace != nil && m.Replace.Path == "../" {
		ref := "pkg:golang/anond@" + version
		return component{Ref: ref, Type: "library", Name: m.Path, Version: version, PURL: ref}, nil
	}
	if m.Replace != nil {
		return component{}, fmt.Errorf("%s is replaced by %s: a released program must not have that", m.Path, m.Replace.Path)
	}
	ref := "pkg:golang/" + m.Path + "@" + m.Version
	c := component{Ref: ref, Type: "library", Name: m.Path, Version: m.Version, PURL: ref}
	encoded, ok := strings.CutPrefix(m.Sum, "h1:")
	sum, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || len(sum) != sha256.Size {
		return c, errors.Join(fmt.Errorf("%s has no checksum: %q", m.Path, m.Sum), err)
	}
	c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
	return c, nil
}
