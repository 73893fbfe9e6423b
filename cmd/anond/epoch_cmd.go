package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"anond/cmd/anond/internal/daemon"
	"anond/config"
	"anond/ingest"
)

func newEpochCommand(env *environment) *cobra.Command {
	c := &cobra.Command{Use: "epoch", Short: "Close an epoch, and begin a new one that publishes none of its people again"}
	c.AddCommand(newEpochCloseCommand(env), newEpochBeginCommand(env), newEpochCheckCommand(env))
	return c
}

func newEpochCloseCommand(env *environment) *cobra.Command {
	var path, out, waiting string
	var asJSON bool
	c := &cobra.Command{
		Use: "close", Short: "Close the epoch of a stopped daemon's state",
		Long: `close ends the epoch of a state: it accepts and publishes nothing more, and
neither does an earlier copy of it (exit 78). Its releases stay what they are,
and anond forget, the exports and the audit work as before. Close every shard.

The private file --out has what the next epoch must know: of each person a digest
under subject.key, where the person was published, and who was forgotten.
anond epoch begin takes those of all shards.

People who wait were never published. --waiting says what becomes of them:
  reread   the next epoch reads their records again: its topic must have them
  never    no epoch publishes them; their later records are only counted
Without --waiting, an epoch in which people wait is not closed. People of a pool
of level L2 that was quarantined are never published, whatever --waiting says.

A state with a journal (shard.journal) must have everything that the journal has. The
journal ends first: after that no copy of the state continues, on any host.

It may be repeated, also after it was interrupted, until --out is there. The
daemon must be stopped (otherwise exit 4), have no undelivered dead letters and
no release that is decided and not published: anond run --once finishes both.`,
		Example: "  anond epoch close -c shards.yaml --waiting reread --out handover-0.db",
		RunE: func(c *cobra.Command, _ []string) error {
			allowed := []daemon.Waiting{daemon.Unsaid, daemon.Reread, daemon.Never}
			if !slices.Contains(allowed, daemon.Waiting(waiting)) {
				return usage("--waiting reread or --waiting never", "--waiting is neither reread nor never")
			}
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			done, err := daemon.CloseEpoch(c.Context(), cfg, env.onEpoch(cfg), out, daemon.Waiting(waiting))
			switch {
			case errors.Is(err, daemon.ErrSomeWait):
				return failure(exitFailed, err, "nothing was closed: publish them first, or say what becomes of them with --waiting reread or never")
			case errors.Is(err, ingest.ErrNotFollowed):
				return failure(exitFailed, err, "nothing was closed: stop the other process if there is one; "+
					"anond run --once takes over and repeats what it did")
			case errors.Is(err, daemon.ErrUndelivered):
				return failure(exitFailed, err, "nothing was closed: anond run --once delivers them")
			case err != nil:
				return err
			}
			if asJSON {
				return writeJSON(env.stdout, done)
			}
			return writeClosing(env.stdout, &done)
		},
	}
	configFlag(c, &path)
	jsonFlag(c, &asJSON)
	c.Flags().StringVar(&out, "out", "", "`file` to write, mode 0600; it must not exist (required)")
	c.Flags().StringVar(&waiting, "waiting", "", "what becomes of people who wait: `reread or never`")
	_ = c.MarkFlagRequired("out")
	return c
}

func writeClosing(w io.Writer, done *daemon.Closing) error {
	_, err := fmt.Fprintf(w, "epoch %d of %s, shard %d: closed behind release %d. %s is private: people known to the next epoch: %d, "+
		"to be read again: %d\n", done.Epoch, done.Dataset, done.Shard, done.Release, done.Handover, done.People, done.Waiting)
	return err
}

func newEpochBeginCommand(env *environment) *cobra.Command {
	var path string
	var from []string
	var partitions int
	var asJSON bool
	c := &cobra.Command{
		Use: "begin", Short: "Begin an epoch that knows the people of the epoch before",
		Long: `begin makes the state that a configuration names: empty, but for the people of
earlier epochs, of whom it publishes nobody again. Their records are only counted
(earlier_epoch). State, releases and ledger must be at new paths, and a consumer
group needs a new name. dataset, subject.key and the attribute of role subject
stay the same; the number of shards, the topic, its partitions, and policy may change.

--from names the handover of each shard of the epoch before, all of them for each
new shard (anond epoch close). Give it again for each file. encryption.key must be
that under which they were written.

With --partitions N, where the topic has N partitions as before, and the same
shard.key, a shard knows only the people whose keys lead to it, and its first start
demands that the topic has N. Without it every shard knows everybody: 10 bytes a
person in memory.

It may be repeated, also after it was interrupted.`,
		Example: "  SHARD=0 anond epoch begin -c new.yaml --from handover-0.db --from handover-1.db",
		RunE: func(c *cobra.Command, _ []string) error {
			if partitions < 0 {
				return usage("--partitions 64", "--partitions is the number of partitions of the topic")
			}
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			done, err := daemon.BeginEpoch(c.Context(), cfg, env.onEpoch(cfg), from, partitions)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(env.stdout, done)
			}
			_, err = fmt.Fprintf(env.stdout, "epoch %d of %s begins: %s knows %d people of earlier epochs. To be read again, in all shards: %d\n",
				done.Epoch, done.Dataset, done.State, done.People, done.Waiting)
			return err
		},
	}
	configFlag(c, &path)
	jsonFlag(c, &asJSON)
	c.Flags().StringArrayVar(&from, "from", nil, "handover `file` of a shard of the epoch before; again for each (required)")
	c.Flags().IntVar(&partitions, "partitions", 0, "the topic has `N` partitions, as it had before")
	_ = c.MarkFlagRequired("from")
	return c
}

func newEpochCheckCommand(env *environment) *cobra.Command {
	var path string
	var from []string
	var asJSON bool
	c := &cobra.Command{
		Use: "check", Short: "Check that all people who waited were read again, and nobody is published again",
		Long: `check compares a state with the handovers with which its epoch began. It counts
the people who were to be read again and of whom the state now has a record, or a
request to be forgotten. The sum over all shards must be the number of all who were
to be read again: people who are missing are not in the topic, and in no release.

Exit 3: the state has a record of somebody whom an earlier epoch has published.

Where a daemon runs, it makes a private copy of its state for this command.`,
		Example: "  anond epoch check -c new.yaml --from handover-0.db --from handover-1.db",
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := env.loadConfig(path)
			if err != nil {
				return err
			}
			found, err := besideOf(c.Context(), cfg, func(cfg *config.Config, _ bool) (daemon.Arrival, error) {
				return daemon.CheckEpoch(c.Context(), cfg, from)
			})
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(env.stdout, found)
			} else {
				_, err = fmt.Fprintf(env.stdout, "%d people were to be read again: %d of them are in this state. "+
					"Published before, and here again: %d\n", found.Waiting, found.Here, found.Twice)
			}
			if err == nil && found.Twice > 0 {
				err = failure(exitPrivacy, errors.New("the state has records of people whom an earlier epoch has published"),
					"stop it before its next release")
			}
			return err
		},
	}
	configFlag(c, &path)
	jsonFlag(c, &asJSON)
	c.Flags().StringArrayVar(&from, "from", nil, "handover `file` of a shard of the epoch before; again for each (required)")
	_ = c.MarkFlagRequired("from")
	return c
}

// onEpoch is how the end and the beginning of an epoch run. Tests stop them between their steps.
func (e *environment) onEpoch(cfg *config.Config) daemon.Options {
	return daemon.Options{Log: newLogger(e.stderr, cfg.Log, isTerminal(e.stderr)), StandIns: daemon.StandIns{Epoch: afterEpochStep}}
}

// afterEpochStep is called behind each step of the end and the beginning of an epoch. Tests kill the process
// there; nil in operation.
var afterEpochStep func(step string) error
