package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"anond/cmd/anond/internal/outfile"
	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/snapshot"
)

// Errors of an epoch's end and beginning.
var (
	// ErrNoSubjectKey: the digests of people follow from the seed, which another epoch does not have.
	ErrNoSubjectKey = errors.New("subject.key is not set: another epoch could not know the people of this one")
	// ErrUndelivered: they would be in no sink and in no later state.
	ErrUndelivered = errors.New("dead letters are not delivered yet")
	// ErrValuesGrew: the next epoch would take in whoever was refused for a value before it became valid.
	ErrValuesGrew = errors.New("the hierarchy of the sensitive attribute has grown in this epoch: the next one would publish people who " +
		"were refused for their values before, and so tell these")
	// ErrSomeWait: what becomes of people who wait has to be said.
	ErrSomeWait = errors.New("people wait who were never published")
)

// Waiting says what becomes of people who were not published when their epoch ends.
type Waiting string

// What may become of them.
const (
	Unsaid Waiting = ""
	Reread Waiting = "reread" // the next epoch reads their records again
	Never  Waiting = "never"  // no epoch publishes them
)

// Closing says what the end of an epoch did.
type Closing struct {
	Dataset  string `json:"dataset"`
	Epoch    int    `json:"epoch"` // that was closed
	Shard    int    `json:"shard"`
	Release  uint32 `json:"release"` // its newest; 0: none
	Handover string `json:"handover"`
	People   uint64 `json:"people"`  // whom no later epoch publishes
	Waiting  uint64 `json:"waiting"` // whom the next one has to read again
}

// CloseEpoch ends the epoch of a stopped daemon's state: nothing more is taken in or published by it. What
// the next epoch has to know of its people is written to a file.
//
// Order: a journal ends first (journalEnd). Then two public files say that the epoch is closed, next to the ledger and in the
// directory of the releases, so that no copy of the state can go on; then the state has its mark; then the file
// appears. Each step may be repeated, so a run that was interrupted is, too.
//
// Rule S (one record of a subject), rule F (no second publisher): docs/THREAT_MODEL.md, Corollary V.
func CloseEpoch(ctx context.Context, c *config.Config, o Options, out string, waiting Waiting) (done Closing, err error) {
	if k := c.SubjectKey(); !k.Set() {
		return done, &ConfigError{ErrNoSubjectKey}
	}
	if err := errors.Join(exists(c), absent(out)); err != nil {
		return done, err
	}
	options, err := StateOptions(ctx, c)
	if err != nil {
		return done, err
	}
	if o.Clock == nil {
		o.Clock = systemClock{}
	}
	x, err := openClosing(ctx, c, o, options)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	store := x.store
	if err := x.closable(); err != nil {
		return done, err
	}
	census := incremental.NewCensus()
	if err := store.Load(census.Visitor()); err != nil {
		return done, err
	}
	if n := census.Unsettled(); n > 0 && waiting == Unsaid {
		return done, fmt.Errorf("%w: %d", ErrSomeWait, n)
	}
	handover, people, err := handoverOf(c, census, x.machine.Partitions(), waiting)
	if err != nil {
		return done, err
	}
	x.handover = handover
	for _, step := range []struct {
		name string
		do   func() error
	}{{"checked", func() error { return nil }}, {"journal", func() error { return x.end.write(ctx, x.machine) }},
		{"ledger", x.besideLedger}, {"releases", x.inReleases}, {"state", store.CloseEpoch},
		{"handover", func() error { return boltstore.WriteHandover(ctx, out, options.Key, handover, people) }}} {
		if err := step.do(); err != nil {
			return done, err
		}
		if err := o.StandIns.atEpoch(step.name); err != nil {
			return done, err
		}
	}
	if err := os.Remove(StatusPath(c)); err != nil && !errors.Is(err, fs.ErrNotExist) { // it tells of a daemon that may start again
		return done, err
	}
	return Closing{Dataset: c.Dataset, Epoch: handover.Number - 1, Shard: x.home().Shard, Release: x.home().Release,
		Handover: out, People: handover.Epoch.People, Waiting: handover.Waiting}, nil
}

// closable checks a state against its configuration, releases and ledger. Dead letters that a copy has repeated from a
// journal which had ended are in the sink of the state that ended it.
func (x *closing) closable() error {
	c, m := x.c, x.machine
	if c.Schema().SubjectIndex() < 0 {
		return &ConfigError{incremental.ErrNoSubject}
	}
	if err := snapshot.Reconcile(snapshot.OS(), c.Release.Dir, c.Release.Ledger, m.Intents()); err != nil {
		return err
	}
	if err := snapshot.CheckJudged(snapshot.OS(), c.Release.Ledger, m.Judged()); err != nil {
		return err
	}
	if len(m.Hierarchies()[c.Schema().SensitiveIndex()]) > 1 {
		return &ConfigError{ErrValuesGrew}
	}
	if n := m.Status().Outbox; n > 0 && !x.before {
		return fmt.Errorf("%w: %d", ErrUndelivered, n)
	}
	return nil
}

func absent(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return nil
}

// handoverOf is what a state leaves, and its people.
func handoverOf(c *config.Config, census *incremental.Census, partitions int, waiting Waiting) (*incremental.Handover,
	[]incremental.EarlierPerson, error) {
	level := incremental.L1
	if c.Policy.Level == config.L2 {
		level = incremental.L2
	}
	at := incremental.Place{Of: 1}
	if c.Shard.Set() {
		at = incremental.Place{Shard: c.Shard.Index, Of: c.Shard.Of, Partitions: partitions}
	}
	out, people, err := census.Handover(at, level, waiting == Reread)
	if err != nil {
		return nil, nil, err
	}
	out.Dataset, out.Settings, out.Keys = c.Dataset, settingsOfEpochs(c), keysDigest(c)
	return out, people, nil
}

// settingsOfEpochs are the same in all epochs: those on which the digest of a person depends, and those that say
// which sensitive values are valid.
//
// The latter because of Corollary V: whom a later epoch takes in must follow from public data. Whoever was refused for
// their value is in no handover. If the value became valid, they would be published by the next epoch, which tells that
// they have one of the new values. And whoever waited could have none of these.
func settingsOfEpochs(c *config.Config) map[string][32]byte {
	all, attributes := c.Digests(), c.Schema().Attributes()
	person := "schema.attributes[" + attributes[c.Schema().SubjectIndex()].Name + "]"
	value := "schema.attributes[" + attributes[c.Schema().SensitiveIndex()].Name + "]"
	out := map[string][32]byte{}
	for _, k := range []string{"subject.key", person, person + ".text", value, value + ".text", value + ".hierarchy", "schema.missing"} {
		out[k] = all[k]
	}
	return out
}

// keysDigest stands for how the key of a message follows from the person.
func keysDigest(c *config.Config) [32]byte {
	if !c.Shard.Set() {
		return [32]byte{}
	}
	return sha256.Sum256([]byte(c.Shard.Key))
}

// closing is the end of an epoch.
type closing struct {
	c        *config.Config
	o        Options
	store    *boltstore.Store
	machine  *incremental.Machine
	end      *journalEnd
	before   bool // it is closed already: by its own mark, or by its journal
	handover *incremental.Handover
}

// openClosing opens a state to close it. If its journal has ended, it was closed before, maybe as another copy: then it has its
// mark first, and forgets whom the list next to the ledger names, of which a journal that has ended knows nothing.
func openClosing(ctx context.Context, c *config.Config, o Options, options boltstore.Options) (x *closing, err error) {
	x = &closing{c: c, o: o}
	if err := x.open(ctx, options); err != nil {
		return nil, errors.Join(err, x.close())
	}
	if !x.end.ended {
		return x, nil
	}
	err = errors.Join(x.store.CloseEpoch(), x.close())
	if err == nil {
		*x = closing{c: c, o: o}
		err = x.open(ctx, options)
	}
	if err != nil {
		return nil, errors.Join(err, x.close())
	}
	return x, nil
}

func (x *closing) open(ctx context.Context, options boltstore.Options) (err error) {
	if x.store, err = openForgetful(ctx, x.c, x.o, options, lease{}); err != nil {
		return err
	}
	if x.machine, err = openMachine(ctx, x.store, x.c, x.o); err != nil {
		return err
	}
	if x.before, err = x.store.Closed(); err != nil {
		return err
	}
	x.end, err = openJournalEnd(ctx, x.c, x.o, x.store, x.machine)
	return err
}

// close lets go of what is open.
func (x *closing) close() (err error) {
	if x.end != nil {
		err = x.end.close()
	}
	if x.store != nil {
		err = errors.Join(err, x.store.Close())
	}
	x.end, x.store = nil, nil
	return err
}

// home is the chain that ends.
func (x *closing) home() incremental.Chain { return x.handover.Chains[len(x.handover.Chains)-1] }

// ClosedEpoch is what the public files say of the end of an epoch.
type ClosedEpoch struct {
	Format   int    `json:"format"`
	Dataset  string `json:"dataset"`
	Epoch    int    `json:"epoch"`
	Shard    int    `json:"shard"`
	Of       int    `json:"of"`
	Release  uint32 `json:"release"`
	Manifest string `json:"manifest_sha256,omitempty"`
}

// ClosedPath is the file next to the ledger.
func ClosedPath(c *config.Config) string { return c.Release.Ledger + ".closed" }

func (x *closing) text() ([]byte, error) {
	home := x.home()
	out := ClosedEpoch{Format: 1, Dataset: x.c.Dataset, Epoch: home.Epoch, Shard: home.Shard, Of: home.Of, Release: home.Release}
	if home.Release > 0 {
		out.Manifest = hex.EncodeToString(home.Manifest[:])
	}
	text, err := json.MarshalIndent(out, "", "  ")
	return append(text, '\n'), err
}

func (x *closing) besideLedger() error {
	text, err := x.text()
	if err != nil {
		return err
	}
	return outfile.ReplaceDurably(ClosedPath(x.c), 0o644, text)
}

func (x *closing) inReleases() error {
	text, err := x.text()
	if err != nil {
		return err
	}
	return outfile.ReplaceDurably(filepath.Join(x.c.Release.Dir, snapshot.ClosedName), 0o644, text)
}

// notClosed refuses to go on with a state whose epoch is closed, also with a copy of before.
func notClosed(c *config.Config) error {
	for _, path := range []string{ClosedPath(c), filepath.Join(c.Release.Dir, snapshot.ClosedName)} {
		if _, err := os.Lstat(path); err == nil {
			return &ConfigError{fmt.Errorf("%s: %w", path, incremental.ErrClosed)}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// notClosedState is notClosed of an opened state, whose files may be gone.
func notClosedState(c *config.Config, store *boltstore.Store) error {
	closed, err := store.Closed()
	if err == nil && closed {
		err = &ConfigError{fmt.Errorf("%s: %w", c.State.Path, incremental.ErrClosed)}
	}
	return err
}
