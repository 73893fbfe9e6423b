package daemon

import (
	"anond/cmd/anond/internal/monitor"
	"anond/snapshot"
)

// unseen are options of a run that nobody looks at.
func unseen(files snapshot.FS) Options {
	return Options{FS: files, Monitor: monitor.New(monitor.Settings{})}
}
