package chaos

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"anond/incremental/state"
)

// durable are the steps that change a disk of releases, by what is done (any of some operations; none: whatever) to which file: its path
// has a text, and ends with one, in which six # stand for a number of a release. The first that fits counts.
var durable = []struct{ name, ops, has, ends string }{
	{"union: decision made", "", "/.tmp-intent-", ""},
	{"union: decision named", "rename sync", "/intents", "/intents"},
	{"union: decision named", "rename sync", "/intents/", ""},
	{"union: decision changed", "", "/intents", ""},
	{"union: ledger", "", "union.ledger", ""},
	{"union: shard linked", "", "/shard-", ""},
	{"view: ledger", "", "/elsewhere/", "seen"},
	{"view: synced", "sync", "/seen", ""},
	{"view: named", "rename", "/seen/", "/######"},
	{"view: written", "", "/seen", ""},
	{"pruning: release removed", "rename remove", "/.tmp-pruned-", ""},
	{"pruning: copy of a manifest", "", "pruned", ""},
	{"pools: file written", "", ".tmp-ledger.pools", ""},
	{"pools: file named", "", "ledger.pools", ""},
	{"ledger: written anew", "", ".tmp-ledger", ""},
	{"ledger: written anew", "rename", "", "/ledger"},
	{"ledger: line added", "append write truncate", "", "/ledger"},
	{"ledger: synced", "sync", "", "/ledger"},
	{"CURRENT: written", "", ".tmp-CURRENT", ""},
	{"CURRENT: named", "rename", "/CURRENT", ""},
	{"release: left over, removed", "remove", "/.tmp-0", ""},
	{"release: left over, removed", "", "/.tmp-gone", ""},
	{"release: directory made", "mkdir chmod", "/.tmp-0", ""},
	{"release: part linked", "link", "/.tmp-0", ""},
	{"release: rendering synced", "sync", "/.tmp-0", ""},
	{"release: manifest written", "", "/.tmp-0", "manifest.json"},
	{"release: file written", "", "/.tmp-0", ""},
	{"release: named", "rename", "", "/######"},
	{"directories: made", "mkdir", "", ""},
	{"directories: synced", "sync", "", ""},
}

// Steps by who takes them.
var (
	stepsOfReleases = steps(func(name string) bool { return !in(name, "union") })
	stepsOfUnions   = steps(func(name string) bool { return in(name, "union", "CURRENT", "release: named", "directories: synced") })
	removals        = []string{"removal: removing", "removal: removed"}
	erasures        = []string{"erasure: written", "erasure: complete", "erasure: replaced", "erasure: rewritten"}
	syncs           = steps(func(name string) bool { return strings.HasSuffix(name, "synced") })
	claimed         = []string{"claims: made", "claims: durable"}
	commits         = []string{published, decided, quarantined, fixed, toForget, lettersGone, withLetters, withRecords}
)

func steps(are func(string) bool) (out []string) {
	for _, d := range durable {
		if are(d.name) {
			out = append(out, d.name)
		}
	}
	return slices.Compact(out)
}

// Transactions.
const (
	published   = "commit: release published"
	decided     = "commit: release decided"
	quarantined = "commit: pool quarantined"
	fixed       = "commit: people of a pool"
	toForget    = "commit: who is to be forgotten"
	lettersGone = "commit: letters delivered"
	withLetters = "commit: records and letters"
	withRecords = "commit: records"
)

func endsWith(path, end string) bool {
	if !strings.HasSuffix(end, "######") {
		return strings.HasSuffix(path, end)
	}
	name := filepath.Base(path)
	return len(name) == 6 && strings.Trim(name, "0123456789") == ""
}

func stepOf(op, path string) string {
	for _, d := range durable {
		if (d.ops == "" || strings.Contains(d.ops, op)) && strings.Contains(path, d.has) && endsWith(path, d.ends) {
			return d.name
		}
	}
	return "other: " + op + " " + path
}

// commitOf names a transaction by the last of the duties that it fulfils.
func commitOf(d *state.Delta) string {
	switch {
	case d.Intent != nil && d.Intent.Published:
		return published
	case d.Intent != nil:
		return decided
	case len(d.Quarantined) > 0:
		return quarantined
	case d.Attempt != nil:
		return fixed
	case d.Due != nil || len(d.Known) > 0:
		return toForget
	case d.Delivered > 0 && len(d.Records) == 0:
		return lettersGone
	case len(d.DeadLetters) > 0:
		return withLetters
	case len(d.Records) > 0 || len(d.Positions) > 0:
		return withRecords
	}
	return "commit: other"
}

// columns are what may happen at a step, with the faults that do it.
var columns = []struct {
	name   string
	faults []string
	// never says why it cannot happen at a step; empty: it can.
	never func(step string) string
}{
	{"dies", []string{"kill-effect", "kill-before-commit", "kill-prune", "union-killed", "kill-forget", "kill-removal", "kill-before-entry",
		"kill-delivery", "kill-claim"}, func(string) string { return "" }},
	{"dies behind", []string{"kill-after-commit", "kill-after-entry", "kill-behind-delivery"}, func(step string) string {
		if in(step, "commit", "journal", "letters") {
			return ""
		}
		return "it is where the next step dies"
	}},
	{"power cut", []string{"cut-effect", "cut-commit", "cut-prune", "union-cut"}, func(step string) string {
		if in(step, "erasure", "removal", "journal", "letters", "claims") {
			return "what it has written is synced before the next step, or lies on another host"
		}
		return ""
	}},
	{"error", []string{"fail-write", "fail-sync", "full-state", "union-fails", "sink-away"}, func(step string) string {
		if in(step, "erasure", "removal", "journal", "claims") {
			return "any error ends the process there: it dies"
		}
		return ""
	}},
	{"sync lost", []string{"lie-releases", "lie-state"}, func(step string) string {
		if strings.HasSuffix(step, "synced") {
			return ""
		}
		return "no sync"
	}},
	{"wrong bit", []string{"flip-render"}, func(step string) string {
		if in(step, "release: file", "release: manifest") {
			return ""
		}
		return "what is read back there is not written"
	}},
}

func in(step string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(step, p) })
}

// reach counts which fault has struck at which step. The empty fault counts how often the step was taken.
type reach map[string]map[string]int

func (r reach) add(step, fault string, n int) {
	if r[step] == nil {
		r[step] = map[string]int{}
	}
	r[step][fault] += n
}

func (r reach) merge(o reach) {
	for step, of := range o {
		for fault, n := range of {
			r.add(step, fault, n)
		}
	}
}

// missing are the pairs that can be reached and were not.
func (r reach) missing() (out []string) {
	for step, of := range r {
		for _, c := range columns {
			if c.never(step) == "" && count(of, c.faults) == 0 {
				out = append(out, step+" / "+c.name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// pairs is how many pairs can be reached.
func (r reach) pairs() (n int) {
	for step := range r {
		for _, c := range columns {
			if c.never(step) == "" {
				n++
			}
		}
	}
	return n
}

func count(of map[string]int, faults []string) (n int) {
	for _, f := range faults {
		n += of[f]
	}
	return n
}

// table writes the matrix; - is a pair that cannot be reached.
func (r reach) table(w io.Writer) {
	fmt.Fprintf(w, "%-32s %9s", "step", "taken")
	for _, c := range columns {
		fmt.Fprintf(w, " %11s", c.name)
	}
	fmt.Fprintln(w)
	for _, step := range slices.SortedFunc(maps.Keys(r), cmp.Compare[string]) {
		fmt.Fprintf(w, "%-32s %9d", step, r[step][""])
		for _, c := range columns {
			text := fmt.Sprint(count(r[step], c.faults))
			if c.never(step) != "" {
				text = "-"
			}
			fmt.Fprintf(w, " %11s", text)
		}
		fmt.Fprintln(w)
	}
}
