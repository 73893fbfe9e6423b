package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass/equivtest/tier"
)

const (
	firstKey  = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	secondKey = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
)

// TestEncryptionAtRest follows an operator: a state that begins encrypted, another key,
// no key, and the way into and out of encryption. The releases are those of the same
// stream without encryption.
func TestEncryptionAtRest(t *testing.T) {
	tier.NotShort(t, "it starts the program many times")
	t.Parallel()
	plain := published(t, 2000)
	s := newSite(t, fileSource, "on: records, every: 400", "")
	s.edit("policy:", "initial: {max_records: 600}\nencryption: {key: \"${file:key}\"}\npolicy:")
	s.edit("path: ./dead-letter", "path: ./dead-letter, payload: true")
	s.write("key", firstKey+"\n")
	s.write("admissions.ndjson", ndjson(1, 2000))
	s.must("run --once")
	assert.Len(t, s.releases(), len(plain.releases()))
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
	assert.Contains(t, s.must("state info"), "file.key_id")

	// Nothing private stands in clear next to the releases.
	const value = "influenza" // no digest, time or name of a directory holds it by chance
	require.NoError(t, filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "/state/") && !strings.Contains(path, "/dead-letter/") {
			return err
		}
		assert.NotContains(t, s.read(strings.TrimPrefix(path, s.dir+"/")), `"diagnosis"`, path)
		assert.NotContains(t, s.read(strings.TrimPrefix(path, s.dir+"/")), value, path)
		return nil
	}))
	assert.Contains(t, plain.read("state/anond.db"), value, "in clear it is there")
	assert.Contains(t, s.read("dead-letter/dead-letter.ndjson"), `"payload_encrypted":"`)

	// Another key, and none.
	s.write("key", secondKey)
	r := s.run("run --once")
	assert.Equal(t, exitConfig, r.code)
	assert.Contains(t, r.stderr, "it is encrypted under another key")
	assert.NotContains(t, r.stderr, secondKey[:8])
	s.edit("encryption:", "#encryption:")
	for _, verb := range []string{"run --once", "state info", "state check", "audit", "state reset --yes",
		"state backup --out " + s.path("x")} {
		r = s.run(verb)
		assert.Equal(t, exitConfig, r.code, verb)
		assert.Contains(t, r.stderr, "no key is configured; its key has the ID", verb)
		assert.Contains(t, r.stderr, "hint: set encryption.key", verb)
	}

	// Rotation, and out of encryption, and in again.
	s.write("old", firstKey)
	s.edit("#encryption:", "encryption:")
	assert.Contains(t, s.must("state rekey", "--old-key-file", s.path("old")), "is encrypted, its key has the ID")
	s.must("run --once")
	assert.Contains(t, s.must("state backup --out "+s.path("copy.db")), "It is encrypted")
	require.NoError(t, os.Rename(s.path("copy.db"), s.path("state/anond.db")))
	s.must("state compact")
	assert.Equal(t, "ok: "+s.path("state/anond.db")+"\n", s.must("state check"))
	s.write("old", secondKey)
	s.edit("encryption:", "#encryption:")
	assert.Contains(t, s.must("state rekey --old-key-file "+s.path("old")), "is not encrypted any more")
	assert.Contains(t, s.read("state/anond.db"), value)
	s.edit("#encryption:", "encryption:")
	r = s.run("run --once")
	assert.Equal(t, exitConfig, r.code)
	assert.Contains(t, r.stderr, "hint: encrypt it with anond state rekey")
	s.must("state rekey")
	s.write("admissions.ndjson", ndjson(1, 4000))
	s.must("run --once")
	assert.NotContains(t, s.read("state/anond.db"), value)
	assert.Contains(t, s.must("audit --require-certified"), "CERTIFIED")
}

// TestKeyCommand: the key of a program; what goes wrong names the program and shows
// nothing of its output.
func TestKeyCommand(t *testing.T) {
	s := published(t, 1000)
	s.edit("policy:", "encryption: {key_command: [/bin/sh, "+s.path("print")+"]}\npolicy:")
	for script, want := range map[string]string{
		"echo " + firstKey[:20]:            "this text has 20 characters",
		"echo canary-canary; exit 3":       "exit status 3",
		"echo canary-canary >&2; exit 4":   "exit status 4",
		"yes canary-canary | head -n 9000": "encryption.key_command /bin/sh",
	} {
		s.write("print", script)
		r := s.run("state rekey")
		assert.Equal(t, exitConfig, r.code, script)
		assert.Contains(t, r.stderr, want, script)
		assert.NotContains(t, r.stderr+r.stdout, "canary")
	}
	s.write("print", "echo "+firstKey)
	s.must("state rekey")
	s.must("run --once")
}
