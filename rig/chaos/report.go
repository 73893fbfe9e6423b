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

// Campaign is a number of plans of a seed, with processes of the program.
type Campaign struct {
	Seed    uint64
	Plans   int
	Dir     string // where datasets lie while their plans are played
	Program string
	Out     io.Writer
}

// atOnce: plans with processes wait most of the time.
const atOnce = 8

// Run plays all plans, or none more once ctx is done, and writes what failed, how often each kind of fault took effect,
// and the closing line. It returns the number of failures.
func (c *Campaign) Run(ctx context.Context) (failures int) {
	var plans []*chaosPlan
	for number := range c.Plans {
		plans = append(plans, generate(c.Seed, number, true))
	}
	return c.Play(ctx, plans)
}

// Play is Run for given plans.
func (c *Campaign) Play(ctx context.Context, plans []*chaosPlan) (failures int) {
	r := newReport(c.Out)
	work := make(chan *chaosPlan)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for p := range work {
				if !p.Real {
					r.note(result{Plan: p, Err: errors.New("make sim plays it")})
					continue
				}
				r.note(playReal(p, c.Dir, c.Program))
			}
		})
	}
	for _, p := range plans {
		if ctx.Err() == nil {
			work <- p
		}
	}
	close(work)
	all.Wait()
	r.end("chaos", c.Seed)
	return r.failures
}

// report counts what plans have shown.
type report struct {
	out                      io.Writer
	mu                       sync.Mutex
	drawn, took              map[string]int
	faults, played, failures int
	reach                    reach
}

func newReport(out io.Writer) *report {
	return &report{out: out, drawn: map[string]int{}, took: map[string]int{}, reach: reach{}}
}

func (c *report) note(r result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.played++
	c.faults += len(r.Faults)
	for _, s := range r.Plan.Steps {
		c.drawn[s.Do]++
	}
	c.reach.merge(r.Reach)
	for _, f := range r.Faults {
		c.took[f]++
	}
	if r.Err != nil {
		c.failures++
		fmt.Fprintf(c.out, "FAILURE: %v\n%slog:\n%s\n", r.Err, r.Plan, r.Log)
	}
}

// end writes how often each kind of fault took effect, and the closing line.
func (c *report) end(what string, seed uint64) {
	fmt.Fprintf(c.out, "%-20s %6s %12s\n", "fault", "drawn", "took effect")
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if c.drawn[name] > 0 {
			fmt.Fprintf(c.out, "%-20s %6d %12d\n", name, c.drawn[name], c.took[name])
		}
	}
	fmt.Fprintf(c.out, "%s: seed %d plans %d faults %d failures %d\n", what, seed, c.played, c.faults, c.failures)
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
