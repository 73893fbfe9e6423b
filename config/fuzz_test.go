package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

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
	})
}
