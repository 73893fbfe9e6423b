package dataset

import (
	"context"
	"errors"
	"io/fs"

	"anond/config"
	"anond/incremental"
	"anond/incremental/state"
	"anond/ingest"
	"anond/ingest/subjectledger"
)

// LedgerOptions are those of the ledger of subjects, for the state of a machine.
func LedgerOptions(c *config.Config, m *incremental.Machine) subjectledger.Options {
	o := LedgerOf(c, m.SeedCheck())
	o.Seen, o.Read, o.Most = m.Ledger(), m.Intake().Sent() > 0, c.State.MaxRecords
	return o
}

// LedgerOf are those for a state that has seen nothing of it.
func LedgerOf(c *config.Config, state [32]byte) subjectledger.Options {
	k := c.SubjectKey()
	return subjectledger.Options{Dir: c.SubjectLedger, Key: k.Derive("anond person of a subject ledger"), KeyName: SubjectKeyName(c),
		Dataset: c.Dataset, State: state}
}

// ReadLedger reads the whole ledger of subjects; nil: there is none yet.
func ReadLedger(ctx context.Context, c *config.Config) (*subjectledger.Content, error) {
	content, err := subjectledger.Read(ctx, c.SubjectLedger, state.LedgerMark{})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && content.Key != SubjectKeyName(c):
		err = subjectledger.ErrOtherKey
	}
	return content, err
}

// OpenOwners opens the ledger of subjects that the configuration names; nil: it names none. The dataset joins before its first
// record, under a seed that is durable before.
func OpenOwners(ctx context.Context, c *config.Config, m *incremental.Machine, o Options) (
	owners ingest.Owners, close func() error, err error) {
	if c.SubjectLedger == "" {
		return nil, nil, nil
	}
	if err := m.Commit(); err != nil {
		return nil, nil, err
	}
	l, err := subjectledger.Open(ctx, LedgerOptions(c, m))
	if err != nil {
		return nil, nil, err
	}
	if around := o.StandIns.Owners; around != nil {
		return around(l), l.Close, nil
	}
	return l, l.Close, nil
}

// RehearseOwners is OpenOwners for a run that writes nothing.
func RehearseOwners(ctx context.Context, c *config.Config, m *incremental.Machine) (ingest.Owners, func() error, error) {
	if c.SubjectLedger == "" {
		return nil, nil, nil
	}
	l, err := subjectledger.Rehearse(ctx, LedgerOptions(c, m))
	if err != nil {
		return nil, nil, err
	}
	return l, l.Close, nil
}
