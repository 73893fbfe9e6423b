package incremental_test

import (
	"anond/incremental/state"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"anond/equivclass/extract"
)

// way is how a host does the same as the others in another way. Whatever the way, it
// must print the same and write the same files.
type way struct {
	restless bool // it is restarted after every commit
	steady   bool // it is never killed, and no commit fails, whatever a script says
	eager    bool // it commits after every record
	many     bool // several goroutines share each step
	cores    bool // as many goroutines as there are processors do
}

func (h *host) workers() {
	n := 3
	switch {
	case h.cores:
		n = runtime.GOMAXPROCS(0)
	case !h.many:
		return
	}
	h.policy.Workers = n
	h.policy.Local = extract.Extract{Workers: n}
	if _, ok := h.policy.Initial.(extract.Extract); ok {
		h.policy.Initial = extract.Extract{Workers: n}
	}
}

// newHost makes a host by its name.
func newHost(t testing.TB, name string) *host {
	h := &host{name: name, place: &inMemory{}}
	switch name {
	case "memory":
	case "bbolt":
		h.place = newInFile(t)
	case "restarted":
		h.restless = true
	case "steady":
		h.steady = true
	case "eager":
		h.eager = true
	case "many":
		h.many = true
	case "cores":
		h.cores = true
	default:
		require.Fail(t, "there is no host", name)
	}
	return h
}

// hosts run a script at once.
type hosts struct{ all []*host }

func newHosts(t testing.TB, names ...string) *hosts {
	hs := &hosts{}
	for _, name := range names {
		hs.all = append(hs.all, newHost(t, name))
	}
	return hs
}

// further takes in the hosts that a machine asks for.
func (hs *hosts) further(t testing.TB, d *datadriven.TestData) {
	if arg, ok := d.Arg("hosts"); ok && d.Cmd == "machine" {
		for _, name := range arg.Vals {
			if !slices.ContainsFunc(hs.all, func(h *host) bool { return h.name == name }) {
				hs.all = append(hs.all, newHost(t, name))
			}
		}
	}
}

// run runs a command on every host and returns what all of them print.
func (hs *hosts) run(t testing.TB, d *datadriven.TestData) string {
	t.Helper()
	c, ok := commandsOf[d.Cmd]
	if !ok {
		d.Fatalf(t, "there is no command %q", d.Cmd)
	}
	for _, arg := range d.CmdArgs {
		if d.Cmd != "machine" && !slices.Contains(c.args, arg.Key) {
			d.Fatalf(t, "%s has no argument %q", d.Cmd, arg.Key)
		}
	}
	hs.further(t, d)
	var first string
	for i, h := range hs.all {
		h.t, h.d = t, d
		if h.m == nil && d.Cmd != "machine" && d.Cmd != "reopen" {
			d.Fatalf(t, "there is no machine to %s", d.Cmd)
		}
		out := c.run(h)
		h.afterwards(c.commits)
		if i == 0 {
			first = out
		}
		if refusedAgain(h, first, out) {
			continue
		}
		require.Equal(t, first, out, "%s: %s: the host %q prints something else than %q", d.Pos, d.Cmd, h.name, hs.all[0].name)
		require.Equal(t, hs.all[0].waits(), h.waits(), "%s: %s: on the host %q others wait than on %q", d.Pos, d.Cmd, h.name, hs.all[0].name)
		require.Equal(t, hs.all[0].seen, h.seen, "%s: %s: the host %q writes other files than %q", d.Pos, d.Cmd, h.name, hs.all[0].name)
	}
	return first
}

// waits counts who waits, by reason. That a first load is infeasible is found out
// again after a restart.
func (h *host) waits() (out state.Pending) {
	if h.m == nil {
		return out
	}
	if out = h.m.Status().Pending; len(h.m.Releases().Intents()) == 0 {
		out.Waiting, out.Infeasible = out.Waiting+out.Infeasible, 0
	}
	return out
}

// refusedAgain reports whether a first load that was refused before is refused again by
// a host that was restarted since, and skipped by one that was not and knows that it
// has not grown. Either publishes nothing.
func refusedAgain(h *host, a, b string) bool {
	refused := func(s string) bool { return strings.HasPrefix(s, "refused: ") }
	return h.m != nil && len(h.m.Releases().Intents()) == 0 && (refused(a) && b == "skipped" || a == "skipped" && refused(b))
}
