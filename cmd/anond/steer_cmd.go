package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"anond/internal/cli"
	"anond/internal/control"
	"anond/internal/fault"
)

// orderReload is the one order that a signal gives as well.
const orderReload = "reload"

// daemonClient connects to the running daemon of a configuration, to give it an order.
func (e *environment) daemonClient(path, order string) (*control.Client, error) {
	cfg, err := e.loadConfig(path)
	if err != nil {
		return nil, err
	}
	if cfg.Control.Socket == "" {
		hint := "add control: {socket: ./state/control.sock} to the configuration and restart anond"
		if order == orderReload {
			hint = "send SIGHUP to the process, which does the same: systemctl reload, or kill -HUP; or " + hint
		}
		return nil, fault.Errorf(fault.Config, hint, "control.socket is not set")
	}
	return control.NewClient(cfg.Control.Socket), nil
}

// steering makes a command that gives one order to the running daemon and prints what
// became of it.
func steering[T any](env *environment, use, short, long string, ask func(context.Context, *control.Client) (T, error),
	show func(T) error) *cobra.Command {
	var path string
	var asJSON bool
	c := &cobra.Command{
		Use: use, Short: short, Long: long,
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := env.daemonClient(path, use)
			if err != nil {
				return err
			}
			out, err := ask(c.Context(), client)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(env.Stdout, out)
			}
			return show(out)
		},
	}
	cli.ConfigFlag(c, &path)
	cli.JSONFlag(c, &asJSON)
	return c
}

func newPauseCommand(env *environment) *cobra.Command {
	return steering(env, "pause", "Stop reading, and begin no release by the trigger",
		`pause stops the reading of the running daemon. No release begins by release.trigger
until anond resume; a release in progress is completed, and anond release now still
makes one. The pause survives restarts, until anond resume.`,
		func(ctx context.Context, c *control.Client) (*control.Changed, error) { return c.Pause(ctx) },
		func(out *control.Changed) error {
			return env.say(out.Changed, "paused: nothing is read until anond resume", "it was paused already")
		})
}

func newResumeCommand(env *environment) *cobra.Command {
	return steering(env, "resume", "Continue reading after a pause", "",
		func(ctx context.Context, c *control.Client) (*control.Changed, error) { return c.Resume(ctx) },
		func(out *control.Changed) error { return env.say(out.Changed, "reading goes on", "it was not paused") })
}

func newReloadCommand(env *environment) *cobra.Command {
	return steering(env, orderReload, "Apply changed settings without a restart, all or none",
		`reload has the running daemon read its configuration again, as SIGHUP does. Either all
changes take effect or none. The column "change" of docs/CONFIGURATION.md says which
settings a running daemon can change. If others have changed, they are named and nothing
changes (exit 78).`,
		func(ctx context.Context, c *control.Client) (*control.Changed, error) { return c.Reload(ctx) },
		func(out *control.Changed) error {
			return env.say(out.Changed, "reloaded: "+strings.Join(out.Keys, ", "), "reloaded: nothing has changed")
		})
}

func (e *environment) say(changed bool, yes, no string) error {
	if !changed {
		yes = no
	}
	_, err := fmt.Fprintln(e.Stdout, yes)
	return err
}
