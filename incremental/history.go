package incremental

import "fmt"

// history is what was decided so far: all classes ever published and the intents
// that name them. It only grows; a class that is regrouped stays in it as dead.
type history struct {
	classes []*Class // by ID, dead ones included
	intents []Intent // by release - 1
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
	return nil
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
	}
	for _, id := range d.deaths {
		h.classes[id].Died = release
		deaths = append(deaths, Death{id, release})
	}
	return deaths
}

// assign writes, by record, the living class that holds it, or none.
func (h *history) assign(classOf []ClassID) {
	for i := range classOf {
		classOf[i] = none
	}
	for _, c := range h.classes {
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

// at returns the classes that a release shows.
func (h *history) at(release uint32) (out []ClassView) {
	for _, c := range h.classes {
		if c.Born <= release && (c.Died == 0 || c.Died > release) {
			out = append(out, ClassView{Regime: c.Regime, Born: c.Born, Members: c.Members})
		}
	}
	return out
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
