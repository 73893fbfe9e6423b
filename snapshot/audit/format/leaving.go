package format

import (
	"slices"
	"strconv"
	"time"
)

// What may leave a release (rule W): whole parts, by age on a public clock. The manifest declares the window and up to which release
// births have left; what has to have left is computed here from the times that manifests say.

// window is how long a part stays: a number of releases, or an age in seconds. granule is the size of what leaves at once: a twelfth,
// at least one of the unit.
type window struct {
	releases, age, granule int64
}

// parseWindow reads 12 or 365d (also h, m, s). false: it is none.
func parseWindow(text string) (w window, ok bool) {
	unit := int64(0)
	if n := len(text); n > 0 {
		unit = map[byte]int64{'d': 86400, 'h': 3600, 'm': 60, 's': 1}[text[n-1]]
	}
	if unit > 0 {
		text = text[:len(text)-1]
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1<<31 || strconv.Itoa(n) != text {
		return w, false
	}
	w.granule = max(1, int64(n)/12) * max(1, unit)
	if unit > 0 {
		w.age = int64(n) * unit
	} else {
		w.releases = int64(n)
	}
	return w, true
}

// Times are the public times of releases, in Unix seconds, as far as their manifests are there.
type Times map[int]int64

// Note takes in the time of a release.
func (t Times) Note(man *Manifest) {
	at, _ := time.Parse(time.RFC3339, man.CreatedAt) // check
	t[man.Release] = at.Unix()
}

// CheckWindow tests what has left a release: that nothing of it is shown, that the watermark is the one that follows from the window
// and from the times of releases, that neither falls, and that the count of people ever published adds up. before is nil for
// the first release found. Of births whose time is not known anything may be said.
func CheckWindow(before, man *Manifest, times Times, f *Faults) {
	times.Note(man)
	if !man.loses() {
		return
	}
	add := func(kind, attribute, detail string) { f.Add("W", kind, man.Release, 0, attribute, detail) }
	if before != nil {
		if man.Expired < before.Expired {
			add(KindExpiredFalls, "expired", "what had left in the release before has not left in this one")
		}
		if times[man.Release] < times[before.Release] {
			add(KindExpiredTime, "created_at", "the release is older than the one before: what leaves goes by a clock that never falls")
		}
		stood, _ := before.Standing(man.Expired)
		left := man.Expired > before.Expired || man.withdrawn() > stood.withdrawn()
		if born := man.ownRows(); man.PeopleEver != before.PeopleEver+born || born == 0 && !left {
			add(KindPeopleEver, "people_ever", "the people ever published are not those of the release before and the ones who are new")
		}
	} else if man.PeopleEver < man.Records || man.Expired == 0 && !man.Withdraws() && man.PeopleEver != man.Records {
		add(KindPeopleEver, "people_ever", "the people ever published are fewer than the release shows, or nobody has left and they are more")
	}
	w, ok := parseWindow(man.Window) // check
	if !ok {
		return
	}
	if w.releases > 0 {
		want := max(0, (int64(man.Release)-w.releases)/w.granule*w.granule)
		if int64(man.Expired) != want {
			add(KindExpiredWrong, "expired", "what has left is not what the window says")
		}
		return
	}
	for birth, created := range times {
		gone := (created/w.granule+1)*w.granule+w.age <= times[man.Release]
		if birth < man.Release && gone != (birth <= man.Expired) {
			add(KindExpiredWrong, "expired", "what has left is not what the window says, by the times of the releases")
			return
		}
	}
}

// ownRows is how many people a release publishes first.
func (m *Manifest) ownRows() int {
	if own := m.own(); own != nil {
		return own.Rows
	}
	return 0
}

// Own is the name of the part that a release gave birth to; empty: it has none.
func (m *Manifest) Own() string {
	if own := m.own(); own != nil {
		return own.Name
	}
	return ""
}

// own is the part that a release gave birth to; nil: it has none, which a window allows.
func (m *Manifest) own() *Part {
	if n := len(m.Parts) - 1; n >= 0 && m.Parts[n].Name == PartName(m.Release) {
		return &m.Parts[n]
	}
	return nil
}

// ShowsNobody reports that all whom a release shows were published first in releases up to one.
func (m *Manifest) ShowsNobody(behind int) bool {
	stand, _ := m.Standing(behind)
	return len(stand.Parts) == 0 || m.Records == 0
}

// Standing is the manifest without the parts that have left by a watermark, and how many parts, classes and buckets these are, with their
// pools. What stays is compared with the release that has the watermark as if the others had never been.
func (m *Manifest) Standing(expired int) (*Manifest, Left) {
	var l Left
	for l.Parts < len(m.Parts) {
		p := &m.Parts[l.Parts]
		if b, _ := ParsePartName(p.Name); b.Last > expired {
			break
		}
		l.Parts, l.Classes, l.Rows, l.Buckets, l.Pools = l.Parts+1, l.Classes+p.Classes, l.Rows+p.Rows, l.Buckets+p.Buckets, l.Pools+p.Pools
	}
	if l.Parts == 0 {
		return m, l
	}
	out := *m
	out.Parts = m.Parts[l.Parts:]
	return &out, l
}

// Left counts what has left.
type Left struct{ Parts, Classes, Rows, Buckets, Pools int }

// Erasure is when buckets leave whose people asked to be erased (rule W, what may leave): with the first release of a period.
type Erasure struct {
	Every int64 `json:"every"` // seconds
	Count int   `json:"count"` // requests, at least
}

// Withdraws reports that buckets have left parts of the release.
func (m *Manifest) Withdraws() bool { return m.withdrawn() > 0 }

// loses reports that somebody may leave the releases: a release is made, too, when somebody leaves, and may have no births.
func (m *Manifest) loses() bool { return m.Window != "" || m.Erasure != nil }

// withdrawn is how many buckets have left parts of the release.
func (m *Manifest) withdrawn() (n int) {
	for i := range m.Parts {
		n += len(m.Parts[i].Withdrawn)
	}
	return n
}

// checkWithdrawn tests the list of withdrawn buckets of a part by itself.
func checkWithdrawn(man *Manifest, p *Part, f *Faults) {
	wrong := 0
	for i, n := range p.Withdrawn {
		if !man.AtL2() || man.Erasure == nil || n > p.Buckets || i > 0 && n <= p.Withdrawn[i-1] {
			wrong++
		}
	}
	f.AddN("W", KindWithdrawn, man.Release, 0, "withdrawn",
		"the list of withdrawn buckets is not ascending, names buckets that the part never had, or nothing may leave", wrong)
}

// newlyWithdrawn are the buckets of a part of the release before that its list of now has in addition. None comes back.
func newlyWithdrawn(before, now []int, release int, f *Faults) (gone []int) {
	for _, n := range now {
		if _, left := slices.BinarySearch(before, n); !left {
			gone = append(gone, n)
		}
	}
	back := 0
	for _, n := range before {
		if _, left := slices.BinarySearch(now, n); !left {
			back++
		}
	}
	f.AddN("W", KindWithdrawnBack, release, 0, "withdrawn", "a bucket that was withdrawn is there again", back)
	return gone
}

// checkErasure tests that a release may withdraw buckets: it is the first of its period.
func checkErasure(before, after *Manifest, f *Faults) {
	then, err := time.Parse(time.RFC3339, before.CreatedAt)
	now, err2 := time.Parse(time.RFC3339, after.CreatedAt)
	if e := after.Erasure; err != nil || err2 != nil || e == nil || e.Every < 1 || now.Unix()/e.Every <= then.Unix()/e.Every {
		f.Add("W", KindErasureTime, after.Release, 0, "withdrawn", "buckets leave with a release that is not the first of its period")
	}
}
