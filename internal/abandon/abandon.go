// Package abandon leaves work alone that watches no context: a file system that does not
// answer, a method that takes minutes. The work goes on without anybody who waits for it, so it
// must write nothing that is read afterwards, and it ends with the process at the latest.
package abandon

import "context"

// At does work, and abandons it when the context ends.
func At[T any](ctx context.Context, work func() (T, error)) (out T, err error) {
	type result struct {
		out T
		err error
	}
	done := make(chan result, 1)
	go func() {
		out, err := work()
		done <- result{out, err}
	}()
	select {
	case r := <-done:
		return r.out, r.err
	case <-ctx.Done():
		return out, ctx.Err()
	}
}
