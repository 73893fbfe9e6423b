package main

import (
	"fmt"
	"io"
	"path/filepath"

	"anond/cmd/anond/internal/demo"
	"anond/snapshot/audit"
)

// exposure is what the attackers of the audit make of one way of refreshing a
// table.
type exposure struct {
	Method    string           `json:"method"`
	Releases  int              `json:"releases"`
	Published int              `json:"published"`
	Attackers []audit.Attacker `json:"attackers"`
}

// exposures runs the stream of a demo through the usual methods and counts whom
// they expose, beside anond's own count.
func exposures(o demo.Options, result *demo.Result, own *audit.Report) ([]exposure, error) {
	out := []exposure{exposureOf("anond", own)}
	chains, err := demo.Naive(o, result, filepath.Join(o.Out, "naive"))
	if err != nil {
		return nil, err
	}
	for _, c := range chains {
		report, err := audit.Dir(audit.Options{Releases: c.Releases, Members: c.Members, Records: c.Records})
		if err != nil {
			return nil, err
		}
		out = append(out, exposureOf(c.Method, report))
	}
	return out, nil
}

func exposureOf(method string, r *audit.Report) exposure {
	e := exposure{Method: method, Releases: len(r.Releases), Attackers: r.Attackers}
	if len(r.Releases) > 0 {
		e.Published = r.Releases[len(r.Releases)-1].Records
	}
	return e
}

func printExposures(w io.Writer, all []exposure, l int) error {
	fmt.Fprintf(w, "\nThe same stream by the usual methods, each release alone just as k-anonymous and l-diverse. People exposed to\nsomeone who keeps every release: left with fewer than %d candidate values / with exactly one.\n\n", l)
	columns := []column{{"method", 34, false}, {"published", 9, true}}
	for _, a := range all[0].Attackers {
		columns = append(columns, column{a.Name, 17, true})
	}
	t := newTable(w, columns...)
	t.header()
	for _, e := range all {
		cells := []string{e.Method, fmt.Sprint(e.Published)}
		for _, a := range e.Attackers {
			cells = append(cells, fmt.Sprintf("%d / %d", a.BelowL, a.ExactlyOne))
		}
		t.row(cells...)
	}
	return t.err
}
