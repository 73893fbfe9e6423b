package kafkasrc

import "fmt"

// Every election of a leader gives a partition a higher epoch, and each batch
// keeps the epoch in which it was written. In a log the epochs only grow with the
// offsets. A leader that lacks records which others had acknowledged (an unclean
// election) writes other records at their offsets, in an epoch of its own. If the
// reader was not connected to the old leader in that moment, or had a fetch
// answered before, no error tells of it. So where the epoch changes, the log is
// compared with what was read before anything of the new epoch is handed out.

// noEpoch stands for the epoch of nobody: nothing was read, or the batch has none.
const noEpoch = -1

// leaderError says that a batch was written in another epoch than those before.
type leaderError struct {
	offset int64
	epoch  int32
}

func (e *leaderError) Error() string {
	return fmt.Sprintf("the batch at offset %d has another leader, of epoch %d", e.offset, e.epoch)
}

// sameLeader checks that a batch has the epoch of those before. One that lies
// below what is asked for does not count.
func (a *answer) sameLeader(b *batch) error {
	switch {
	case b.epoch == noEpoch || b.last < a.next:
	case a.epoch == noEpoch:
		a.epoch = b.epoch
	case a.epoch != b.epoch:
		return &leaderError{b.base, b.epoch}
	}
	return nil
}
