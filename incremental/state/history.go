package state

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sort"

	"anond/equivclass"
	"anond/internal/fault"
)

// ErrUnpublished: the newest release is decided but not published yet.
var ErrUnpublished = fault.Errorf(fault.Failed, "start anond run, which finishes the release, and run it again",
	"the release before is not published yet")

// History is what was decided so far: all classes ever published and the intents
// that name them. It only grows; a class that is regrouped stays in it as dead.
type History struct {
	Classes []*Class             // by ID, dead ones included
	Died    map[uint32][]ClassID // by the release in which they died
	Intents []Intent             // by release - 1
	Bucket  BucketID             // the newest one
	Values  map[Group]*Values    // of everybody ever published, at level L2
	Born    uint32               // the newest release of which they have the bag
	Left    int                  // records of classes that left (package retire)
	// withdrawn is how many records are in buckets that were withdrawn (package withdraw), by the release of their birth.
	withdrawn map[uint32]int
	lengths   map[uint32]int // how long the histories are of those whom a release published first, if not 1
}

// LoadClass takes in a class from the store.
func (h *History) LoadClass(c *Class, records RecordID) error {
	if int(c.ID) != len(h.Classes) {
		return fmt.Errorf("%w: class %d follows class %d", ErrCorrupt, c.ID, len(h.Classes)-1)
	}
	for _, r := range c.Members {
		if r >= records {
			return fmt.Errorf("%w: class %d names record %d of %d", ErrCorrupt, c.ID, r, records)
		}
	}
	h.Classes = append(h.Classes, c)
	h.Bucket = max(h.Bucket, c.Bucket)
	if c.Died != 0 {
		h.bury(c.ID)
	}
	return nil
}

// valuesOf counts the values of a stratum.
func (h *History) valuesOf(s Group) *Values {
	v := h.Values[s]
	if v == nil {
		if h.Values == nil {
			h.Values = map[Group]*Values{}
		}
		v = &Values{}
		h.Values[s] = v
	}
	return v
}

// Shown are the values of everybody ever published, by the place of the sensitive attribute among these; one may come several times.
func (h *History) Shown(attribute int) iter.Seq2[equivclass.Code, int] {
	return func(yield func(equivclass.Code, int) bool) {
		for of, v := range h.Values {
			if attribute >= of.Sensitive {
				continue
			}
			for code, n := range v.Counts[attribute] {
				if n > 0 && !yield(equivclass.Code(code), n) {
					return
				}
			}
		}
	}
}

// bury notes in which release a class died.
func (h *History) bury(id ClassID) {
	if h.Died == nil {
		h.Died = map[uint32][]ClassID{}
	}
	c := h.Classes[id]
	if h.Died[c.Died] = append(h.Died[c.Died], id); c.Bucket != 0 {
		if h.withdrawn == nil {
			h.withdrawn = map[uint32]int{}
		}
		h.withdrawn[c.Born] += len(c.Members)
	}
}

// LoadIntent takes in an intent from the store.
func (h *History) LoadIntent(i *Intent) error {
	if int(i.Release) != len(h.Intents)+1 {
		return fmt.Errorf("%w: release %d follows release %d", ErrCorrupt, i.Release, len(h.Intents))
	}
	h.Decide(*i)
	return nil
}

// Decide takes in the next intent, and counts who leaves with it.
func (h *History) Decide(i Intent) {
	h.Left += h.Leaving(i.Expired)
	h.Intents = append(h.Intents, i)
}

// Newcomers is how many people were published first in releases up to one.
func (h *History) Newcomers(through uint32) (people int) {
	for _, i := range h.Intents[:through] {
		people += i.Newcomers
	}
	return people
}

// Leaving is how many people leave if the watermark moves to a release, those of buckets that left before included.
func (h *History) Leaving(through uint32) (people int) {
	for r := h.Expired() + 1; r <= through; r++ {
		people += h.Intents[r-1].Newcomers
	}
	return people
}

// Withdrawn is how many records are in buckets that were withdrawn, of parts that have not left: then they count among those who
// have left with their parts, as a state does that has them no more (package erase).
func (h *History) Withdrawn() (n int) {
	for born, of := range h.withdrawn {
		if born > h.Expired() {
			n += of
		}
	}
	return n
}

// Expired is the watermark: what was born in releases up to it has left.
func (h *History) Expired() uint32 {
	if i := h.Latest(); i != nil {
		return i.Expired
	}
	return 0
}

// Shows is the newest release that shows what a release gave birth to, but for what was withdrawn.
func (h *History) Shows(born uint32) uint32 {
	n, _ := slices.BinarySearchFunc(h.Intents, born, func(i Intent, born uint32) int { return cmp.Compare(int64(i.Expired), int64(born)) })
	return uint32(n)
}

// Created is the public time of a release. It never falls.
func (h *History) Created(release uint32) int64 { return h.Intents[release-1].CreatedAt }

// Latest returns the newest intent, nil before the first release.
func (h *History) Latest() *Intent {
	if len(h.Intents) == 0 {
		return nil
	}
	return &h.Intents[len(h.Intents)-1]
}

// Unpublished returns the intent that is decided but not published yet, nil if
// there is none.
func (h *History) Unpublished() *Intent {
	if i := h.Latest(); i != nil && !i.Published {
		return i
	}
	return nil
}

// Releases returns the number of releases decided.
func (h *History) Releases() uint32 { return uint32(len(h.Intents)) }

// Fed returns the number of records that had arrived at the newest release that published somebody first.
func (h *History) Fed() RecordID {
	for n := len(h.Intents) - 1; n >= 0; n-- {
		if h.Intents[n].Newcomers > 0 {
			return h.Intents[n].Cut
		}
	}
	return 0
}

// Cut returns the number of records that had arrived at the newest release.
func (h *History) Cut() RecordID {
	if i := h.Latest(); i != nil {
		return i.Cut
	}
	return 0
}

// Enter makes a decision part of the history, as the next release. Classes die in the order of their numbers, as a history that
// is read has them: what a release says of itself must not depend on whether the process that decided it is still there.
func (h *History) Enter(d Decision) (deaths []Death) {
	release := h.Releases() + 1
	for _, c := range d.Births {
		c.ID, c.Born = ClassID(len(h.Classes)), release
		h.Classes = append(h.Classes, c)
		h.Bucket = max(h.Bucket, c.Bucket)
	}
	for _, id := range slices.Sorted(slices.Values(d.Deaths)) {
		h.Classes[id].Died = release
		h.bury(id)
		deaths = append(deaths, Death{id, release})
	}
	return deaths
}

// Settle writes, by record, the living class that holds it, for those of some classes.
func (h *History) Settle(classOf []ClassID, classes []*Class) {
	for _, c := range classes {
		if c.Holds() {
			for _, r := range c.Members {
				classOf[r] = c.ID
			}
		}
	}
}

// Requests is how many people of each bucket were forgotten, of those that have not left, also not by the watermark.
func (h *History) Requests(records *Records, expired uint32) map[uint32]int {
	out := map[uint32]int{}
	for _, c := range h.Classes {
		if !c.Ownerless || c.Died != 0 || c.Bucket == 0 || c.Born <= expired {
			continue
		}
		for _, r := range c.Members {
			if records.Erased(r) {
				out[uint32(c.Bucket)]++
			}
		}
	}
	return out
}

// Of are the classes of buckets, which ascend.
func (h *History) Of(buckets []uint32) (out []ClassID) {
	for _, c := range h.Classes {
		if _, found := slices.BinarySearch(buckets, uint32(c.Bucket)); found {
			out = append(out, c.ID)
		}
	}
	return out
}

// Alive returns the number of classes that a release with this watermark shows.
func (h *History) Alive(expired uint32) (n int) {
	for _, c := range h.Classes {
		if c.Died == 0 && c.Born > expired {
			n++
		}
	}
	return n
}

// At returns the classes that a release shows with a watermark, and those that had died by then.
func (h *History) At(release, expired uint32) (alive, dead []ClassView) {
	for _, c := range h.Classes {
		switch {
		case c.Born > release || c.Born <= expired:
		case c.Died == 0 || c.Died > release:
			alive = append(alive, c.view(0))
		default:
			dead = append(dead, c.view(c.Died))
		}
	}
	return alive, dead
}

// Change returns the classes that are born in a release, and those that die. Its
// cost is theirs, and a search.
func (h *History) Change(release uint32) (born, died []ClassView) {
	first := sort.Search(len(h.Classes), func(i int) bool { return h.Classes[i].Born >= release })
	for _, c := range h.Births(release, first) {
		born = append(born, c.view(0))
	}
	for _, id := range h.Died[release] {
		died = append(died, h.Classes[id].view(release))
	}
	return born, died
}

func (c *Class) view(died uint32) ClassView {
	return ClassView{Regime: c.Regime, Bucket: c.Bucket, Born: c.Born, Died: died, Members: c.Members}
}

// Births returns the classes from one number on that a release published first.
func (h *History) Births(release uint32, from int) (out []*Class) {
	for from < len(h.Classes) && h.Classes[from].Born == release {
		out = append(out, h.Classes[from])
		from++
	}
	return out
}

// Regroups returns how often each of the records had been regrouped up to a
// release: the number of classes that held it, less one.
func (h *History) Regroups(release uint32, records RecordID) []uint16 {
	out, seen := make([]uint16, records), make([]bool, records)
	for _, c := range h.Classes {
		if c.Born > release {
			break
		}
		for _, r := range c.Members {
			if seen[r] {
				out[r]++
			}
			seen[r] = true
		}
	}
	return out
}

// ClassView is one class of a view.
type ClassView struct {
	Regime  Regime
	Bucket  BucketID // at level L2: classes of one bucket are born in one release
	Born    uint32
	Died    uint32 // the first release without it; 0 in a release in which it lives
	Members []RecordID
}

// Moved tells of a living class whether one of its people was in another class before: then
// their values follow from the flat classes of earlier releases, and dealing them anew would
// contradict those.
func (h *History) Moved() func(*Class) bool {
	before := map[RecordID]bool{}
	for _, ids := range h.Died {
		for _, id := range ids {
			for _, r := range h.Classes[id].Members {
				before[r] = true
			}
		}
	}
	return func(c *Class) bool { return slices.ContainsFunc(c.Members, func(r RecordID) bool { return before[r] }) }
}

// Unlinked are the classes of which state does not know any more who has which value.
func (h *History) Unlinked() map[ClassID]bool {
	out, buckets := map[ClassID]bool{}, map[BucketID]bool{}
	var moved func(*Class) bool
	for _, c := range h.Classes {
		switch {
		case !c.Ownerless || !c.Holds():
		case c.Bucket != 0:
			buckets[c.Bucket] = true
		default:
			if moved == nil {
				moved = h.Moved()
			}
			out[c.ID] = !moved(c)
		}
	}
	for _, c := range h.Classes {
		if buckets[c.Bucket] {
			out[c.ID] = true
		}
	}
	return out
}
