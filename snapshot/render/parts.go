package render

import (
	"fmt"
	"path"
	"slices"

	"anond/snapshot"
)

// takeOver lists the parts of the release before, and joins those that are due.
func (r *rendering) takeOver() error {
	if r.from.manifest == nil {
		return nil
	}
	before := r.from.manifest
	leaving, err := r.leaving()
	if err != nil {
		return err
	}
	parts := make([]span, len(before.Parts))
	for i := range parts {
		parts[i].first, parts[i].last = before.Parts[i].Births()
	}
	groups := spanning{r.in, r.settings}.taken(parts, r.in.Release)
	at := len(parts)
	for _, group := range groups {
		at -= len(group)
	}
	for _, group := range groups {
		entries := before.Parts[at : at+len(group)]
		at += len(group)
		entry, err := leaving.Take(entries, join(group).name(), r.in.Release, r.files.Keep, r.files.Create)
		if err != nil {
			return err
		}
		r.out.Manifest.Parts = append(r.out.Manifest.Parts, entry)
	}
	return nil
}

// leaving are the buckets that leave with the release, where they are in the parts of the release before.
func (r *rendering) leaving() (*snapshot.Withdrawing, error) {
	out := &snapshot.Withdrawing{Manifest: r.from.manifest, Gone: map[string][]uint32{}, Open: r.files.Open}
	if !r.in.Shared {
		return out, nil
	}
	seen := map[uint32]bool{}
	for i := range r.deaths {
		bucket := r.deaths[i].Bucket
		if seen[bucket] {
			continue
		}
		seen[bucket] = true
		at, number, ok := r.from.addresses.find(r.from.manifest.Parts, bucket)
		if !ok {
			return nil, fmt.Errorf("%w: a bucket that leaves is in no part", ErrView)
		}
		part := r.from.manifest.Parts[at].Part
		out.Gone[part] = append(out.Gone[part], number)
	}
	for _, gone := range out.Gone {
		slices.Sort(gone)
	}
	return out, nil
}

// bury lists the classes that die in their parts, and takes them off the sums.
func (r *rendering) bury() error {
	if len(r.deaths) == 0 {
		return nil
	}
	if r.in.Shared { // takeOver has written the parts without them
		return r.subtract()
	}
	parts := r.out.Manifest.Parts
	for i := range parts {
		parts[i].Dead = slices.Clone(parts[i].Dead)
	}
	for i := range r.deaths {
		at, number, ok := r.from.address(parts, &r.deaths[i])
		if !ok {
			return fmt.Errorf("%w: a class that dies is in no part", ErrView)
		}
		parts[at].Dead = append(parts[at].Dead, number)
	}
	for i := range parts {
		slices.Sort(parts[i].Dead)
	}
	t, err := r.unordered(r.gathered.Dead)
	if err != nil {
		return err
	}
	r.out.Next.own(granule{}, r.in.Release, t).remove(t) // at level L1 nothing leaves
	return nil
}

// subtract takes what leaves off the sums of its granules.
func (r *rendering) subtract() error {
	first := uint32(0)
	for i := range r.out.Next.sums {
		g, after := &r.out.Next.sums[i], first
		first = g.last
		stays := func(c Class) bool { return c.Born <= after || c.Born > g.last }
		if !slices.ContainsFunc(r.deaths, func(c Class) bool { return !stays(c) }) {
			continue
		}
		src, gathered, err := r.era(g.granule.era)
		if err != nil {
			return err
		}
		classes := slices.DeleteFunc(slices.Clone(gathered.Dead), stays)
		t, err := src.left(classes)
		if err != nil {
			return err
		}
		g.of = g.of.clone()
		g.of.remove(t)
	}
	return nil
}

// bear writes what the release gives birth to. Without births it has no part of its own.
func (r *rendering) bear() (*table, error) {
	if len(r.births) == 0 {
		return r.table(nil)
	}
	return r.part(span{r.in.Release, r.in.Release}, r.gathered.Classes)
}

// era is the source of what changes in an era, and these classes.
func (r *rendering) era(era int) (*source, *Input, error) {
	if era == len(r.in.Former) && r.source != nil {
		return r.source, r.gathered, nil
	}
	in := *r.in
	in.Classes, in.Dead = r.births, r.deaths
	gathered := in.only(era).gather(r.settings.workers())
	src, err := newSource(gathered, r.in.settings(era, r.settings))
	return src, gathered, err
}

// progress tells how far a part is while one of its files is written.
func (s *Settings) progress(file, files, classes int) func(classes int) {
	if s.Progress == nil {
		return func(int) {}
	}
	return func(done int) { s.Progress(file*classes+done, files*classes) }
}

// writeFiles writes the files of a part, below its name.
func (t *table) writeFiles(part string, s *Settings, files Files) (snapshot.PartEntry, error) {
	layouts := t.recoding.layouts(t)
	entry := snapshot.PartEntry{Part: part, Classes: len(t.classes), Buckets: len(t.shared), Rows: t.records, Mode: snapshot.PartMode}
	for _, b := range t.shared {
		entry.Pools = max(entry.Pools, b.pool.number)
	}
	for i, l := range layouts {
		l.name = path.Join(part, l.name)
		l.written = s.progress(i, len(layouts), len(t.classes))
		file, err := t.writeFile(l, files)
		if err != nil {
			return entry, fmt.Errorf("write %s: %w", l.name, err)
		}
		entry.Files = append(entry.Files, file)
	}
	return entry, nil
}

// part writes classes as a part of their own.
func (r *rendering) part(of span, classes []Class) (*table, error) {
	next := r.out.Next
	for uint32(len(next.written)) <= of.last {
		next.written = append(next.written, next.written[len(next.written)-1])
	}
	t, err := r.table(classes)
	if err != nil {
		return nil, err
	}
	entry, err := t.writeFiles(of.name(), r.settings, r.files)
	if err != nil {
		return nil, err
	}
	entry.Release = r.in.Release
	r.out.Manifest.Parts = append(r.out.Manifest.Parts, entry)
	r.out.Placed = append(r.out.Placed, t.placement(entry.Part))
	next.own(spanning{r.in, r.settings}.granule(of.last), of.last, t).add(t)
	next.addresses.add(t, of.last)
	next.written[of.last] = next.written[of.first-1] + uint32(len(t.classes))
	return t, nil
}
