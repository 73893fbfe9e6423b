package incremental_test

import (
	"anond/incremental/erase"
	"anond/incremental/state"
	"errors"
	"fmt"
	"strings"

	"github.com/stretchr/testify/require"

	"anond/equivclass"
	"anond/incremental/boltstore"
	"anond/incremental/memstore"
)

// laterSettings are the arguments of `settings`: what a state may be opened with later.
var laterSettings = []string{"initial_max", "initial_min", "on_refusal", "initial", "max_records", "on_update", "cut_every"}

// settings starts the process again, under other settings. Those that are not named stay.
func (h *host) settings() string {
	if err := h.m.Commit(); err != nil {
		return h.failure(err)
	}
	for _, arg := range h.d.CmdArgs {
		require.True(h.t, readPolicy(h.t, arg, &h.policy) || readMode(h.t, arg, &h.policy), h.d.Pos)
	}
	h.workers()
	h.settled++
	h.again(false)
	return "restarted"
}

// delete is what a host does with the deletes of its source: whom they name is blocked, and
// forgotten before the next release.
func (h *host) delete() string {
	p, offset := source, int64(-1)
	for _, arg := range h.d.CmdArgs {
		switch arg.Key {
		case "partition":
			arg.Scan(h.t, 0, &p.ID)
		case "offset":
			arg.Scan(h.t, 0, &offset)
		}
	}
	if offset < 0 {
		offset, _ = h.m.Intake().Next(p)
	}
	n := 0
	for _, person := range strings.Fields(h.d.Input) {
		if err := h.deleteOne(p, offset, []byte(person)); err != nil {
			return h.failure(err)
		}
		offset, n = offset+1, n+1
	}
	if h.eager {
		if err := h.m.Commit(); err != nil {
			return h.failure(err)
		}
	}
	return fmt.Sprintf("%d to be forgotten", n)
}

func (h *host) deleteOne(p state.Partition, offset int64, person []byte) error {
	got, err := h.m.Delete(p, offset, person)
	if err == nil && !got.Known {
		h.log = append(h.log, delivered{now: h.now, partition: p, offset: offset, row: equivclass.Row{person}, deletes: true})
	}
	return err
}

// forget is anond forget: the state forgets the people below, and those who are due. With
// `dies` the process ends before the state is changed; the next start finishes it, since the
// list next to the ledger names them.
func (h *host) forget() string {
	if err := h.m.Commit(); err != nil {
		return h.failure(err)
	}
	if h.d.HasArg("dies") && !h.steady {
		h.again(false)
	}
	var people []state.Digest
	for _, person := range strings.Fields(h.d.Input) {
		d, _ := h.m.Forgetting().DigestOf([]byte(person))
		people = append(people, d)
	}
	done, err := h.erase(people)
	if err != nil {
		return h.failure(err)
	}
	return fmt.Sprintf("forgotten: published %d, unpublished %d", done.Published, done.Unpublished)
}

// forgetDue is what a host does before a cut. It reports whether what was read is committed.
func (h *host) forgetDue() bool {
	if h.m.Forgetting().Due() == 0 && !h.m.Forgetting().Staged() {
		return true
	}
	if err := h.m.Commit(); err != nil {
		h.failure(err)
		return false
	}
	if _, err := h.erase(nil); err != nil {
		refused := []error{erase.ErrNobodyElse, erase.ErrNotErasable, state.ErrUnpublished}
		for _, is := range refused {
			if errors.Is(err, is) {
				return true // they stay due
			}
		}
		require.NoError(h.t, err, h.d.Pos)
	}
	return true
}

// erase does what the daemon does: it refuses to forget published people from rows that show
// them, changes the store, and opens the machine again.
func (h *host) erase(people []state.Digest) (erase.Forgotten, error) {
	e, err := h.m.Forget(people)
	if err != nil {
		return erase.Forgotten{}, err
	}
	if e.Published > 0 && h.recoding != nil && h.recoding.Name() != "buckets" && h.recoding.Name() != "generalization" {
		return erase.Forgotten{}, erase.ErrNotErasable
	}
	if e.Empty() {
		return e.Forgotten, h.m.Forgot(e)
	}
	switch s := h.store.Store.(type) {
	case *memstore.Store:
		err = s.ForgetInPlace(e)
	case *boltstore.Store:
		err = s.Forget(e)
	}
	require.NoError(h.t, err)
	h.erased.Published += e.Published
	h.erased.Unpublished += e.Unpublished
	h.m, err = h.m.Reopen(h.options())
	require.NoError(h.t, err)
	h.m.Tick(h.now)
	if h.files != nil {
		h.files.resume(h.m)
	}
	return e.Forgotten, nil
}
