package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"anond/snapshot/audit"
)

// Campaign is a number of plans of a seed.
type Campaign struct {
	Seed        uint64
	Plans, Real int    // Real of them with processes
	Erasing     int    // besides, so many of datasets whose buckets leave on request
	Dir         string // where datasets lie while their plans are played
	Program     string // for plans with processes
	Out         io.Writer
}

// at once: plans inside this process compute, those with processes wait.
const insideAtOnce, realAtOnce = 2, 8

// Run plays all plans, or none more once ctx is done, and writes what failed, how often each kind of fault took effect,
// and the closing line. It returns the number of failures.
func (c *Campaign) Run(ctx context.Context) (failures int) {
	var plans []*chaosPlan
	for number := range c.Plans {
		plans = append(plans, generate(c.Seed, number, number < c.Real))
	}
	for number := range c.Erasing {
		plans = append(plans, generateErasing(c.Seed, number))
	}
	return c.Play(ctx, plans)
}

// play is Run for given plans.
func (c *Campaign) Play(ctx context.Context, plans []*chaosPlan) (failures int) {
	drawn, took, faults, played := map[string]int{}, map[string]int{}, 0, 0
	var mu sync.Mutex
	note := func(r result) {
		mu.Lock()
		defer mu.Unlock()
		played++
		faults += len(r.Faults)
		for _, s := range r.Plan.Steps {
			drawn[s.Do]++
		}
		for _, f := range r.Faults {
			took[f]++
		}
		if r.Err != nil {
			failures++
			fmt.Fprintf(c.Out, "FAILURE: %v\n%slog:\n%s\n", r.Err, r.Plan, r.Log)
		}
	}
	var all sync.WaitGroup
	for _, real := range []bool{true, false} {
		work := make(chan *chaosPlan)
		for range map[bool]int{true: realAtOnce, false: insideAtOnce}[real] {
			all.Go(func() {
				for p := range work {
					note(c.play(p))
				}
			})
		}
		all.Go(func() {
			defer close(work)
			for _, p := range plans {
				if p.Real == real && ctx.Err() == nil {
					work <- p
				}
			}
		})
	}
	all.Wait()
	c.table(drawn, took)
	fmt.Fprintf(c.Out, "chaos: seed %d plans %d faults %d failures %d\n", c.Seed, played, faults, failures)
	return failures
}

// table writes how often each kind of fault was drawn, and how often it took effect.
func (c *Campaign) table(drawn, took map[string]int) {
	fmt.Fprintf(c.Out, "%-20s %6s %12s\n", "fault", "drawn", "took effect")
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if drawn[name] > 0 {
			fmt.Fprintf(c.Out, "%-20s %6d %12d\n", name, drawn[name], took[name])
		}
	}
}

func (c *Campaign) play(p *chaosPlan) result {
	if p.Real {
		return playReal(p, c.Dir, c.Program)
	}
	return play(p, c.Dir)
}

// certified has the auditor look at releases. The verdict must be that all is certified, or, where that is not required
// since there are no exports, that it is consistent; so it is also where only a replay can certify (values in rows by draw).
func certified(what string, o audit.Options) error {
	report, err := audit.Dir(o)
	if err != nil {
		return fmt.Errorf("audit of %s: %w", what, err)
	}
	want := audit.VerdictConsistent
	drawn := func(what string) bool { return strings.Contains(what, "which row of a bucket shows which value") }
	if o.RequireCertified && !slices.ContainsFunc(report.NotChecked, drawn) {
		want = audit.VerdictCertified
		all := []*audit.Report{report}
		if report.Union != nil {
			for _, s := range report.Union.Shards {
				all = append(all, s.Report)
			}
		}
		for _, r := range all {
			// People have left the state with their parts, or files that were pruned had buckets that have left.
			if r != nil && r.Sealed != nil && (r.Sealed.Departed > 0 || len(r.Sealed.Releases) > 0) {
				want = audit.VerdictSealed
			}
		}
	}
	if report.Verdict != want {
		var b strings.Builder
		_ = report.Text(&b)
		return fmt.Errorf("the auditor's verdict on %s is %s: %s", what, report.Verdict, b.String())
	}
	return nil
}

// writeExports writes private exports where the auditor reads them.
func writeExports(dir string, e audit.Exports) error {
	return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "members.csv"), e.Members, 0o600),
		os.WriteFile(filepath.Join(dir, "records.csv"), e.Records, 0o600))
}
