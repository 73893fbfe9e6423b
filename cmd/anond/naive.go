package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"anond/internal/cli"
	"anond/internal/demo"
	"anond/lab/attacker/posterior"
	"anond/snapshot"
	"anond/snapshot/audit"
)

// exposure is what the attackers of the audit learn from one way of refreshing a
// table.
type exposure struct {
	Method    string `json:"method"`
	Releases  int    `json:"releases"`
	Published int    `json:"published"`
	// Exposed counts the people for whom some value has a proven probability above
	// 1/l; what the search cannot decide is not counted. Of a certified chain nobody is.
	Exposed   int              `json:"exposed"`
	NCP       float64          `json:"ncp"`
	Attackers []audit.Attacker `json:"attackers"`
}

// exposures runs the stream of a demo through the common methods and counts whom
// they expose, together with anond's own count.
func exposures(o demo.Options, result *demo.Result, own *audit.Report) ([]exposure, error) {
	mine, err := exposureOf("anond", result.Config.Release.Dir, own)
	if err != nil {
		return nil, err
	}
	out := []exposure{mine}
	chains, err := demo.Naive(o, result, filepath.Join(o.Out, "naive"))
	if err != nil {
		return nil, err
	}
	for _, c := range chains {
		report, err := audit.Dir(audit.Options{Releases: c.Releases, Members: c.Members, Records: c.Records})
		if err != nil {
			return nil, err
		}
		e, err := exposureOf(c.Method, c.Releases, report)
		if err != nil {
			return nil, err
		}
		found, err := posterior.Search(c.Known, posterior.Options{K: own.K, L: own.L, MaxExact: posterior.Exact})
		if err != nil {
			return nil, err
		}
		e.Exposed = found.Exposed
		out = append(out, e)
	}
	return out, nil
}

func exposureOf(method, releases string, r *audit.Report) (exposure, error) {
	list, err := snapshot.List(snapshot.OS(), releases)
	if err != nil {
		return exposure{}, err
	}
	if len(list) == 0 {
		return exposure{}, errors.New("there is no release to compare")
	}
	newest := list[len(list)-1]
	e := exposure{Method: method, Releases: len(list), Published: newest.Records, NCP: newest.NCP, Attackers: r.Attackers}
	return e, nil
}

func printExposures(w io.Writer, all []exposure, l int) error {
	fmt.Fprintf(w, `
The same stream, refreshed in two common ways. Each of their releases alone is as k-anonymous and l-diverse as anond's.
The table shows what someone learns who keeps all of them. exposed: people for whom some value has a proven probability
above 1/%d. The other columns count, for several attackers, the people left with fewer than %d candidate values / with one.

`, l, l)
	columns := []cli.Column{cli.Left("method", 36), cli.Right("published", 9), cli.Right("loss", 6), cli.Right("exposed", 7)}
	for _, a := range all[0].Attackers {
		columns = append(columns, cli.Right(a.Name, 10))
	}
	t := cli.NewTable(w, columns...)
	t.Header()
	for _, e := range all {
		cells := []string{e.Method, strconv.Itoa(e.Published), fmt.Sprintf("%.4f", e.NCP), strconv.Itoa(e.Exposed)}
		for _, a := range e.Attackers {
			cells = append(cells, fmt.Sprintf("%d / %d", a.BelowL, a.ExactlyOne))
		}
		t.Row(cells...)
	}
	return t.Err
}

// printReader says what level L1 tells someone who has read its program.
func printReader(w io.Writer, r *demo.Reader) {
	fmt.Fprintf(w, `
Level L1 (%s) against someone who has read the program and knows who is in which class, the same people at once: of %d
people, the values of %d are told with more than .9, %d of them rightly; %.1f %% are guessed (%.1f %% by the published shares).
`, r.Method, r.Published, r.Told, r.Right, 100*r.Guess, 100*r.Share)
}
