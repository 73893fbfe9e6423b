package chain

import (
	"path/filepath"
	"slices"

	"anond/snapshot/audit/format"
	"anond/snapshot/audit/table"
)

// Parted is what a release in parts has besides its table, which holds the
// classes that are alive.
type Parted struct {
	dir   string
	Lay   *format.Layout
	Ids   []uint32 // by class of the table: its number in the layout
	Files []format.PartFiles
	// buckets of each part; the table lists them part by part
	buckets []int
	Tables  []*table.Table // with a window: of each part
	linked  bool           // the lineage is whole: classes of equal number are the same class
	// People is by bucket, through all parts, how many there are; 0: the bucket has left. numbers is by part how it numbers its
	// buckets; nil: from 1 on.
	People    []uint32
	numbers   [][]uint32
	withdraws bool
	born      *table.Table // of what the release gave birth to, if buckets leave
}

// LoadParted reads a release in parts and tests it alone and as the continuation
// of the release before, which may be nil. A part that stood there is not parsed
// again: the same bytes are the same classes, which is rule A (frozen classes).
func LoadParted(dir string, man *format.Manifest, s *format.Schema, before *Release, f *format.Faults) (*Release, error) {
	if man.DataFiles() == nil {
		return nil, format.Unreadable(filepath.Join(dir, "manifest.json"), 0, "recoding is not one this auditor knows")
	}
	r := &PartReader{Dir: dir, Man: man, S: s, F: f}
	rel := &Release{Num: man.Release, Man: man, Parts: &Parted{dir: dir}}
	var earlier *format.Manifest
	if before != nil {
		before = before.Standing(man, s)
		earlier = before.Man
	}
	l := format.Follow(earlier, man, f)
	load := func(rel *Release) error { return r.all(rel, 0) }
	if l.Whole {
		load = func(rel *Release) error { return r.next(rel, before, l) }
	} else if earlier != nil {
		r.Explain(earlier, before.Parts.dir)
	}
	if err := load(rel); err != nil {
		return nil, err
	}
	f.Locate = rel.Locate
	defer func() { f.Locate = nil }()
	if rel.Tab.Shared != nil && (l.Whole || earlier == nil) {
		format.CheckStale(earlier, man, rel.Parts.People, f)
	}
	return rel, r.claims(rel)
}

// claims tests what the manifest says of the release as a whole.
func (r *PartReader) claims(rel *Release) error {
	if err := r.Names(); err != nil {
		return err
	}
	CheckCounts(r.Man, r.S, rel.Tab, r.F)
	CheckClaims(r.Man, r.F)
	if r.Man.Begun() {
		table.CheckReferences(r.Man, r.S, rel.Tab, r.F)
	}
	return nil
}

// Names finds what nobody announced in the directory of the release.
func (r *PartReader) Names() error {
	whole := r.Man.Whole()
	if whole.Pruned != nil || r.Man.Former() {
		return nil // there is no directory, or it is looked at with the newest era
	}
	names, err := format.CheckDocuments(r.Dir, whole, r.F)
	if err != nil {
		return err
	}
	names = append(names, "manifest.json")
	for i := range whole.Parts {
		names = append(names, whole.Parts[i].Name)
	}
	return format.CheckNames(r.Dir, names, nil, r.Man.Release, r.F)
}

// all reads every part. Classes are numbered on from a number.
func (r *PartReader) all(rel *Release, first uint32) error {
	var tables []*table.Table
	for i := range r.Man.Parts {
		t, files, err := r.Read(&r.Man.Parts[i])
		if err != nil {
			return err
		}
		tables, rel.Parts.Files = append(tables, t), append(rel.Parts.Files, files)
		rel.Parts.keep(r.Man, t)
		rel.Parts.buckets = append(rel.Parts.buckets, t.Buckets())
	}
	lay := format.NewLayout(r.Man, first)
	if rel.Parts.Lay = lay; len(tables) == 0 {
		rel.Tab = table.Nothing(r.S)
	}
	for i, t := range tables {
		rel.Parts.count(&r.Man.Parts[i], t)
		var gone []uint32
		for c := range t.M {
			if id := lay.Start[i] + uint32(t.At(c)); lay.Dead[id] && t.Shared == nil {
				gone = append(gone, uint32(c))
			} else {
				rel.Parts.Ids = append(rel.Parts.Ids, id)
			}
		}
		if i == len(tables)-1 && rel.Parts.withdraws && r.Man.Parts[i].Name == format.PartName(r.Man.Release) {
			rel.Parts.born = t
		}
		if t = t.Without(gone); i == 0 {
			rel.Tab = table.JoinAll([]*table.Table{t})
			continue
		}
		rel.Tab = rel.Tab.Join(t)
	}
	return nil
}

// next reads what is new since the release before.
func (r *PartReader) next(rel, before *Release, l *format.Lineage) error {
	if rel.Parts.linked = true; l.Withdraws {
		return r.without(rel, before, l)
	}
	rel.Tab, rel.Parts.People = before.Tab, slices.Clip(before.Parts.People)
	var born *table.Table
	for i := range r.Man.Parts {
		p, s := &r.Man.Parts[i], &l.Steps[i]
		var files format.PartFiles
		var err error
		buckets := 0
		from := s.From
		switch {
		case s.Kept >= 0:
			files, err = r.Keep(p, before.Parts.Files[s.Kept])
			from = []int{s.Kept}
			rel.Parts.numbers = append(rel.Parts.numbers, before.Parts.numbers[s.Kept])
		case s.From != nil:
			files, err = r.Compacted(p, before.Parts.dir, before.Man, nil)
			rel.Parts.numbers = append(rel.Parts.numbers, before.Parts.joined(p, s.From))
		default:
			if born, files, err = r.Read(p); err == nil {
				buckets = born.Buckets()
				rel.Parts.count(p, born)
				rel.Parts.keep(r.Man, born)
			}
		}
		if err != nil {
			return err
		}
		var were []*table.Table
		for _, j := range from {
			if buckets += before.Parts.buckets[j]; r.Man.Window != "" {
				were = append(were, before.Parts.Tables[j])
			}
		}
		if len(were) > 0 {
			rel.Parts.keep(r.Man, table.JoinAll(were))
		}
		rel.Parts.Files, rel.Parts.buckets = append(rel.Parts.Files, files), append(rel.Parts.buckets, buckets)
	}
	lay := format.NewLayout(r.Man, before.Parts.Lay.Start[0])
	rel.Parts.Lay = lay
	gone := r.died(before, lay)
	rel.Tab = rel.Tab.Without(gone)
	rel.Parts.Ids = exclude(before.Parts.Ids, gone)
	if born != nil {
		rel.Tab = rel.Tab.Join(born)
		for id := lay.Start[len(lay.Start)-2]; int(id) < lay.Classes(); id++ {
			rel.Parts.Ids = append(rel.Parts.Ids, id)
		}
	}
	return nil
}

// keep keeps the table of a part, which may leave.
func (p *Parted) keep(man *format.Manifest, t *table.Table) {
	if man.Window != "" {
		p.Tables = append(p.Tables, t)
	}
}

// Standing is the release without what has left by the time of another one, which follows it. Its classes keep their numbers in the
// layout, and are counted anew in the table.
func (rel *Release) Standing(after *format.Manifest, s *format.Schema) *Release {
	man, left := rel.Man.Standing(after.Expired)
	if left.Parts == 0 || len(rel.Parts.Tables) != len(rel.Man.Parts) {
		return rel
	}
	p := *rel.Parts
	p.Lay, p.Files, p.buckets, p.Tables = p.Lay.Without(left.Parts), p.Files[left.Parts:], p.buckets[left.Parts:], p.Tables[left.Parts:]
	if p.numbers = p.numbers[left.Parts:]; p.People != nil {
		p.People = p.People[left.Buckets:]
	}
	gone, _ := slices.BinarySearch(p.Ids, p.Lay.Start[0])
	p.Ids = p.Ids[gone:]
	out := &Release{Num: rel.Num, Man: man, Parts: &p, Tab: table.Nothing(s)}
	if len(p.Tables) > 0 {
		out.Tab = table.JoinAll(p.Tables)
	}
	return out
}

// without reads a release with which buckets leave: each part is compared with what it was, and read again.
func (r *PartReader) without(rel, before *Release, l *format.Lineage) error {
	for i := range r.Man.Parts {
		p, s := &r.Man.Parts[i], &l.Steps[i]
		var err error
		switch {
		case s.Kept >= 0:
			_, err = r.Keep(p, before.Parts.Files[s.Kept])
		case s.Left >= 0:
			_, err = r.Without(p, before.Parts.dir, before.Man, s.Gone[0])
		case s.From != nil:
			_, err = r.Compacted(p, before.Parts.dir, before.Man, s.Gone)
		}
		if err != nil {
			return err
		}
	}
	rel.Parts.withdraws = true
	return r.all(rel, before.Parts.Lay.Start[0])
}

// count takes in the buckets of a part.
func (x *Parted) count(p *format.Part, t *table.Table) {
	b := t.Shared
	if b == nil {
		x.numbers = append(x.numbers, nil)
		return
	}
	people := make([]uint32, p.Buckets)
	for i, n := range b.Size {
		if at := b.NumberOf(i) - 1; at < len(people) {
			people[at] = n
		}
	}
	x.People, x.numbers = append(x.People, people...), append(x.numbers, b.Number)
}

// joined is how a compaction numbers the buckets of the parts that it joins.
func (x *Parted) joined(p *format.Part, from []int) (out []uint32) {
	gaps := false
	for i, j := range from {
		if gaps = gaps || x.numbers[j] != nil; i >= len(p.Replaces) {
			return nil
		}
		for k := range x.buckets[j] {
			n := uint32(k) + 1
			if x.numbers[j] != nil {
				n = x.numbers[j][k]
			}
			out = append(out, n+uint32(p.Replaces[i].FirstBucket)-1)
		}
	}
	if !gaps {
		return nil
	}
	return out
}

// died gives the classes of the table of the release before that died since,
// which must be pure.
func (r *PartReader) died(before *Release, lay *format.Layout) []uint32 {
	var gone []uint32
	for _, id := range format.Died(before.Parts.Lay, lay, r.Man.Release, r.F) {
		c, alive := slices.BinarySearch(before.Parts.Ids, id)
		if !alive {
			continue
		}
		if before.Tab.Shared != nil || before.Tab.Flat[c] == 0 {
			part, class := lay.Place(id)
			r.F.Part = part
			r.F.Add("A", format.KindDeadNotPure, r.Man.Release, class, "dead", "a class that is not pure is listed as dead")
			r.F.Part = ""
		}
		if before.Tab.Shared == nil {
			gone = append(gone, uint32(c))
		}
	}
	return gone
}

// exclude leaves out the elements at the given places, which ascend. Without any
// it shares the list.
func exclude(list, gone []uint32) []uint32 {
	if len(gone) == 0 {
		return list
	}
	out := make([]uint32, 0, len(list))
	for i, x := range list {
		if _, leave := slices.BinarySearch(gone, uint32(i)); !leave {
			out = append(out, x)
		}
	}
	return out
}

// Locate names a class of the table, counted from 1, as the release does.
func (rel *Release) Locate(class int) (part string, number int) {
	if class > len(rel.Parts.Ids) {
		return "", class
	}
	return rel.Parts.Lay.Place(rel.Parts.Ids[class-1])
}

// fates of a class that an export names.
type Standing uint8

const (
	standsNot Standing = iota
	StandsDead
	StandsAlive
)

// Lookup finds the classes of a part by the numbers that an export gives them.
func (rel *Release) Lookup(part string) func(number uint32) (int, Standing) {
	lay, ids := rel.Parts.Lay, rel.Parts.Ids
	i, known := lay.At[part]
	if !known {
		return func(uint32) (int, Standing) { return 0, standsNot }
	}
	from, end := lay.Start[i], lay.Start[i+1]
	return func(number uint32) (int, Standing) {
		id := from + number - 1
		if number == 0 || number > end-from {
			return 0, standsNot
		}
		if int(id) < len(ids) && ids[id] == id { // nothing has died before it
			return int(id), StandsAlive
		}
		if c, alive := slices.BinarySearch(ids, id); alive {
			return c, StandsAlive
		}
		return 0, StandsDead
	}
}

// OtherBuckets counts the records whose bucket, as an export names it in its part,
// is not the one in which the release shows their class.
func (rel *Release) OtherBuckets(classOf, named []uint32) (other int) {
	number := rel.bucketNumbers()
	for rec, c := range classOf {
		if c > 0 && (rec >= len(named) || named[rec] != number[c-1]) {
			other++
		}
	}
	return other
}

// bucketNumbers gives, by class, the number of its bucket in its part.
func (rel *Release) bucketNumbers() []uint32 {
	t, p := rel.Tab, rel.Parts
	first := make([]uint32, len(p.buckets)) // by part: buckets before it
	for i := 1; i < len(first); i++ {
		first[i] = first[i-1] + uint32(p.buckets[i-1])
	}
	out := make([]uint32, t.M)
	for c := range out {
		part := p.Lay.Part(p.Ids[c])
		if out[c] = t.Shared.Rows(t, c)[0] - first[part]; p.numbers[part] != nil {
			out[c] = p.numbers[part][out[c]-1]
		}
	}
	return out
}
