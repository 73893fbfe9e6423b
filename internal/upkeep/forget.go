package upkeep

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"anond/config"
	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/incremental/erase"
	"anond/incremental/state"
	"anond/internal/clock"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/internal/suppress"
	"anond/snapshot"
	"anond/snapshot/publish"
)

// ErrForeignList: the list of who was forgotten and the state do not belong together.
var ErrForeignList = fault.Errorf(fault.Behind, "restore a state of this dataset; a new dataset needs its own ledger",
	"the list of who was forgotten is of another state: whom this one has to forget is not known")

// Receipt says what an erasure removed from a dataset, and what it cannot remove. It names the
// person by a keyed digest (rule R, randomness), and tells nothing that depends on a value of a
// record that waited (rule H, held).
type Receipt struct {
	Dataset string    `json:"dataset"`
	Time    time.Time `json:"time"`
	// Person is the keyed digest under which the person is known as forgotten, Before whether
	// that was so already.
	Person string `json:"person"`
	Before bool   `json:"forgotten_before"`
	// Fate says in a word what the state had of the person.
	Fate fate `json:"fate"`
	// removed counts the records of the person, with those of people whom an older state did not
	// know as forgotten.
	Removed erase.Forgotten `json:"removed"`
	List    string          `json:"list"` // the file of who was forgotten
	// Remains says where data of the person may still be, which anond does not remove.
	Remains []remainder `json:"remains"`
}

// fate is what a state had of a person.
type fate string

// The fates.
const (
	FatePublished fate = "published" // a row: those who have one of the releases from Removed.First to Last are to be told
	FateWaited    fate = "waited"    // in no fixed pool: in no release, and never in one
	FateDeferred  fate = "deferred"  // in a pool that is fixed: forgotten when it is decided
	FateBefore    fate = "before"    // forgotten before: the receipt of then says what there was
	FateLeft      fate = "left"      // in older releases: the row has left with release.window, and the state knows which no more
	FateUnknown   fate = "unknown"   // no record
)

// Settle notes what an erasure found.
func (r *Receipt) Settle(x erase.Forgotten) {
	r.Removed = x
	switch {
	case x.Later > 0:
		r.Fate = FateDeferred
	case x.Published > 0:
		r.Fate = FatePublished
	case x.Unpublished > 0:
		r.Fate = FateWaited
	case r.Before:
		r.Fate = FateBefore
	case x.Departed > 0:
		r.Fate = FateLeft
	default:
		r.Fate = FateUnknown
	}
}

// remainder is a place that an erasure does not change.
type remainder struct {
	What  string   `json:"what"`
	Where []string `json:"where,omitempty"`
	Why   string   `json:"why"`
}

// Forget removes a person from the state of a stopped daemon: see erase.Erasure. The subject
// is written as records have it.
//
// The order makes it safe against crashes: first the list of who was forgotten is durable, then
// the state is replaced in one step by one that has forgotten. In between a start goes on with it
// (forgetListed).
func Forget(ctx context.Context, c *config.Config, o dataset.Options, subject []byte) (Receipt, error) {
	if o.Clock == nil {
		o.Clock = clock.System()
	}
	subject, err := CleanSubject(c, subject)
	if err != nil {
		return Receipt{}, err
	}
	options, err := dataset.StateOptions(ctx, c)
	if err != nil {
		return Receipt{}, err
	}
	options.Step = o.StandIns.Forgetting
	out := NewReceipt(c, o.Clock.Now())
	f := &forgetting{ctx: ctx, c: c, o: o, step: o.StandIns.Forgetting}
	err = boltstore.ForgetFile(c.State.Path, options, func(s *boltstore.Store) (*erase.Erasure, error) {
		return f.plan(s, func(m *incremental.Machine) []state.Digest {
			d, known := m.Forgetting().DigestOf(subject)
			out.Remains = InAnotherShard(c, m.Source().Partitions(), subject)
			out.Person, out.Before = hex.EncodeToString(d[:]), known
			return []state.Digest{d}
		})
	})
	if err != nil {
		return Receipt{}, err
	}
	out.Settle(f.done)
	out.Remains = append(out.Remains, Remainders(c, f.done, f.letters, false)...)
	if err := os.Remove(dataset.StatusPath(c)); err != nil && !errors.Is(err, fs.ErrNotExist) { // its counts are those of before
		return out, err
	}
	return out, f.at("done")
}

func NewReceipt(c *config.Config, now time.Time) Receipt {
	return Receipt{Dataset: c.Dataset, Time: now.UTC().Truncate(time.Second), List: suppress.Path(c.Release.Ledger)}
}

// CleanSubject is a subject as decoders hand it to the machine.
func CleanSubject(c *config.Config, subject []byte) ([]byte, error) {
	i := c.Schema().SubjectIndex()
	if i < 0 {
		return nil, erase.ErrNoSubject
	}
	a := &c.Schema().Attributes()[i]
	text, why := a.Clean(subject)
	if why == equivclass.Accepted && len(text) == 0 {
		why = equivclass.ReasonMissing
	}
	if why != equivclass.Accepted {
		return nil, fmt.Errorf("the subject is no value of %q: %s", a.Name, why)
	}
	return text, nil
}

// forgetting is one erasure.
type forgetting struct {
	ctx     context.Context
	c       *config.Config
	o       dataset.Options
	step    func(name string) error // a test may stop it here; may be nil
	done    erase.Forgotten
	letters int // dead letters that are still in the state
}

func (f *forgetting) at(step string) error {
	if f.step == nil {
		return nil
	}
	return f.step(step)
}

// plan plans the erasure of those on the list and of more people, and makes the list durable. It
// refuses what it cannot do before anything is written, but for what every start writes.
func (f *forgetting) plan(s *boltstore.Store, more func(*incremental.Machine) []state.Digest) (*erase.Erasure, error) {
	c, path := f.c, suppress.Path(f.c.Release.Ledger)
	if err := dataset.NotJournaled(c); err != nil { // and nobody runs, who could be asked
		return nil, err
	}
	m, err := dataset.OpenMachine(f.ctx, s, c, f.o)
	if err != nil {
		return nil, err
	}
	if err := publish.Reconcile(snapshot.OS(), c.Release.Dir, c.Release.Ledger, m.Releases().Intents(), m.Digests()); err != nil {
		return nil, err
	}
	if !c.Shard.Journal.Set() { // rule B (buckets): a state that does not know of a judged pool is not used, nor written
		if err := publish.CheckJudged(snapshot.OS(), c.Release.Ledger, m.Judged()); err != nil {
			return nil, err
		}
	}
	if err := m.Commit(); err != nil { // a hierarchy that has grown is taken in first
		return nil, err
	}
	key := incremental.SuppressionKey(m.Seed())
	list, err := suppress.Read(path, key)
	if errors.Is(err, suppress.ErrForeign) {
		err = fmt.Errorf("%s: %w", path, ErrForeignList)
	}
	if err != nil {
		return nil, err
	}
	e, err := m.Forget(append(list, more(m)...))
	if err != nil {
		return nil, err
	}
	if err := CheckErasable(c, e); err != nil {
		return nil, err
	}
	f.done, f.letters = e.Forgotten, m.Status().Outbox
	if err := f.at("planned"); err != nil {
		return nil, err
	}
	if err := suppress.Write(path, m.Forgetting().After(e), key); err != nil {
		return nil, err
	}
	return e, f.at("listed")
}

// CheckErasable refuses the erasure of published people from rows that show them.
func CheckErasable(c *config.Config, e *erase.Erasure) error {
	if r := c.Release.Recoding; e.Published > 0 && r != config.Buckets && r != config.Generalization {
		return fmt.Errorf("%w: release.recoding is %s, which shows quasi-identifiers exactly", erase.ErrNotErasable, r)
	}
	return nil
}

// Remainders lists where data of a person may still be. stale: also on free pages of the state.
func Remainders(c *config.Config, done erase.Forgotten, letters int, stale bool) (out []remainder) {
	add := func(what, why string, where ...string) { out = append(out, remainder{what, where, why}) }
	if done.Published > 0 {
		add("published rows", "a row that is removed names its person: rows stay in all releases, without owner in the state",
			filepath.Join(c.Release.Dir, fmt.Sprintf("%06d and later", done.First)))
	}
	if done.Bounds > 0 {
		add(fmt.Sprintf("bounds of %d published cells", done.Bounds), "nobody else in the class has the value, and every release shows it",
			c.Release.Dir)
	}
	if stale {
		add("free pages of the state", "the daemon runs, so the state has forgotten in its file: pages that are free may hold what was removed "+
			"until the next start, which rewrites the file; backups made until then may have them too", c.State.Path)
	}
	add("backups and replaced states", "they hold the records; remove them. A state that is restored from one forgets again at its start",
		copiesOf(c)...)
	if k := c.Outputs.Kafka; len(k.Brokers) > 0 {
		add("published rows in a topic", "anond-deliver has written them, and writes them for later releases", k.Topic)
	}
	if p := c.Outputs.Postgres; p.URL.Reveal() != "" {
		add("published rows in tables", "anond-deliver has written them, and writes them for later releases", p.Schema)
	}
	add("exports and copies of releases", "anond does not know where they are")
	where := c.DeadLetter.Topic
	if c.DeadLetter.Type == config.ToFile {
		where = c.DeadLetter.Path
	}
	why := "a refused record is not tied to a person"
	if letters > 0 {
		why += fmt.Sprintf("; %d of them are in the state until they are delivered", letters)
	}
	add("dead letters", why, where)
	source := c.Source.Name
	if c.Source.Type == config.FromFile {
		source = c.Source.File.Path
	}
	add("the source", "remove the records there; those that are read again are blocked", source)
	return out
}

// copiesOf lists the backups and the replaced states that anond has made.
func copiesOf(c *config.Config) (out []string) {
	patterns := []string{c.State.Path + ".replaced-*"}
	if c.State.Backup.Dir != "" {
		patterns = append(patterns, filepath.Join(c.State.Backup.Dir, "*.db"))
	}
	for _, p := range patterns {
		found, _ := filepath.Glob(p) // a bad pattern finds nothing
		out = append(out, found...)
	}
	return out
}

// InAnotherShard says that a person's records are those of another shard, which has to forget
// the person, too. partitions is how many the topic has, 0: not known yet.
func InAnotherShard(c *config.Config, partitions int, subject []byte) []remainder {
	k := dataset.KeyingOf(c, partitions)
	if k == nil || partitions == 0 {
		return nil
	}
	shard := int(k.PartitionOf(subject)) % c.Shard.Of
	if shard == c.Shard.Index {
		return nil
	}
	return []remainder{{What: "all records of the person", Where: []string{fmt.Sprintf("shard %d of %d", shard, c.Shard.Of)},
		Why: "the key of the person leads there: run anond forget with the configuration of that shard"}}
}
