//go:build !linux

package chaos

import (
	"context"
	"errors"
)

// OwnDisks does nothing here.
func OwnDisks(context.Context) (started bool, err error) { return false, nil }

func mount(string) bool { return false }

func unmount(string) {}

func readOnly(string, bool) error { return errors.ErrUnsupported }

func fill(string) error { return errors.ErrUnsupported }

const ballast = ".ballast"
