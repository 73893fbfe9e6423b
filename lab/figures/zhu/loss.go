package zhu

import (
	"context"
	"fmt"

	"anond/equivclass"
	"anond/internal/ops/chart"
	"anond/lab/bucketize"
	"anond/lab/figures"
	"anond/lab/figures/dataset"
)

// lossDraws is how many times each setting of a loss is measured at the paper's
// sizes, on other records of Adult and with other random draws.
const lossDraws = 5

// loss is GLP under each reading as lines, and the blocks of Algorithm 1 behind
// it.
type loss struct {
	readings []reading
	glp      []*figures.Lines // by reading
	blocks   [][]int          // by reading, then x; of the first draw
	draws    int
}

func newLoss(xs []float64, draws int, of []reading) *loss {
	z := &loss{readings: of, blocks: make([][]int, len(of)), draws: draws}
	for _, r := range of {
		z.glp = append(z.glp, r.lines(xs))
	}
	return z
}

// measure adds one draw of every method at the i-th x, under every reading, each
// on the pool that it is given.
func (z *loss) measure(ctx context.Context, i int, poolOf func(reading) *equivclass.Pool, l int, seed uint64) error {
	for k, r := range z.readings {
		p := poolOf(r)
		c := bucketize.NewCorrespondence(p)
		for _, m := range r.methods(l) {
			if err := ctx.Err(); err != nil {
				return err
			}
			groups, rest := m.by(seed).Partition(p, m.want(l))
			if m.name == "aip" && len(z.blocks[k]) == i {
				z.blocks[k] = append(z.blocks[k], len(groups))
			}
			if m.ring {
				z.glp[k].Add(m.name, i, c.RingGLP(groups, l, len(rest)))
			} else {
				z.glp[k].Add(m.name, i, c.GLP(groups, len(rest)))
			}
		}
	}
	return nil
}

// panels draws one panel for each reading.
func (z *loss) panels(title, x string) (out []figures.Panel) {
	for k, r := range z.readings {
		head := title
		if !r.published() {
			head += "; " + r.words
		}
		out = append(out, z.glp[k].Panel(r.panel, head, chart.Axis{Label: x}, chart.Axis{Label: "GLP"}))
	}
	return out
}

func list(ns []int) string {
	text := ""
	for i, n := range ns {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return text
}

func figure2(ctx context.Context, in figures.Input) (*figures.Result, error) {
	t, err := adult(in.Data)
	if err != nil {
		return nil, err
	}
	n, z := in.Rows(fixedN, 2000), newLoss(lAxis, in.Rows(lossDraws, 2), readings())
	for draw := range uint64(z.draws) {
		p := pool(dataset.Shuffled(t, n, in.Seed+draw), allAttributes)
		for i, l := range figures.Ints(lAxis) {
			in.Step(fmt.Sprintf("draw %d, l = %d", draw+1, l))
			if err := z.measure(ctx, i, func(reading) *equivclass.Pool { return p }, l, in.Seed+draw); err != nil {
				return nil, err
			}
		}
	}
	return &figures.Result{
		Panels: z.panels(fmt.Sprintf("GLP by l, n = %d", n), "l"),
		Claims: z.claims("With l increasing, the GLP of the four approaches is increasing.", true, 0),
		Notes:  z.notes("l", 0),
	}, nil
}

func figure4(ctx context.Context, in figures.Input) (*figures.Result, error) {
	t, err := adult(in.Data)
	if err != nil {
		return nil, err
	}
	ns := sizes(in)
	z := newLoss(ns, in.Rows(lossDraws, 2), readings())
	for draw := range uint64(z.draws) {
		for i, n := range figures.Ints(ns) {
			in.Step(fmt.Sprintf("draw %d, %d records", draw+1, n))
			p := pool(dataset.Shuffled(t, n, in.Seed+draw), allAttributes)
			if err := z.measure(ctx, i, func(reading) *equivclass.Pool { return p }, fixedL, in.Seed+draw); err != nil {
				return nil, err
			}
		}
	}
	return &figures.Result{
		Panels: z.panels(fmt.Sprintf("GLP by the number of records, l = %d", fixedL), "n"),
		Claims: z.claims("With n increasing, the GLP of the four methods is decreasing.", false, 0),
		Notes:  z.notes("n", 0),
	}, nil
}

func figure6(ctx context.Context, in figures.Input) (*figures.Result, error) {
	t, err := adult(in.Data)
	if err != nil {
		return nil, err
	}
	n, z := in.Rows(fixedN, 2000), newLoss(attributeAxis, in.Rows(lossDraws, 2), attributeReadings())
	order := correlationOrder(t)
	for draw := range uint64(z.draws) {
		part := dataset.Shuffled(t, n, in.Seed+draw)
		for i, d := range figures.Ints(attributeAxis) {
			in.Step(fmt.Sprintf("draw %d, %d attributes", draw+1, d))
			poolOf := func(r reading) *equivclass.Pool {
				if r.added {
					return pool(part, order[len(order)-d:])
				}
				return pool(part, order[:d])
			}
			if err := z.measure(ctx, i, poolOf, fixedL, in.Seed+draw); err != nil {
				return nil, err
			}
		}
	}
	claims := z.claims("With d increasing, the GLP of the four methods is increasing.", true, 1)
	zero := func(g *figures.Lines) figures.Finding {
		return figures.Join(figures.Each([]string{"arp", "aip", "ng"}, func(n string) figures.Finding { return g.Of(n).AtMost(0, 0.0005) })...)
	}
	claims = append(claims,
		figures.ClaimUnder("With d = 1 the GLP of ARP, AIP and NG is zero (to three digits).", whyNotZero, z.under(zero)...))
	return &figures.Result{
		Panels: z.panels(fmt.Sprintf("GLP by the number of attributes, n = %d, l = %d", n, fixedL), "d"),
		Claims: claims,
		Notes: append(z.notes("d", 1), addedNote,
			"With d = 1, where the paper has zero itself, the series are not compared with each other. Zero there is no merit of Algorithm 1: "+
				"each sex has nearly every occupation, so no method, anatomy included, can link it to a wrong one."),
	}, nil
}

// correlationOrder is the attributes in descending order of correlation.
func correlationOrder(t *equivclass.Table) []int {
	order, _ := bucketize.Phi2Order(pool(t, allAttributes), 0)
	return order
}
