package config

import "time"

// Backup is the block `state.backup`: copies of the state of a running daemon.
type Backup struct {
	Dir         string        // empty: none are made
	MinInterval time.Duration // between two
	Keep        int           // newest that stay
}

func (b *Backup) keys() []key {
	return []key{
		{path: "state.backup.dir", value: path(&b.Dir), derived: "none: no backups are made",
			doc: "Private directory for copies of the state, best on another disk. A running anond makes one after a release, checks it by " +
				"loading it, and describes it in a JSON file with its SHA-256. An earlier copy is of no use: it could publish the same people " +
				"a second time."},
		{path: "state.backup.min_interval", value: duration(&b.MinInterval, 0), def: "0s",
			doc: "Least time between two backups. 0s: after each release."},
		{path: "state.backup.keep", value: atLeast(1, "the newest backup stays", &b.Keep), def: "3",
			doc: "Number of newest backups that stay; older ones of this dataset are removed."},
	}
}
