package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"anond/config"
	"anond/incremental/boltstore"
	"anond/incremental/erase"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/subjectledger"
	"anond/internal/dataset"
	"anond/internal/suppress"
	"anond/internal/upkeep"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// play plays a plan inside this process.
func (w *inside) play() (*played, error) {
	p := newPlayed()
	var next []*fault
	err := w.plan.each(func(s step) (err error) {
		if s.Do == stepRun || s.Do == stepLive {
			err = w.drive(p, s.Do == stepLive, next)
			next = waiting(next)
		} else {
			next, err = w.prepare(p, s, next)
		}
		return err
	})
	if err == nil {
		err = w.finish(p)
	}
	if errors.Is(err, errEnded) {
		return p, w.over()
	}
	if err != nil {
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
			w.trusted = false
			w.settled = !live && !w.damaged && !w.log.Has(from, lettersKept)
			return w.afterwards(w.log.String()[from:], before)
		}
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

// ahead reports whether the clock lies too far ahead of the newest release, or has leapt so far in all, if the state is an older one: by
// a window, or by three periods and a month where buckets leave.
func (w *inside) ahead() bool {
	var far time.Duration
	if w.erasing {
		every, _ := w.plan.World.erasure()
		far = max(3*every, 30*24*time.Hour)
	}
	if window, err := time.ParseDuration(w.plan.World.Window); err == nil && (far == 0 || window < far) {
		far = window
	}
	created, err := w.newestTime()
	leapt := err == nil && !created.IsZero() && w.clock.Now().Sub(created) >= far || w.older && w.clock.all >= far
	w.older = false
	return far > 0 && leapt
}

// newestTime is the time of the newest release; zero: there is none.
func (w *inside) newestTime() (time.Time, error) {
	newest := w.archive.newest()
	if newest == "" {
		return time.Time{}, nil
	}
	m, err := manifestOf(w.archive.files, newest)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, m.CreatedAt)
}

// clockIsBehind reports whether the newest release has a time ahead of the clock.
func (w *inside) clockIsBehind() (bool, error) {
	created, err := w.newestTime()
	return created.Sub(w.clock.Now()) > 5*time.Minute, err
}

// nextPeriod lets time pass until what was asked for must leave, and runs.
func (w *inside) nextPeriod(p *played) error {
	created, err := w.newestTime()
	if err != nil || !w.erasing || created.IsZero() {
		return err
	}
	every, _ := w.plan.World.erasure()
	w.clock.turn(max(0, created.Sub(w.clock.Now())) + every + time.Minute)
	return w.settle(p)
}

// forget is anond forget of a stopped daemon, for somebody of the feed. It dies at its n-th
// step; 0: it does not. It returns the steps that it has done.
func (w *inside) forget(n int, draw uint32) (steps []string, err error) {
	if w.newestImage() == nil || w.feed.persons == 0 || w.journal != nil { // with a journal only the daemon forgets
		return nil, nil
	}
	list := suppress.Path(w.config.Release.Ledger)
	before, _ := os.ReadFile(list) // it need not be there
	person := w.feed.mine(int(draw) % w.feed.persons)
	options := dataset.Options{Log: slog.New(slog.NewJSONHandler(w.log, nil)), Clock: w.clock, StandIns: dataset.StandIns{
		Forgetting: func(step string) error {
			if steps = append(steps, step); len(steps) == n {
				return errKilled
			}
			return nil
		}}}
	_, err = upkeep.Forget(context.Background(), w.config, options, []byte(subjectOf(person)))
	if slices.Contains(steps, "listed") {
		w.feed.gone[person] = true
	}
	switch {
	case err == nil, errors.Is(err, errKilled):
	case slices.ContainsFunc(notForgettable, func(is error) bool { return errors.Is(err, is) }):
		return nil, w.remirror()
	default:
		return nil, fmt.Errorf("forget: %w", err)
	}
	if err != nil && w.planted.forgetting != nil {
		if err := w.planted.forgetting(list, before); err != nil {
			return nil, err
		}
	}
	return steps, errors.Join(w.noteImage(), w.remirror())
}

// forgetting lets faults take effect between the steps of an erasure of the daemon.
func (w *inside) forgetting(a *armed) func(step string) error {
	return func(step string) error {
		if step == "rewritten" || step == "replaced" || step == "removed" {
			if err := w.noteImage(); err != nil {
				return err
			}
		}
		return a.forgetting(step)
	}
}

// remirror takes into the mirror what a command has changed past it: what a start repairs, the list of
// who was forgotten, and which pools were judged.
func (w *inside) remirror() error {
	return w.mirrored(filepath.Join(w.archive.dir, "CURRENT"), w.config.Release.Ledger, suppress.Path(w.config.Release.Ledger), w.judgedPath())
}

// mirrorList takes the list of who was forgotten into the mirror: anond writes it past the injected file
// system and syncs it (suppress.Write), so that it is still there after a power cut, unless the disk lies.
func (w *inside) mirrorList(a *armed) error {
	if a.lies(suppress.Path(w.config.Release.Ledger)) {
		return nil
	}
	return w.mirrored(suppress.Path(w.config.Release.Ledger))
}

// listed returns what puts the list of who was forgotten back as it is now: for a planted bug.
func (w *inside) listed() (back func()) {
	list := suppress.Path(w.config.Release.Ledger)
	before, missing := os.ReadFile(list)
	return func() {
		if missing != nil {
			_ = os.Remove(list)
			return
		}
		_ = os.WriteFile(list, before, 0o600)
	}
}

// mirrored takes files into the mirror, as they are and durable.
func (w *inside) mirrored(paths ...string) error {
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := w.mirror.Put(path, text, false); err != nil {
			return err
		}
	}
	return nil
}

// notForgettable are the states on which anond forget refuses to work: an operator starts
// anond first, which says what is wrong with them.
var notForgettable = []error{state.ErrUnpublished, erase.ErrNobodyElse, state.ErrCorrupt, publish.ErrBehind,
	snapshot.ErrDamaged, publish.ErrDifferent}

// forgetKilled has an erasure die. It has an effect once the list of who was forgotten is
// durable: then the next start must finish it.
func (w *inside) forgetKilled(f *fault) error {
	mark := w.log.Len()
	steps, err := w.forget(f.N, f.Draw)
	if err == nil && slices.Contains(steps, "listed") && len(steps) == f.N {
		f.take(mark)
	}
	return err
}

// loseLedger puts an older copy of the ledger back, of some of its first lines. The next start writes the others again.
func (w *inside) loseLedger(f *fault) error {
	text, err := os.ReadFile(w.archive.ledger)
	if err != nil {
		return nil // there is none yet
	}
	lines := strings.SplitAfter(string(text), "\n")
	if len(lines) < 2 {
		return nil
	}
	f.take(w.log.Len())
	return w.mirror.Put(w.archive.ledger, []byte(strings.Join(lines[:int(f.Draw)%(len(lines)-1)], "")), false)
}

// stateCopy is that of step backup.
type stateCopy struct {
	data   []byte     // nil: there was no state yet
	newest string     // release then
	judged judgements // then
}

func (w *inside) copying() (err error) {
	w.copied = stateCopy{data: bytes.Clone(w.newestImage()), newest: w.archive.newest()}
	w.copied.judged, err = w.judged()
	return err
}

// restoreUnjudged puts back a copy of the state that does not know of a pool which was judged since. Nothing but the
// file next to the ledger tells that, so a copy that misses a release is left alone. Of eight such faults
// one has the newest state lost for good; the others try the copy by hand, by anond state restore, and
// by that in place of a state that was lost. Nobody may publish with it (rule B, buckets).
func (w *inside) restoreUnjudged(f *fault) error {
	now, err := w.judged()
	if err != nil || !now.beyond(w.copied.judged) || w.copied.newest != w.archive.newest() || w.damaged || w.newestImage() == nil {
		return err
	}
	f.take(w.log.Len())
	if w.copied.data == nil { // there was no state yet, as if it were lost
		return os.Remove(w.config.State.Path)
	}
	switch f.Draw % 8 {
	case 0:
		w.images = []image{{w.copied.data, w.files}}
		w.lost = true
	case 1, 2, 3:
		return w.refusesCopy(true)
	case 4, 5:
		return errors.Join(w.refusesCopy(false), os.Remove(w.config.State.Path))
	}
	return os.WriteFile(w.config.State.Path, w.copied.data, 0o600)
}

// refusesCopy asks anond state restore for the copy, in place of the newest state or of one that was lost: it must
// refuse. The newest state is found again then.
func (w *inside) refusesCopy(inPlace bool) error {
	from, place := w.path("old-copy.db"), w.config.State.Path
	if err := os.WriteFile(from, w.copied.data, 0o600); err != nil {
		return err
	}
	if !inPlace {
		if err := os.Remove(place); err != nil {
			return err
		}
	}
	back := func() error { return nil }
	if w.planted.unasked {
		file := w.judgedPath()
		if err := os.Rename(file, file+".aside"); err != nil {
			return err
		}
		back = func() error { return os.Rename(file+".aside", file) }
	}
	err := w.restored(from)
	fmt.Fprintf(w.log, "error: %v\n", err)
	if err := errors.Join(back(), os.Remove(from), os.WriteFile(place, w.newestImage(), 0o600)); err != nil {
		return err
	}
	if !errors.Is(err, publish.ErrBehind) && (!inPlace || !errors.Is(err, boltstore.ErrAhead)) {
		return fmt.Errorf("state restore of a copy that does not know of a judged pool: %w", err)
	}
	return nil
}

// giveUpPool is what an operator does about a first pool that is refused: nobody of it is ever published, and the level
// stays L2.
func (w *inside) giveUpPool() { w.config.Initial.OnRefusal = config.RefusalQuarantine }

// claim has another dataset of the subject ledger claim those of its people who were sent since.
func (w *inside) claim() error {
	if w.feed.claimed == w.feed.named || !w.feed.claims {
		return nil
	}
	o := dataset.LedgerOf(w.config, [32]byte{1})
	o.Dataset = "another"
	l, err := subjectledger.Open(context.Background(), o)
	if err != nil {
		return err
	}
	var people []state.Person
	for ; w.feed.claimed < w.feed.named; w.feed.claimed++ {
		if w.feed.foreign[w.feed.claimed] {
			people = append(people, l.Person([]byte(subjectOf(w.feed.claimed))))
		}
	}
	elsewhere, err := l.Claim(context.Background(), people)
	for _, is := range elsewhere {
		if is && err == nil {
			err = fmt.Errorf("somebody who was sent to another dataset first belongs to this one")
		}
	}
	return errors.Join(err, l.Close())
}

// tear goes back by so many images of the state, and keeps some pages of the newest.
// An honest disk keeps the order: no meta page (the first two) comes before the pages
// to which it points.
func (w *inside) tear(back int, draw uint32, lying bool) (changed bool, err error) {
	if len(w.images) == 0 {
		return false, nil
	}
	last, old := w.images[len(w.images)-1], w.images[max(0, len(w.images)-back)]
	if !lying && w.noted < back { // by its first commit a run changes what it has found
		old = image{w.found, last.file}
	}
	now, was := last.data, old.data
	if lying {
		var bad error
		now, err = w.laidOut(now)
		if was, bad = w.laidOut(was); err != nil || bad != nil {
			return false, errors.Join(err, bad)
		}
	}
	out, random := bytes.Clone(was), rand.New(rand.NewPCG(seedOf(w.plan), uint64(draw)))
	share := float64(draw/3%4) / 3 // of the pages that survive
	if lying && draw%3 == 0 || old.file != last.file {
		share = 0 // all of it is the older state
	}
	for at := 0; at+pageSize <= len(now); at += pageSize {
		if at < 2*pageSize && !lying || random.Float64() >= share {
			continue
		}
		if need := at + pageSize - len(out); need > 0 {
			out = append(out, make([]byte, need)...)
		}
		copy(out[at:], now[at:at+pageSize])
	}
	if !lying {
		w.images = w.images[:len(w.images)-1] // that commit has not happened
	}
	return !bytes.Equal(out, now), os.WriteFile(w.config.State.Path, out, 0o600)
}

// limited is the configuration of a run: with the limits that its faults set to the state.
func (w *inside) limited(live bool, a *armed) *config.Config {
	c := *w.config
	limit := func(f *fault) int64 { return int64(max(leastState, len(w.newestImage())/2) + f.N<<12) }
	if f := a.find("quota-ends"); f != nil {
		c.State.MaxBytes, c.State.OnFull = limit(f), config.StopWhenFull
	}
	if f := a.find("quota-pauses"); f != nil && live {
		c.State.MaxBytes, c.State.OnFull = limit(f), config.PauseWhenFull
	}
	return &c
}

// leastState is nearly what an empty state needs.
const leastState = 28 << 10

// relief raises the limit of a state, as an operator does by a reload, as soon as the log
// says that it is reached.
type relief struct {
	w       *inside
	fault   *fault // nil: there is no such limit
	from    int    // in the log
	reloads chan os.Signal
}

func (w *inside) newRelief(a *armed) *relief {
	return &relief{w, a.find("quota-pauses"), w.log.Len(), make(chan os.Signal, 1)}
}

// load is how the daemon reads its configuration again.
func (r *relief) load() (*config.Config, error) {
	next := *r.w.config
	return &next, nil
}

func (r *relief) look() {
	if r.fault != nil && !r.fault.took && r.w.log.Has(r.from, quotaReached) {
		r.fault.take(r.from)
		r.reloads <- syscall.SIGHUP
	}
}

// tell notes which limits a run has come to, as its end or its log say.
func (w *inside) tell(err error, a *armed, p *played, from int) {
	for _, do := range []string{"quota-ends", "quota-pauses"} { // the latter before the loop runs, which could pause
		if f := a.find(do); f != nil && errors.Is(err, state.ErrQuota) {
			f.take(from)
		}
	}
	if !errors.Is(err, ingest.ErrManyRefused) && !w.log.Has(from, tooMany) {
		return
	}
	for _, f := range p.faults { // a run may have died in the midst of a flood
		if f.Do == "flood" {
			f.take(from)
		}
	}
}

// sameTrouble has the line that names a failing disk name a second fault of it, too, that came before a release was
// published: the log tells failures when they begin, and then at growing intervals.
func (w *inside) sameTrouble(a *armed) {
	log := w.log.String()
	for _, f := range a.faults {
		for _, g := range a.faults {
			disk := func(x *fault) bool {
				return x.took && (x.Do == "fail-write" || x.Do == "fail-sync" || x.Do == "flip-render")
			}
			if disk(f) && disk(g) && g.since < f.since && !strings.Contains(log[g.since:f.since], `"event":"release_published"`) {
				f.since = g.since
			}
		}
	}
}

// acceptRefused is what an operator does who finds that the refused records are as they
// should be: dead_letter.max_share is raised. A start has not to pause any more.
func (w *inside) acceptRefused() error {
	w.config.DeadLetter.MaxShare = 1
	return w.removePause()
}

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
