package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"anond/config"
)

// FuzzLoad: whatever the file says, Load returns a configuration whose methods
// work, or at least one fault with a reason.
func FuzzLoad(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(seeds) == 0 {
		f.Fatal("no seed files")
	}
	for _, s := range seeds {
		content, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add([]byte(config.Starting))
	hierarchy := []byte("1010;10**;*\n1011;10**;*\n")
	f.Fuzz(func(t *testing.T, content []byte) {
		read := func(name string) ([]byte, error) {
			if name == "anond.yaml" {
				return content, nil
			}
			return hierarchy, nil
		}
		c, _, err := config.Load("anond.yaml", testEnvironment, read)
		if err != nil {
			var faults *config.Faults
			if !errors.As(err, &faults) || len(faults.List) == 0 || c != nil {
				t.Fatalf("an error without faults: %v", err)
			}
			for _, fault := range faults.List {
				if fault.Reason == "" || fault.File == "" {
					t.Fatalf("a fault without reason or file: %+v", fault)
				}
			}
			return
		}
		want := c.Requirement()
		if c.Schema() == nil || want.L < 2 || want.K < want.L || len(c.Digests()) == 0 {
			t.Fatal("a configuration that is not complete")
		}
		if _, err := c.JSON(); err != nil {
			t.Fatal(err)
		}
		agreesWithYAML(t, content, c)
	})
}

// agreesWithYAML holds what was loaded against a plain reading of the file, where that
// has a plain value: names, k and l, and the roles of the attributes.
func agreesWithYAML(t *testing.T, content []byte, c *config.Config) {
	var plain struct {
		Dataset string
		Policy  struct{ K, L any }
		Schema  struct {
			Attributes []struct{ Name, Role string }
		}
	}
	if err := yaml.Unmarshal(content, &plain); err != nil {
		t.Fatalf("what was loaded is no YAML: %v", err)
	}
	if !strings.Contains(plain.Dataset, "$") && plain.Dataset != c.Dataset {
		t.Fatalf("another dataset: %q", c.Dataset)
	}
	for name, x := range map[string]struct {
		plain any
		got   int
	}{"k": {plain.Policy.K, c.Policy.K}, "l": {plain.Policy.L, c.Policy.L}} {
		if n, ok := x.plain.(int); ok && n != x.got {
			t.Fatalf("policy.%s is %d, read as %d", name, n, x.got)
		}
	}
	got := c.Schema().Attributes()
	if len(got) != len(plain.Schema.Attributes) {
		t.Fatalf("%d attributes, read as %d", len(plain.Schema.Attributes), len(got))
	}
	for i, a := range plain.Schema.Attributes {
		if !strings.Contains(a.Name, "$") && a.Name != got[i].Name {
			t.Fatalf("attribute %d is %q, read as %q", i, a.Name, got[i].Name)
		}
	}
}
