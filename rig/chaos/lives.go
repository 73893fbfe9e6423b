package chaos

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Plans in which people settle (subject.settle), have histories and corrections, or belong to another dataset of a subject ledger.

// observe has a dataset of level L2 observe its people before they are published. It draws from a generator of its own, so that other
// plans are what they were. A window that is counted in records needs one partition: else its end depends on the order of reading.
func (w *planSetting) observe(r *rand.Rand) {
	w.Level, w.Recoding, w.Deletes = "L2", "buckets", false
	windows := []string{"6h", "30h", "25 records", "60 records"}
	if w.Shards > 0 {
		windows = windows[:2]
	}
	if w.Settle = windows[r.IntN(len(windows))]; w.counts() {
		w.Partitions = 1
	} else {
		w.Broker = false // log time goes on in a topic that is read to its end
	}
	w.Updates = r.IntN(2) == 0
	if r.IntN(2) == 0 && w.Erasure == "" {
		w.History, w.Window = 2+r.IntN(2), ""
	}
}

// share has the releases of a whole dataset at level L2 have a view, and its people shared with another dataset.
func (w *planSetting) share(r *rand.Rand) {
	w.Views = w.Level == "L2" && w.Recoding == "buckets" && w.Shards == 0 && r.IntN(2) == 0
	w.Claims = w.Level == "L2" && w.Shards == 0 && r.IntN(4) == 0
}

// counts says that windows are counted in records.
func (w *planSetting) counts() bool { return strings.HasSuffix(w.Settle, " records") }

// heeds takes over from the setting what is sent, and what may happen to it.
func (f *feed) heeds(w *planSetting) {
	f.deletes, f.others, f.claims = w.Deletes, w.Attributes, w.Claims
	f.updates, f.history = w.Updates, max(1, w.History)
	if w.Settle == "" {
		return
	}
	f.keyed = f.keyed || !w.counts()
	if f.settle, _ = strconv.ParseInt(strings.TrimSuffix(w.Settle, " records"), 10, 64); !w.counts() {
		f.timed = true
		long, _ := time.ParseDuration(w.Settle)
		f.settle = long.Milliseconds()
	}
}

// again is a message about somebody who is observed, or was: another record, a correction, or one that is refused.
func (f *feed) again() message {
	m := message{person: max(0, f.persons-1-f.random.IntN(16)), ill: f.illness()}
	switch kind := f.random.IntN(12); {
	case kind == 0:
		m.refused = true
	case kind == 1:
		m.nothing = true
	case kind < 5 && f.updates && f.visits[m.person] > 0:
		m.visit = f.visits[m.person]
	}
	return f.record(m)
}

// fate is what must become of a message.
type fate uint8

const (
	passed  fate = iota // nothing is kept of it
	letter              // it is refused
	isShown             // it names the person's row
)

// life is a person who is observed.
type life struct {
	end     int64
	out     bool  // nothing of the person will ever be shown
	records []int // their offsets, in the order in which they were inserted
}

// fates says what must become of each message, whoever is forgotten, and which messages a person is published with. It shares no code
// with anond. Where people settle, it follows docs/FEEDS.md: a window begins with the first message and is equally long for all;
// what comes in it is a record, up to so many, or takes the place of one whose key it has; whoever has a record refused for the sensitive
// value is out.
func (f *feed) fates() (of [][]fate, published map[int][]message) {
	published = map[int][]message{}
	for p, part := range f.parts {
		all, lives := make([]fate, len(part)), map[int]*life{}
		for i := range part {
			switch m := &part[i]; {
			case f.foreign[m.person]:
			case f.settle > 0:
				all[i] = f.lived(part, i, lives)
			case m.refused:
				all[i] = letter
			case !m.deletes:
				all[i] = isShown
			}
		}
		for person, l := range lives {
			if n := len(l.records); n > 0 && !l.out && f.time(part, len(part)-1) >= l.end {
				all[l.records[n-1]] = isShown
				for _, i := range l.records {
					published[person] = append(published[person], part[i])
				}
			}
		}
		if f.reads(p) {
			of = append(of, all)
		} else {
			of = append(of, nil)
		}
	}
	return of, published
}

// lived is the fate of a message where people settle, as far as it is known when it comes.
func (f *feed) lived(part []message, i int, lives map[int]*life) fate {
	m, at := &part[i], f.time(part, i)
	l := lives[m.person]
	if l == nil {
		l = &life{end: at + f.settle}
		lives[m.person] = l
	}
	if at >= l.end || l.out {
		return passed
	}
	place := len(l.records)
	for k, other := range l.records {
		if f.updates && part[other].visit == m.visit {
			place = k
		}
	}
	switch {
	case place >= f.history:
	case m.refused:
		return letter
	case m.nothing:
		l.out = true
		return letter
	default:
		l.records = append(l.records[:place], append([]int{i}, l.records[min(place+1, len(l.records)):]...)...)
	}
	return passed
}

// time is by what windows go.
func (f *feed) time(part []message, i int) int64 {
	if f.timed {
		return part[i].at
	}
	return int64(i)
}

// sequences are the values with which a person is published: of all records in turn.
func sequences(records []message) (out []string) {
	for i, v := range records[0].values() {
		for _, m := range records[1:] {
			_, more, _ := strings.Cut(m.values()[i], "=")
			v += ">" + more
		}
		out = append(out, v)
	}
	return out
}
