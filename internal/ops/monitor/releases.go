package monitor

import (
	"context"
	"slices"
	"time"

	"anond/equivclass"
	"anond/ingest"
	"anond/snapshot"
)

// Release is a published release as its manifest describes it.
type Release struct {
	Number                      uint32
	CreatedAt                   time.Time
	Records, Newcomers, Pending int // Newcomers: -1 if the release before is not there
	Classes, Buckets            int
	KMin                        int
	TopShare, NCP               float64
	Allowed                     float64 // the share that is promised at most, where TopShare is
	Reached                     []equivclass.Reached
}

// releasesKept bounds the releases that are remembered.
const releasesKept = 400

// history is what was published.
type history struct {
	list   []Release
	onDisk int
	ledger uint32    // the newest release that the ledger names
	looked time.Time // when the ledger was read
	sizes  snapshot.Sizes
}

// see takes what the process has published since. It reports whether there is any.
func (h *history) see(r ingest.Report) (news bool) {
	if r.Newest == nil || len(h.list) > 0 && r.Newest.Intent.Release <= h.list[len(h.list)-1].Number {
		return false
	}
	h.list = kept(append(slices.Clone(h.list), releaseOf(r.Newest, h.list))) // readers have the old list
	return true
}

// before takes the releases that were there at the start.
func (h *history) before(old []Release) {
	if len(h.list) > 0 {
		old = slices.DeleteFunc(old, func(r Release) bool { return r.Number >= h.list[0].Number })
	}
	h.list = kept(append(old, h.list...))
}

func kept(list []Release) []Release { return list[max(0, len(list)-releasesKept):] }

// manifests reads what is published. What cannot be read is not shown: the checks of
// the daemon say what is wrong with it.
func manifests(s *Settings) []Release {
	infos, err := snapshot.ListNewest(s.FS, s.Releases, releasesKept)
	if err != nil {
		return nil
	}
	return ReleasesOf(infos)
}

// ReleasesOf is what manifests say.
func ReleasesOf(infos []snapshot.Info) []Release {
	out := make([]Release, len(infos))
	for n, i := range infos {
		at, _ := time.Parse(time.RFC3339, i.CreatedAt)
		out[n] = Release{Number: i.Release, CreatedAt: at, Records: i.Records, Newcomers: i.Newcomers, Pending: i.Pending, Classes: i.Classes,
			Buckets: i.Buckets, KMin: i.KMin, TopShare: i.MaxFrequency, Allowed: i.Allowed, Reached: i.Reached, NCP: i.NCP}
	}
	return out
}

func releaseOf(l *ingest.Latest, before []Release) Release {
	i := l.Intent
	out := Release{Number: i.Release, CreatedAt: time.Unix(i.CreatedAt, 0).UTC(), Records: i.Records, Newcomers: -1,
		Pending: i.Pending.Total(), Classes: i.Classes, Buckets: l.Release.Buckets, KMin: l.Release.KMin, TopShare: l.Release.MaxFrequency,
		Allowed: l.Release.Allowed, Reached: l.Release.Reached, NCP: l.Release.NCP}
	if n := len(before); i.Release == 1 {
		out.Newcomers = i.Records
	} else if n > 0 && before[n-1].Number == i.Release-1 {
		out.Newcomers = i.Records - before[n-1].Records
	}
	return out
}

// lookAgain is how often the releases directory and the ledger are looked at without a
// release.
const lookAgain = time.Minute

// Watch reads what is published, at first and after each release, until ctx is done. It
// is apart from the loop, which no disk may hold up.
func (m *Monitor) Watch(ctx context.Context) {
	old := manifests(&m.settings)
	m.change(func() { m.releases.before(old) })
	for {
		m.look()
		select {
		case <-ctx.Done():
			return
		case <-m.news:
		case <-time.After(lookAgain):
		}
	}
}

// look counts the releases and reads the end of the ledger.
func (m *Monitor) look() {
	s, at := &m.settings, m.settings.Now()
	onDisk, missing := snapshot.Count(s.FS, s.Releases)
	newest, unread := snapshot.LedgerNewest(s.FS, s.Ledger)
	m.change(func() {
		if missing == nil {
			m.releases.onDisk = onDisk
		}
		if unread == nil {
			m.releases.ledger, m.releases.looked = newest, at
		}
	})
}

// behind reports whether the ledger names a release that the state had not decided
// afterwards: another process has published.
func (h *history) behind(r ingest.Report) bool {
	return !h.looked.IsZero() && r.Counted.After(h.looked) && h.ledger > r.Machine.Release
}
