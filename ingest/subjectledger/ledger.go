package subjectledger

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/state"
	"anond/internal/disk"
	"anond/internal/fault"
)

// Options say whose ledger is opened, and for which state.
type Options struct {
	Dir     string
	Key     []byte // of the digests of people
	KeyName string // names the key without telling it
	Dataset string
	State   [32]byte // check of the state's seed: two states of one dataset are two datasets
	Seen    state.LedgerMark
	Read    bool // the state has read records
	// Most is how many people the dataset may claim; 0: no bound.
	Most int
}

// Errors of a ledger.
var (
	// ErrBehind: what a state was decided by is not in the ledger.
	ErrBehind = fault.Errorf(fault.Behind, "put the newest copy of the ledger in place: people whom it lacks could be published by two "+
		"datasets",
		"the subject ledger is older than the state, or another one")
	// ErrGivenBack: the dataset's claims were given back after the state was written.
	ErrGivenBack = fault.Errorf(fault.Behind, "run anond state reset (again), or put the state in place that came after it",
		"the subject ledger says that a reset has given back whom this state has")
	// ErrOtherState: another state has joined under the dataset's name.
	ErrOtherState = fault.Errorf(fault.Behind, "restore the dataset's state from a backup; if it is lost, its people stay its own: "+
		"give a new dataset another name",
		"another state has joined the subject ledger under this dataset's name")
	// ErrOtherKey: the people of the ledger have digests under another key.
	ErrOtherKey = fault.Errorf(fault.Config, "give all datasets of the ledger one subject.key",
		"subject.key is not that of the subject ledger")
	// ErrLate: a dataset has read records before it joined.
	ErrLate = fault.Errorf(fault.Config, "remove subject.ledger, or begin with a new dataset; while no release is decided: anond state reset",
		"subject.ledger was set after the first record: a dataset joins before it")
	// ErrInUse: another process of the same dataset is at work.
	ErrInUse = fault.Errorf(fault.Locked, "stop the other process; a copy of a state must not run next to it",
		"another process has the subject ledger open for this dataset")
)

const (
	why, whose  = state.Why(1), state.Why(2) // ours, and of another dataset
	mostMembers = math.MaxUint16
)

// Ledger is an open ledger, of one dataset. One goroutine uses it, but for Person.
type Ledger struct {
	o        Options
	file     *os.File
	alone    *os.File // locked while the dataset runs
	writes   bool
	id       [16]byte
	key      string // name of the key
	member   uint16
	members  []Member
	seen     state.LedgerMark // of the file
	people   state.People
	unsynced bool // something was written, or read that others wrote, since the last synchronization
	failed   error
	answer   []bool
	owned    [2]atomic.Int64 // what Owned says
}

// Owned implements ingest.Owners.
func (l *Ledger) Owned() (people, datasets int) {
	return int(l.owned[0].Load()), int(l.owned[1].Load())
}

func (l *Ledger) count() {
	l.owned[0].Store(int64(l.people.Count(why)))
	l.owned[1].Store(int64(len(l.members)))
}

// Member is a dataset of a ledger.
type Member struct {
	Dataset string
	State   [32]byte // check of the seed of its state
	Claimed int      // how many people it has
	// GivenBack is behind which byte of the file its newest reset gave back all before; 0: it has given back none.
	GivenBack int64
}

// Content is what a whole ledger has.
type Content struct {
	ID      [16]byte // drawn when it was begun
	Key     string   // names subject.key
	Members []Member
	Size    int64 // in bytes
}

// Read reads and checks a whole ledger, of which a state has seen what the mark says, and changes nothing.
func Read(ctx context.Context, dir string, seen state.LedgerMark) (*Content, error) {
	l, err := open(ctx, Options{Dir: dir, Seen: seen}, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return &Content{ID: l.id, Key: l.key, Members: l.members, Size: l.seen.Size}, l.Close()
}

// path is that of the file.
func path(dir string) string { return filepath.Join(dir, "claims") }

// Open opens the ledger of a dataset, which joins if it has not. The seed of its state must be durable.
func Open(ctx context.Context, o Options) (*Ledger, error) {
	if err := disk.MakeDir(disk.OS(0o700), o.Dir); err != nil {
		return nil, err
	}
	how := os.O_RDWR
	if o.Seen.Size == 0 {
		how |= os.O_CREATE
	}
	l, err := open(ctx, o, how)
	if err != nil {
		return nil, err
	}
	if err := l.locked(ctx, l.join); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	if err := l.holdMember(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.count()
	return l, nil
}

// Rehearse opens the ledger for a run that writes nothing: who has no owner counts as claimed.
func Rehearse(ctx context.Context, o Options) (*Ledger, error) {
	if _, err := os.Stat(path(o.Dir)); errors.Is(err, fs.ErrNotExist) && o.Seen.Size == 0 {
		return &Ledger{o: o}, nil
	}
	return open(ctx, o, os.O_RDONLY)
}

// open opens the file and reads it.
func open(ctx context.Context, o Options, how int) (*Ledger, error) {
	f, err := os.OpenFile(path(o.Dir), how, 0o600)
	if errors.Is(err, fs.ErrNotExist) && o.Seen.Size > 0 {
		return nil, fmt.Errorf("%w: there is none in %s", ErrBehind, o.Dir)
	}
	if err != nil {
		return nil, err
	}
	l := &Ledger{o: o, file: f, writes: how&os.O_RDWR != 0}
	if err := l.locked(ctx, func() error { return l.load() }); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", o.Dir, err), f.Close())
	}
	return l, nil
}

// Close lets go of the ledger.
func (l *Ledger) Close() (err error) {
	for _, f := range []*os.File{l.file, l.alone} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}

// locked does something while nobody else reads or writes. It waits for the lock until ctx ends: a process that is suspended may
// have it.
func (l *Ledger) locked(ctx context.Context, do func() error) error {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		taken, err := try(l.file, !l.writes)
		if err != nil {
			return err
		}
		if !taken {
			break
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
	defer unlock(l.file)
	if err := l.same(); err != nil {
		return err
	}
	return do()
}

// same refuses a file that is not the one under its name any more: others write to that one.
func (l *Ledger) same() error {
	named, err := os.Stat(path(l.o.Dir))
	if err == nil {
		var ours os.FileInfo
		if ours, err = l.file.Stat(); err == nil && !os.SameFile(named, ours) {
			err = fmt.Errorf("%w: the file was replaced", ErrBehind)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: the file was removed", ErrBehind)
	}
	return err
}

// load reads the whole file, or begins it. The lock is held.
func (l *Ledger) load() error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 && l.writes {
		if l.o.Seen.Size > 0 {
			return fmt.Errorf("%w: it is empty", ErrBehind)
		}
		return l.begin()
	}
	l.seen, l.member, l.members, l.people = state.LedgerMark{}, 0, nil, state.People{}
	r := reading{Ledger: l, given: map[uint16]int64{}, old: l.o.Seen.Size == 0}
	if err := r.all(info.Size()); err != nil {
		return err
	}
	switch {
	case !r.old:
		return ErrBehind
	case l.member > 0 && l.o.Seen.Size > 0 && l.members[l.member-1].GivenBack > l.o.Seen.Size:
		return ErrGivenBack
	case l.member == 0 && l.o.Seen.Size > 0 && l.o.Dataset != "":
		return ErrBehind
	}
	return nil
}

// begin writes the first frame.
func (l *Ledger) begin() error {
	if _, err := rand.Read(l.id[:]); err != nil {
		return err
	}
	if err := l.write(frame{kind: begins, content: append(append([]byte(magic), l.id[:]...), l.o.KeyName...)}); err != nil {
		return err
	}
	return errors.Join(l.file.Sync(), disk.Sync(l.o.Dir))
}

// write appends a frame. The lock is held, and everything was read.
func (l *Ledger) write(f frame) error {
	text, behind := f.bytes(l.seen)
	if _, err := l.file.WriteAt(text, l.seen.Size); err != nil {
		l.failed = fault.With(fault.Failed, "make room where the subject ledger is, then start again; nothing was lost", err)
		return l.failed
	}
	l.seen, l.unsynced = behind, true
	return nil
}

// join makes the dataset a member. The lock is held, and everything was read.
func (l *Ledger) join() error {
	if err := l.readOn(); err != nil {
		return err
	}
	switch {
	case l.o.Seen.Size == 0 && l.o.Read:
		return ErrLate
	case l.member > 0:
		return nil
	case len(l.members) >= mostMembers:
		return fault.Errorf(fault.Config, "begin with another ledger, of other people",
			"the subject ledger has %d datasets, and takes no more", mostMembers)
	}
	l.members = append(l.members, Member{Dataset: l.o.Dataset, State: l.o.State})
	l.member = uint16(len(l.members))
	if err := l.write(frame{kind: joins, member: l.member, content: append(slices.Clone(l.o.State[:]), l.o.Dataset...)}); err != nil {
		return err
	}
	return l.file.Sync()
}

// holdMember keeps other processes of the dataset out.
func (l *Ledger) holdMember() (err error) {
	l.alone, err = os.OpenFile(filepath.Join(l.o.Dir, fmt.Sprintf("member-%05d.lock", l.member)), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	taken, err := try(l.alone, false)
	if taken {
		return fmt.Errorf("%w: %s", ErrInUse, l.o.Dataset)
	}
	return err
}

// readOn reads what others have appended. The lock is held.
func (l *Ledger) readOn() error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	switch size := info.Size(); {
	case size == l.seen.Size:
		return nil
	case size < l.seen.Size:
		return fmt.Errorf("%w: the file has become shorter", ErrBehind)
	default:
		given := map[uint16]int64{}
		for i, m := range l.members {
			given[uint16(i+1)] = m.GivenBack
		}
		r := reading{Ledger: l, given: given, old: true}
		return r.all(size)
	}
}

// canonical is the form of subjects that all datasets share, whatever form of texts they keep themselves.
var canonical = equivclass.Text{MaxLength: math.MaxInt32}

// Person implements ingest.Owners.
func (l *Ledger) Person(subject []byte) state.Person {
	if len(subject) == 0 {
		return state.Person{}
	}
	if clean, fault := canonical.Clean(subject); fault == equivclass.Accepted {
		subject = clean
	}
	var buffer [128]byte
	sum := sha256.Sum256(append(append(buffer[:0], l.o.Key...), subject...))
	sum[15] = 0
	return state.Person(sum[:16])
}

// Claim implements ingest.Owners.
func (l *Ledger) Claim(ctx context.Context, people []state.Person) (elsewhere []bool, err error) {
	if l.failed != nil {
		return nil, l.failed
	}
	unknown, grown := false, false
	if l.file != nil {
		info, err := l.file.Stat()
		if err != nil {
			return nil, err
		}
		grown = info.Size() != l.seen.Size
	}
	for _, p := range people {
		unknown = unknown || p != state.Person{} && l.people.Why(p) == 0
	}
	switch {
	case l.file == nil || unknown && !l.writes && !grown:
		err = l.add(people)
	case unknown || grown:
		err = l.locked(ctx, func() error { return errors.Join(l.readOn(), l.add(people)) })
		l.count()
	}
	if err != nil {
		return nil, err
	}
	l.answer = slices.Grow(l.answer[:0], len(people))[:len(people)]
	for i, p := range people {
		l.answer[i] = p != state.Person{} && l.people.Why(p)&why == 0
	}
	return l.answer, nil
}

// add claims whom nobody has. The lock is held, and everything was read.
func (l *Ledger) add(people []state.Person) error {
	var fresh []byte
	for _, p := range people {
		if p != (state.Person{}) && l.people.Why(p) == 0 {
			l.people.Add(state.Know(p, why))
			fresh = append(fresh, p[:digestBytes]...)
		}
	}
	if l.o.Most > 0 && l.people.Count(why) > l.o.Most {
		l.failed = incremental.ErrStateFull // nothing was written, and nothing more is claimed
		return l.failed
	}
	if len(fresh) == 0 || !l.writes {
		return nil
	}
	l.members[l.member-1].Claimed += len(fresh) / digestBytes
	for len(fresh) > 0 {
		n := min(len(fresh), mostContent/digestBytes*digestBytes)
		if err := l.write(frame{kind: claims, member: l.member, content: fresh[:n]}); err != nil {
			return err
		}
		fresh = fresh[n:]
	}
	return nil
}

// BeforeCommit implements ingest.Owners.
func (l *Ledger) BeforeCommit(m *incremental.Machine) error {
	if l.failed != nil || !l.unsynced || !l.writes {
		return l.failed
	}
	if err := errors.Join(l.same(), l.file.Sync()); err != nil {
		l.failed = err
		return err
	}
	l.unsynced = false
	m.Saw(l.seen)
	return nil
}

// GiveBack gives back all that a dataset has claimed, before its state is emptied. Others may claim these people from then on.
func GiveBack(ctx context.Context, o Options) error {
	o.Seen, o.Read = state.LedgerMark{}, false
	if _, err := os.Stat(path(o.Dir)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	l, err := open(ctx, o, os.O_RDWR)
	if err != nil {
		return err
	}
	defer l.Close()
	if l.member == 0 || l.members[l.member-1].Claimed == 0 {
		return nil
	}
	if err := l.holdMember(); err != nil {
		return err
	}
	return l.locked(ctx, func() error {
		if err := l.readOn(); err != nil {
			return err
		}
		return errors.Join(l.write(frame{kind: givesAll, member: l.member}), l.file.Sync())
	})
}
