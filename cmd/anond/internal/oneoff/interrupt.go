package oneoff

import "context"

// interruptible does work that looks at no context, and leaves it behind when
// the context ends: methods take minutes on large tables, and write nothing but
// their result.
func interruptible[T any](ctx context.Context, work func() T) (out T, err error) {
	done := make(chan T, 1)
	go func() { done <- work() }()
	select {
	case out = <-done:
		return out, ctx.Err()
	case <-ctx.Done():
		return out, ctx.Err()
	}
}
