package state

import (
	"math"
	"slices"

	"anond/equivclass"
)

// An Era is a stretch of a dataset under the same settings.
//
// Rule B (buckets): settings that depend on no value of those who wait, and caps, may be others for each pool. Theorem T is of one
// pool: its people share a class blindly, and its caps are fixed before its values are looked at; what other pools were asked for is
// public. So an era begins between two pools, never while one is fixed. Caps that somebody chose who knows values of a part of
// those who wait tell about these people; no program can see that, so `anond config apply` says it each time.
//
// Cost: the settings, compressed, once for each era.
type Era struct {
	// Release is the first one that may be decided in it, Attempt the newest cut tried before it, and records below Records had
	// arrived before it.
	Release uint32
	Attempt uint32
	Records RecordID
	// Grown: it differs from the one before by leaves of hierarchies alone, which no part of a release is changed by.
	Grown bool
	// Arrival: it is one of people who come after its beginning. Whoever came before is in no pool of it.
	Arrival bool
	// Ends are the first offsets that were not read when it began, by partition.
	Ends map[Partition]int64
	// Scale is what numbers were measured by, of eras that are over.
	Scale []equivclass.Range
	// Config is what the host makes of it again what the machine was opened with (Options.Rebuild of the machine).
	Config []byte
}

// Later says of a setting what may come after the first pool is fixed: it may be another for later pools.
type Later uint8

// What may be another.
const (
	// Blind settings decide who shares a class or a pool, or how a release shows classes, and depend on no value.
	Blind Later = iota
	// Cap settings are what is asked of a bag. They may be others for a first pool that was refused: every test is a function
	// of its bag, and the people and the classes stay.
	Cap
	// Newcomer settings say what is taken in, and of whom. They may be others for people who come later (newcomers.go of the machine).
	Newcomer
)

// Begin begins an era. One in which nothing was tried or taken in is replaced by it: it decided nothing.
func (h *Head) Begin(e Era) {
	if n := len(h.Eras); n > 0 {
		if last := h.Eras[n-1]; last.Release == e.Release && last.Attempt == e.Attempt && last.Records == e.Records {
			e.Grown, e.Arrival = e.Grown && (n == 1 || last.Grown), e.Arrival || last.Arrival
			h.Eras = h.Eras[: n-1 : n-1]
		}
	}
	if n := len(h.Eras); n > 0 {
		h.Eras = slices.Clone(h.Eras)
		h.Eras[n-1].Scale = h.Scale
	}
	h.Eras, h.Changed = append(h.Eras, e), true
}

// Former is an era before the newest one of which releases show something: what was born up to Until, and after the one before. Until
// the era behind it has births, that is none.
type Former struct {
	Until uint32
	Last  int // the newest of Head.Eras that belongs to it: others may have begun with leaves alone
}

// Former are those eras, oldest first. Eras in which nothing was published are none.
func (s *State) Former() (out []Former) {
	eras := s.Head.Eras
	for i := 0; i < len(eras); {
		last := i
		for last+1 < len(eras) && eras[last+1].Grown {
			last++
		}
		shown := false
		for n := eras[i].Release; n <= s.History.Releases() && (last+1 == len(eras) || n < eras[last+1].Release); n++ {
			if s.History.Intents[n-1].Newcomers > 0 {
				if shown = true; len(out) > 0 && out[len(out)-1].Until == math.MaxUint32 {
					out[len(out)-1].Until = n - 1
				}
				break
			}
		}
		if i = last + 1; shown && (i < len(eras)) {
			out = append(out, Former{math.MaxUint32, last})
		}
	}
	return out
}

// Arrivals are the first records of those who came under the same settings, where these say what is taken in, oldest first; nil: no
// setting has ever changed.
func (h *Head) Arrivals() (out []RecordID) {
	for i, e := range h.Eras {
		switch {
		case i == 0 || e.Grown && out == nil:
		case out == nil:
			out = []RecordID{0}
			fallthrough
		default:
			if e.Arrival {
				out = append(out, e.Records)
			}
		}
	}
	return out
}

// EraOf is the number of the era in which a release was decided, from 0.
func (h *Head) EraOf(release uint32) int {
	n := len(h.Eras) - 1
	for n > 0 && h.Eras[n].Release > release {
		n--
	}
	return n
}
