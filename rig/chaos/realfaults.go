package chaos

import "maps"

// disconnected is what the log says when the broker cannot be reached.
const disconnected = `"event":"source_disconnected"`

// What the log says of the lease of a consumer group.
const (
	leaseStandby  = `"event":"source_lease_standby"`
	leaseAcquired = `"event":"source_lease_acquired"`
	leaseLost     = `lease_lost"` // source_lease_lost, or what the loop says of it

	deliveryStarted = `"event":"delivery_started"`
)

// The faults of plans with processes. Those without names leave nothing for a log to
// name: a suspended process cannot tell, and an answer that comes late is an answer.
var realKinds = map[string]kind{
	"sigkill":     {endings: []ending{killed}, named: []string{started}, most: 300},
	"sigstop":     {most: 300},
	"broker-stop": {named: []string{disconnected}, most: 3},
	"proxy-drop":  {named: []string{disconnected, `"event":"source_retry"`}, most: 3},
	"proxy-delay": {most: 20},
	"proxy-halve": {named: []string{disconnected, `"event":"source_retry"`, `"event":"source_stalled"`,
		`"event":"source_lease_lost"`, `"event":"lease_lost"`}, most: 1},
	"kafka-error":      {named: []string{disconnected, `"event":"source_retry"`}, most: 3},
	"sink-refuses":     {named: []string{`"event":"dead_letter_failed"`}, most: 3},
	"disk-full":        {named: []string{"no space left on device"}, endings: []ending{parked, diskFailed}, most: 1},
	"state-full":       {named: []string{"no space left for the state", `"event":"status_failed"`}, endings: []ending{noRoom}, most: 1},
	"read-only":        {named: []string{"read-only file system", "permission denied"}, endings: []ending{parked, diskFailed}, most: 1},
	"second-process":   {alone: true, named: []string{"held by another process"}, most: 1},
	"holder-killed":    {leased: true, named: []string{leaseAcquired}, most: 300},
	"holder-suspended": {leased: true, named: []string{`"event":"source_lease_lost"`, `"event":"lease_lost"`}, most: 300},
	"lease-lost":       {leased: true, named: []string{`"event":"source_lease_lost"`, `"event":"lease_lost"`}, most: 1},
	"forget-asked":     {named: []string{`"event":"forgotten"`}, most: 300, needs: (*Setting).erasable},
	"flood-paused":     {named: []string{tooMany}, endings: []ending{manyRefused, paused}, most: 1},
	"secret-replaced":  {named: []string{`"event":"credentials_renewed"`}, most: 1, needs: func(w *Setting) bool { return w.Secured }},
	"deliver-killed":   {named: []string{deliveryStarted}, most: 300, needs: func(w *Setting) bool { return w.Delivered }},
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
	maps.Copy(all, unionKinds)
	for name, k := range realKinds {
		k.real = true
		all[name] = k
	}
	return all
}()
