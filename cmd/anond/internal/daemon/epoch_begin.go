package daemon

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"reflect"
	"slices"

	"anond/cmd/anond/internal/outfile"
	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/snapshot"
)

// ErrHandovers: the handovers are not those of one epoch, or not for this configuration (exit 78).
var ErrHandovers = errors.New("the handovers do not fit")

// ErrNoEpoch: the people of earlier epochs are not known to the state, although an epoch began with them.
var ErrNoEpoch = errors.New("an epoch began here with the people of earlier ones, and the state does not know them")

// Beginning says what the beginning of an epoch did.
type Beginning struct {
	Dataset string `json:"dataset"`
	Epoch   int    `json:"epoch"`
	State   string `json:"state"`
	People  uint64 `json:"people"`  // whom the state knows of earlier epochs
	Waiting uint64 `json:"waiting"` // who are to be read again, in all shards together
	Before  bool   `json:"begun_before"`
}

// BeginEpoch makes the state of a configuration one that knows everybody whom the states of the epoch
// before have handed over. partitions is how many the topic of the new epoch has; given it, a shard
// is told only of people who lead to it, which the first start checks. 0: of all.
//
// A file next to the ledger says first that an epoch begins here, so that a state without its people
// is refused; then the state appears, complete. It has no seed yet: the first start draws one.
func BeginEpoch(ctx context.Context, c *config.Config, o Options, from []string, partitions int) (done Beginning, err error) {
	if k := c.SubjectKey(); !k.Set() {
		return done, &ConfigError{ErrNoSubjectKey}
	}
	if c.Schema().SubjectIndex() < 0 {
		return done, &ConfigError{incremental.ErrNoSubject}
	}
	if err := notClosed(c); err != nil {
		return done, err
	}
	options, err := StateOptions(ctx, c)
	if err != nil {
		return done, err
	}
	h, err := openHandovers(c, from, options, partitions)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, h.close()) }()
	done = Beginning{Dataset: c.Dataset, Epoch: h.epoch.Number, State: c.State.Path, Waiting: h.waiting()}
	if done.Before, done.People, err = h.begunBefore(c, options); err != nil || done.Before {
		return done, err
	}
	if err := snapshot.Reconcile(snapshot.OS(), c.Release.Dir, c.Release.Ledger, nil); err != nil {
		return done, err
	}
	if err := noBackups(c); err != nil {
		return done, err
	}
	if err := o.StandIns.atEpoch("checked"); err != nil {
		return done, err
	}
	if err := outfile.ReplaceDurably(EpochPath(c), 0o600, epochText(c, h.epoch)); err != nil {
		return done, err
	}
	if err := o.StandIns.atEpoch("ledger"); err != nil {
		return done, err
	}
	people := func(yield func(incremental.EarlierPerson, error) bool) {
		for p, err := range h.people(c) {
			if done.People++; !yield(p, err) {
				return
			}
		}
	}
	if err := boltstore.BeginEpoch(ctx, c.State.Path, options.Key, h.epoch, people); err != nil {
		return done, err
	}
	return done, o.StandIns.atEpoch("state")
}

// begunBefore reports that the state is there as it would be made. Another one there is refused, also one of people whom
// the handovers of an epoch that was closed again, with another choice, have not.
func (h *handovers) begunBefore(c *config.Config, options boltstore.Options) (bool, uint64, error) {
	if _, err := os.Lstat(c.State.Path); errors.Is(err, fs.ErrNotExist) {
		return false, 0, nil
	}
	have, _, err := boltstore.EpochAt(c.State.Path, options.Key)
	if err != nil {
		return false, 0, err
	}
	want := *h.epoch
	for _, err := range h.people(c) {
		if err != nil {
			return false, 0, err
		}
		want.People++
	}
	if have != nil && reflect.DeepEqual(have, &want) {
		return true, have.People, nil
	}
	return false, 0, &fs.PathError{Op: "create", Path: c.State.Path, Err: fs.ErrExist}
}

// noBackups refuses backups of an earlier epoch where those of this one will be: whoever loses this state would put the newest in
// its place, which knows nothing of any closing, and goes on with the earlier epoch (rule F, no second publisher).
func noBackups(c *config.Config) error {
	if c.State.Backup.Dir == "" {
		return nil
	}
	switch path, err := newestBackup(c); {
	case err != nil:
		return err
	case path != "":
		return &ConfigError{fmt.Errorf("state.backup.dir: %w: %s is there", errEarlierBackup, path)}
	}
	return nil
}

// errEarlierBackup: a new epoch has no backup yet.
var errEarlierBackup = errors.New("it has a backup of this dataset from before the epoch begins")

// EpochPath is the file next to the ledger that says that an epoch began with the people of earlier ones.
func EpochPath(c *config.Config) string { return c.Release.Ledger + ".epoch" }

type epochFile struct {
	Format  int    `json:"format"`
	Dataset string `json:"dataset"`
	Epoch   int    `json:"epoch"`
}

func epochText(c *config.Config, e *incremental.Epoch) []byte {
	text, err := json.Marshal(epochFile{1, c.Dataset, e.Number})
	if err != nil {
		panic("daemon: numbers and a name have a JSON form")
	}
	return append(text, '\n')
}

// knowsEpoch refuses a state that does not know the people of earlier epochs, where one began with them.
func knowsEpoch(c *config.Config, m *incremental.Machine) error {
	data, err := os.ReadFile(EpochPath(c))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var file epochFile
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", EpochPath(c), err)
	}
	if file.Epoch != m.EpochNumber() || file.Dataset != c.Dataset {
		return fmt.Errorf("%s: %w", EpochPath(c), ErrNoEpoch)
	}
	return nil
}

// handovers are those of all states of one epoch.
type handovers struct {
	list  []*boltstore.Handover
	epoch *incremental.Epoch // that begins
	homes [][]uint16         // by handover: where its chains are in those of the epoch
}

func (h *handovers) close() error {
	var errs []error
	for _, f := range h.list {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

func (h *handovers) waiting() (n uint64) {
	for _, f := range h.list {
		n += f.Waiting
	}
	return n
}

// openHandovers opens and checks them.
func openHandovers(c *config.Config, from []string, options boltstore.Options, partitions int) (*handovers, error) {
	h := &handovers{}
	for _, path := range from {
		f, err := boltstore.OpenHandover(path, options.Key)
		if err != nil {
			return nil, errors.Join(err, h.close())
		}
		h.list = append(h.list, f)
	}
	err := h.check(c)
	if err == nil {
		err = h.join(c, partitions)
	}
	if err != nil {
		return nil, errors.Join(&ConfigError{err}, h.close())
	}
	return h, nil
}

func misfit(path, format string, args ...any) error {
	return fmt.Errorf("%w: %s %s", ErrHandovers, path, fmt.Sprintf(format, args...))
}

// last is the chain that a handover ends.
func last(f *boltstore.Handover) incremental.Chain { return f.Chains[len(f.Chains)-1] }

// check demands the handovers of all shards of one epoch, of people as this configuration knows them.
func (h *handovers) check(c *config.Config) error {
	if len(h.list) == 0 {
		return fmt.Errorf("%w: none is named", ErrHandovers)
	}
	first, settings := h.list[0], settingsOfEpochs(c)
	shards := map[int]bool{}
	for _, f := range h.list {
		home := last(f)
		switch {
		case f.Dataset != c.Dataset:
			return misfit(f.Path, "is of another dataset")
		case !reflect.DeepEqual(f.Settings, settings):
			return misfit(f.Path, "knows its people under another subject.key, or another attribute of role subject, or other sensitive "+
				"values were valid")
		case f.Number != first.Number || home.Of != last(first).Of:
			return misfit(f.Path, "is of another epoch than %s, or of another number of shards", first.Path)
		case shards[home.Shard]:
			return misfit(f.Path, "is a second one of shard %d", home.Shard)
		case !slices.Equal(f.Chains[:len(f.Chains)-1], first.Chains[:len(first.Chains)-1]):
			return misfit(f.Path, "began with other handovers than %s: nobody could say who was published in which epoch", first.Path)
		case f.Waiting > 0 && !f.Blind && c.Policy.Level == config.L2:
			return misfit(f.Path, "has people who wait for reasons that may depend on their values, and policy.level is L2: "+
				"close that epoch again, with --waiting never")
		case f.Owed && c.Policy.Level == config.L2:
			return misfit(f.Path, "is of an epoch that had to read people again who waited for reasons that may depend on their values, and "+
				"policy.level is L2: whether all of them had come is not known, so write level: L1")
		}
		shards[home.Shard] = true
	}
	for i := range last(first).Of {
		if !shards[i] {
			return fmt.Errorf("%w: that of shard %d of %d is missing", ErrHandovers, i, last(first).Of)
		}
	}
	return nil
}

// join makes the epoch of them all.
func (h *handovers) join(c *config.Config, partitions int) error {
	e := &incremental.Epoch{Number: h.list[0].Number, Settings: settingsOfEpochs(c), Partitions: partitions}
	if partitions > 0 { // it is told of the people of this shard alone
		all := c.Digests()
		for _, k := range []string{"shard.index", "shard.of", "shard.key"} {
			e.Settings[k] = all[k]
		}
	}
	for _, f := range h.list {
		if partitions > 0 && (!c.Shard.Set() || f.Topic != partitions || f.Keys != keysDigest(c)) {
			return misfit(f.Path, "has people who led to one of %d partitions, or by other keys: leave out --partitions", f.Topic)
		}
		for _, chain := range f.Chains {
			if !slices.Contains(e.Chains, chain) {
				e.Chains = append(e.Chains, chain)
			}
		}
		if f.Owed || f.Waiting > 0 && !f.Blind {
			e.BindToL1()
		}
	}
	slices.SortFunc(e.Chains, incremental.CompareChains)
	e.Left = allForgotten(h.list)
	for _, f := range h.list {
		homes := make([]uint16, len(f.Chains))
		for i, chain := range f.Chains {
			homes[i] = uint16(slices.Index(e.Chains, chain))
		}
		h.homes = append(h.homes, homes)
	}
	h.epoch = e
	return nil
}

// allForgotten joins what handovers say of who was forgotten. Two lists of one state may differ: it forgets although it
// is closed, and may be closed again.
func allForgotten(list []*boltstore.Handover) (all []incremental.ForgottenBefore) {
	people := map[[32]byte]map[incremental.Digest]bool{}
	for _, f := range list {
		for _, l := range f.Left {
			known := people[l.Key]
			if known == nil {
				known = map[incremental.Digest]bool{}
				people[l.Key] = known
			}
			for _, d := range l.People {
				known[d] = true
			}
		}
	}
	order := func(a, b incremental.Digest) int { return slices.Compare(a[:], b[:]) }
	for key, known := range people {
		all = append(all, incremental.ForgottenBefore{Key: key, People: slices.SortedFunc(maps.Keys(known), order)})
	}
	slices.SortFunc(all, func(a, b incremental.ForgottenBefore) int { return slices.Compare(a.Key[:], b.Key[:]) })
	return all
}

// people are those of all handovers, each once and in order, whom the state of this configuration has to
// know. Cost: a block of each handover in memory.
func (h *handovers) people(c *config.Config) iter.Seq2[incremental.EarlierPerson, error] {
	streams := make([]iter.Seq2[incremental.EarlierPerson, error], len(h.list))
	for i, f := range h.list {
		streams[i] = func(yield func(incremental.EarlierPerson, error) bool) {
			for p, err := range f.People() {
				if err == nil && (p.Waiting || !h.mayCome(c, f, p)) {
					continue
				}
				if err == nil {
					p.Home = h.homes[i][p.Home]
				}
				if !yield(p, err) {
					return
				}
			}
		}
	}
	return incremental.MergeEarlier(streams)
}

// mayCome reports whether a person may come to the state of this configuration. The partition of the
// topic before decides, if the topic has as many now: and for people of epochs before that one, if theirs had, too.
func (h *handovers) mayCome(c *config.Config, f *boltstore.Handover, p incremental.EarlierPerson) bool {
	n := h.epoch.Partitions
	bound := n > 0 && (f.Chains[p.Home].Epoch == h.epoch.Number-1 || f.Partitions == n)
	return !bound || int(p.Partition)%c.Shard.Of == c.Shard.Index
}

// epochEntry is what a manifest says of the epochs before.
func epochEntry(e *incremental.Epoch) *snapshot.EpochEntry {
	if e == nil {
		return nil
	}
	out := &snapshot.EpochEntry{Number: e.Number}
	for _, chain := range e.Before() {
		x := snapshot.ChainEntry{Shard: chain.Shard, Release: chain.Release}
		if chain.Release > 0 {
			x.SHA256 = hex.EncodeToString(chain.Manifest[:])
		}
		out.Earlier = append(out.Earlier, x)
	}
	return out
}

// inEarlierEpoch says that a person's records are those of a state of an earlier epoch, which has to
// forget the person, too.
func inEarlierEpoch(m *incremental.Machine, subject []byte) []Remainder {
	home, known := m.HomeOf(subject)
	if !known {
		return nil
	}
	return []Remainder{{What: "records of the person in an earlier epoch",
		Where: []string{fmt.Sprintf("epoch %d, shard %d of %d", home.Epoch, home.Shard, home.Of)},
		Why:   "the person was there before: run anond forget with the configuration of that state, which forgets although it is closed"}}
}

// inLaterEpoch says that a closed state forgets for itself alone. What it has handed over stays as it was: so a person who
// waited here and is forgotten now is taken in by the next epoch, unless that one is told, too.
func inLaterEpoch(c *config.Config) []Remainder {
	if !errors.Is(notClosed(c), incremental.ErrClosed) {
		return nil
	}
	return []Remainder{{What: "records of the person in a later epoch", Where: []string{c.Dataset},
		Why: "the epoch is closed, and the next one takes in people who waited, also this one, until it is told: run anond forget with its " +
			"configuration, too. If it has not begun, close this one again"}}
}

// hintOfEpoch says what an operator can do about the end of an epoch; empty: it is not about that.
func hintOfEpoch(err error) string {
	switch {
	case errors.Is(err, incremental.ErrClosed):
		return "start the next epoch: anond epoch begin with another configuration, whose state, releases and ledger are in other places"
	case errors.Is(err, errEarlierBackup):
		return "give the new epoch a directory of its own, or move those backups away: a restore would go on with the epoch that is closed"
	case errors.Is(err, ErrNoSubjectKey):
		return "a dataset whose states never had subject.key cannot begin another epoch: only another dataset of other people"
	case errors.Is(err, ErrValuesGrew):
		return "a new dataset of other people can begin with the hierarchy that has grown"
	case errors.Is(err, ErrHandovers):
		return "name the handover of each shard of the epoch before, of this dataset, and keep subject.key, the attribute of role subject, and " +
			"the sensitive attribute with its hierarchy"
	}
	return ""
}
