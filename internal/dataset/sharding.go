package dataset

import (
	"context"
	"errors"

	"anond/config"
	"anond/equivclass"
	"anond/incremental"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/decode"
	"anond/ingest/kafkasrc"
	"anond/internal/fault"
	"anond/snapshot/publish"
)

// Sharding is the port of package shards: what the run of a shard does besides that of a whole dataset. The package registers
// itself (Register), so that a program has shards by importing it and no other package knows it.
type Sharding interface {
	// Keys checks the keys of a shard's records, in a topic of so many partitions.
	Keys(c *config.Config, partitions int) Keys
	// Header is the one that records of a shard may have.
	Header(c *config.Config) kafkasrc.Header
	// Journal opens the journal of a shard, for a configuration that names one.
	Journal(ctx context.Context, c *config.Config, o Options) (Journal, error)
	// Host runs the shards of a file of several in this process, each by run, until ctx ends or none can go on. left is told of a shard
	// that has gone to another process.
	Host(ctx context.Context, c *config.Config, o Options, run func(ctx context.Context, shard int) error, left func(shard int)) error
	// ProbeJournal asks once whether the topic of the journal is as a run needs it.
	ProbeJournal(ctx context.Context, c *config.Config, o Options) kafkasrc.Probed
}

// Keys checks that each record lies where the key of its person leads.
type Keys interface {
	ingest.Placement
	// Check is Judge of a record that nobody will place.
	Check(p state.Partition, r *ingest.Record, o decode.Outcome, row equivclass.Row) error
	// Recheck is Check of a record that was placed before and is read again.
	Recheck(p state.Partition, r *ingest.Record, o decode.Outcome, row equivclass.Row) error
	// PartitionOf is where the records of a subject are.
	PartitionOf(subject []byte) int32
}

// Journal is what a run writes its decisions to before it acts on them, and what another process can repeat them from.
type Journal interface {
	// Begin reads whose journal it is, and refuses a new state (fresh) where there are decisions. It goes before the machine is
	// opened, which would draw another seed.
	Begin(ctx context.Context, fresh func() (bool, error)) error
	// Follow brings the state to where the journal ends. From then on this process is the one that goes on.
	Follow(ctx context.Context, f Following) (*incremental.Machine, error)
	// Held says whether it still is (ErrJournalAway: nobody knows). A stop does not end the question: a release in
	// progress may be finished then.
	Held(ctx context.Context) error
	// Steps writes what a host does under settings, once Follow has begun.
	Steps(settings [32]byte) ingest.Steps
	Close() error
}

// Following is what a run gives a journal to be followed.
type Following struct {
	Machine *incremental.Machine
	Host    func() *ingest.Host // of that machine
	// Republish publishes a release that a process before has published, or may have, and demands that manifest.
	Republish func(ctx context.Context, v *incremental.View, manifest [32]byte) (ingest.Release, error)
	// Beginning is called before a journal begins; undo, if another process was first.
	Beginning func(ctx context.Context) (undo func(), err error)
}

// ErrJournalAway: nobody knows whether this process may still publish. It is asked again.
var ErrJournalAway = errors.New("the journal does not answer")

var sharding Sharding // nil: this program has no shards

// Register gives the program shards. It is called before anything else is.
func Register(s Sharding) { sharding = s }

// shardRefused refuses a shard in a program without shards.
func shardRefused(c *config.Config) error {
	if c.Shard.Set() && sharding == nil {
		return fault.Errorf(fault.Config, "remove shard, or use a program that has shards", "shard: this program has no shards")
	}
	return nil
}

// OpenJournal opens the journal of a shard; nil: the configuration has none.
func OpenJournal(ctx context.Context, c *config.Config, o Options) (Journal, error) {
	if err := shardRefused(c); err != nil || !c.Shard.Journal.Set() {
		return nil, err
	}
	return sharding.Journal(ctx, c, o)
}

// ErrShardMoved is the cause of a context that has ended because another process is to have the shard.
var ErrShardMoved = errors.New("the shard goes to another process")

// Host runs the shards of a configuration that is of several.
func Host(ctx context.Context, c *config.Config, o Options, run func(ctx context.Context, shard int) error, left func(shard int)) error {
	if err := shardRefused(c); err != nil {
		return err
	}
	return sharding.Host(ctx, c, o, run, left)
}

// KeyingOf checks the keys of a shard's records; nil: the configuration has none.
func KeyingOf(c *config.Config, partitions int) Keys {
	if !c.Shard.Set() || sharding == nil { // who opens the machine was refused then
		return nil
	}
	return sharding.Keys(c, partitions)
}

// KeysOf is KeyingOf, and keeps how many partitions the topic has: the first commit stores it.
func KeysOf(c *config.Config, m *incremental.Machine, s ingest.Source) (Keys, error) {
	if !c.Shard.Set() {
		return nil, nil
	}
	of, ok := s.(ingest.Partitioned)
	if !ok {
		return nil, fault.Errorf(fault.Config, "remove shard, or read a topic", "shard needs a source that has partitions")
	}
	m.Source().SetPartitions(of.Partitions())
	return KeyingOf(c, m.Source().Partitions()), nil
}

// Placed has a host look at where records lie, if it is that of a shard.
func Placed(host *ingest.Host, keys Keys) {
	if keys != nil {
		host.Placement, host.RefusalWaits = keys, true
	}
}

// headerOf is the header that records may have.
func headerOf(c *config.Config) kafkasrc.Header {
	if !c.Shard.Set() || sharding == nil {
		return kafkasrc.Header{}
	}
	return sharding.Header(c)
}

// MayCatchUp reports that releases or ledger are ahead of a state that has a journal: what they know is
// looked for there, and compared with it again (Journal.Follow).
func MayCatchUp(c *config.Config, err error) bool {
	var behind *publish.BehindError
	return c.Shard.Journal.Set() && errors.As(err, &behind) && !behind.Forked
}

// ErrJournaled: a state that has a journal is changed by the daemon alone.
var ErrJournaled = fault.Errorf(fault.Config, "start anond run, and ask it: anond forget works next to it; another history needs "+
	"another topic, state, releases and ledger",
	"the state has a journal (shard.journal): what changes it has to be written there, at its place in the order")

// errHasJournal: what is decided without the journal would be unknown to whoever takes the shard over.
var errHasJournal = fault.Errorf(fault.Config, "set shard.journal.topic to the topic of that journal", "the state follows a journal")

// NotJournaled refuses what changes the state of a stopped daemon.
func NotJournaled(c *config.Config) error {
	if c.Shard.Journal.Set() {
		return ErrJournaled
	}
	return nil
}
