package chain

import (
	"bytes"
	"slices"
	"strconv"

	"anond/snapshot/audit/format"
)

// RecordIndex numbers the records of the exports. Identities never leave it.
type RecordIndex struct{ Ids map[string]uint32 }

func (x *RecordIndex) intern(id []byte) uint32 {
	if n, ok := x.Ids[string(id)]; ok {
		return n
	}
	n := uint32(len(x.Ids))
	x.Ids[string(id)] = n
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

// Members is the export members.csv: the class of each record per release.
type Members struct {
	File   string
	Class  map[int][]Address // by release and record; may be shorter than the index
	Bucket map[int][]uint32  // level L2: its bucket in the part, likewise; nil: the export names none
	Parts  []string          // names of parts that occur
}

// Address is a class as an export names it: class 0 means not published.
type Address struct{ Part, Class uint32 }

// The headers of members.csv: at level L1, and at level L2.
var membersHeaders = [][]string{
	{"release", "record", "part", "class"},
	{"release", "record", "part", "class", "bucket"},
}

// ParseMembers reads members.csv. A record may be listed once per release.
func ParseMembers(file string, data []byte, index *RecordIndex) (*Members, error) {
	csv, header, err := format.NewCSV(file, data)
	if err != nil {
		return nil, err
	}
	form := slices.IndexFunc(membersHeaders, func(h []string) bool { return slices.Equal(h, header) })
	if form < 0 {
		return nil, format.Unreadable(file, 1, "header is not release,record,part,class")
	}
	m := &Members{File: file, Class: map[int][]Address{}, Parts: nil}
	if form == 1 {
		m.Bucket = map[int][]uint32{}
	}
	names := map[string]uint32{}
	for {
		ok, err := csv.Next()
		if err != nil || !ok {
			return m, err
		}
		part, ok := m.part(names, csv.Fields[2])
		if !ok {
			return nil, csv.Fail("part is not the name of a part")
		}
		rel, ok := format.ParseCount(csv.Fields[0])
		if !ok || rel == 0 || !isRecordID(csv.Fields[1]) {
			return nil, csv.Fail("not release,source:partition:offset,part,class")
		}
		if err := m.row(csv, part, int(rel), int(index.intern(csv.Fields[1]))); err != nil {
			return nil, err
		}
	}
}

// row notes the class of a record, and its bucket if the export names it.
func (m *Members) row(csv *format.CsvReader, part uint32, rel, rec int) error {
	numbers := csv.Fields[len(csv.Fields)-1:]
	if m.Bucket != nil {
		numbers = csv.Fields[len(csv.Fields)-2:]
	}
	class, ok := format.ParseCount(numbers[0])
	bucket, okB := format.ParseCount(numbers[len(numbers)-1])
	if !ok || !okB || class == 0 || bucket == 0 {
		return csv.Fail("not release,source:partition:offset,part,class")
	}
	column := m.Class[rel]
	if rec >= len(column) {
		column = format.Fit(column, rec+1)
		m.Class[rel] = column
	}
	if column[rec].Class != 0 {
		return csv.Fail("record is listed twice in one release")
	}
	column[rec] = Address{part, class}
	if m.Bucket != nil {
		m.Bucket[rel] = format.Fit(m.Bucket[rel], len(column))
		m.Bucket[rel][rec] = bucket
	}
	return nil
}

// part numbers the names of parts.
func (m *Members) part(names map[string]uint32, text []byte) (uint32, bool) {
	if n, ok := names[string(text)]; ok {
		return n, true
	}
	if _, ok := format.ParsePartName(string(text)); !ok {
		return 0, false
	}
	n := uint32(len(m.Parts))
	m.Parts = append(m.Parts, string(text))
	names[m.Parts[n]] = n
	return n, true
}

// Records is the export records.csv: the microdata.
type Records struct {
	N     int
	Known []bool // by record: listed in the export
	// forgotten: its person was forgotten, so that what it says is not that person's.
	Forgotten []bool
	Arrived   []uint32 // first release whose cut covers the record, 0 = none yet
	Qi        []uint32 // n*d value ids
	Sa        []uint32
	More      [][]uint32 // of the sensitive attributes behind the first
	Subject   []uint32   // subject number, nil when no subject column is exported
	Stratum   []string   // by record, where people are of strata
	Era       []uint32   // by record, where settings have changed: how many changes of what holds for later people came before, plus 1
	lacks     []bool     // by record: it has not all columns of the era
	Until     []int64    // likewise: when the person's window ended; 0: that is not said
	Came      [][]int64  // likewise: when each record came
	Lane      []uint32   // likewise: the number of the source and partition
	Rows      []uint32   // likewise: the records in the order of the export
	// beyond: an earlier row is of the same subject, so that this one is never published (rule S) and does not wait.
	Beyond []bool
}

// ParseRecords reads "record,arrived_in_release,<attributes>", with the stratum before the attributes where people are of strata.
// Where they are published with their histories, a row is of a person, and a sensitive attribute has a column for each record.
//
// Where settings have changed (eras), each row says besides under which its person arrived, and columns are those of all eras: what an
// era does not have of a person is not of that era, and whoever is in its parts has to have it.
func ParseRecords(file string, data []byte, s *format.Schema, index *RecordIndex, eras bool) (*Records, error) {
	csv, header, err := format.NewCSV(file, data)
	if err != nil {
		return nil, err
	}
	if len(header) < 2 || header[0] != "record" || header[1] != "arrived_in_release" {
		return nil, format.Unreadable(file, 1, "header does not begin with record,arrived_in_release")
	}
	p := &recordParser{csv: csv, s: s, subjectAt: -1, subjects: RecordIndex{Ids: map[string]uint32{}},
		lanes: RecordIndex{Ids: map[string]uint32{}}}
	ahead := 2
	if ahead < len(header) && header[ahead] == "arrived_in_era" {
		p.eraAt, ahead = ahead, ahead+1
	} else if eras {
		return nil, format.Unreadable(file, 1, "header lacks arrived_in_era, and the settings of the releases have changed")
	}
	observes := []string{"stratum", "observed_until", "came"}
	switch {
	case len(header) >= ahead+3 && slices.Equal(header[ahead:ahead+3], observes) && (s.Strata || p.eraAt > 0):
		p.stratumAt, p.came, ahead = ahead, 1, ahead+3
		for ; ahead < len(header) && header[ahead] == "came_"+strconv.Itoa(p.came+1); ahead++ {
			p.came++
		}
	case s.Strata:
		return nil, format.Unreadable(file, 1, "header lacks the stratum, or when the person was observed")
	}
	if s.Strata && p.came < s.Records {
		return nil, format.Unreadable(file, 1, "header lacks when each record came")
	}
	header = slices.Clone(header)
	column := func(name string) int {
		i := slices.Index(header[ahead:], name)
		if i < 0 {
			return -1
		}
		header[ahead+i] = "" // an attribute may be named as a further column of another one is
		return ahead + i
	}
	var values, at []int
	for _, a := range s.Sas {
		first := column(a.Name)
		values = append(values, first)
		for i := 2; i <= s.Records; i++ {
			if at := first + i - 1; first < 0 || at >= len(header) || header[at] != a.Name+"_"+strconv.Itoa(i) {
				return nil, format.Unreadable(file, 1, "header lacks the further values of histories")
			}
			header[first+i-1] = ""
		}
	}
	for _, a := range s.Qi {
		at = append(at, column(a.Name))
	}
	if at = append(at, values...); slices.Contains(at, -1) {
		return nil, format.Unreadable(file, 1, "header lacks an attribute of the schema")
	}
	p.at = at
	if s.Subject != "" {
		p.subjectAt = column(s.Subject)
	}
	return p.parse(index)
}

type recordParser struct {
	csv       *format.CsvReader
	s         *format.Schema
	at        []int // columns of the attributes
	subjectAt int
	eraAt     int // 0: there is no such column
	stratumAt int
	came      int // columns that say when records came
	subjects  RecordIndex
	lanes     RecordIndex
	out       Records
}

func (p *recordParser) parse(index *RecordIndex) (*Records, error) {
	r := &p.out
	r.More = make([][]uint32, len(p.s.Sas)-1)
	r.resize(len(index.Ids), len(p.s.Qi), p.subjectAt >= 0)
	for {
		ok, err := p.csv.Next()
		if err != nil {
			return nil, err
		}
		if !ok {
			r.resize(len(index.Ids), len(p.s.Qi), p.subjectAt >= 0)
			return r, nil
		}
		if !isRecordID(p.csv.Fields[0]) {
			return nil, p.csv.Fail("record is not source:partition:offset")
		}
		rec := int(index.intern(p.csv.Fields[0]))
		if rec >= r.N {
			r.resize(max(rec+1, r.N+r.N/2), len(p.s.Qi), p.subjectAt >= 0)
		}
		if r.Known[rec] {
			return nil, p.csv.Fail("record is listed twice")
		}
		r.Forgotten[rec] = bytes.HasPrefix(p.csv.Fields[0], []byte("forgotten:"))
		if err := p.row(rec); err != nil {
			return nil, err
		}
	}
}

func (p *recordParser) row(rec int) error {
	r, fields, d := &p.out, p.csv.Fields, len(p.s.Qi)
	r.Known[rec] = true
	of := format.Stratum{Records: 1}
	if len(fields[1]) > 0 {
		arrived, ok := format.ParseCount(fields[1])
		if !ok || arrived == 0 {
			return p.csv.Fail("arrived_in_release is not a release number")
		}
		r.Arrived[rec] = arrived
	}
	if p.eraAt > 0 {
		n, ok := format.ParseCount(fields[p.eraAt])
		if !ok || n == 0 {
			return p.csv.Fail("arrived_in_era is not a number from 1 on")
		}
		r.Era = format.Fit(r.Era, max(len(r.Era), r.N))
		r.Era[rec] = n
	}
	if p.s.Strata {
		var ok bool
		if of, ok = format.StratumOf(fields[p.stratumAt], p.s.Records); !ok && p.eraAt == 0 {
			return p.csv.Fail("stratum is none")
		}
		n := max(len(r.Stratum), r.N)
		r.Stratum, r.Until, r.Came, r.Lane = format.Fit(r.Stratum, n), format.Fit(r.Until, n), format.Fit(r.Came, n), format.Fit(r.Lane, n)
		r.Rows = append(r.Rows, uint32(rec))
		r.Stratum[rec], r.Lane[rec] = of.Text, p.lanes.intern(fields[0][:bytes.LastIndexByte(fields[0], ':')])
		if r.Until[rec], r.Came[rec], ok = p.observed(fields[p.stratumAt+1:p.stratumAt+2+p.came], of.Records); !ok && p.eraAt == 0 {
			return p.csv.Fail("observed_until and came are not times, as many as the stratum says, or nothing")
		}
	}
	for a, attr := range p.s.Qi {
		id, reason := attr.InternValue(fields[p.at[a]])
		if reason != "" && (p.eraAt > 0 || attr.Hier != nil && r.Arrived[rec] == 0) {
			r.lack(rec) // it is of another era, or its leaf may be in the copy that the next release brings
			continue
		}
		if reason != "" {
			return p.csv.Fail("attribute %s: %s", attr.Name, reason)
		}
		r.Qi[rec*d+a] = id
	}
	for a, attr := range p.s.Sas {
		sa, records, err := attr.ReadHistory(p.csv, fields[p.at[d+a]:][:p.s.Records])
		if p.eraAt > 0 && (err != nil || len(fields[p.at[d+a]]) == 0 || records != of.Records) {
			r.lack(rec)
			continue
		}
		if err != nil {
			return err
		}
		if records != of.Records && !r.Forgotten[rec] { // whose values the state may not have any more
			return p.csv.Fail("attribute %s: a history has another number of records than its stratum", attr.Name)
		}
		r.Of(a)[rec] = sa
	}
	if p.subjectAt >= 0 {
		known := len(p.subjects.Ids)
		r.Subject[rec] = p.subjects.intern(fields[p.subjectAt])
		r.Beyond[rec] = int(r.Subject[rec]) < known && !r.Forgotten[rec]
	}
	return nil
}

// Lacks reports that a record has not all columns of the era, or values that are none of its attributes.
func (r *Records) Lacks(rec uint32) bool { return int(rec) < len(r.lacks) && r.lacks[rec] }

func (r *Records) lack(rec int) {
	r.lacks = format.Fit(r.lacks, max(len(r.lacks), rec+1))
	r.lacks[rec] = true
}

// observed reads when somebody was observed, and when each of so many records came; nothing at all is possible, too.
func (p *recordParser) observed(fields [][]byte, records int) (until int64, came []int64, ok bool) {
	for i, f := range fields {
		switch {
		case i > records || len(fields[0]) == 0:
			if len(f) > 0 {
				return 0, nil, false
			}
		default:
			t, err := strconv.ParseInt(string(f), 10, 64)
			if err != nil || t > 1<<52 || t < -1<<52 {
				return 0, nil, false
			}
			came = append(came, t)
		}
	}
	if len(came) == 0 {
		return 0, nil, true
	}
	return came[0], came[1:], came[0] != 0
}

// Of is the column of a sensitive attribute.
func (r *Records) Of(attribute int) []uint32 {
	if attribute == 0 {
		return r.Sa
	}
	return r.More[attribute-1]
}

// resize sets the number of records the columns hold.
func (r *Records) resize(n, d int, subjects bool) {
	r.N = n
	r.Known = format.Fit(r.Known, n)
	r.Arrived = format.Fit(r.Arrived, n)
	r.Forgotten = format.Fit(r.Forgotten, n)
	r.Qi = format.Fit(r.Qi, n*d)
	r.Sa = format.Fit(r.Sa, n)
	for a := range r.More {
		r.More[a] = format.Fit(r.More[a], n)
	}
	if subjects {
		r.Subject, r.Beyond = format.Fit(r.Subject, n), format.Fit(r.Beyond, n)
	}
}
