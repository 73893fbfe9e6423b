package anonymize

import (
	"encoding/binary"
	"fmt"
	"slices"

	"anond/equivclass"
	"anond/equivclass/measure"
	"anond/equivclass/query"
	"anond/lab/bucketize"
	"anond/snapshot"
)

// fileLoss is the loss that follows from the public files and the original.
type fileLoss struct {
	CDM  int64   `json:"c_dm"`
	CAVG float64 `json:"c_avg"`
	CMDM int64   `json:"c_mdm"`
	NCP  float64 `json:"ncp"`     // of the published cells; 0 where they are exact
	Box  float64 `json:"box_ncp"` // of what the rows of a class span together
	RE   float64 `json:"re"`
	RCE  float64 `json:"rce"`
	Low  float64 `json:"re_bound"`
	GLP  float64 `json:"glp,omitempty"`
	Phi2 []phi2  `json:"phi2,omitempty"`

	noGLP, noRE bool // not measured
}

// fileLoss measures by recoding, and names what cannot be measured from the files.
func (r measured) fileLoss(t *inputTable, sizes []int, bags []equivclass.Bag) (l fileLoss, unmeasured []string) {
	k, suppressed := r.Manifest.Policy.K, max(0, t.Len()-len(r.SA))
	l = fileLoss{CDM: measure.CDM(sizes, suppressed, k), CAVG: measure.CAVG(sizes, k), CMDM: measure.CMDM(sizes, k),
		RE: float64(suppressed), RCE: float64(suppressed), Low: bucketize.REBound(len(r.SA)+suppressed, max(1, r.Manifest.Policy.L)), noGLP: true}
	for _, b := range bags { // RE and RCE are the same number, see equivclass.RCE
		l.RE += float64(b.Total) * (1 - bucketize.TrueProbability(b))
	}
	l.RCE = l.RE
	switch {
	case r.from.local != nil:
		l.NCP = r.localNCP(suppressed)
		l.Box = l.NCP
		return l, []string{"GLP and phi^2: the files do not show which row is whose, and rows have no common columns"}
	case r.from.ownCells():
		return r.ringFileLoss(t, l, suppressed)
	case r.Cells != nil:
		return r.cellFileLoss(t, l, sizes, suppressed)
	case r.from.recoding() == recodingRandomization:
		return r.randomizedFileLoss(t, l, suppressed), []string{}
	}
	return r.exactFileLoss(t, l, suppressed)
}

// exactFileLoss is of the recodings that show exact columns and true values.
func (r measured) exactFileLoss(t *inputTable, l fileLoss, suppressed int) (fileLoss, []string) {
	p, groups := r.pool(t)
	l.NCP, l.Box = heldShare(r, suppressed), equivclass.NCP(p, groups, suppressed)
	original := t.Points()
	beside := r.besideSensitive()
	for j, d := range r.Dicts[:len(r.Dicts)-1] {
		x := phi2{Attribute: d.Attribute().Name, Original: bucketize.Phi2(original, j, bins),
			Preserved: bucketize.Phi2Preserved(p, r.joined(groups), j, bins)}
		if beside[j] { // published pair by pair
			x.Preserved = bucketize.Phi2(p, j, bins)
		}
		l.Phi2 = append(l.Phi2, x)
	}
	sliced := r.from.recoding() == recodingSlicing && len(r.from.slices()) == 2 && len(beside) == 0
	if sliced || r.Manifest.Recoding == snapshot.NameAnatomy {
		l.GLP, l.noGLP = r.glp(t, suppressed, 1), false
		return l, []string{}
	}
	return l, []string{"GLP: it needs the members of each group, and whole rows of quasi-identifiers are not published"}
}

// besideSensitive are the columns in the slice of the sensitive attribute.
func (r measured) besideSensitive() map[int]bool {
	out := map[int]bool{}
	for _, slice := range r.from.slices() {
		for _, j := range slice {
			if j == len(r.Dicts)-1 {
				for _, other := range slice {
					out[other] = true
				}
			}
		}
	}
	delete(out, len(r.Dicts)-1)
	return out
}

// heldShare is NCP of exact cells: a held record costs 1.
func heldShare(r measured, suppressed int) float64 {
	return float64(suppressed) / float64(max(1, len(r.SA)+suppressed))
}

// randomizedFileLoss: a value is a row's own with the retention probability, or
// by chance among the m that its group shows.
func (r measured) randomizedFileLoss(t *inputTable, l fileLoss, suppressed int) fileLoss {
	p, groups := r.pool(t)
	l.NCP, l.Box = heldShare(r, suppressed), equivclass.NCP(p, groups, suppressed)
	l.RE, l.RCE = float64(suppressed), float64(suppressed)
	keep := r.from.About.Retention
	for _, g := range groups {
		m := len(p.Bag(g).Counts)
		own, other := bucketize.RetentionPosterior(keep, m), (1-keep)/float64(m)
		l.RE += float64(len(g)) * (1 - own)
		l.RCE += float64(len(g)) * ((1-own)*(1-own) + float64(m-1)*other*other)
	}
	original := t.Points()
	for j, d := range r.Dicts[:len(r.Dicts)-1] {
		l.Phi2 = append(l.Phi2, phi2{Attribute: d.Attribute().Name, Original: bucketize.Phi2(original, j, bins),
			Preserved: bucketize.Phi2(p, j, bins)})
	}
	l.GLP, l.noGLP = r.glp(t, suppressed, 1-keep), false
	return l
}

// ringFileLoss: each row has its own cells, over the l records it covers.
func (r measured) ringFileLoss(t *inputTable, l fileLoss, suppressed int) (fileLoss, []string) {
	p, _ := r.pool(t)
	ones := make([]int, len(r.Cells))
	for i := range ones {
		ones[i] = 1
	}
	l.NCP = cellLoss(p.Space, r.Cells, ones, suppressed)
	l.Box, l.RE, l.RCE, l.noRE = l.NCP, 0, 0, true
	return l, []string{"RE, RCE, GLP and phi^2: they need the order of the records in each ring"}
}

// cellFileLoss is of generalization. GLP and phi^2 need to know who is in which
// class; if the cells of the classes do not overlap, the original shows it.
func (r measured) cellFileLoss(t *inputTable, l fileLoss, sizes []int, suppressed int) (fileLoss, []string) {
	p, _ := r.pool(t)
	l.Box = cellLoss(p.Space, r.Cells, sizes, suppressed)
	l.NCP = l.Box
	groups, missing := r.membersOf(t)
	if missing != "" {
		return l, []string{"GLP and preserved phi^2: they need the records of each class, and " + missing}
	}
	groups = r.joined(groups)
	original := t.Points()
	l.GLP, l.noGLP = bucketize.NewCorrespondence(original).GLP(groups, suppressed), false
	for j, d := range r.Dicts[:len(r.Dicts)-1] {
		l.Phi2 = append(l.Phi2, phi2{Attribute: d.Attribute().Name, Original: bucketize.Phi2(original, j, bins),
			Preserved: bucketize.Phi2Preserved(original, groups, j, bins)})
	}
	return l, []string{}
}

// joined are the records of each bucket of level L2, by those of its classes; at level
// L1 the classes themselves.
func (r measured) joined(classes [][]int32) [][]int32 {
	if r.Buckets == nil {
		return classes
	}
	out := make([][]int32, len(r.Buckets)-1)
	b := 0
	for c, records := range classes {
		for r.Start[c] >= r.Buckets[b+1] {
			b++
		}
		out[b] = append(out[b], records...)
	}
	return out
}

// matchBudget bounds the pairs of records and classes that membersOf looks at.
const matchBudget = 400_000_000

// membersOf finds the records of each class by their cells: possible if every
// record lies in the cells of one class at most, and each class gets as many as
// it has. Otherwise it says what prevents it.
func (r measured) membersOf(t *inputTable) (groups [][]int32, missing string) {
	if t.Len()*len(r.Cells) > matchBudget {
		return nil, "there are too many pairs of records and classes"
	}
	groups = make([][]int32, len(r.Cells))
	codes := t.published().Codes
	several := 0
	for row := range int32(t.Len()) {
		in := 0
		for c := range r.Cells {
			if r.lies(codes, row, r.Cells[c]) {
				groups[c] = append(groups[c], row)
				in++
			}
		}
		if in > 1 {
			several++
		}
	}
	if several > 0 {
		return nil, fmt.Sprintf("cells overlap: %d of them fit more than one class", several)
	}
	for c, size := range r.Sizes() {
		if len(groups[c]) != size {
			return nil, "some records that the release holds back fit the cells of a class"
		}
	}
	return groups, ""
}

func (r measured) lies(codes [][]equivclass.Code, row int32, cells []query.Cell) bool {
	for j := range codes[:len(codes)-1] {
		if !inCell(r.Dicts[j], cells[j], codes[j][row]) {
			return false
		}
	}
	return true
}

func inCell(d *equivclass.Dictionary, c query.Cell, code equivclass.Code) bool {
	switch d.Kind() {
	case equivclass.Number:
		v := d.Number(code)
		return c.Lo <= v && v <= c.Hi || c.Lacks && d.Units(code) == equivclass.MissingNumber
	case equivclass.Tree:
		lo, hi := d.Attribute().Hierarchy.Span(c.Node)
		return lo <= code && code <= hi
	}
	_, found := slices.BinarySearch(c.Codes, code)
	return found
}

// localNCP is NCP of the cells of lgb over the domain of the original: of the
// values that are not bucketed; held records count as one lost value each.
func (r measured) localNCP(suppressed int) float64 {
	space := equivclass.NewSpace(r.Dicts)
	sum, n := float64(suppressed), float64(suppressed)
	for c, cells := range r.from.local.Cells {
		size := float64(r.Start[c+1] - r.Start[c])
		for j := range cells {
			if r.from.local.Bucket[j][r.Start[c]] < 0 {
				sum += size * lossOfCell(&space.Dims[j], cells[j])
				n += size
			}
		}
	}
	return sum / max(1, n)
}

// pool returns the published rows as points, with the space of the original.
// Under generalization they have no coordinates.
func (r measured) pool(t *inputTable) (*equivclass.Pool, [][]int32) {
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
func cellLoss(s *equivclass.Space, cells [][]query.Cell, sizes []int, suppressed int) float64 {
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

func lossOfCell(d *equivclass.Dim, c query.Cell) float64 {
	switch {
	case d.Kind == equivclass.Set:
		return float64(d.SetLoss(len(c.Codes)))
	case d.Kind == equivclass.Tree && d.Size > 1:
		lo, hi := d.Tree.Span(c.Node)
		return float64(hi-lo) / float64(d.Size-1)
	case c.Lacks:
		return 1
	case d.Kind == equivclass.Number && d.Width > 0:
		return min(1, (c.Hi-c.Lo)/d.Unit/d.Width)
	}
	return 0
}

// glp is GLP where each row shows a whole QI, and its group the values that it
// may have; of those, the values that no record of the original has with this QI
// are wrong. drawn is the probability that a row's value is one of them at
// random: each row of the group is equally likely then, or, under randomization,
// each value.
func (r measured) glp(t *inputTable, suppressed int, drawn float64) float64 {
	held := map[string]map[equivclass.Code]bool{}
	qi, sa := t.qi(), t.SA()
	for row := range sa {
		key := keyOf(qi, row)
		if held[key] == nil {
			held[key] = map[equivclass.Code]bool{}
		}
		held[key][sa[row]] = true
	}
	sum, starts := float64(suppressed), r.ValueGroups()
	for i, bag := range r.Bags() {
		for row := starts[i]; row < starts[i+1]; row++ {
			values := held[keyOf(r.QI, int(row))]
			for _, c := range bag.Counts {
				switch {
				case values[c.Code]:
				case drawn < 1:
					sum += drawn / float64(len(bag.Counts))
				default:
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
