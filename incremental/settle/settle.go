package settle

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
)

// Rule says how long people are observed. The zero Rule: nobody is, and each person's first record is taken as it comes.
type Rule struct {
	// For is the length of a window in the time of the log, in milliseconds; 0: Records counts.
	For int64
	// Records is the length as a number of messages read, refused ones included.
	Records int64
	// End: windows end with the source, all at once (Open.Finish).
	End bool
	// Max is how many inserts of a person are looked at, and shown as one history; 0 is 1.
	Max int
	// Updates are applied. Otherwise they count as having come, and are refused.
	Updates bool
}

// On reports whether people settle.
func (r Rule) On() bool { return r.Length() > 0 }

// Timed reports whether windows are measured in the log's time.
func (r Rule) Timed() bool { return r.For > 0 }

// Length is how long a window is, by the clock that Timed names.
func (r Rule) Length() int64 {
	if r.End {
		return longest
	}
	return max(r.For, r.Records)
}

// Inserts is how many inserts of a person are looked at.
func (r Rule) Inserts() int { return max(1, r.Max) }

// Histories reports whether what is shown of a person is a sequence of values.
func (r Rule) Histories() bool { return r.Inserts() > 1 }

// Most is the largest Max.
const Most = 15

// atEnd is how a rule is written whose windows end with the source.
const atEnd = "end"

// Parse reads the length of a window: 90d (also h, m, s), or 1000 records, or end.
func Parse(text string) (r Rule, err error) {
	if text == atEnd {
		return Rule{End: true}, nil
	}
	count, records := strings.CutSuffix(text, " records")
	unit, length := int64(1), &r.Records
	if !records && text != "" {
		unit, count, length = milliseconds(text[len(text)-1]), text[:len(text)-1], &r.For
	}
	n, err := strconv.ParseInt(count, 10, 64)
	switch {
	case err != nil || unit == 0 || n < 1:
		return Rule{}, errors.New("is neither a time nor a number of records, nor end")
	case n > longest/unit:
		return Rule{}, errors.New("is too long")
	}
	*length = n * unit
	return r, nil
}

// milliseconds of a unit of time; 0: it is none.
func milliseconds(unit byte) int64 {
	switch unit {
	case 'd':
		return 86400_000
	case 'h':
		return 3600_000
	case 'm':
		return 60_000
	case 's':
		return 1000
	}
	return 0
}

// longest bounds a window, so that sums of times do not overflow.
const longest = 1 << 50

// String is as Parse reads it; empty: nobody settles.
func (r Rule) String() string {
	switch {
	case !r.On():
		return ""
	case r.End:
		return atEnd
	case !r.Timed():
		return strconv.FormatInt(r.Records, 10) + " records"
	}
	for _, unit := range []byte("dhms") {
		if n := milliseconds(unit); r.For%n == 0 {
			return strconv.FormatInt(r.For/n, 10) + string(unit)
		}
	}
	return strconv.FormatInt(r.For, 10) + "ms" // of a test
}

// Stratum says what kind of messages came of a person within the window. People of different strata never share a pool.
type Stratum uint8

// Plain is the stratum of those of whom one insert came that was taken, and nothing else. All histories of a stratum are equally long.
const Plain Stratum = 1

const (
	inserts  Stratum = 1<<4 - 1
	faulty   Stratum = 1 << 4
	updated  Stratum = 1 << 5
	older    Stratum = 1 << 6
	strataOf         = inserts | faulty | updated | older
)

// Inserts is how many inserts were taken, up to the largest number.
func (s Stratum) Inserts() int { return int(s & inserts) }

// Faulty reports whether an insert or update was refused for what adversaries know.
func (s Stratum) Faulty() bool { return s&faulty != 0 }

// Updated reports whether an update came.
func (s Stratum) Updated() bool { return s&updated != 0 }

// Older reports whether the records were judged by the version of a sensitive attribute's hierarchy before the one of the time at
// which the window ended.
func (s Stratum) Older() bool { return s&older != 0 }

// String names the stratum by what is not plain of it.
func (s Stratum) String() string {
	var parts []string
	if n := s.Inserts(); n > 1 {
		parts = append(parts, strconv.Itoa(n))
	}
	for _, x := range []struct {
		is   bool
		name string
	}{{s.Faulty(), "fault"}, {s.Updated(), "updated"}, {s.Older(), "older"}} {
		if x.is {
			parts = append(parts, x.name)
		}
	}
	return cmp.Or(strings.Join(parts, "+"), "plain")
}

// Valid reports whether a person can be of the stratum who is shown.
func (s Stratum) Valid() bool { return s.Inserts() >= 1 && s&^strataOf == 0 }

// Kind says what a message does.
type Kind uint8

// The kinds.
const (
	Insert Kind = iota
	Update
	Delete
	// Unclear: the message cannot be read, so that nobody but the source knows whether it inserts or updates.
	Unclear
)

// Fault says why a message that is looked at cannot be taken.
type Fault uint8

// The faults.
const (
	Sound     Fault = iota
	Public          // for something that adversaries know: a quasi-identifier, the subject
	Sensitive       // for something that a sensitive value can have caused
)

// Message is one that the source sends about a person.
type Message struct {
	Person uint64 // digest
	Kind   Kind
	// Lane names the clock by which the message came at At. The clock of a lane never falls.
	Lane  uint16
	At    int64
	Epoch uint32 // of the sensitive attributes' hierarchies
	Record
}

// Record is what an insert or update brings.
type Record struct {
	Key    uint64 // digest of what the source knows the record by; 0: it does not say
	Origin uint16 // where the message stands
	Offset int64
	Row    []byte // what the machine makes a record of, opaque here
}

// History is what is known of a person so far.
type History struct {
	Number  uint64 // in order of first messages
	Person  uint64
	Lane    uint16
	End     int64  // by the clock of the lane
	Epoch   uint32 // by which its records were judged
	Faulty  bool
	Updated bool
	Records []Record

	changed bool // since it was read
}

// stratum is that of the history, if its window ends in an epoch. ok: it may be shown.
func (h *History) stratum(epoch uint32) (s Stratum, ok bool) {
	s = Stratum(len(h.Records))
	s |= when(h.Faulty, faulty) | when(h.Updated, updated) | when(epoch != h.Epoch, older)
	return s, len(h.Records) > 0 && epoch-h.Epoch <= 1
}

// when is a flag if something holds, and none otherwise.
func when[T ~uint8](is bool, flag T) T {
	if is {
		return flag
	}
	return 0
}

// record finds the record that a message is about, by its key, or the only one if the source gives none.
func (h *History) record(key uint64) *Record {
	for i := range h.Records {
		if h.Records[i].Key == key {
			return &h.Records[i]
		}
	}
	return nil
}
