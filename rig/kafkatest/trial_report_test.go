package kafkatest

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// trialRun is one run over a topic.
type trialRun struct {
	Site               string
	Processes          int
	Sharded            bool
	Records            int
	Took               time.Duration
	CPU, UnionCPU      time.Duration
	Peaks              []int64 // bytes resident at most, by process
	Kills, UnionKills  int
	Bounced            bool            // a broker was killed
	Takeovers          []time.Duration // from the kill of a host until another one runs a shard of it, in order
	Releases           []int           // by shard
	UnionReleases      int
	Judged             bool
	Published, Pending int
	DeadLetters        int
	Beyond             int
}

// trialReport is what a trial found.
type trialReport struct {
	Shards, Records int
	Runs            []*trialRun
	Replayed        int // releases whose decisions were made again
	Compared        compared
	Faults          []string
}

func (r *trialReport) add(run *trialRun) { r.Runs = append(r.Runs, run) }

// of returns the run of a site.
func (r *trialReport) of(site string) *trialRun {
	for _, run := range r.Runs {
		if run.Site == site {
			return run
		}
	}
	return &trialRun{}
}

func (r *trialReport) fault(site, what string) { r.Faults = append(r.Faults, site+": "+what) }

func (r *trialReport) judged(site string, e *evidence, faults []string) {
	run := r.of(site)
	run.Judged = true
	for _, s := range e.shards {
		run.Published, run.Pending, run.DeadLetters = run.Published+len(s.published), run.Pending+s.pending, run.DeadLetters+len(s.letters)
		run.Beyond += s.beyond
	}
	for _, f := range faults {
		r.fault(site, f)
	}
}

func (r *trialReport) compared(c compared, faults []string) {
	r.Compared = c
	for _, f := range faults {
		r.fault("ordered, killed", f)
	}
}

// Summary is one line for people.
func (r *trialReport) Summary() string {
	if len(r.Faults) > 0 {
		return fmt.Sprintf("FAILED with %d shards, %d records: %s", r.Shards, r.Records, strings.Join(r.Faults, "\n  "))
	}
	kills, unions, brokers := 0, 0, 0
	for _, run := range r.Runs {
		kills, unions = kills+run.Kills, unions+run.UnionKills
		if run.Bounced {
			brokers++
		}
	}
	if run := r.of(siteOfGroup); run.Processes > 0 {
		t := run.Takeovers
		return fmt.Sprintf("PASSED with %d shards on %d hosts, %d records in %v: nothing lost or doubled, the union certified, after %d kills "+
			"of hosts, %d of unions, %d of brokers; %d releases decided again alike; %d shards taken over, half of them within %v, all within %v",
			r.Shards, run.Processes, r.Records, run.Took.Round(time.Second), kills, unions, brokers, r.Replayed, len(t),
			t[len(t)/2].Round(time.Second/10), t[len(t)-1].Round(time.Second/10))
	}
	return fmt.Sprintf("PASSED with %d shards, %d records a run: nothing lost or doubled, unions certified, after %d kills of shards, "+
		"%d of unions, %d of brokers; %d releases decided again alike; %d releases (%d files, %.1f MB) of a killed run equal those of an "+
		"undisturbed one",
		r.Shards, r.Records, kills, unions, brokers, r.Replayed, r.Compared.Releases, r.Compared.Files, float64(r.Compared.Bytes)/1e6)
}

// WriteTable writes a line for each run.
func (r *trialReport) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "run\tprocesses\trecords\tseconds\trecords/s\tCPU s\tCPU us/record\tunion CPU s\tMB a process\tkills\tunion kills\t"+
		"releases\tof the union\tpublished\tpending\tdead letters\tbeyond\t")
	for _, run := range r.Runs {
		seconds, cpu := run.Took.Seconds(), run.CPU.Seconds()
		var peaks []string
		for _, p := range run.Peaks {
			peaks = append(peaks, fmt.Sprint(p>>20))
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%.1f\t%.0f\t%.1f\t%.1f\t%.1f\t%s\t%d\t%d\t", run.Site, run.Processes, run.Records, seconds,
			float64(run.Records)/seconds, cpu, 1e6*cpu/float64(run.Records), run.UnionCPU.Seconds(), strings.Join(peaks, " "), run.Kills,
			run.UnionKills)
		if !run.Judged {
			fmt.Fprint(t, "\t\t\t\t\t\t\n")
			continue
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t\n", strings.Trim(fmt.Sprint(run.Releases), "[]"), run.UnionReleases, run.Published, run.Pending,
			run.DeadLetters, run.Beyond)
	}
	return t.Flush()
}
