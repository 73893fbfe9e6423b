package profile

import "context"

// Interruptible does work that does not watch a context, and abandons it when the
// context ends: methods take minutes on large tables, and have no effect besides
// their result.
func Interruptible[T any](ctx context.Context, work func() T) (out T, err error) {
	done := make(chan T, 1)
	go func() { done <- work() }()
	select {
	case out = <-done:
		return out, ctx.Err()
	case <-ctx.Done():
		return out, ctx.Err()
	}
}
