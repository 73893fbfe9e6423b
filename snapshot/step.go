package snapshot

// Step names a durable step of a release, in this order (docs/ARCHITECTURE.md, Durable steps).
type Step string

// The steps.
const (
	StepCheck       Step = "check"       // witnesses agree, nothing is ahead
	StepHierarchies Step = "hierarchies" // copies of the hierarchy files are durable
	StepRender      Step = "render"      // files and manifest stand in .tmp-N, which is private
	StepGate        Step = "gate"        // the auditor let them pass
	StepSync        Step = "sync"        // they are durable, and public, under the temporary name
	StepRename      Step = "rename"      // the release has its name, for good
	StepCurrent     Step = "current"     // CURRENT names it
	StepLedger      Step = "ledger"      // the ledger names it
)
