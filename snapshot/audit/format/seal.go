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
	Parts     string // SHA-256 over all data files; zeros: it is not known
	Algorithm int    // of the program that decided it
	People    int    // published ever
	Digests   int    // of the people whom the publisher knew
}

// Seal is what the ledger has to say of the release.
func (m *Manifest) Seal() Seal {
	return Seal{Manifest: m.Sha, Parts: partsSHA(m.Parts), People: max(m.Records, m.PeopleEver)}
}

// SealOf is what the ledger has to say of an earlier release, whose manifest is gone, as the parts tell that are left of it:
// they never change. Parts is zeros where some were compacted since. false: they do not tell.
func (m *Manifest) SealOf(number int) (s Seal, ok bool) {
	rows, then := 0, 0
	if m.Expired > 0 {
		return s, false
	}
	for i := range m.Parts {
		born, _ := ParsePartName(m.Parts[i].Name)
		rows += m.Parts[i].Rows
		if born.First > number {
			continue
		}
		if born.Last > number {
			return s, false
		}
		if born.First < born.Last {
			s.Parts = "0"
		}
		s.People += m.Parts[i].Rows
		then = i + 1
	}
	if s.Parts == "" {
		s.Parts = partsSHA(m.Parts[:then])
	}
	return s, rows == m.Records
}

// partsSHA is the hash of what sha256sum prints of all data files, in the order of their paths.
func partsSHA(parts []Part) string {
	lines := map[string]string{}
	for i := range parts {
		p := &parts[i]
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
	known := strings.Trim(s.Parts, "0") != "" && strings.Trim(man.Parts, "0") != ""
	return s.People != man.People || known && s.Parts != man.Parts
}
