package render

import (
	"errors"
	"fmt"
	"io"
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
		entry, err := r.keep(entries, group, leaving)
		if err != nil {
			return err
		}
		r.out.Manifest.Parts = append(r.out.Manifest.Parts, entry)
	}
	return nil
}

// keep takes a part over, or joins several.
func (r *rendering) keep(entries []snapshot.PartEntry, group []span, leaving *snapshot.Withdrawing) (snapshot.PartEntry, error) {
	if len(entries) > 1 {
		left := slices.Clone(entries)
		for i := range left {
			var err error
			if left[i], err = leaving.Part(left[i]); err != nil {
				return left[i], err
			}
		}
		open := func(name string) (io.ReadCloser, error) {
			at := slices.IndexFunc(entries, func(p snapshot.PartEntry) bool { return p.Part == path.Dir(name) })
			return leaving.Read(entries[at], path.Base(name))
		}
		entry, err := snapshot.JoinParts(r.from.manifest, join(group).name(), left, open, r.files.Create)
		entry.Release = r.in.Release
		return entry, err
	}
	if len(leaving.Gone[entries[0].Part]) > 0 {
		return r.withdraw(entries[0], leaving)
	}
	for _, f := range entries[0].Files {
		name := path.Join(entries[0].Part, f.Name)
		if err := r.files.Keep(name, f); err != nil {
			return snapshot.PartEntry{}, fmt.Errorf("take %s over from release %d: %w", name, r.in.Release-1, err)
		}
	}
	return entries[0], nil
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

// withdraw writes a part without what leaves; files that name no bucket are taken over.
func (r *rendering) withdraw(entry snapshot.PartEntry, leaving *snapshot.Withdrawing) (snapshot.PartEntry, error) {
	out, err := leaving.Part(entry)
	if err != nil {
		return out, err
	}
	out.Release = r.in.Release
	for _, f := range entry.Files {
		name := path.Join(entry.Part, f.Name)
		if !leaving.Changes(entry.Part, f.Name) {
			err = r.files.Keep(name, f)
		} else {
			err = r.copy(name, entry, f.Name, leaving)
		}
		if err != nil {
			return out, fmt.Errorf("take %s over from release %d: %w", name, r.in.Release-1, err)
		}
	}
	return out, nil
}

func (r *rendering) copy(name string, entry snapshot.PartEntry, file string, leaving *snapshot.Withdrawing) error {
	from, err := leaving.Read(entry, file)
	if err != nil {
		return err
	}
	to, err := r.files.Create(name)
	if err == nil {
		_, err = io.Copy(to, from)
		err = errors.Join(err, to.Close())
	}
	return errors.Join(err, from.Close())
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
	r.out.Next.own(0, r.in.Release).remove(t) // at level L1 nothing leaves
	return nil
}

// subtract takes what leaves off the sums of its granules.
func (r *rendering) subtract() error {
	for i := range r.out.Next.sums {
		g, first := &r.out.Next.sums[i], uint32(0)
		if i > 0 {
			first = r.out.Next.sums[i-1].last
		}
		var classes []Class
		for _, c := range r.gathered.Dead {
			if c.Born > first && c.Born <= g.last {
				classes = append(classes, c)
			}
		}
		if len(classes) == 0 {
			continue
		}
		t, err := r.left(classes)
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

// relevant is what of the input a rendering looks at: what changes.
func (r *rendering) relevant() *Input {
	in := *r.in
	in.Classes, in.Dead = r.births, r.deaths
	return &in
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
	next.own(spanning{r.in, r.settings}.granule(of.last), of.last).add(t)
	next.addresses.add(t, of.last)
	next.written[of.last] = next.written[of.first-1] + uint32(len(t.classes))
	return t, nil
}
