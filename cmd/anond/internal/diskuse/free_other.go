//go:build !linux && !darwin

package diskuse

func free(string) int64 { return -1 }

// OneDisk: not known here.
func OneDisk(string, string) (same, known bool) { return false, false }
