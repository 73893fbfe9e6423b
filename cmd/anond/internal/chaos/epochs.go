package chaos

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"anond/cmd/anond/internal/daemon"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/snapshot/audit"
	"anond/snapshot/snapshottest"
)

// The steps behind which the end and the beginning of an epoch are killed: before them nothing is durable.
var (
	closeSteps = []string{"ledger", "releases", "state", "handover"}
	beginSteps = []string{"ledger", "state"}
)

// newcomers are records with which an epoch begins, besides those that were sent before.
const newcomers = 80

// nextEpoch ends the epoch of a dataset and begins the next, in other places, which reads all that was sent again. One of
// the two commands is killed, and repeated. In between, nobody may publish: not the epoch that ends, also from a copy
// of its state from before, and not the one that begins, as long as it does not know the people of the other.
func (w *inside) nextEpoch(p *played, f *fault) error {
	if err := w.finish(p); err != nil {
		return err
	}
	if w.damaged {
		if err := w.restoreReleases(); err != nil {
			return err
		}
	}
	if err := w.site.verdict(); err != nil {
		return fmt.Errorf("epoch %d ends: %w", len(w.before)+1, err)
	}
	handover, never := w.path("handover.db"), f.Draw&1 == 1
	if err := w.closeEpoch(f, handover, never); err != nil {
		return fmt.Errorf("epoch close: %w", err)
	}
	heirs, err := w.handedOver(handover, never)
	if err != nil {
		return fmt.Errorf("the handover of epoch %d: %w", len(w.before)+1, err)
	}
	w.before = append(w.before, w.site)
	w.feed.more(newcomers) // else the first pool of the next one may be of a few people, and rightly refused
	if err := w.elsewhere(heirs); err != nil {
		return err
	}
	if err := w.beginEpoch(f, handover); err != nil {
		return fmt.Errorf("epoch begin: %w", err)
	}
	return errors.Join(w.noteImage(), w.remirror(), w.mirrored(daemon.EpochPath(w.config)))
}

// killedBehind is the step of a command behind which a fault kills it; empty: it is for another one.
func (f *fault) killedBehind(do string, steps []string) string {
	if f.Do != do {
		return ""
	}
	return steps[(f.N-1)%len(steps)]
}

// onEpoch are the options of a command that dies behind a step.
func (w *inside) onEpoch(dies string) daemon.Options {
	return daemon.Options{Log: slog.New(slog.NewJSONHandler(w.log, nil)), Clock: w.clock, StandIns: daemon.StandIns{
		Epoch: func(step string) error {
			if w.planted.epoch != nil {
				if err := w.planted.epoch(step, w.config); err != nil {
					return err
				}
			}
			if step == dies {
				return errKilled
			}
			return nil
		}}}
}

// closeEpoch is anond epoch close, repeated until the handover is there.
func (w *inside) closeEpoch(f *fault, out string, never bool) error {
	waiting := map[bool]daemon.Waiting{false: daemon.Reread, true: daemon.Never}[never]
	dies, mark := f.killedBehind("epoch-close-killed", closeSteps), w.log.Len()
	_, err := daemon.CloseEpoch(context.Background(), w.config, w.onEpoch(dies), out, waiting)
	if errors.Is(err, errKilled) {
		f.take(mark)
		if err := w.staysClosed(); err != nil {
			return fmt.Errorf("killed behind step %s: %w", dies, err)
		}
		if _, err = os.Stat(out); err != nil {
			_, err = daemon.CloseEpoch(context.Background(), w.config, w.onEpoch(""), out, waiting)
		}
	}
	return errors.Join(err, w.staysClosed())
}

// staysClosed starts the epoch that ends again, and with a copy of its state from before.
func (w *inside) staysClosed() error {
	now, err := os.ReadFile(w.config.State.Path)
	if err != nil {
		return err
	}
	for _, state := range [][]byte{now, w.newestImage()} {
		if err := os.WriteFile(w.config.State.Path, state, 0o600); err != nil {
			return err
		}
		if err := w.refuses(incremental.ErrClosed); err != nil {
			return err
		}
	}
	return os.WriteFile(w.config.State.Path, now, 0o600)
}

// refuses starts the daemon, which must end with an error.
func (w *inside) refuses(want error) error {
	err := w.daemon(false, arm(nil, w.log.Len))
	fmt.Fprintf(w.log, "error: %v\n", err)
	if !errors.Is(err, want) {
		return fmt.Errorf("the daemon starts, and ends so: %v; it had to refuse: %w", err, want)
	}
	return nil
}

// elsewhere has the dataset go on in a directory of its own. What an operator has accepted stays accepted.
func (w *inside) elsewhere(h heirs) error {
	s, err := newSite(filepath.Join(w.root, fmt.Sprintf("epoch-%d", len(w.before)+1)), w.random, w.plan.World.Partitions)
	if err != nil {
		return err
	}
	s.feed, s.log, s.heirs = w.feed, w.log, h
	if err := s.configure(w.plan.World.configuration(insideSections(&w.plan.World))); err != nil {
		return err
	}
	s.config.DeadLetter.MaxShare, s.config.Initial.OnRefusal = w.config.DeadLetter.MaxShare, w.config.Initial.OnRefusal
	w.site, w.mirror = s, snapshottest.NewMirror(s.path("disk"))
	w.images, w.files, w.newest, w.copied = nil, 0, nil, stateCopy{}
	return nil
}

// beginEpoch is anond epoch begin, repeated if it was killed.
func (w *inside) beginEpoch(f *fault, handover string) error {
	dies, mark := f.killedBehind("epoch-begin-killed", beginSteps), w.log.Len()
	_, err := daemon.BeginEpoch(context.Background(), w.config, w.onEpoch(dies), []string{handover}, 0)
	if !errors.Is(err, errKilled) {
		return err
	}
	f.take(mark)
	if dies == "ledger" { // there is no state yet, and somebody starts anond too early
		if err := w.refuses(daemon.ErrNoEpoch); err != nil {
			return err
		}
	}
	_, err = daemon.BeginEpoch(context.Background(), w.config, w.onEpoch(""), []string{handover}, 0)
	if dies == "ledger" && errors.Is(err, fs.ErrExist) { // the start that was refused has made a state
		if err = os.Remove(w.config.State.Path); err == nil {
			_, err = daemon.BeginEpoch(context.Background(), w.config, w.onEpoch(""), []string{handover}, 0)
		}
	}
	return err
}

// heirs are what an epoch knows of people of earlier ones.
type heirs struct {
	known   map[int]bool // whom it must not publish
	unsure  map[int]bool // of these it knows so many: level L2 may have given up people that the harness cannot tell
	blocked int
}

// handedOver holds a handover against what the harness knows of the epoch that has ended.
func (w *inside) handedOver(path string, never bool) (h heirs, err error) {
	persons, err := w.site.accepted()
	if err != nil {
		return h, err
	}
	h.known = map[int]bool{}
	for person := range w.known {
		h.known[person] = true
	}
	waiting := map[int]bool{}
	for person := range persons {
		if never || w.people[person] {
			h.known[person] = true
		} else {
			waiting[person] = true
		}
	}
	known, reread, err := readHandover(path)
	if err != nil {
		return h, err
	}
	if h.blocked = known - len(h.known); h.blocked != 0 && w.plan.World.Level == "L2" {
		h.unsure = waiting
	}
	if h.blocked < 0 || h.blocked > len(h.unsure) || reread != len(waiting)-h.blocked {
		return h, fmt.Errorf("it knows %d people and has %d read again; %d are not to be published again, and %d wait", known, reread,
			len(h.known), len(waiting))
	}
	return h, nil
}

// readHandover counts the people of a handover.
func readHandover(path string) (known, reread int, err error) {
	h, err := boltstore.OpenHandover(path, boltstore.Options{}.Key)
	if err != nil {
		return 0, 0, err
	}
	for p, e := range h.People() {
		if e != nil {
			err = e
			break
		}
		if p.Waiting {
			reread++
		} else {
			known++
		}
	}
	return known, reread, errors.Join(err, h.Close())
}

// accepted are the people of whom the state has a record, as its newest verdict saw it.
func (s *site) accepted() (map[int]bool, error) {
	rows, err := csv.NewReader(bytes.NewReader(s.exports.Records)).ReadAll()
	if err != nil {
		return nil, err
	}
	out := map[int]bool{}
	for _, row := range rows[1:] {
		m, err := s.message(row[0])
		if err != nil {
			return nil, err
		}
		out[m.person] = true
	}
	return out, nil
}

// resolve finds out of whom the harness cannot tell: all records of a person are there, or none.
func (h *heirs) resolve(f *feed, seen func(partition, offset int) bool) error {
	here, there := map[int]int{}, map[int]int{}
	for p, list := range f.parts {
		for offset, m := range list {
			if !h.unsure[m.person] || m.refused {
				continue
			}
			there[m.person]++
			if seen(p, offset) {
				here[m.person]++
			}
		}
	}
	blocked := 0
	for person := range h.unsure {
		switch here[person] {
		case 0:
			blocked++
			h.known[person] = true
		case there[person]:
		default:
			return fmt.Errorf("of person %d, who waited in an earlier epoch, there are %d of %d records", person, here[person], there[person])
		}
	}
	if blocked != h.blocked {
		return fmt.Errorf("%d people who waited are not read again; the handover has %d of them", blocked, h.blocked)
	}
	h.unsure, h.blocked = nil, 0
	return nil
}

// verdict holds all epochs against what was sent, and against each other.
func (w *inside) verdict() error {
	if err := w.site.verdict(); err != nil || len(w.before) == 0 {
		return err
	}
	home := map[int]int{}
	for i, s := range append(w.before[:len(w.before):len(w.before)], w.site) {
		for person := range s.people {
			if other, twice := home[person]; twice {
				return fmt.Errorf("person %d is published in the epochs %d and %d", person, other, i+1)
			}
			home[person] = i + 1
		}
		if err := s.archive.see(false); err != nil {
			return fmt.Errorf("epoch %d: %w", i+1, err)
		}
	}
	return w.together()
}

// together has the auditor look at all epochs.
func (w *inside) together() error {
	if w.archive.newest() == "" {
		return nil
	}
	o := w.chain()
	for _, s := range w.before {
		if s.archive.newest() == "" {
			continue
		}
		dir := s.path("exports")
		if err := writeExports(dir, s.exports); err != nil {
			return err
		}
		o.Earlier = append(o.Earlier, audit.Earlier{Releases: s.config.Release.Dir, Exports: dir})
	}
	return certified("all epochs", o)
}
