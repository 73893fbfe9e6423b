package snapshot

import (
	"fmt"
	"path"
	"slices"
	"strconv"
)

// PartEntry is one part of a release: what the releases First to Last gave birth
// to, in the files of the recoding. A part never changes; later releases hold
// hard links to its files, or copies.
//
// Classes are numbered 1..Classes in each part, and so are the buckets and pools of level L2: a class is
// addressed by part and number.
type PartEntry struct {
	Shard   *int        `json:"shard,omitempty"` // of a union: whose part it is; its directory is in that of the shard
	Part    string      `json:"part"`            // its directory, see partName
	Release uint32      `json:"release"`         // the release that wrote it first
	Classes int         `json:"classes"`         // dead ones included
	Buckets int         `json:"buckets,omitempty"`
	Pools   int         `json:"pools,omitempty"`
	Rows    int         `json:"rows"` // records, those of dead classes included, and none that were withdrawn
	Mode    string      `json:"mode"` // of its files
	Files   []FileEntry `json:"files"`
	// Dead are the classes whose records were regrouped since, ascending: their
	// rows stay in the part, and readers skip them.
	Dead []uint32 `json:"dead,omitempty"`
	// Stale says, by bucket and ascending, how many of its people have sent an update or a delete since they were published:
	// [bucket, people]. It never falls. Buckets of which nobody has are not there.
	Stale [][2]uint32 `json:"stale,omitempty"`
	// Withdrawn are the buckets that have left because their people asked to be erased, ascending: their rows and bags are not in
	// the files any more, and numbers keep their gaps. Release is then the one that wrote the part last.
	Withdrawn []uint32 `json:"withdrawn,omitempty"`
	// Replaces are the parts whose bytes a compacted part holds one after another.
	Replaces []ReplacedPart `json:"replaces,omitempty"`
}

// ReplacedPart says where the classes of a replaced part went: its class n is
// class FirstClass + n - 1 now. Its buckets and pools are shifted likewise.
type ReplacedPart struct {
	Part       string `json:"part"`
	FirstClass uint32 `json:"first_class"`
	Classes    int    `json:"classes"`
	// Level L2: where its buckets and pools went, likewise.
	FirstBucket uint32 `json:"first_bucket,omitempty"`
	Buckets     int    `json:"buckets,omitempty"`
	FirstPool   uint32 `json:"first_pool,omitempty"`
	Pools       int    `json:"pools,omitempty"`
}

// Dir is the directory of the part in that of its release.
func (p *PartEntry) Dir() string {
	if p.Shard == nil {
		return p.Part
	}
	return path.Join(ShardDir(*p.Shard), p.Part)
}

// Births are the releases whose births a part holds.
func (p *PartEntry) Births() (first, last uint32) {
	first, last, _ = parsePartName(p.Part)
	return first, last
}

// Shared reports that classes share buckets: a release of level L2.
func (m *Manifest) Shared() bool { return m.Policy.Level == PolicyL2 }

// checkParts demands of a manifest what readers rely on: the parts
// cover releases from 1 on, in order, and what is dead is there. The error does
// not quote the content.
func checkParts(m *Manifest) error {
	if m.Expired > 0 && m.Window == "" || m.PeopleEver > 0 && m.Window == "" && m.Erasure == nil || m.Expired >= m.Release {
		return wrongManifest("something has left, and it has no window")
	}
	for _, of := range m.ByEra() {
		if p := &of.Privacy; p.MaxRecords != 0 && (p.MaxRecords < 2 || p.MaxRecords > MostRecords || p.Settle == "") {
			return wrongManifest("it has histories that no release has")
		}
	}
	if m.Union != nil {
		return checkUnion(m)
	}
	if len(m.Parts) == 0 && m.Expired == 0 {
		return wrongManifest("it has no parts")
	}
	if slices.ContainsFunc(m.Parts, func(p PartEntry) bool { return p.Shard != nil }) {
		return wrongManifest("it speaks of shards, and is no union")
	}
	return checkRun(m.Parts, 0, m.Expired, m.Window != "" || m.Erasure != nil)
}

// checkRun checks the parts of one publisher. before is how many parts a manifest lists
// before them, expired the watermark. If somebody may leave, a release may have no births.
func checkRun(parts []PartEntry, before int, expired uint32, leaves bool) error {
	next := expired + 1
	for i := range parts {
		p := &parts[i]
		first, last, ok := parsePartName(p.Part)
		if !ok || first < next || first > next && !leaves || p.Mode != PartMode || p.Classes < 1 || p.Release < last {
			return wrongManifest("part " + strconv.Itoa(before+i+1) + " does not follow the one before, or says what no part has")
		}
		next = last + 1
		for j, n := range p.Dead {
			if n < 1 || int64(n) > int64(p.Classes) || j > 0 && n <= p.Dead[j-1] {
				return wrongManifest("part " + strconv.Itoa(before+i+1) + " lists a dead class that it does not have, or out of order")
			}
		}
		for j, n := range p.Withdrawn {
			if n < 1 || int64(n) > int64(p.Buckets) || j > 0 && n <= p.Withdrawn[j-1] {
				return wrongManifest("part " + strconv.Itoa(before+i+1) + " lists a withdrawn bucket that it does not have, or out of order")
			}
		}
		for j, s := range p.Stale {
			if s[0] < 1 || int64(s[0]) > int64(p.Buckets) || s[1] < 1 || j > 0 && s[0] <= p.Stale[j-1][0] {
				return wrongManifest("part " + strconv.Itoa(before+i+1) + " lists a stale bucket that it does not have, or out of order")
			}
		}
	}
	return nil
}

// wrongManifest says what is wrong with a manifest, without quoting it.
func wrongManifest(what string) error {
	return fmt.Errorf("%w: %s: %s", ErrDamaged, ManifestName, what)
}
