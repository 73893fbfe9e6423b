package chaos

import "maps"

// disconnected is what the log says when the broker cannot be reached.
const disconnected = `"event":"source_disconnected"`

// What the log says of the lease of a consumer group.
const (
	leaseStandby  = `"event":"source_lease_standby"`
	leaseAcquired = `"event":"source_lease_acquired"`
	leaseLost     = `lease_lost"` // source_lease_lost, or what the loop says of it
)

// The faults of plans with processes. Those without names leave nothing for a log to
// name: a suspended process cannot tell, and an answer that comes late is an answer.
var realKinds = map[string]kind{
	"sigkill":          {endings: []ending{killed}, named: []string{started}, most: 300},
	"sigstop":          {most: 300},
	"broker-stop":      {named: []string{disconnected}, most: 3},
	"proxy-drop":       {named: []string{disconnected, `"event":"source_retry"`}, most: 3},
	"proxy-delay":      {most: 20},
	"proxy-halve":      {named: []string{disconnected, `"event":"source_retry"`, `"event":"source_stalled"`}, most: 1},
	"kafka-error":      {named: []string{disconnected, `"event":"source_retry"`}, most: 3},
	"sink-refuses":     {named: []string{`"event":"dead_letter_failed"`}, most: 3},
	"disk-full":        {named: []string{"no space left on device"}, endings: []ending{parked}, most: 1},
	"state-full":       {named: []string{"no space left for the state", `"event":"status_failed"`}, endings: []ending{noRoom}, most: 1},
	"read-only":        {named: []string{"read-only file system", "permission denied"}, endings: []ending{parked}, most: 1},
	"second-process":   {alone: true, named: []string{"held by another process"}, most: 1},
	"holder-killed":    {leased: true, named: []string{leaseAcquired}, most: 300},
	"holder-suspended": {leased: true, named: []string{`"event":"source_lease_lost"`, `"event":"lease_lost"`}, most: 300},
	"lease-lost":       {leased: true, named: []string{`"event":"source_lease_lost"`, `"event":"lease_lost"`}, most: 1},
	"old-state":        {stopped: true, endings: []ending{behind, foreignLetters}, named: []string{started, "state is behind"}, most: 1},
	"spoil-state": {stopped: true, endings: []ending{stateDamaged, behind, foreignLetters}, most: 1,
		named: []string{"the state is damaged", "state is behind"}},
	"spoil-newest": {stopped: true, endings: []ending{releaseDamaged}, most: 1,
		named: []string{"published files are damaged", "differs from its rendering"}},
	"spoil-older": {stopped: true, endings: []ending{releaseDamaged}, most: 1,
		named: []string{`"event":"release_damaged"`, "published files are damaged"}},
}

// kinds are the faults of both kinds of plans.
var kinds = func() map[string]kind {
	all := maps.Clone(insideKinds)
	for name, k := range realKinds {
		k.real = true
		all[name] = k
	}
	return all
}()
