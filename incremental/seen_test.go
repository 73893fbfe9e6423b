package incremental_test

import (
	"anond/incremental/erase"
	"anond/incremental/state"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/equivclass/equivtest/tier"
	"anond/ingest"
	"anond/ingest/decode"
)

// refusing is how the messages of people with the third value are refused the first time, and taken in the second, if
// nobody is barred. What changes is the hierarchy, another setting or the producer.
type refusing struct {
	reason  equivclass.Reason
	format  decode.Format
	value   string // of the message, the first time
	first   string // leaves that are valid the first time; empty: all
	maxSize int    // the first time
}

var refusals = []refusing{
	{equivclass.ReasonHierarchy, decode.JSON, `"c"`, "ab", 0},
	{decode.ReasonFieldCount, decode.CSV, `c, severe`, "", 0},
	{equivclass.ReasonMissing, decode.JSON, `null`, "", 0},
	{decode.ReasonTooLarge, decode.JSON, `"` + strings.Repeat("c", 100) + `"`, "", 80},
	{decode.ReasonMalformedCSV, decode.CSV, `5" c`, "", 0},
	{decode.ReasonUnclosedQuote, decode.CSV, "\"c\nc\"", "", 0},
	{decode.ReasonNested, decode.JSON, `{"code":"c"}`, "", 0},
	{decode.ReasonMalformedJSON, decode.JSON, `"5" c"`, "", 0},
	{decode.ReasonDuplicate, decode.JSON, `"c","value":"c"`, "", 0},
	{equivclass.ReasonUTF8, decode.CSV, "\xff", "", 0},
	{equivclass.ReasonControl, decode.JSON, `"c\u0001c"`, "", 0},
	{equivclass.ReasonInvisible, decode.JSON, `"c\u00ad"`, "", 0},
	{equivclass.ReasonTooLong, decode.JSON, `"` + strings.Repeat("c", 2000) + `"`, "", 0},
}

// message is what a person sends.
func (r *refusing) message(person int, value string) []byte {
	x := positions[person]
	if r.format == decode.CSV {
		return fmt.Appendf(nil, "p%d,%d,%d,%s", person, x[0], x[1], value)
	}
	return fmt.Appendf(nil, `{"person":"p%d","x0":%d,"x1":%d,"value":%s}`, person, x[0], x[1], value)
}

// again is a stream in which everybody sends the same record before and after what was refused becomes valid.
type again struct {
	refusing
	decoder decode.Decoder
	later   bool
	losesAt string // what is broken: what lets the machine forget who is barred; empty: nothing
	lost    bool
}

// send gives the messages of people to decoder and machine, as the loop does.
func (a *again) send(p *play, people ...int) {
	for _, person := range people {
		value := string(p.name(p.world[person]))
		if a.format == decode.JSON {
			value = `"` + value + `"`
		}
		if !a.later && p.world[person] == 2 {
			value = a.value
		}
		offset, _ := p.m.Intake().Next(source)
		before, arrived, r := p.m.Status(), p.m.Arrived(), &ingest.Record{Offset: offset, Value: a.message(person, value)}
		row := make(equivclass.Row, 4)
		o := a.decoder.Decode(r.Value, []string{"person", "x0", "x1", "value"}, row)
		o, err := ingest.Place(p.m, p.options.Schema, source, r, o, row, p.m.SubjectOf(row), false)
		p.must(err)
		now := p.m.Status()
		p.note(person, o, now.Beyond)
		switch {
		case !o.Accepted():
			require.Equal(p.t, a.reason, o.Reason)
			p.reached["dead letter"] = true
		case p.m.Arrived() > arrived:
			p.taken = append(p.taken, int32(person))
		case now.Beyond > before.Beyond:
			p.reached["beyond"] = true
		}
		require.Equal(p.t, now.Sent, now.Accounted())
	}
	p.must(p.m.Commit())
	a.after(p, "a record is refused")
}

// after opens the machine again, which in a broken one has lost then who is barred.
func (a *again) after(p *play, what string) {
	p.open()
	if a.lost = a.lost || a.losesAt == what; a.lost {
		p.m.Unbar()
	}
}

// play has everything happen that may lose a digest.
func (a *again) play(p *play) {
	a.later, a.lost = false, false
	a.decodes(p, a.maxSize)
	a.send(p, 0, 1, 2, 3)
	p.cut()
	letters, err := p.store.Outbox(0, 100, 1<<20)
	p.must(err)
	if n := len(letters); n > 0 {
		p.m.Intake().Delivered(letters[n-1].Seq, n)
	}
	p.must(p.m.Commit())
	a.after(p, "the outbox is pruned")
	d, _ := p.m.Forgetting().DigestOf([]byte("p0"))
	switch e, err := p.m.Forget([]state.Digest{d}); {
	case errors.Is(err, erase.ErrNobodyElse):
		p.note("not forgotten")
	case err == nil && e.Empty():
		p.must(p.m.Forgot(e))
	default:
		p.must(err)
		p.note("forgotten", e.Forgotten)
		p.store = p.store.Forget(e)
	}
	a.after(p, "somebody is forgotten")
	p.store = p.store.Clone()
	a.after(p, "a copy is restored")

	a.later = true
	p.options.Schema, p.options.Settings = p.schemas[1], settingsOf(2)
	a.after(p, "the hierarchy grows")
	a.decodes(p, 0)
	a.send(p, 1, 2, 3, 0, 4, 5)
	p.cut()
	p.cut()
}

func (a *again) decodes(p *play, most int) {
	var err error
	a.decoder, err = decode.New(a.format, p.options.Schema, decode.Options{MaxBytes: most})
	p.must(err)
}

func (a *again) course(t testing.TB) *course {
	first := a.first
	if first == "" {
		first = "acb"
	}
	return &course{n: 6, d: 3, k: 2, l: 2, schemas: [2]*equivclass.Schema{withPeopleOf(t, first), withPeopleOf(t, "cba")},
		policy: quarantines, need: asksFor(2), reaches: []string{"dead letter", "beyond", "second release"}, play: a.play}
}

// TestRefusedPeopleWhoComeAgain: in every world of a stream of which everybody's record comes twice, before and after the
// third value becomes valid, with every outcome of the draws, the posterior of each value of each published record is its
// share in the record's bucket, exactly: whatever refused it, and also after the dead letters were delivered,
// somebody was forgotten and a copy of the state was restored (seen.go).
func TestRefusedPeopleWhoComeAgain(t *testing.T) {
	t.Parallel()
	for _, r := range refusals[:tier.Of(t, 2, 4, len(refusals))] {
		t.Run(string(r.reason), func(t *testing.T) { (&again{refusing: r}).course(t).requireExact(t) })
	}
}

// TestBrokenBars: the same enumeration finds somebody of whom all is known (posterior 1) where a digest is not kept, for
// each reason, or is lost by what may lose it.
func TestBrokenBars(t *testing.T) {
	t.Parallel()
	broken := []*again{}
	for _, what := range []string{"the outbox is pruned", "somebody is forgotten", "a copy is restored"} {
		broken = append(broken, &again{refusing: refusals[0], losesAt: what})
	}
	for _, r := range refusals {
		broken = append(broken, &again{refusing: r, losesAt: "a record is refused"})
	}
	for _, a := range broken[:tier.Of(t, 3, 6, len(broken))] {
		t.Run(string(a.reason)+": "+a.losesAt, func(t *testing.T) {
			v := a.course(t).enumerate(t)
			t.Log(v)
			assert.Less(t, v.exact[0], v.published)
			assert.Equal(t, big.NewRat(1, 1), v.worst)
		})
	}
}
