// Package monitor keeps what operators look at of the daemon: its duty, the newest report of the loop, what
// was published, how counts developed, and the newest events (Monitor).
//
// Guarantee: all surfaces (status file and page, metrics, health, dashboard, the service manager) take one View, or status, at a
// time, so no figure of one contradicts another at the same moment. It has counts,
// names and what is published; a person's value never enters it, nor anything about
// the values of people who wait (rule H, held records, and rule V, values). Its memory
// is bounded, however long the process runs.
//
// Method: Observe replaces the View as a whole; readers take a pointer to it and hold
// no lock.
package monitor

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"anond/ingest"
	"anond/internal/clock"
	"anond/internal/ops/duty"
	"anond/snapshot"
)

// Settings are what the surfaces say about the configuration.
type Settings struct {
	Dataset, Version string
	Source           string // name of the source
	Topic            string // of Kafka; empty for other sources
	K, L             int
	Shard, Shards    int // this process is number Shard of so many; Shards 0: it is the only one
	Level            string
	Recoding         string
	Trigger          string
	HoldInCuts       bool   // waiting times are counted in releases, not in milliseconds
	Releases, Ledger string // directory and file; both are only read
	FS               snapshot.FS
	Now              func() time.Time // nil: time.Now
}

// View is how things stand at one moment. It never changes; what it points to must not
// be changed.
type View struct {
	Settings *Settings
	Started  time.Time
	Phase    duty.Phase
	Report   ingest.Report // zero Time: there was none yet
	Releases []Release     // newest published ones, oldest first, those of earlier processes too
	Sizes    snapshot.Sizes
	OnDisk   int // releases in the directory
	// Behind: the ledger names a later release than the state has decided.
	Behind  bool
	Hour    []Sample          // the last hour, a sample each 10 s
	Week    []Sample          // the last week, a sample each 30 min
	Events  []duty.Event      // newest last
	Counted map[string]uint64 // all events, by name
	Reload  reload
	// Certificates in use: when they end, by what they are for.
	Certificates map[string]time.Time
	ToLoad       int64 // records of the state that the start has not loaded yet
}

// reload is the outcome of the newest attempt to load the configuration.
type reload struct {
	OK      bool
	Success time.Time // of the newest one that succeeded
	Count   uint64    // attempts after the start
}

// Monitor collects. Its methods may be called by several goroutines.
type Monitor struct {
	*duty.Duty
	settings Settings
	now      atomic.Pointer[View]
	news     chan struct{} // there is a release
	toLoad   atomic.Int64

	mu       sync.Mutex
	report   ingest.Report
	reload   reload
	expiries map[string]time.Time // never changed, but replaced
	releases history
	hour     series
	week     series
}

// New returns a Monitor that has seen nothing yet.
func New(s Settings) *Monitor {
	if s.Now == nil {
		s.Now = time.Now
	}
	now := s.Now()
	m := &Monitor{Duty: duty.NewDuty(s.Version, at{clock.System(), s.Now}), settings: s, news: make(chan struct{}, 1),
		reload: reload{OK: true, Success: now},
		hour:   series{every: 10 * time.Second, most: 361}, week: series{every: 30 * time.Minute, most: 337}}
	m.Duty.Enter(duty.Opening)
	m.publish()
	return m
}

// at is a clock that tells another time.
type at struct {
	clock.Clock
	now func() time.Time
}

func (c at) Now() time.Time { return c.now() }

// Now returns the newest View; the events are those of this moment.
func (m *Monitor) Now() *View {
	v := *m.now.Load()
	v.Events, v.ToLoad = m.Newest(), m.toLoad.Load()
	_, v.Counted = m.Counts()
	return &v
}

// Enter notes a phase without reports. The last one stays until the state is opened
// again.
func (m *Monitor) Enter(p duty.Phase) {
	m.change(func() {
		if m.Duty.Enter(p); p != duty.Ending {
			m.report = ingest.Report{}
		}
	})
}

// Observe takes a report of the loop.
func (m *Monitor) Observe(r ingest.Report) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Duty.Enter(duty.Running)
	m.Does("the loop", StuckAfter)
	m.report = r
	if m.releases.see(r) {
		select {
		case m.news <- struct{}{}:
		default:
		}
	}
	s := sampleOf(r, &m.settings)
	m.hour.add(s)
	m.week.add(s)
	m.publish()
}

// Sized takes the sizes of classes and buckets of a published release.
func (m *Monitor) Sized(s snapshot.Sizes) { m.change(func() { m.releases.sizes = s }) }

// Reloaded takes the outcome of an attempt to load the configuration again.
func (m *Monitor) Reloaded(ok bool) {
	m.change(func() {
		if m.reload.OK = ok; ok {
			m.reload.Success = m.settings.Now()
		}
		m.reload.Count++
	})
}

// Loaded takes how many records of the state are loaded, of all.
func (m *Monitor) Loaded(done, all uint64) { m.toLoad.Store(int64(all) - int64(done)) }

// Certified takes when the certificates for something end; zero: there are none.
func (m *Monitor) Certified(use string, ends time.Time) {
	m.change(func() {
		next := maps.Clone(m.expiries)
		if next == nil {
			next = map[string]time.Time{}
		}
		if next[use] = ends; ends.IsZero() {
			delete(next, use)
		}
		m.expiries = next
	})
}

// Certificates are the ends of the certificates in use. The map must not be changed.
func (m *Monitor) Certificates() map[string]time.Time { return m.now.Load().Certificates }

// change changes what is kept and shows it.
func (m *Monitor) change(how func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	how()
	m.publish()
}

// publish makes a new View; m.mu is held.
func (m *Monitor) publish() {
	m.now.Store(&View{Settings: &m.settings, Started: m.Began, Phase: m.Phase(), Report: m.report, Releases: m.releases.list,
		Sizes: m.releases.sizes, OnDisk: m.releases.onDisk, Behind: m.releases.behind(m.report), Hour: m.hour.list, Week: m.week.list,
		Reload: m.reload, Certificates: m.expiries})
}
