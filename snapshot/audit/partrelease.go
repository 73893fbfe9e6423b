package audit

import (
	"path/filepath"
	"slices"
)

// parted is what a release in parts has besides its table, which holds the
// classes that are alive.
type parted struct {
	dir   string
	lay   *layout
	ids   []uint32 // by class of the table: its number in the layout
	files []partFiles
	// buckets of each part; the table lists them part by part
	buckets []int
	linked  bool // the lineage is whole: classes of equal number are the same class
}

// loadParted reads a release in parts and tests it alone and as the continuation
// of the release before, which may be nil. A part that stood there is not parsed
// again: the same bytes are the same classes, which is rule A (frozen classes).
func loadParted(dir string, man *Manifest, s *schema, before *release, f *faults) (*release, error) {
	if man.dataFiles() == nil {
		return nil, unreadable(filepath.Join(dir, "manifest.json"), 0, "recoding is not one this auditor knows")
	}
	r := &partReader{dir: dir, man: man, s: s, f: f}
	rel := &release{num: man.Release, man: man, parts: &parted{dir: dir}}
	var earlier *Manifest
	if before != nil {
		earlier = before.man
	}
	l := follow(earlier, man, f)
	load := r.all
	if l.whole {
		load = func(rel *release) error { return r.next(rel, before, l) }
	} else if earlier != nil {
		r.explain(earlier, before.parts.dir)
	}
	if err := load(rel); err != nil {
		return nil, err
	}
	f.locate = rel.locate
	defer func() { f.locate = nil }()
	return rel, r.claims(rel)
}

// claims tests what the manifest says of the release as a whole.
func (r *partReader) claims(rel *release) error {
	if err := r.names(); err != nil {
		return err
	}
	checkCounts(r.man, rel.tab, r.f)
	checkClaims(r.man, r.f)
	if r.man.Release == 1 {
		checkReferences(r.man, r.s, rel.tab, r.f)
	}
	return nil
}

// names finds what nobody announced in the directory of the release.
func (r *partReader) names() error {
	if r.man.pruned != nil {
		return nil // there is no directory
	}
	names := []string{"manifest.json"}
	for i := range r.man.Parts {
		names = append(names, r.man.Parts[i].Name)
	}
	return checkNames(r.dir, names, nil, r.man.Release, r.f)
}

// all reads every part.
func (r *partReader) all(rel *release) error {
	var tables []*table
	for i := range r.man.Parts {
		t, files, err := r.read(&r.man.Parts[i])
		if err != nil {
			return err
		}
		tables, rel.parts.files = append(tables, t), append(rel.parts.files, files)
		rel.parts.buckets = append(rel.parts.buckets, t.buckets())
	}
	lay := newLayout(r.man)
	rel.parts.lay = lay
	for i, t := range tables {
		var gone []uint32
		for c := range t.m {
			if id := lay.start[i] + uint32(c); lay.dead[id] && t.shared == nil {
				gone = append(gone, uint32(c))
			} else {
				rel.parts.ids = append(rel.parts.ids, id)
			}
		}
		if t = t.without(gone); i == 0 {
			first := *t
			first.number = nil
			rel.tab = &first
			continue
		}
		rel.tab = rel.tab.join(t)
	}
	return nil
}

// next reads what is new since the release before.
func (r *partReader) next(rel, before *release, l *lineage) error {
	rel.tab, rel.parts.linked = before.tab, true
	var born *table
	for i := range r.man.Parts {
		p, s := &r.man.Parts[i], &l.steps[i]
		var files partFiles
		var err error
		buckets := 0
		switch {
		case s.kept >= 0:
			files, err = r.keep(p, before.parts.files[s.kept])
			buckets = before.parts.buckets[s.kept]
		case s.from != nil:
			files, err = r.compacted(p, before.parts.dir, before.man)
			for _, j := range s.from {
				buckets += before.parts.buckets[j]
			}
		default:
			if born, files, err = r.read(p); err == nil {
				buckets = born.buckets()
			}
		}
		if err != nil {
			return err
		}
		rel.parts.files, rel.parts.buckets = append(rel.parts.files, files), append(rel.parts.buckets, buckets)
	}
	lay := newLayout(r.man)
	rel.parts.lay = lay
	gone := r.died(before, lay)
	rel.tab = rel.tab.without(gone)
	rel.parts.ids = exclude(before.parts.ids, gone)
	if born != nil {
		rel.tab = rel.tab.join(born)
		for id := lay.start[len(lay.start)-2]; int(id) < lay.classes(); id++ {
			rel.parts.ids = append(rel.parts.ids, id)
		}
	}
	return nil
}

// died gives the classes of the table of the release before that died since,
// which must be pure.
func (r *partReader) died(before *release, lay *layout) []uint32 {
	var gone []uint32
	for _, id := range died(before.parts.lay, lay, r.man.Release, r.f) {
		c, alive := slices.BinarySearch(before.parts.ids, id)
		if !alive {
			continue
		}
		if before.tab.shared != nil || before.tab.flat[c] == 0 {
			part, class := lay.place(id)
			r.f.part = part
			r.f.add("A", kindDeadNotPure, r.man.Release, class, "dead", "a class that is not pure is listed as dead")
			r.f.part = ""
		}
		if before.tab.shared == nil {
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

// locate names a class of the table, counted from 1, as the release does.
func (rel *release) locate(class int) (part string, number int) {
	if class > len(rel.parts.ids) {
		return "", class
	}
	return rel.parts.lay.place(rel.parts.ids[class-1])
}

// fates of a class that an export names.
type standing uint8

const (
	standsNot standing = iota
	standsDead
	standsAlive
)

// lookup finds the classes of a part by the numbers that an export gives them.
func (rel *release) lookup(part string) func(number uint32) (int, standing) {
	lay, ids := rel.parts.lay, rel.parts.ids
	i, known := lay.at[part]
	if !known {
		return func(uint32) (int, standing) { return 0, standsNot }
	}
	from, end := lay.start[i], lay.start[i+1]
	return func(number uint32) (int, standing) {
		id := from + number - 1
		if number == 0 || number > end-from {
			return 0, standsNot
		}
		if int(id) < len(ids) && ids[id] == id { // nothing has died before it
			return int(id), standsAlive
		}
		if c, alive := slices.BinarySearch(ids, id); alive {
			return c, standsAlive
		}
		return 0, standsDead
	}
}

// otherBuckets counts the records whose bucket, as an export names it in its part,
// is not the one in which the release shows their class.
func (rel *release) otherBuckets(classOf, named []uint32) (other int) {
	number := rel.bucketNumbers()
	for rec, c := range classOf {
		if c > 0 && (rec >= len(named) || named[rec] != number[c-1]) {
			other++
		}
	}
	return other
}

// bucketNumbers gives, by class, the number of its bucket in its part.
func (rel *release) bucketNumbers() []uint32 {
	t, p := rel.tab, rel.parts
	first := make([]uint32, len(p.buckets)) // by part: buckets before it
	for i := 1; i < len(first); i++ {
		first[i] = first[i-1] + uint32(p.buckets[i-1])
	}
	out := make([]uint32, t.m)
	for c := range out {
		out[c] = t.shared.rows(t, c)[0] - first[p.lay.part(p.ids[c])]
	}
	return out
}
