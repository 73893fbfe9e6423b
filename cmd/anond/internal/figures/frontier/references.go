package frontier

import (
	"context"
	"fmt"
	"runtime"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/equivclass/topdown"
)

// references returns what the policies are compared with: partitions of all
// records at once, and a re-run per batch (unsafe).
func (o Options) references(data *table) []run {
	return []run{
		{"mondrian re-run", func(ctx context.Context) (Row, error) { return o.rerun(ctx, data) }},
		o.oneShot(data, o.shape().load),
		o.oneShot(data, o.shape().total()),
	}
}

// rerun partitions everything that has arrived again at each batch, as batch
// tools do. Each release alone is valid; together they break the promise.
func (o Options) rerun(ctx context.Context, data *table) (Row, error) {
	row := Row{Policy: "mondrian re-run", Unsafe: true}
	s := o.shape()
	for n := s.load; n <= s.total(); n += s.batch {
		if err := ctx.Err(); err != nil {
			return row, err
		}
		o.fill(&row, data, n, topdown.Mondrian{})
		row.Releases++
	}
	return row, nil
}

// oneShot partitions the first n records once.
func (o Options) oneShot(data *table, n int) run {
	return run{fmt.Sprintf("one-shot extract, %d records", n), func(context.Context) (Row, error) {
		row := Row{Policy: fmt.Sprintf("one-shot extract n=%d", n), Releases: 1}
		o.fill(&row, data, n, extract.Extract{Workers: runtime.GOMAXPROCS(0)})
		return row, nil
	}}
}

// fill measures a partition of the first n records.
func (o Options) fill(row *Row, data *table, n int, by equivclass.Partitioner) {
	pool := data.pool(n)
	groups, rest := by.Partition(pool, equivclass.Requirement{K: o.K, L: o.L})
	row.NCPInterval, row.NCPEngine = equivclass.IntervalNCP(pool, groups, len(rest)), equivclass.NCP(pool, groups, 0)
	row.Never = float64(len(rest)) / float64(n)
}
