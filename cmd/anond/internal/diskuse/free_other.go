//go:build !linux && !darwin

package diskuse

func free(string) int64 { return -1 }
