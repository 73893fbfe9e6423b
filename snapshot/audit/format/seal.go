package format

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Seal is what the ledger says of a release that has passed the gate, and, but for Algorithm and Digests, what
// its manifest says.
type Seal struct {
	Manifest  string // SHA-256
	Parts     string // SHA-256 over all data files; zeros: it was not known when the line was written again
	Algorithm int    // of the program that decided it
	People    int    // published ever
	Digests   int    // of the people whom the publisher knew
}

// Seal is what the ledger has to say of the release.
func (m *Manifest) Seal() Seal { return Seal{Manifest: m.Sha, Parts: m.partsSHA(), People: m.Records} }

// partsSHA is the hash of what sha256sum prints of all data files, in the order of their paths.
func (m *Manifest) partsSHA() string {
	lines := map[string]string{}
	for i := range m.Parts {
		p := &m.Parts[i]
		dir := p.Name
		if p.Shard != nil {
			dir = path.Join("shard-"+strconv.Itoa(*p.Shard), dir)
		}
		for _, f := range p.Files {
			lines[path.Join(dir, f.Name)] = f.SHA256
		}
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		sum.Write([]byte(lines[name] + "  " + name + "\n"))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Other reports whether the ledger says otherwise of a release than its manifest.
func (s Seal) Other(man Seal) bool {
	return s.People != man.People || s.Parts != man.Parts && strings.Trim(s.Parts, "0") != ""
}
