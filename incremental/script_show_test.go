package incremental_test

import (
	"anond/incremental/plan"
	"anond/incremental/state"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental"
)

// What a host of a script prints.

// applied is what became of the records of one apply.
type applied struct {
	ids     []int
	known   int
	blocked int // of people who were forgotten
	barred  int // of people who are barred
	lines   []string
}

func (a applied) String() string {
	var out []string
	if n := len(a.ids); n > 0 {
		out = append(out, fmt.Sprintf("accepted r%d to r%d", a.ids[0], a.ids[n-1]))
		if n == 1 {
			out[0] = fmt.Sprintf("accepted r%d", a.ids[0])
		}
	}
	if a.known > 0 {
		out = append(out, fmt.Sprintf("known before: %d", a.known))
	}
	if a.blocked > 0 {
		out = append(out, fmt.Sprintf("of people who were forgotten: %d", a.blocked))
	}
	if a.barred > 0 {
		out = append(out, fmt.Sprintf("of people who are barred: %d", a.barred))
	}
	return strings.Join(append(out, a.lines...), "\n")
}

func intentLine(i *state.Intent) string {
	state := "decided"
	if i.Published {
		state = "published"
	}
	return fmt.Sprintf("release %d %s: records %d, new %d, classes %d, pending %d", i.Release, state,
		i.Records, i.Newcomers, i.Classes, i.Pending.Total())
}

// infeasibleLine prints what a refusal says in numbers.
func infeasibleLine(e *plan.InfeasibleError) string {
	switch {
	case e.Principle != "":
		return fmt.Sprintf("refused: %d records, %s fails on %s", e.Records, e.Principle, e.Attribute)
	}
	return fmt.Sprintf("refused: the top value of %s has share %.2f of %d records; l=%d asked, l=%d reachable",
		e.Attribute, e.Share, e.Records, e.L, e.Reachable)
}

func (h *host) releases() string {
	var out []string
	for _, i := range h.m.Releases().Intents() {
		out = append(out, intentLine(&i))
	}
	return lines(out)
}

// lines joins what a command prints; an empty result prints a word, too.
func lines(out []string) string {
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, "\n")
}

func (h *host) classes() string {
	release := len(h.m.Releases().Intents())
	h.d.MaybeScanArgs(h.t, "release", &release)
	if release == 0 {
		return "none"
	}
	v, err := h.m.Releases().View(uint32(release))
	require.NoError(h.t, err, h.d.Pos)
	regroups := h.m.Releases().Regroups(uint32(release))
	var out []string
	for _, c := range v.Classes {
		line := h.box(v, c.Members) + " frozen"
		if c.Regime == state.Pure {
			line = h.box(v, c.Members) + " pure"
		}
		line += fmt.Sprintf(", born %d", c.Born)
		if n := h.most(regroups, c.Members); n > 0 {
			line += fmt.Sprintf(", regrouped %d", n)
		}
		out = append(out, line+": "+h.records(v, c.Members))
	}
	return lines(out)
}

func (h *host) most(regroups []uint16, members []state.RecordID) (most uint16) {
	for _, r := range members {
		most = max(most, regroups[r])
	}
	return most
}

// box prints the generalized quasi-identifiers of records.
func (h *host) box(v *incremental.View, members []state.RecordID) string {
	var cells []string
	for j, i := range h.schema.Quasi() {
		d := v.Dictionaries[i]
		lo, hi := d.Number(v.QI[j].At(int(members[0]))), d.Number(v.QI[j].At(int(members[0])))
		for _, r := range members {
			lo, hi = min(lo, d.Number(v.QI[j].At(int(r)))), max(hi, d.Number(v.QI[j].At(int(r))))
		}
		cells = append(cells, fmt.Sprintf("[%g,%g]", lo, hi))
	}
	return strings.Join(cells, "")
}

// records prints records as the script wrote them, from state.
func (h *host) records(v *incremental.View, ids []state.RecordID) string {
	var out []string
	for _, r := range ids {
		out = append(out, fmt.Sprintf("r%d %s", r, strings.Join(h.texts(v, r), "/")))
	}
	return strings.Join(out, ", ")
}

func (h *host) texts(v *incremental.View, r state.RecordID) (out []string) {
	quasi := 0
	for i, a := range h.schema.Attributes() {
		switch a.Role {
		case equivclass.Subject:
			out = append(out, h.subjects[v.Subject[r]])
		case equivclass.Quasi:
			out = append(out, v.Dictionaries[i].Text(v.QI[quasi].At(int(r))))
			quasi++
		case equivclass.Sensitive:
			out = append(out, v.Dictionaries[i].Text(v.SA[0].At(int(r))))
		}
	}
	return out
}

func (h *host) pending() string {
	s := h.m.Status()
	reasons := []string{}
	for _, x := range []struct {
		name string
		n    int
	}{{"waiting", s.Pending.Waiting}, {"quarantined", s.Pending.Quarantined},
		{"infeasible", s.Pending.Infeasible}, {"beyond", s.Beyond}} {
		if x.n > 0 {
			reasons = append(reasons, fmt.Sprintf("%s %d", x.name, x.n))
		}
	}
	if len(reasons) == 0 {
		return "none"
	}
	out := strings.Join(reasons, ", ")
	if w := s.Pending.Waiting + s.Pending.Infeasible; w > 0 {
		out += fmt.Sprintf("; the oldest since %d, now %d", s.OldestTick, s.Now)
	}
	return out + "\n" + h.records(h.m.Releases().All(), h.unpublished())
}

// unpublished lists the records that are in no class of the newest release. Nothing
// shows why a single one waits (rule H, held values).
func (h *host) unpublished() (out []state.RecordID) {
	published := map[state.RecordID]bool{}
	if i := h.m.Releases().Latest(); i != nil {
		v, err := h.m.Releases().View(i.Release)
		require.NoError(h.t, err)
		for _, c := range v.Classes {
			for _, r := range c.Members {
				published[r] = true
			}
		}
	}
	for r := range h.m.Releases().All().Len() {
		if !published[state.RecordID(r)] {
			out = append(out, state.RecordID(r))
		}
	}
	return out
}

func (h *host) plans() string {
	all := h.m.Releases().All()
	var out []string
	for _, members := range h.m.LocalPlans() {
		out = append(out, h.box(all, members)+" planned: "+h.records(all, members))
	}
	return lines(out)
}

func (h *host) due() string {
	return fmt.Sprintf("cut due: %t, update due: %t", h.m.Trigger().CutDue(), h.m.Trigger().UpdateDue())
}

func (h *host) status() string {
	s := h.m.Status()
	out := fmt.Sprintf("sent %d = published %d + pending %d + dead_letter %d + beyond %d; release %d, classes %d",
		s.Sent, s.Published, s.Pending.Total(), s.DeadLetter, s.Beyond, s.Release, s.Classes)
	for _, why := range slices.Sorted(maps.Keys(s.Refused)) {
		out += fmt.Sprintf("\ndead letters %s: %d", why, s.Refused[why])
	}
	if s.Outbox > 0 {
		out += fmt.Sprintf("\nnot delivered: %d", s.Outbox)
	}
	return out
}

func (h *host) outbox() string {
	letters, err := h.store.Outbox(0, 100, 1<<30)
	require.NoError(h.t, err)
	var out []string
	for _, l := range letters {
		out = append(out, fmt.Sprintf("%d: partition %d offset %d: %s of %s", l.Seq, l.Partition.ID, l.Offset, l.Reason, l.Attribute))
	}
	return lines(out)
}
