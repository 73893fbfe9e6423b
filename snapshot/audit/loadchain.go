package audit

import "path/filepath"

// LoadChain reads a small chain and its members export into the form Posteriors
// enumerates. It needs Options.Releases and Options.Members.
func LoadChain(o Options) (Chain, error) {
	var f faults
	in, err := open(Options{Releases: o.Releases, Members: o.Members}, &f)
	if err != nil {
		return Chain{}, err
	}
	if in.members == nil {
		return Chain{}, unreadable(o.Releases, 0, "a chain without members export cannot be enumerated")
	}
	c := Chain{Records: len(in.index.ids), IDs: make([]string, len(in.index.ids))}
	for id, n := range in.index.ids {
		c.IDs[n] = id
	}
	for _, n := range in.numbers {
		dir := filepath.Join(o.Releases, dirName(n))
		man, err := loadManifest(dir)
		if err != nil {
			return Chain{}, err
		}
		rel, err := loadRelease(dir, man, in.s, &f)
		if err != nil {
			return Chain{}, err
		}
		r := ChainRelease{Classes: make([]ChainClass, rel.tab.m)}
		for i := range r.Classes {
			for _, v := range rel.tab.bag(i) {
				r.Classes[i].Bag = append(r.Classes[i].Bag, int(v))
			}
		}
		for rec, number := range in.members.class[n] {
			if i, ok := rel.tab.lookup(number); number > 0 && ok {
				r.Classes[i].Members = append(r.Classes[i].Members, rec)
			}
		}
		c.Releases = append(c.Releases, r)
	}
	c.Values, c.Labels = len(in.s.sa.text), in.s.sa.text
	return c, nil
}
