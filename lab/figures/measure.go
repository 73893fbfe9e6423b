package figures

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Outcome is a figure after its measurement: with a result, or with what stopped
// it.
type Outcome struct {
	Figure Figure
	Result *Result // nil if Err is set
	Err    error
	Took   time.Duration
}

// Absent reports whether the figure's data is not there.
func (o Outcome) Absent() bool { return errors.Is(o.Err, fs.ErrNotExist) }

// Count returns how many claims have a verdict.
func (o Outcome) Count(v Verdict) (n int) {
	if o.Result == nil {
		return 0
	}
	for _, c := range o.Result.Claims {
		if c.Verdict() == v {
			n++
		}
	}
	return n
}

// Measure runs one figure. It returns as soon as the context ends, if necessary
// without the figure, which ends when it next checks the context. A figure that
// panics has failed; the others are not affected.
func Measure(ctx context.Context, f Figure, in Input) Outcome {
	start, done := time.Now(), make(chan Outcome, 1)
	go func() {
		o := Outcome{Figure: f}
		defer func() {
			if r := recover(); r != nil {
				o = Outcome{Figure: f, Err: fmt.Errorf("panic: %v", r)}
			}
			o.Took = time.Since(start)
			done <- o
		}()
		o.Result, o.Err = f.Run(ctx, in)
		if o.Err != nil {
			o.Result = nil
		}
	}()
	select {
	case o := <-done:
		return o
	case <-ctx.Done():
		return Outcome{Figure: f, Err: ctx.Err(), Took: time.Since(start)}
	}
}
