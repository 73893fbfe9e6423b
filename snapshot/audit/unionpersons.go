package audit

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"anond/snapshot/audit/format"
)

// persons finds people who are in two shards, from the records exports: by the digest
// that an export shows for a subject, which is the same in all shards if they have one subject
// key, as the name in front of the digest shows; and by the partitions of Kafka that the records come from, each
// of which belongs to one shard.
type persons struct {
	shards    int
	unknown   []int           // shards without exports
	nameless  []int           // shards whose export has no subjects, though the schema has
	keyless   []int           // shards whose digests are under a key of their own
	keys      map[string]bool // the names of the keys of the others
	all       []personID
	twice     int
	partition map[string]int // to its shard
	shared    map[string]bool
	subjects  bool // the schema has a subject
}

// personID is a hash of what an export shows for a subject: 16 bytes a person.
type personID [16]byte

func newPersons() *persons {
	return &persons{keys: map[string]bool{}, partition: map[string]int{}, shared: map[string]bool{}}
}

// add reads the export of a shard and merges its subjects with those before.
func (p *persons) add(shard int, file string, data []byte, subject string) error {
	p.shards++
	csv, header, err := format.NewCSV(file, data)
	if err != nil {
		return err
	}
	at := -1
	if subject != "" {
		p.subjects = true
		if at = slices.Index(header, subject); at < 0 {
			p.nameless = append(p.nameless, shard)
		}
	}
	var own []personID
	keyed := true
	for {
		ok, err := csv.Next()
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		record := csv.Fields[0]
		if bytes.HasPrefix(record, []byte("forgotten:")) {
			continue // what it shows is nobody's
		}
		p.source(shard, record)
		if at >= 0 && !bytes.HasPrefix(csv.Fields[at], []byte("forgotten-")) {
			sum := sha256.Sum256(csv.Fields[at])
			own = append(own, personID(sum[:16]))
			keyed = p.key(csv.Fields[at]) && keyed
		}
	}
	if !keyed {
		p.keyless = append(p.keyless, shard)
	}
	slices.SortFunc(own, comparePersons)
	p.merge(slices.Compact(own))
	return nil
}

// key notes the key of a digest: NAME:DIGEST. false: it has no name, so that nobody knows whether
// the digests of other shards can be compared with it.
func (p *persons) key(subject []byte) bool {
	name, _, ok := bytes.Cut(subject, []byte(":"))
	if ok && !p.keys[string(name)] {
		p.keys[string(name)] = true
	}
	return ok
}

func comparePersons(a, b personID) int { return bytes.Compare(a[:], b[:]) }

// source notes the partition of a record that comes from Kafka: source:partition of
// source:partition:offset.
func (p *persons) source(shard int, record []byte) {
	if !bytes.HasPrefix(record, []byte("kafka:")) {
		return
	}
	name := record[:bytes.LastIndexByte(record, ':')]
	if was, ok := p.partition[string(name)]; !ok {
		p.partition[string(name)] = shard
	} else if was != shard {
		p.shared[string(name)] = true
	}
}

// merge joins two sorted lists, and counts who is in both.
func (p *persons) merge(own []personID) {
	out := make([]personID, 0, len(p.all)+len(own))
	i, j := 0, 0
	for i < len(p.all) && j < len(own) {
		switch c := comparePersons(p.all[i], own[j]); {
		case c < 0:
			out = append(out, p.all[i])
			i++
		case c > 0:
			out = append(out, own[j])
			j++
		default:
			p.twice++
			out = append(out, own[j])
			i, j = i+1, j+1
		}
	}
	p.all = append(append(out, p.all[i:]...), own[j:]...)
}

// check reports what was found.
func (p *persons) check(release int, f *format.Faults) {
	f.AddN("S", format.KindSubjectShards, release, 0, "", "a subject is in the records of two shards", p.twice)
	f.AddN("S", format.KindSubjectKeys, release, 0, "", "shards name people under different subject keys", max(0, len(p.keys)-1))
	f.AddN("S", format.KindSourceShards, release, 0, "", "two shards have records of one partition", len(p.shared))
}

// checked reports that every shard was looked at, and that their digests can be compared.
func (p *persons) checked() bool {
	return len(p.unknown) == 0 && len(p.nameless) == 0 && (len(p.keyless) == 0 || p.shards < 2)
}
