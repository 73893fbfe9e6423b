package oneoff

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"anond/equivclass"
)

// Workload says which random COUNT queries a release is asked.
type Workload struct {
	Queries int     `json:"queries"`
	Dims    int     `json:"dims"`   // attributes a query restricts, the sensitive one among them
	Volume  float64 `json:"volume"` // share of the whole space that a query covers, about
	Seed    uint64  `json:"seed"`
}

// Evaluation is what a release is worth, held against the records behind it.
type Evaluation struct {
	Release    uint32    `json:"release"`
	Recoding   string    `json:"recoding"`
	Original   int       `json:"original"` // records of the original, without repeats
	Published  int       `json:"published"`
	K          int       `json:"k"`
	L          int       `json:"l"`
	Classes    Sizes     `json:"classes"`
	Achieved   Achieved  `json:"achieved"`
	Loss       FileLoss  `json:"loss"`
	Workload   Workload  `json:"workload"`
	Error      ErrorRate `json:"query_error"`
	Unmeasured []string  `json:"unmeasured"`
}

// FileLoss is the loss that public files and the original tell, without knowing
// who is in which class.
type FileLoss struct {
	CDM  int64   `json:"c_dm"`
	CAVG float64 `json:"c_avg"`
	CMDM int64   `json:"c_mdm"`
	NCP  float64 `json:"ncp"`     // of the published cells; 0 where they are exact
	Box  float64 `json:"box_ncp"` // of what the rows of a class span together
	RE   float64 `json:"re"`
	RCE  float64 `json:"rce"`
	Low  float64 `json:"re_bound"`
	GLP  float64 `json:"glp,omitempty"`  // anatomy
	Phi2 []Phi2  `json:"phi2,omitempty"` // anatomy and permutation
}

// ErrorRate is the relative error of a workload.
type ErrorRate struct {
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	Width  float64 `json:"mean_bound_width"` // (upper - lower) / true answer
	Asked  int     `json:"asked"`
	Empty  int     `json:"empty"`  // true answer 0: no relative error
	Inside int     `json:"inside"` // of those asked: the truth lies within the bounds
}

// Evaluate measures a release against the table that it came from. The release
// must not be loaded yet: its dictionaries become those of the table.
func Evaluate(r *Release, t *Table, w Workload) (*Evaluation, error) {
	dicts, codes := t.columns()
	if err := r.Load(dicts); err != nil {
		return nil, err
	}
	if len(r.SA) > t.Len() {
		return nil, fmt.Errorf("the release has %d records, the original %d: it is not the table that the release came from", len(r.SA), t.Len())
	}
	bags := make([]equivclass.Bag, len(r.Start)-1)
	sizes := make([]int, len(bags))
	for i := range bags {
		bags[i] = bagOf(r.SA[r.Start[i]:r.Start[i+1]])
		sizes[i] = bags[i].Total
	}
	c := float64(defaultC)
	for _, d := range r.Manifest.Policy.Diversity {
		if d.Kind == "recursive" {
			c = d.C
		}
	}
	out := &Evaluation{Release: r.Manifest.Release, Recoding: r.Manifest.Recoding, Original: t.Len(), Published: len(r.SA), K: r.Manifest.Policy.K, L: r.Manifest.Policy.L,
		Classes: sizesOf(sizes), Achieved: achieved(bags, bagOf(t.SA), c, equivclass.Grounds(dicts[len(dicts)-1].Attribute())), Workload: w}
	out.Loss = r.fileLoss(t, sizes)
	out.Unmeasured = r.unmeasured()
	out.Error = r.ask(dicts, codes, w)
	return out, nil
}

// unmeasured names what public files do not tell.
func (r *Release) unmeasured() []string {
	switch r.Manifest.Recoding {
	case Generalization:
		return []string{"GLP and preserved phi^2: they need the exact values of each class"}
	case Permutation:
		return []string{"GLP and presence: they need to know who is in which group"}
	}
	return []string{}
}

func (r *Release) fileLoss(t *Table, sizes []int) FileLoss {
	p, groups := r.pool(t)
	k, suppressed := r.Manifest.Policy.K, max(0, t.Len()-len(r.SA))
	l := FileLoss{CDM: equivclass.CDM(sizes, suppressed, k), CAVG: equivclass.CAVG(sizes, k), CMDM: equivclass.CMDM(sizes, k),
		RE: equivclass.RE(p, groups, suppressed), RCE: equivclass.RCE(p, groups, suppressed), Low: equivclass.REBound(len(r.SA)+suppressed, r.Manifest.Policy.L)}
	if r.Cells != nil {
		l.Box = cellLoss(p.Space, r.Cells, sizes, suppressed)
		l.NCP = l.Box
		return l
	}
	l.Box = equivclass.NCP(p, groups, suppressed)
	if n := len(r.SA) + suppressed; n > 0 {
		l.NCP = float64(suppressed) / float64(n)
	}
	original := t.Pool()
	for j, d := range r.Dicts[:len(r.Dicts)-1] {
		l.Phi2 = append(l.Phi2, Phi2{Attribute: d.Attribute().Name, Original: equivclass.Phi2(original, j, bins), Preserved: equivclass.Phi2Preserved(p, groups, j, bins)})
	}
	if r.Manifest.Recoding == Anatomy {
		l.GLP = r.glp(t, suppressed)
	}
	return l
}

// pool returns the published rows as points, with the space of the original.
// Under generalization they have no coordinates.
func (r *Release) pool(t *Table) (*equivclass.Pool, [][]int32) {
	d := len(r.Dicts) - 1
	p := &equivclass.Pool{Space: equivclass.NewSpace(r.Dicts[:d]), SA: r.SA}
	if r.QI != nil {
		for row := range r.SA {
			for j := range d {
				p.X = append(p.X, p.Space.Coord(j, r.Dicts[j], r.QI[j][row]))
			}
		}
	}
	groups := make([][]int32, len(r.Start)-1)
	for i := range groups {
		for row := r.Start[i]; row < r.Start[i+1]; row++ {
			groups[i] = append(groups[i], row)
		}
	}
	return p, groups
}

// cellLoss is NCP of published cells over the domain of the original.
func cellLoss(s *equivclass.Space, cells [][]equivclass.Cell, sizes []int, suppressed int) float64 {
	sum, n := float64(suppressed), suppressed
	for i, row := range cells {
		loss := 0.0
		for j := range s.Dims {
			loss += lossOfCell(&s.Dims[j], row[j])
		}
		sum += loss / float64(len(s.Dims)) * float64(sizes[i])
		n += sizes[i]
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

func lossOfCell(d *equivclass.Dim, c equivclass.Cell) float64 {
	switch {
	case d.Kind == equivclass.Set:
		return float64(d.SetLoss(len(c.Codes)))
	case d.Kind == equivclass.Tree && d.Size > 1:
		lo, hi := d.Tree.Span(c.Node)
		return float64(hi-lo) / float64(d.Size-1)
	case d.Kind == equivclass.Number && d.Width > 0:
		return min(1, (c.Hi-c.Lo)/d.Width)
	}
	return 0
}

// glp is GLP of anatomy: each row shows a whole QI, and its group the values
// that it may have; of those, the values that no record of the original has
// with this QI are wrong.
func (r *Release) glp(t *Table, suppressed int) float64 {
	held := map[string]map[equivclass.Code]bool{}
	for row := range t.SA {
		key := keyOf(t.QI, row)
		if held[key] == nil {
			held[key] = map[equivclass.Code]bool{}
		}
		held[key][t.SA[row]] = true
	}
	sum := float64(suppressed)
	for i := range len(r.Start) - 1 {
		bag := bagOf(r.SA[r.Start[i]:r.Start[i+1]])
		for row := r.Start[i]; row < r.Start[i+1]; row++ {
			values := held[keyOf(r.QI, int(row))]
			for _, c := range bag.Counts {
				if !values[c.Code] {
					sum += float64(c.N) / float64(bag.Total)
				}
			}
		}
	}
	return sum / float64(max(1, len(r.SA)+suppressed))
}

func keyOf(columns [][]equivclass.Code, row int) string {
	key := make([]byte, 0, 4*len(columns))
	for _, c := range columns {
		key = binary.LittleEndian.AppendUint32(key, uint32(c[row]))
	}
	return string(key)
}

// ask puts the workload to the release and to the records.
func (r *Release) ask(dicts []*equivclass.Dictionary, codes [][]equivclass.Code, w Workload) ErrorRate {
	d := len(dicts) - 1
	quasi := make([]int, d)
	for j := range quasi {
		quasi[j] = j
	}
	queries := equivclass.CountWorkload(dicts, quasi, d, w.Dims, w.Volume, w.Queries, rand.New(rand.NewPCG(w.Seed, 0)))
	truth := &equivclass.BlockRelease{Dicts: dicts, Codes: codes, Start: []int32{0, int32(len(codes[d]))}, Blocks: equivclass.WholeBlock(d + 1)}
	known := r.Estimator()
	var out ErrorRate
	m := equivclass.MeasureWorkload(queries, truth, func(q *equivclass.BoundQuery) equivclass.Answer {
		// The bounds of the records themselves are the count, free of rounding.
		a, actual := known.Estimate(q), truth.Estimate(q).Lower
		if a.Lower <= actual && actual <= a.Upper {
			out.Inside++
		}
		return a
	})
	out.Mean, out.Median, out.Width, out.Asked, out.Empty = m.Mean, m.Median, m.Width, m.Queries, m.Empty
	return out
}
