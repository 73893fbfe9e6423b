package daemon

import (
	"anond/incremental/erase"
	"anond/incremental/state"
	"context"
	"encoding/hex"
	"encoding/json"
	"slices"

	"anond/config"
	"anond/incremental"
	"anond/incremental/boltstore"
	"anond/ingest"
	"anond/internal/dataset"
	"anond/internal/suppress"
	"anond/internal/upkeep"
)

// eraser lets the state of a running daemon forget people.
//
// The order is that of Forget: first the list of who was forgotten is durable, then one
// transaction changes the state. What it replaced may stay on free pages, until the next start
// rewrites the file (forgetListed).
type eraser struct {
	ctx   context.Context
	c     *config.Config
	o     dataset.Options
	store *boltstore.Store
	quota *quota
	// behind puts publisher and gate behind the newest release again, for a machine whose records and classes have other numbers.
	behind func(context.Context, *incremental.Machine) error
	again  bool // what is forgotten is on the list already
}

var _ ingest.Forgetting = (*eraser)(nil)

// newEraser returns nil where records do not say whose they are.
func newEraser(ctx context.Context, c *config.Config, o dataset.Options, store *boltstore.Store, quota *quota, p *publisher,
) ingest.Forgetting {
	if c.Schema().SubjectIndex() < 0 {
		return nil
	}
	return &eraser{ctx: ctx, c: c, o: o, store: store, quota: quota, behind: p.recheck}
}

// List implements ingest.Forgetting.
func (x *eraser) List(m *incremental.Machine) error { return x.list(m, m.Forgetting().People()) }

func (x *eraser) list(m *incremental.Machine, people []state.Person) error {
	if x.again {
		return nil
	}
	return suppress.Write(suppress.Path(x.c.Release.Ledger), people, incremental.SuppressionKey(m.Seed()))
}

func (x *eraser) at(step string) error {
	if f := x.o.StandIns.Forgetting; f != nil {
		return f(step)
	}
	return nil
}

// Forget implements ingest.Forgetting.
func (x *eraser) Forget(m *incremental.Machine, subject []byte) (*ingest.Forgot, error) {
	out := &ingest.Forgot{Machine: m, People: m.Forgetting().Due(), Letters: m.Status().Outbox}
	var people []state.Digest
	if subject != nil {
		if out.Person, out.Before = m.Forgetting().DigestOf(subject); !out.Before {
			out.People++
		}
		people = append(people, out.Person)
	}
	return x.forget(m, people, out)
}

// ForgetAgain implements ingest.Forgetting.
func (x *eraser) ForgetAgain(m *incremental.Machine, people []state.Digest) (*ingest.Forgot, error) {
	y := *x
	y.again = true
	return y.forget(m, people, &ingest.Forgot{Machine: m, People: len(people)})
}

func (x *eraser) forget(m *incremental.Machine, people []state.Digest, out *ingest.Forgot) (*ingest.Forgot, error) {
	e, err := x.plan(m, people)
	if err != nil {
		return nil, &ingest.ForgetError{Err: err}
	}
	out.Forgotten = e.Forgotten
	if err := x.at("planned"); err != nil {
		return nil, err
	}
	if err := x.list(m, m.Forgetting().After(e)); err != nil {
		return nil, err
	}
	if err := x.at("listed"); err != nil {
		return nil, err
	}
	if e.Empty() {
		return out, m.Forgot(e)
	}
	return out, x.carryOut(out, e)
}

func (x *eraser) plan(m *incremental.Machine, people []state.Digest) (*erase.Erasure, error) {
	e, err := m.Forget(people)
	if err != nil {
		return nil, err
	}
	return e, upkeep.CheckErasable(x.c, e)
}

// carryOut changes the state, and opens the machine on it again.
func (x *eraser) carryOut(out *ingest.Forgot, e *erase.Erasure) error {
	if err := x.quota.patiently(func() error { return x.store.Forget(e) }); err != nil {
		return err
	}
	if err := x.at("rewritten"); err != nil {
		return err
	}
	options, err := dataset.MachineOptions(x.ctx, x.c, x.o)
	if err != nil {
		return err
	}
	out.Machine, err = out.Machine.Reopen(options)
	return err
}

// Remove implements ingest.Forgetting.
func (x *eraser) Remove(m *incremental.Machine, r *erase.Removal) (*incremental.Machine, error) {
	if err := x.at("removing"); err != nil {
		return nil, err
	}
	if err := x.quota.patiently(func() error { return x.store.Remove(r) }); err != nil {
		return nil, err
	}
	if err := x.at("removed"); err != nil {
		return nil, err
	}
	options, err := dataset.MachineOptions(x.ctx, x.c, x.o)
	if err != nil {
		return nil, err
	}
	if m, err = m.Reopen(options); err != nil {
		return nil, err
	}
	return m, x.behind(x.ctx, m)
}

// Forget implements control.Daemon. The subject is written as records have it.
func (s *steering) Forget(ctx context.Context, subject []byte) (json.RawMessage, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	c := s.config()
	subject, err := upkeep.CleanSubject(c, subject)
	if err != nil {
		return nil, faultOf(err)
	}
	a, err := s.commands.Forget(ctx, subject)
	if err != nil {
		return nil, faultOf(err)
	}
	out := upkeep.NewReceipt(c, s.o.Clock.Now())
	out.Person, out.Before = hex.EncodeToString(a.Forgot.Person[:]), a.Forgot.Before
	out.Settle(a.Forgot.Forgotten)
	out.Remains = slices.Concat(upkeep.InAnotherShard(c, a.Forgot.Machine.Source().Partitions(), subject),
		upkeep.Remainders(c, out.Removed, a.Forgot.Letters, s.quota.file.Stale()))
	return json.Marshal(out)
}
