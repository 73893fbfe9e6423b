package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"anond/incremental"
	"anond/internal/cli"
	"anond/internal/control"
)

// whyNot says in words why a release was not made, by the reason of event release_skipped.
var whyNot = map[string]string{
	"first_load":     "the first load is not complete",
	"nothing_new":    "nobody waits who could be published",
	"pool_too_small": "fewer people wait than the next pool needs",
	"few_newcomers":  "too few people have come since the newest release",
	"held":           "planned classes wait for better ones or for more people, as policy.max_hold asks",
	"quarantined":    "the pool cannot satisfy the policy and is quarantined: none of its people is ever published",
	"infeasible":     "the first load cannot satisfy the policy",
}

func newReleaseNowCommand(env *environment) *cobra.Command {
	return steering(env, "now", "Make a release now, as if the trigger had asked for it",
		`now has the running daemon decide a release at once and waits until it is published. It
is made like any other release, with all checks; policy.max_hold and the size of pools
hold. It waits neither for newcomers nor for release.trigger.min_interval, and the
trigger's next release keeps that distance. If this command is interrupted, the release is made nevertheless.`,
		func(ctx context.Context, c *control.Client) (*control.Released, error) { return c.Release(ctx) },
		func(r *control.Released) error {
			if r.Release == 0 {
				_, err := fmt.Fprintln(env.Stdout, "no release:", whyNot[r.Why])
				return err
			}
			_, err := fmt.Fprintf(env.Stdout, "release %d: %s, %d of them new, %s, loss %.4f; %d pending; %d ms\n", r.Release,
				cli.Count(r.Records, "record"), r.Newcomers, noun(r.Classes, "class", "classes"), r.NCP, r.Pending, r.Millis)
			return err
		})
}

func newReleasePlanCommand(env *environment) *cobra.Command {
	return steering(env, "plan", "Show what a release would publish now; nothing is written",
		`plan has the running daemon plan a release and forget it again. At level L2 it shows
counts and losses only: whether the pool satisfies the policy is known once the release
is decided. Someone who knew it before, and chose the moment, would choose pools by value.`,
		func(ctx context.Context, c *control.Client) (*control.Plan, error) { return c.Plan(ctx) },
		env.printPlan)
}

func (e *environment) printPlan(p *control.Plan) error {
	if p.Outlook == nil {
		_, err := fmt.Fprintln(e.Stdout, "no release:", whyNot[p.Why])
		return err
	}
	return e.printOutlook(p.Outlook, p.PublishedLoss)
}

// printOutlook shows what a release would publish, and the loss of what is published, if that is known.
func (e *environment) printOutlook(p *incremental.Outlook, published *float64) error {
	t := cli.NewTable(e.Stdout, cli.Left("", 16), cli.Left("", 0))
	t.Row("release", fmt.Sprint(p.Release))
	t.Row("waiting", fmt.Sprint(p.Waiting))
	if p.Pool != nil {
		needs := fmt.Sprintf("%d", p.Pool.Records)
		if !p.Pool.Possible {
			needs = "no pool is large enough next to what is published"
		}
		t.Row("pool needs", needs)
	}
	if p.Stratum != "" {
		t.Row("stratum", p.Stratum)
	}
	t.Row("newcomers", fmt.Sprint(p.Newcomers))
	t.Row("classes", fmt.Sprint(p.Classes))
	if p.Newcomers > 0 {
		t.Row("their loss", fmt.Sprintf("%.4f", p.Loss))
	}
	if published != nil {
		t.Row("loss published", fmt.Sprintf("%.4f", *published))
	}
	if p.Refused {
		t.Row("refused", "the first load cannot satisfy the policy")
	}
	return t.Err
}

// noun writes a number with its noun.
func noun(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
