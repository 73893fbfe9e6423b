package audit

import "path/filepath"
import (
	"anond/snapshot/audit/format"
)

// GateUnion tests a rendered release of a union before it gets its name: against the
// release before, and against the manifests of its shards, which the shards' own gates
// have passed. Files that are links of those of the release before are not read again.
// Nil violations: it may be published.
func GateUnion(releases, rendered string) ([]format.Violation, error) {
	f := &format.Faults{}
	data, err := readUnion(rendered, 0)
	if err != nil {
		return nil, err
	}
	data.number = data.man.Release
	seen := seenFiles{}
	var before *unionRelease
	if n := data.number - 1; n > 0 {
		if before, err = readUnion(filepath.Join(releases, format.DirName(n)), n); err != nil {
			return nil, err
		}
		if err := seen.trust(before); err != nil {
			return nil, err
		}
	}
	checkUnionRelease(before, data, f)
	var link *format.Manifest
	if before != nil {
		link = before.man
	}
	format.CheckLink(link, data.man, data.number, f)
	format.CheckForm(data.man, f)
	if err := checkUnionFiles(data, seen, f); err != nil {
		return nil, err
	}
	return f.Sorted(), nil
}
