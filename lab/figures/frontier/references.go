package frontier

import (
	"anond/incremental/state"
	"context"
	"fmt"
	"runtime"

	"anond/equivclass"
	"anond/equivclass/extract"
	"anond/equivclass/measure"
	"anond/lab/topdown"
)

// references returns what the policies are compared with: partitions of all
// records at once, and a re-run per batch (unsafe).
func (o Options) references(data *table) []run {
	return []run{
		{"mondrian re-run", func(ctx context.Context) (frontierRow, *published, error) { return o.rerun(ctx, data) }},
		o.oneShot(data, o.shape(data).load),
		o.oneShot(data, o.shape(data).total()),
	}
}

// rerun partitions everything that has arrived again at each batch, as batch
// tools do. Each release alone is valid; together they break the promise.
func (o Options) rerun(ctx context.Context, data *table) (row frontierRow, last *published, err error) {
	row = frontierRow{Policy: "mondrian re-run", Unsafe: true}
	s := o.shape(data)
	for n := s.load; n <= s.total(); n += s.batch {
		if err := ctx.Err(); err != nil {
			return row, nil, err
		}
		last = o.fill(&row, data, n, topdown.Mondrian{})
		row.Releases++
	}
	return row, last, nil
}

// oneShot partitions the first n records once.
func (o Options) oneShot(data *table, n int) run {
	return run{fmt.Sprintf("one-shot extract, %d records", n), func(context.Context) (frontierRow, *published, error) {
		row := frontierRow{Policy: fmt.Sprintf("one-shot extract n=%d", n), Level: levelName(state.L1), Releases: 1}
		return row, o.fill(&row, data, n, extract.Extract{Workers: runtime.GOMAXPROCS(0)}), nil
	}}
}

// fill measures a partition of the first n records, and returns it.
func (o Options) fill(row *frontierRow, data *table, n int, by equivclass.Partitioner) *published {
	pool := data.pool(n)
	groups, rest := by.Partition(pool, equivclass.Requirement{K: o.K, L: o.L})
	row.NCPInterval, row.NCPEngine = measure.IntervalNCP(pool, groups, len(rest)), equivclass.NCP(pool, groups, 0)
	row.Never = float64(len(rest)) / float64(n)
	p := alone(groups)
	row.MedianBucket = p.medianBucket()
	return p
}
