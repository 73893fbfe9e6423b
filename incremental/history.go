package incremental

import (
	"fmt"
	"sort"
)

// history is what was decided so far: all classes ever published and the intents
// that name them. It only grows; a class that is regrouped stays in it as dead.
type history struct {
	classes []*Class             // by ID, dead ones included
	died    map[uint32][]ClassID // by the release in which they died
	intents []Intent             // by release - 1
	bucket  BucketID             // the newest one
}

// loadClass takes in a class from the store.
func (h *history) loadClass(c *Class, records RecordID) error {
	if int(c.ID) != len(h.classes) {
		return fmt.Errorf("%w: class %d follows class %d", ErrCorrupt, c.ID, len(h.classes)-1)
	}
	for _, r := range c.Members {
		if r >= records {
			return fmt.Errorf("%w: class %d names record %d of %d", ErrCorrupt, c.ID, r, records)
		}
	}
	h.classes = append(h.classes, c)
	h.bucket = max(h.bucket, c.Bucket)
	if c.Died != 0 {
		h.bury(c.ID)
	}
	return nil
}

// bury notes in which release a class died.
func (h *history) bury(id ClassID) {
	if h.died == nil {
		h.died = map[uint32][]ClassID{}
	}
	release := h.classes[id].Died
	h.died[release] = append(h.died[release], id)
}

// loadIntent takes in an intent from the store.
func (h *history) loadIntent(i *Intent) error {
	if int(i.Release) != len(h.intents)+1 {
		return fmt.Errorf("%w: release %d follows release %d", ErrCorrupt, i.Release, len(h.intents))
	}
	h.intents = append(h.intents, *i)
	return nil
}

// latest returns the newest intent, nil before the first release.
func (h *history) latest() *Intent {
	if len(h.intents) == 0 {
		return nil
	}
	return &h.intents[len(h.intents)-1]
}

// unpublished returns the intent that is decided but not published yet, nil if
// there is none.
func (h *history) unpublished() *Intent {
	if i := h.latest(); i != nil && !i.Published {
		return i
	}
	return nil
}

// releases returns the number of releases decided.
func (h *history) releases() uint32 { return uint32(len(h.intents)) }

// cut returns the number of records that had arrived at the newest release.
func (h *history) cut() RecordID {
	if i := h.latest(); i != nil {
		return i.Cut
	}
	return 0
}

// enter makes a decision part of the history, as the next release.
func (h *history) enter(d decision) (deaths []Death) {
	release := h.releases() + 1
	for _, c := range d.births {
		c.ID, c.Born = ClassID(len(h.classes)), release
		h.classes = append(h.classes, c)
		h.bucket = max(h.bucket, c.Bucket)
	}
	for _, id := range d.deaths {
		h.classes[id].Died = release
		h.bury(id)
		deaths = append(deaths, Death{id, release})
	}
	return deaths
}

// settle writes, by record, the living class that holds it, for those of some classes.
func (h *history) settle(classOf []ClassID, classes []*Class) {
	for _, c := range classes {
		if c.Died == 0 {
			for _, r := range c.Members {
				classOf[r] = c.ID
			}
		}
	}
}

// alive returns the number of classes that the newest release shows.
func (h *history) alive() (n int) {
	for _, c := range h.classes {
		if c.Died == 0 {
			n++
		}
	}
	return n
}

// at returns the classes that a release shows, and those that had died by then.
func (h *history) at(release uint32) (alive, dead []ClassView) {
	for _, c := range h.classes {
		switch {
		case c.Born > release:
		case c.Died == 0 || c.Died > release:
			alive = append(alive, c.view(0))
		default:
			dead = append(dead, c.view(c.Died))
		}
	}
	return alive, dead
}

// change returns the classes that are born in a release, and those that die. Its
// cost is theirs, and a search.
func (h *history) change(release uint32) (born, died []ClassView) {
	first := sort.Search(len(h.classes), func(i int) bool { return h.classes[i].Born >= release })
	for _, c := range h.births(release, first) {
		born = append(born, c.view(0))
	}
	for _, id := range h.died[release] {
		died = append(died, h.classes[id].view(release))
	}
	return born, died
}

func (c *Class) view(died uint32) ClassView {
	return ClassView{Regime: c.Regime, Bucket: c.Bucket, Born: c.Born, Died: died, Members: c.Members}
}

// births returns the classes from one number on that a release published first.
func (h *history) births(release uint32, from int) (out []*Class) {
	for from < len(h.classes) && h.classes[from].Born == release {
		out = append(out, h.classes[from])
		from++
	}
	return out
}

// regroups returns how often each of the records had been regrouped up to a
// release: the number of classes that held it, less one.
func (h *history) regroups(release uint32, records RecordID) []uint16 {
	out, seen := make([]uint16, records), make([]bool, records)
	for _, c := range h.classes {
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
