//go:build !linux && !darwin

package cli

import "context"

// BytesWait is not known here.
func (e *Env) BytesWait(context.Context) bool { return false }
