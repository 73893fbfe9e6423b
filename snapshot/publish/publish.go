package publish

import (
	"errors"
	"fmt"

	"anond/internal/disk"
	"anond/snapshot"
	"anond/snapshot/render"
)

// Gate looks at the rendered files before they get their name.
type Gate interface {
	// Check returns nil to let the release in dir pass, an error that wraps
	// ErrRefused if a promise does not hold, and any other error if it could
	// not be checked. Either error keeps the release from being published. On a
	// retry the release may have its name already, and dir is that. placed says who
	// is in which class of the parts that this release writes of records; parts that
	// it takes over from the release before, or joins, are not among them.
	Check(dir string, placed []render.Placement) error
}

// Publisher makes releases durable, one at a time.
//
// Guarantee: at every moment, a power cut included, a release either has its
// name and is complete, passed by the gate and never changed again, or it has
// none; CURRENT and the ledger never name a release that has none. What was
// interrupted is taken up again by publishing the same intent: the same bytes
// are rendered, compared with what has its name already, and the missing steps
// are done.
type Publisher struct {
	FS     snapshot.FS
	Dir    string // releases directory
	Ledger string // ledger file, possibly on another disk; empty: none is kept
	Gate   Gate
	// Owner tells what this process makes from what others make at the same time: random, of
	// hexadecimal digits. Empty: there are no others.
	Owner string
	// Beside: others may publish until TakeOver. Open leaves alone what they make.
	Beside bool
	// Fence is asked before each step that others see: the name, CURRENT, the
	// ledger. Its error says that another process may publish now; nothing is
	// touched after it but what has this one's Owner in its name. May be nil.
	Fence func() error
	// Repeats is the manifest of a release that a process before has published, or may have, and that
	// is published again from a state that caught up. nil: the release is new. Releases behind it may be
	// there then; it is compared and not written where it is there, and CURRENT does not go back.
	Repeats *[32]byte
	// Hook runs after each step; an error stops there, as a crash would. For
	// tests; nil in operation.
	Hook func(Step) error

	// at is the newest release that this process published or resumed; made by Open,
	// shared by copies.
	at *place
}

type place struct{ *render.Carried }

// Open makes the releases directory and removes what an interrupted rendering
// left. Call it once at start, before Reconcile.
func (p *Publisher) Open() error {
	if err := disk.MakeDir(p.FS, p.Dir); err != nil {
		return fmt.Errorf("make the releases directory: %w", err)
	}
	p.at = &place{}
	if p.Beside {
		return nil
	}
	if err := p.sweepAll(); err != nil {
		return fmt.Errorf("remove a stale rendering: %w", err)
	}
	return nil
}

// Directory is where p publishes.
func (p *Publisher) Directory() Directory {
	return Directory{FS: p.FS, Dir: p.Dir, Ledger: p.Ledger, Owner: p.Owner, Fence: p.Fence}
}

func (p *Publisher) directory() *Directory {
	d := p.Directory()
	return &d
}

// publication is one run of the steps: the Content of its sequence.
type publication struct {
	*Publisher
	steps    *Sequence
	input    *render.Input
	settings *render.Settings
	release  uint32
	from     *render.Carried // of the release before
	files    *Files
	done     bool      // the release has its name already, and is what was rendered
	recorded *[32]byte // what the ledger says of it already, if it does
	out      *render.Rendered
}

// Publish takes the input through all steps. It may be called again after any
// failure. Errors are a *ReleaseError; see the classes ErrRefused, ErrDifferent,
// ErrBehind.
func (p *Publisher) Publish(in *render.Input, s *render.Settings) (*render.Rendered, error) {
	b := &publication{Publisher: p, steps: &Sequence{Directory: p.Directory(), Release: in.Release, Hook: p.Hook}, input: in, settings: s,
		release: in.Release}
	if err := b.steps.Step(StepCheck, b.check); err != nil {
		return nil, err
	}
	if err := b.steps.Step(StepHierarchies, b.copies); err != nil {
		return nil, err
	}
	if err := b.steps.Publish(b); err != nil {
		return nil, err
	}
	b.out.Next.Settle(b.out, s.Policy.Republication, in.SA[0].Len())
	if p.at != nil {
		p.at.Carried = b.out.Next
	}
	return b.out, nil
}

// Refuse makes the error by which a gate refuses a release; without a reason it lets it pass.
func Refuse(reason error) error {
	if reason == nil {
		return nil
	}
	return errors.Join(ErrRefused, reason)
}

// Step names a durable step of a release, in this order (docs/ARCHITECTURE.md, Durable steps).
type Step string

// The steps.
const (
	StepCheck       Step = "check"       // witnesses agree, nothing is ahead
	StepHierarchies Step = "hierarchies" // .tmp-N stands, and copies of hierarchies and declared references are durable
	StepRender      Step = "render"      // files and manifest stand in .tmp-N, which is private
	StepGate        Step = "gate"        // the auditor let them pass
	StepSync        Step = "sync"        // they are durable, and public, under the temporary name
	StepRename      Step = "rename"      // the release has its name, for good
	StepCurrent     Step = "current"     // CURRENT names it
	StepLedger      Step = "ledger"      // the ledger names it
)
