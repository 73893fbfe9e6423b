//go:build !linux

package crashtest

import "testing"

// smallDisk is known for Linux only.
func smallDisk(t *testing.T, _ string) (fill, free func()) {
	t.Skip("no disk can be mounted here")
	return nil, nil
}
