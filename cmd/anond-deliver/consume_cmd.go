package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"anond/config"
	"anond/deliver"
	"anond/deliver/topic"
	"anond/internal/cli"
	"anond/internal/fault"
	"anond/snapshot"
)

func newConsumeCommand(env *environment) *cobra.Command {
	var path, out string
	var release uint32
	var asJSON bool
	c := &cobra.Command{
		Use: "consume", Short: "Rebuild a release from the topic of anond-deliver kafka, and compare it with the files",
		Long: `consume reads the topic of outputs.kafka from its beginning to its current end, and
rebuilds a release. It demands that every file has the size and the SHA-256 that
the manifest says, that the manifests are an unbroken chain, and that the replaced
classes are those that the manifest lists. Then it compares the manifest with
that of the release in release.dir, if it is there: equal manifests mean equal
files. If it is not, compare the SHA-256 of the manifest with the ledger.

With --out, a directory that does not exist yet gets the release, the manifests of
the releases before it and the hierarchies: anond audit --releases DIR, query and
release cat read it. Exit 1 if the topic lacks a part of the release, or has a different one.`,
		Example: "  anond-deliver consume\n  anond-deliver consume --release 42 --out ./from-topic",
		RunE: func(c *cobra.Command, _ []string) error {
			d, err := env.loadDelivery(path)
			if err != nil {
				return err
			}
			if err := d.NeedKafka(); err != nil {
				return err
			}
			if _, err := os.Lstat(out); out != "" && err == nil {
				return cli.Usage("name a directory that does not exist yet", "%s is there already", out)
			}
			return env.consume(c.Context(), d, release, out, asJSON)
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	c.Flags().Uint32Var(&release, "release", 0, "`number` of the release; default: the newest complete one")
	c.Flags().StringVar(&out, "out", "", "new `directory` for the release")
	return c
}

// consumed is what anond-deliver consume --json writes.
type consumed struct {
	Dataset  string `json:"dataset"`
	Release  uint32 `json:"release"`
	First    uint32 `json:"first"`  // release of the topic
	Newest   uint32 `json:"newest"` // that is whole
	Files    int    `json:"files"`
	Rows     int    `json:"rows"`
	Bytes    int64  `json:"bytes"`
	Foreign  int    `json:"foreign"` // messages that are none of releases
	Manifest string `json:"manifest_sha256"`
	Compared string `json:"compared"` // the manifest that is equal; empty: there is none
	Out      string `json:"out,omitempty"`
}

func (e *environment) consume(ctx context.Context, d *config.Delivery, release uint32, out string, asJSON bool) (err error) {
	brokers, err := outputBrokers(ctx, &d.Outputs.Kafka, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	all, err := topic.NewKeeping()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	if err := topic.Collect(ctx, brokers, all); err != nil {
		return err
	}
	if all.Dataset() != "" && all.Dataset() != d.Dataset {
		return fmt.Errorf("topic %s has dataset %s, the configuration says %s", d.Outputs.Kafka.Topic, all.Dataset(), d.Dataset)
	}
	first, newest := all.Ends()
	if release == 0 {
		release = max(newest, first)
	}
	r, err := rebuild(all, release, out)
	if err != nil {
		return err
	}
	sum := consumed{r.Dataset, r.Release, first, newest, r.Files, r.Rows, r.Bytes, all.Foreign, hex.EncodeToString(r.Manifest[:]), "", out}
	if sum.Compared, err = compared(d.Dir, &r); err != nil {
		return err
	}
	if asJSON {
		return cli.WriteJSON(e.Stdout, sum)
	}
	return e.printConsumed(d.Outputs.Kafka.Topic, &sum)
}

// rebuild makes a release again, in a directory that goes away if none is asked for.
func rebuild(all *topic.Collector, release uint32, out string) (r topic.Rebuilt, err error) {
	if out == "" {
		tmp, err := os.MkdirTemp("", "anond-consume-")
		if err != nil {
			return r, err
		}
		defer func() { _ = os.RemoveAll(tmp) }()
		out = filepath.Join(tmp, "releases")
	}
	return all.Rebuild(release, out)
}

// compared compares the manifest with that of the files, and gives its path; empty: there
// are no files.
func compared(dir string, r *topic.Rebuilt) (string, error) {
	p, err := deliver.NewHistory(snapshot.OS(), dir).Published(r.Release)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if p.SHA256 != r.Manifest {
		return "", fault.Errorf(fault.Failed, "the topic has the releases of another directory, or a copy was put back",
			"release %d of the topic is not that of %s: its manifest has SHA-256 %x, that of the files %x",
			r.Release, dir, r.Manifest, p.SHA256)
	}
	return filepath.Join(dir, fmt.Sprintf("%06d", r.Release)), nil
}

func (e *environment) printConsumed(topic string, c *consumed) error {
	t := cli.NewTable(e.Stdout, cli.Left("", 10), cli.Left("", 0))
	t.Row("topic", fmt.Sprintf("%s: releases %d to %d of %s are whole", topic, c.First, c.Newest, c.Dataset))
	t.Row("release", fmt.Sprintf("%d: %s, %s, %d bytes, each file with the SHA-256 of the manifest", c.Release, cli.Count(c.Files, "file"),
		cli.Count(c.Rows, "row"), c.Bytes))
	t.Row("manifest", c.Manifest)
	if c.Compared != "" {
		t.Row("files", "equal: "+c.Compared+" has this manifest")
	} else {
		t.Row("files", "not compared: release.dir does not have the release; compare the manifest with the ledger")
	}
	if c.Foreign > 0 {
		t.Row("foreign", fmt.Sprintf("%s of the topic passed over: they are none of releases", cli.Count(c.Foreign, "message")))
	}
	if c.Out != "" {
		t.Row("out", c.Out)
	}
	return t.Err
}
