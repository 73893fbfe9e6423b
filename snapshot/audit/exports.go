package audit

import (
	"bytes"
	"slices"
)

// recordIndex numbers the records of the exports. Identities never leave it.
type recordIndex struct{ ids map[string]uint32 }

func (x *recordIndex) intern(id []byte) uint32 {
	if n, ok := x.ids[string(id)]; ok {
		return n
	}
	n := uint32(len(x.ids))
	x.ids[string(id)] = n
	return n
}

// isRecordID accepts source:partition:offset.
func isRecordID(b []byte) bool {
	for range 2 {
		i := bytes.LastIndexByte(b, ':')
		if i < 0 || i+1 == len(b) || len(bytes.Trim(b[i+1:], "0123456789")) > 0 {
			return false
		}
		b = b[:i]
	}
	return len(b) > 0
}

// members is the export members.csv: the class of each record per release.
type members struct {
	file   string
	class  map[int][]address // by release and record; may be shorter than the index
	bucket map[int][]uint32  // level L2: its bucket in the part, likewise; nil: the export names none
	parts  []string          // names of parts that occur
}

// address is a class as an export names it: class 0 means not published.
type address struct{ part, class uint32 }

// The headers of members.csv: at level L1, and at level L2.
var membersHeaders = [][]string{
	{"release", "record", "part", "class"},
	{"release", "record", "part", "class", "bucket"},
}

// parseMembers reads members.csv. A record may be listed once per release.
func parseMembers(file string, data []byte, index *recordIndex) (*members, error) {
	csv, header, err := newCSV(file, data)
	if err != nil {
		return nil, err
	}
	form := slices.IndexFunc(membersHeaders, func(h []string) bool { return slices.Equal(h, header) })
	if form < 0 {
		return nil, unreadable(file, 1, "header is not release,record,part,class")
	}
	m := &members{file: file, class: map[int][]address{}, parts: nil}
	if form == 1 {
		m.bucket = map[int][]uint32{}
	}
	names := map[string]uint32{}
	for {
		ok, err := csv.next()
		if err != nil || !ok {
			return m, err
		}
		part, ok := m.part(names, csv.fields[2])
		if !ok {
			return nil, csv.fail("part is not the name of a part")
		}
		rel, ok := parseCount(csv.fields[0])
		if !ok || rel == 0 || !isRecordID(csv.fields[1]) {
			return nil, csv.fail("not release,source:partition:offset,part,class")
		}
		if err := m.row(csv, part, int(rel), int(index.intern(csv.fields[1]))); err != nil {
			return nil, err
		}
	}
}

// row notes the class of a record, and its bucket if the export names it.
func (m *members) row(csv *csvReader, part uint32, rel, rec int) error {
	numbers := csv.fields[len(csv.fields)-1:]
	if m.bucket != nil {
		numbers = csv.fields[len(csv.fields)-2:]
	}
	class, ok := parseCount(numbers[0])
	bucket, okB := parseCount(numbers[len(numbers)-1])
	if !ok || !okB || class == 0 || bucket == 0 {
		return csv.fail("not release,source:partition:offset,part,class")
	}
	column := m.class[rel]
	if rec >= len(column) {
		column = fit(column, rec+1)
		m.class[rel] = column
	}
	if column[rec].class != 0 {
		return csv.fail("record is listed twice in one release")
	}
	column[rec] = address{part, class}
	if m.bucket != nil {
		m.bucket[rel] = fit(m.bucket[rel], len(column))
		m.bucket[rel][rec] = bucket
	}
	return nil
}

// part numbers the names of parts.
func (m *members) part(names map[string]uint32, text []byte) (uint32, bool) {
	if n, ok := names[string(text)]; ok {
		return n, true
	}
	if _, ok := parsePartName(string(text)); !ok {
		return 0, false
	}
	n := uint32(len(m.parts))
	m.parts = append(m.parts, string(text))
	names[m.parts[n]] = n
	return n, true
}

// records is the export records.csv: the microdata.
type records struct {
	n     int
	known []bool // by record: listed in the export
	// forgotten: its person was forgotten, so that what it says is not that person's.
	forgotten []bool
	arrived   []uint32 // first release whose cut covers the record, 0 = none yet
	qi        []uint32 // n*d value ids
	sa        []uint32
	subject   []uint32 // subject number, nil when no subject column is exported
	// beyond: an earlier row is of the same subject, so that this one is never published (rule S) and does not wait.
	beyond []bool
}

// parseRecords reads "record,arrived_in_release,<attributes>".
func parseRecords(file string, data []byte, s *schema, index *recordIndex) (*records, error) {
	csv, header, err := newCSV(file, data)
	if err != nil {
		return nil, err
	}
	if len(header) < 2 || header[0] != "record" || header[1] != "arrived_in_release" {
		return nil, unreadable(file, 1, "header does not begin with record,arrived_in_release")
	}
	at := make([]int, 0, len(s.qi)+1)
	for _, a := range s.qi {
		at = append(at, slices.Index(header[2:], a.name))
	}
	at = append(at, slices.Index(header[2:], s.sa.name))
	if slices.Contains(at, -1) {
		return nil, unreadable(file, 1, "header lacks an attribute of the schema")
	}
	p := &recordParser{csv: csv, s: s, at: at, subjectAt: -1, subjects: recordIndex{ids: map[string]uint32{}}}
	if s.subject != "" {
		p.subjectAt = slices.Index(header[2:], s.subject)
	}
	return p.parse(index)
}

type recordParser struct {
	csv       *csvReader
	s         *schema
	at        []int // columns of the attributes, after the first two
	subjectAt int
	subjects  recordIndex
	out       records
}

func (p *recordParser) parse(index *recordIndex) (*records, error) {
	r := &p.out
	r.resize(len(index.ids), len(p.s.qi), p.subjectAt >= 0)
	for {
		ok, err := p.csv.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			r.resize(len(index.ids), len(p.s.qi), p.subjectAt >= 0)
			return r, nil
		}
		if !isRecordID(p.csv.fields[0]) {
			return nil, p.csv.fail("record is not source:partition:offset")
		}
		rec := int(index.intern(p.csv.fields[0]))
		if rec >= r.n {
			r.resize(max(rec+1, r.n+r.n/2), len(p.s.qi), p.subjectAt >= 0)
		}
		if r.known[rec] {
			return nil, p.csv.fail("record is listed twice")
		}
		r.forgotten[rec] = bytes.HasPrefix(p.csv.fields[0], []byte("forgotten:"))
		if err := p.row(rec); err != nil {
			return nil, err
		}
	}
}

func (p *recordParser) row(rec int) error {
	r, fields, d := &p.out, p.csv.fields, len(p.s.qi)
	r.known[rec] = true
	if len(fields[1]) > 0 {
		arrived, ok := parseCount(fields[1])
		if !ok || arrived == 0 {
			return p.csv.fail("arrived_in_release is not a release number")
		}
		r.arrived[rec] = arrived
	}
	for a, attr := range p.s.qi {
		id, reason := attr.internValue(fields[2+p.at[a]])
		if reason != "" && attr.hier != nil && r.arrived[rec] == 0 {
			continue // its leaf may be in the copy that the next release brings
		}
		if reason != "" {
			return p.csv.fail("attribute %s: %s", attr.name, reason)
		}
		r.qi[rec*d+a] = id
	}
	sa, err := p.s.sa.read(p.csv, fields[2+p.at[d]])
	if err != nil {
		return err
	}
	r.sa[rec] = sa
	if p.subjectAt >= 0 {
		known := len(p.subjects.ids)
		r.subject[rec] = p.subjects.intern(fields[2+p.subjectAt])
		r.beyond[rec] = int(r.subject[rec]) < known && !r.forgotten[rec]
	}
	return nil
}

// resize sets the number of records the columns hold.
func (r *records) resize(n, d int, subjects bool) {
	r.n = n
	r.known = fit(r.known, n)
	r.arrived = fit(r.arrived, n)
	r.forgotten = fit(r.forgotten, n)
	r.qi = fit(r.qi, n*d)
	r.sa = fit(r.sa, n)
	if subjects {
		r.subject, r.beyond = fit(r.subject, n), fit(r.beyond, n)
	}
}

// parseLedger reads one "number SP sha256" line per release. A last line without
// LF is torn: a crash cut its append, and it is not read.
func parseLedger(file string, data []byte) (shas map[int]string, torn bool, err error) {
	shas, last := map[int]string{}, 0
	lines := bytes.Split(data, []byte("\n"))
	for i, line := range lines[:len(lines)-1] {
		number, sha, ok := bytes.Cut(line, []byte(" "))
		n, okN := parseCount(number)
		if !ok || !okN || n == 0 || !isSHA(string(sha)) {
			return nil, false, unreadable(file, i+1, "not a release number and a SHA-256")
		}
		if int(n) <= last {
			return nil, false, unreadable(file, i+1, "release numbers do not increase")
		}
		last = int(n)
		shas[last] = string(sha)
	}
	return shas, len(lines[len(lines)-1]) > 0, nil
}
