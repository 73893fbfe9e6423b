package chaos

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"anond/incremental/boltstore"
)

// result is what a plan has shown.
type result struct {
	Plan   *chaosPlan
	Faults []string // kinds of those that took effect
	Err    error    // nil: every promise held
	Log    string   // of the daemon
	Reach  reach    // which faults have struck where, of a simulation
	Trace  string   // what the daemon did to its disks, of a simulation
}

// played is what plays are made of in both worlds.
type played struct {
	faults []*fault
	used   map[*fault][]ending // what a fault has explained already
}

func newPlayed() *played { return &played{used: map[*fault][]ending{}} }

// explain finds the fault that an ending comes from: one that took effect, or one
// whose effect shows only now. Each fault explains each ending once.
func (p *played) explain(e ending, at int) bool {
	silent := []string{"flip-state", "flip-newest", "spoil-state", "spoil-newest"}
	if e == behind && p.manifestUnconfirmed() {
		return true
	}
	for _, sure := range []bool{true, false} {
		for _, f := range p.faults {
			if sure != f.took || !sure && !slices.Contains(silent, f.Do) || !slices.Contains(f.endings, e) || slices.Contains(p.used[f], e) {
				continue
			}
			f.take(at)
			return p.use(f, e)
		}
	}
	return false
}

// manifestUnconfirmed finds a changed manifest of the newest release next to a ledger that
// a lying disk, or an older copy of it, has lost: anond must take it for that of another history.
func (p *played) manifestUnconfirmed() bool {
	lied, flip := false, (*fault)(nil)
	for _, f := range p.faults {
		lied = lied || (f.Do == "lie-releases" || f.Do == "ledger-old") && f.took
		if f.Do == "flip-newest" && !f.took {
			flip = f
		}
	}
	return lied && flip != nil && !slices.Contains(p.used[flip], behind) && p.use(flip, behind)
}

func (p *played) use(f *fault, e ending) bool {
	p.used[f] = append(p.used[f], e)
	return true
}

// unnamed returns a fault that took effect and that no line of the log names.
func (p *played) unnamed(log string) error {
	for _, f := range p.faults {
		if f.took && len(f.named) > 0 && !f.isNamed(log) {
			return fmt.Errorf("the fault %s %d %d took effect, and no line of the log names it: none of %q", f.Do, f.N, f.Draw, f.named)
		}
	}
	return nil
}

// overtaken takes back those faults of a run that another fault ended before the daemon
// could react to them: they have had no effect. Nor has an error of a source behind the last
// record that a journal has: it was read ahead, and the source is opened again to go on.
func (p *played) overtaken(of []*fault, e ending, log string) {
	passing := []string{"source-fails", "sink-away", "fail-write", "fail-sync", "full-state", "flip-render"}
	for _, f := range of {
		if f.took && slices.Contains(passing, f.Do) && (e != ended || f.ahead) && !slices.Contains(f.endings, e) && !f.isNamed(log) {
			f.took = false
		}
	}
}

// repaired takes back the damage of older releases that was put right, with all other
// damage, before it was looked at.
func (p *played) repaired(log string) {
	for _, f := range p.faults {
		if f.took && (f.Do == "flip-older" || f.Do == "spoil-older") && !f.isNamed(log) {
			f.took = false
		}
	}
}

func (f *fault) isNamed(log string) bool {
	return slices.ContainsFunc(f.named, func(name string) bool { return strings.Contains(log[f.since:], name) })
}

func (p *played) took() (out []string) {
	for _, f := range p.faults {
		if f.took {
			out = append(out, f.Do)
		}
	}
	return out
}

// play plays a plan inside this process.
func (w *inside) play() (*played, error) {
	p := newPlayed()
	var next []*fault
	for i, s := range w.plan.Steps {
		err := error(nil)
		if s.Do == stepRun || s.Do == stepLive {
			err = w.drive(p, s.Do == stepLive, next)
			next = waiting(next)
		} else {
			next, err = w.prepare(p, s, next)
		}
		if errors.Is(err, errEnded) {
			return p, w.over()
		}
		if err != nil {
			return p, fmt.Errorf("step %d (%s %d): %w", i+1, s.Do, s.N, err)
		}
	}
	if err := w.finish(p); errors.Is(err, errEnded) {
		return p, w.over()
	} else if err != nil {
		return p, err
	}
	return p, errors.Join(p.unnamed(w.log.String()), w.verdict())
}

// waiting are faults whose moment has not come: they strike in the next run.
func waiting(faults []*fault) (out []*fault) {
	for _, f := range faults {
		if !f.took && len(f.at) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// prepare does a step between runs. Faults of the next run are added to those before.
func (w *inside) prepare(p *played, s step, next []*fault) ([]*fault, error) {
	w.settled = false
	switch s.Do {
	case stepFeed:
		w.feed.more(s.N)
	case stepPass:
		w.clock.turn(time.Duration(s.N) * time.Hour)
	case stepLinger:
		w.linger = time.Duration(s.N) * time.Hour
		w.look = max(time.Hour, w.linger/mostLooks)
	case stepBackup:
		return next, w.copying()
	case stepSpell:
		w.feed.spell(s.N)
	case stepForget:
		_, err := w.forget(0, s.Draw)
		return next, err
	default:
		w.older = w.older || strings.HasPrefix(s.Do, "restore-")
		f := newFault(s)
		p.faults = append(p.faults, f)
		return append(next, f), w.harm(f)
	}
	return next, nil
}

// finish runs until nothing is left to do, and examines the state.
func (w *inside) finish(p *played) error {
	log := w.log.String()
	if !w.settled || slices.ContainsFunc(p.faults, func(f *fault) bool { return len(f.named) > 0 && !f.isNamed(log) }) {
		if err := w.settle(p); err != nil {
			return fmt.Errorf("at the end: %w", err)
		}
	}
	if err := w.nextPeriod(p); err != nil {
		return fmt.Errorf("at the end of a period: %w", err)
	}
	if err := w.checkState(p); err != nil {
		return fmt.Errorf("state check: %w", err)
	}
	if w.broker != nil {
		return w.broker.deliver(w)
	}
	return nil
}

// checkState examines the state as anond state check does. A disk that lied or spoiled a
// bit may have harmed pages that nobody has read yet: then the newest sound copy is put
// back.
func (w *inside) checkState(p *played) error {
	faults, err := boltstore.Check(w.config.State.Path, boltstore.Options{})
	if err != nil || len(faults) == 0 {
		return err
	}
	if !slices.ContainsFunc(p.faults, func(f *fault) bool { return slices.Contains(f.endings, stateDamaged) }) {
		return fmt.Errorf("%q, which no fault explains", faults)
	}
	if err := w.restoreState(); err != nil {
		return err
	}
	return w.settle(p)
}

// over checks what is left of a dataset that has ended: its releases.
func (w *inside) over() error { return w.see(false) }

// attempts is more than any recovery needs.
const attempts = 8

// drive runs the daemon with armed faults, and then without, as often as it takes to
// come to an end, with the documented command before each start that needs one.
func (w *inside) drive(p *played, live bool, next []*fault) error {
	w.settled = false
	for attempt := range attempts {
		if w.paused() { // else it would never read anything
			if err := w.acceptRefused(); err != nil {
				return err
			}
		}
		if err := w.claim(); err != nil {
			return err
		}
		if w.broker != nil {
			if err := w.broker.send(w.feed); err != nil {
				return err
			}
		}
		from, before := w.log.Len(), w.damaged
		end, err := w.run(p, live, next)
		if err != nil {
			return err
		}
		p.overtaken(next, end, w.log.String())
		next = unspent(next)
		if end == ended {
			w.settled = !live && !w.damaged && !w.log.Has(from, lettersKept)
			return w.afterwards(w.log.String()[from:], before)
		}
		w.trusted = false
		if end == leapt && w.ahead() {
			w.trusted = true
			continue
		}
		if end == poolRefused && (w.feed.spelled() || w.feed.settle > 0) { // few people have been observed to the end
			w.giveUpPool()
			continue
		}
		few := end == manyRefused && attempt > 0 // the attempt before has left some records alone, and most of them are refused
		if !p.explain(end, from) && !few {
			return fmt.Errorf("a run ended (%s), which no fault explains", end)
		}
		if err := w.command(end); err != nil {
			return err
		}
		if end == releaseDamaged || end == behind {
			p.repaired(w.log.String())
		}
	}
	return fmt.Errorf("the daemon does not recover in %d starts", attempts)
}

const lettersKept = `"event":"dead_letter_kept"`

// settle runs without faults until nothing is left to do.
func (w *inside) settle(p *played) error {
	for range attempts {
		from := w.log.Len()
		if err := w.drive(p, false, nil); err != nil {
			return err
		}
		if !w.log.Has(from, lettersKept) {
			return nil
		}
	}
	return errors.New("dead letters are not delivered")
}

// afterwards does what the log of a run in good order asks for. before says that files
// were damaged when it began: it has looked at all of them.
func (w *inside) afterwards(log string, before bool) error {
	if strings.Contains(log, `"event":"release_damaged"`) {
		if err := w.restoreReleases(); err != nil {
			return err
		}
	}
	w.damaged = w.damaged && !before
	return w.see(w.damaged)
}

// command is what docs/RUN.md says about an ending.
func (w *inside) command(e ending) error {
	switch e {
	case stateDamaged, foreignList:
		return w.restoreState()
	case behind:
		if w.lost && w.journal == nil {
			return errEnded
		}
		if w.damaged { // the state is the newest; the files are not
			if err := w.restoreReleases(); err != nil {
				return err
			}
		}
		return w.restoreState()
	case releaseDamaged:
		return w.restoreReleases()
	case foreignLetters:
		return w.moveLetters()
	case manyRefused, paused:
		return w.acceptRefused()
	}
	return nil // anond is started again
}

// errEnded is the end of a dataset whose newest state is lost for good: anond refuses to
// go on with an older one, and its releases stay as they are.
var errEnded = errors.New("the dataset has ended")

// restoreState puts the newest sound copy of the state in place, as state backup would
// have taken it. A flipped bit that was not read at once may have spoiled all later ones.
func (w *inside) restoreState() error {
	w.older = true
	for i := len(w.images) - 1; i >= 0; i-- {
		if err := os.WriteFile(w.config.State.Path, w.images[i].data, 0o600); err != nil {
			return err
		}
		faults, err := boltstore.Check(w.config.State.Path, boltstore.Options{})
		if err != nil {
			return err
		}
		if len(faults) == 0 {
			w.lost = w.lost || i < len(w.images)-1
			w.images = w.images[:i+1]
			return nil
		}
	}
	return errEnded
}

// restoreReleases copies back what differs from the archive.
func (w *inside) restoreReleases() error {
	for _, a := range w.archives() {
		if err := a.restore(func(path, content string) error {
			return w.mirror.Put(filepath.Join(a.dir, path), []byte(content), strings.Contains(path, "part-"))
		}); err != nil {
			return err
		}
	}
	w.damaged = false
	if _, err := w.judged(); err != nil && w.archive.judged != nil {
		if err := w.mirror.Put(w.judgedPath(), w.archive.judged, false); err != nil {
			return err
		}
	}
	if w.archive.newest() == "" {
		return nil // what is damaged is next to the ledger
	}
	current := filepath.Join(w.archive.dir, "CURRENT")
	if text, err := os.ReadFile(current); len(text) == 7 && err == nil {
		return nil
	}
	return w.mirror.Put(current, []byte(w.archive.newest()+"\n"), false)
}

// harm does those faults that happen while the daemon is stopped.
func (w *inside) harm(f *fault) error {
	switch f.Do {
	case "clock-back":
		w.clock.turn(-time.Duration(f.N) * time.Hour)
		if ahead, err := w.clockIsBehind(); err != nil || ahead {
			f.take(w.log.Len())
			return err
		}
	case "restore-old":
		if w.copied.data != nil && !bytes.Equal(w.copied.data, w.newestImage()) {
			f.take(w.log.Len())
			return os.WriteFile(w.config.State.Path, w.copied.data, 0o600)
		}
	case "flip-state":
		if image := w.newestImage(); image != nil {
			return w.spoilState(image, f.Draw)
		}
	case "flip-newest", "flip-older":
		return w.flipRelease(f)
	case "forget-killed":
		return w.forgetKilled(f)
	case "restore-unjudged":
		return w.restoreUnjudged(f)
	case "restore-copy":
		return w.restoreCopy(f)
	case "ledger-old":
		return w.loseLedger(f)
	case "flood":
		w.feed.flood(flooded)
	}
	return nil
}

// flipRelease turns a bit of a file of the newest release, or of an older one. Other
// releases that have the file keep it as it was.
func (w *inside) flipRelease(f *fault) error {
	now, err := releaseFiles(w.archive.dir)
	path := w.archive.pick(f.Do == "flip-newest", f.Draw)
	content, there := now[path]
	if !there || err != nil {
		return err
	}
	w.damaged = true
	if f.Do == "flip-older" {
		f.take(w.log.Len())
	}
	return w.mirror.Put(filepath.Join(w.archive.dir, path), flipped([]byte(content), f.Draw/2), strings.Contains(path, "part-"))
}

// ahead reports whether the clock has leapt too far since an operator looked at it; or ever, if the state is an older one: by a
// window, or by three periods and a month where buckets leave.
func (w *inside) ahead() bool {
	var far time.Duration
	if w.erasing {
		every, _ := w.plan.World.erasure()
		far = max(3*every, 30*24*time.Hour)
	}
	if window, err := time.ParseDuration(w.plan.World.Window); err == nil && (far == 0 || window < far) {
		far = window
	}
	leapt := w.clock.leaps() >= far || w.older && w.clock.all >= far
	w.older = false
	return far > 0 && leapt
}

// clockIsBehind reports whether the newest release has a time ahead of the clock.
func (w *inside) clockIsBehind() (bool, error) {
	newest := w.archive.newest()
	if newest == "" {
		return false, nil
	}
	m, err := manifestOf(w.archive.files, newest)
	if err != nil {
		return false, err
	}
	created, err := time.Parse(time.RFC3339, m.CreatedAt)
	return created.Sub(w.clock.Now()) > 5*time.Minute, err
}
