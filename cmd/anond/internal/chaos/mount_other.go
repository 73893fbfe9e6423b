//go:build !linux

package chaos

import "errors"

func mount(string) bool { return false }

func unmount(string) {}

func readOnly(string, bool) error { return errors.ErrUnsupported }

func fill(string) error { return errors.ErrUnsupported }

const ballast = ".ballast"
