package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/internal/dataset"
	"anond/internal/fault"
	"anond/snapshot"
	"anond/snapshot/verify"
)

func newReleaseCommand(env *environment) *cobra.Command {
	c := &cobra.Command{Use: "release", Short: "Make, list, show, write out, verify and report releases"}
	c.AddCommand(newReleaseListCommand(env), newReleaseShowCommand(env), newReleaseCatCommand(env), newReleaseVerifyCommand(env),
		newReleaseReportCommand(env), newReleaseNowCommand(env), newReleasePlanCommand(env))
	return c
}

func newReleaseListCommand(env *environment) *cobra.Command {
	var of releasesFlags
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the releases, one per line",
		RunE: cli.Answering(func(*cobra.Command, []string) error {
			dir, _, err := of.find(env)
			if err != nil {
				return err
			}
			list, err := snapshot.List(snapshot.OS(), dir)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, list)
			}
			if err := env.printReleases(list); err != nil || of.status == "" {
				return err
			}
			s, err := readStatus(of.status)
			if err != nil || s == nil || s.Counts.DeadLetter == 0 {
				return err
			}
			_, err = fmt.Fprintf(env.Stderr, "refused, and in none of them: %s\n", refusedLine(&s.Counts))
			return err
		}),
	}
	of.flags(c)
	cli.JSONFlag(c, &asJSON)
	return c
}

func (e *environment) printReleases(list []snapshot.Info) error {
	columns := []cli.Column{cli.Right("release", 7), cli.Left("created", 20), cli.Right("records", 9), cli.Right("new", 8),
		cli.Right("pending", 8),
		cli.Right("classes", 8), cli.Right("buckets", 8), cli.Right("k", 4), cli.Right("top share", 9), cli.Right("loss", 6),
		cli.Left("certificate", 0)}
	const buckets = 6
	level2 := slices.ContainsFunc(list, func(r snapshot.Info) bool { return r.Buckets > 0 })
	if !level2 {
		columns = slices.Delete(columns, buckets, buckets+1)
	}
	t := cli.NewTable(e.Stdout, columns...)
	t.Header()
	for _, r := range list {
		number := strconv.Itoa(int(r.Release))
		if r.Current {
			number = "*" + number
		}
		cells := []string{number, r.CreatedAt, strconv.Itoa(r.Records), strconv.Itoa(r.Newcomers), strconv.Itoa(r.Pending),
			strconv.Itoa(r.Classes), strconv.Itoa(r.Buckets), strconv.Itoa(r.KMin), fmt.Sprintf("%.1f %%", 100*r.MaxFrequency),
			fmt.Sprintf("%.4f", r.NCP), r.Certificate}
		if r.Pruned {
			cells[len(cells)-1] += ", pruned"
		}
		if !level2 {
			cells = slices.Delete(cells, buckets, buckets+1)
		}
		t.Row(cells...)
	}
	return t.Err
}

func newReleaseShowCommand(env *environment) *cobra.Command {
	var of releasesFlags
	var asJSON bool
	c := &cobra.Command{
		Use: "show [NUMBER]", Short: "Show the manifest of a release; without NUMBER the current one", Args: cobra.MaximumNArgs(1),
		RunE: cli.Answering(func(_ *cobra.Command, args []string) error {
			dir, _, err := of.find(env)
			if err != nil {
				return err
			}
			n := uint64(0)
			if len(args) == 1 {
				if n, err = strconv.ParseUint(args[0], 10, 32); err != nil || n == 0 {
					return cli.Usage("anond release list shows the numbers", "%q is not the number of a release", args[0])
				}
			}
			m, err := snapshot.Show(snapshot.OS(), dir, uint32(n))
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, m)
			}
			if err := snapshot.NotPruned(snapshot.OS(), dir, m.Release); errors.Is(err, snapshot.ErrPruned) {
				fmt.Fprintln(env.Stderr, err)
			}
			return env.printManifest(m)
		}),
	}
	of.flags(c)
	cli.JSONFlag(c, &asJSON)
	return c
}

// releaseNumber is the number that a command is given; 0 without one.
func releaseNumber(args []string) (uint32, error) {
	if len(args) == 0 {
		return 0, nil
	}
	n, err := strconv.ParseUint(args[0], 10, 32)
	if err != nil || n == 0 {
		return 0, cli.Usage("anond release list shows the numbers", "%q is no number of a release", args[0])
	}
	return uint32(n), nil
}

// printManifest writes the manifest as lines of key and value, nested keys
// joined by dots: everything, without interpretation.
func (e *environment) printManifest(m *snapshot.Manifest) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	lines, err := flatten(data)
	if err != nil {
		return err
	}
	t := cli.NewTable(e.Stdout, cli.Left("key", 34), cli.Left("value", 0))
	for i := 0; i < len(lines); i++ {
		key, value := lines[i][0], lines[i][1]
		if list := strings.TrimSuffix(key, ".0"); list != key && (strings.HasSuffix(list, ".dead") || strings.HasSuffix(list, ".withdrawn")) {
			key = list
			for ; i+1 < len(lines) && strings.HasPrefix(lines[i+1][0], key+"."); i++ {
				value += " " + lines[i+1][1]
			}
		}
		t.Row(key, value)
	}
	return t.Err
}

func newReleaseVerifyCommand(env *environment) *cobra.Command {
	var of releasesFlags
	var asJSON bool
	c := &cobra.Command{
		Use: "verify", Short: "Check hashes, chain, numbering, CURRENT and ledger; exit 1 if anything differs",
		Long: `verify compares the files with the manifests, and the manifests with each other
and with the ledger. It shows whether the files are those that were published.
anond audit checks whether they keep the privacy promise.`,
		RunE: cli.Answering(func(*cobra.Command, []string) error {
			dir, ledger, err := of.find(env)
			if err != nil {
				return err
			}
			return env.verifyReleases(dir, ledger, asJSON)
		}),
	}
	of.flags(c)
	c.Flags().StringVar(&of.ledger, "ledger", "", "with --dir: ledger `file`")
	cli.JSONFlag(c, &asJSON)
	return c
}

func (e *environment) verifyReleases(dir, ledger string, asJSON bool) error {
	v, err := verify.Dir(snapshot.OS(), dir, ledger)
	if err != nil {
		return err
	}
	if asJSON {
		if err := cli.WriteJSON(e.Stdout, v); err != nil {
			return err
		}
	} else {
		for _, f := range v.Findings {
			fmt.Fprintf(e.Stdout, "%s: %s: %s\n", f.File, f.Kind, f.Detail)
		}
	}
	if !v.OK() {
		return fault.Errorf(fault.Failed, "what was published must not change: restore the files from a copy; anond never rewrites a release",
			"%s in %s", cli.Count(len(v.Findings), "fault"), dir)
	}
	if !asJSON {
		pruned := ""
		if v.Pruned > 0 {
			pruned = fmt.Sprintf(", and the manifests of %s whose files were pruned", cli.Count(v.Pruned, "release"))
		}
		fmt.Fprintf(e.Stdout, "ok: %s, %s, %d bytes%s: hashes, chain, numbering%s agree\n", cli.Count(v.Releases, "release"),
			cli.Count(v.Files, "data file"), v.Bytes, pruned, map[bool]string{true: " and ledger"}[v.Ledger])
	}
	return nil
}

// releasesFlags say whose releases a command is about: those of a configuration, or of a
// directory, such as that of a union.
type releasesFlags struct{ config, dir, ledger, status string }

func (f *releasesFlags) flags(c *cobra.Command) {
	cli.ConfigFlag(c, &f.config)
	c.Flags().StringVar(&f.dir, "dir", "", "the releases in this `directory`, as of a union; no configuration is needed")
}

// find gives the directory, and the ledger if one is known. With a configuration it notes where the status is.
func (f *releasesFlags) find(e *environment) (dir, ledger string, err error) {
	if f.dir != "" {
		return f.dir, f.ledger, nil
	}
	if f.ledger != "" {
		return "", "", cli.Usage("anond release verify --dir DIR --ledger FILE", "--ledger belongs to --dir: a configuration names its own")
	}
	cfg, err := e.loadConfig(f.config)
	if err != nil {
		return "", "", err
	}
	f.status = dataset.StatusPath(cfg)
	return cfg.Release.Dir, cfg.Release.Ledger, nil
}
