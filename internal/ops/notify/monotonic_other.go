//go:build !linux

package notify

// monotonic: only Linux has service managers that ask for it.
func monotonic() int64 { return 0 }
