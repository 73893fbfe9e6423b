package replay

import (
	"anond/incremental/state"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"anond/equivclass"
	"anond/incremental"
)

// era is a time in which no hierarchy changed: a replay opens its machine anew where the
// next one begins, as the daemon did.
type era struct {
	records  state.RecordID // that had arrived before it
	releases uint32         // that were decided before it
	changes  uint32         // of hierarchies, that came before it or begin it
	options  incremental.Options
}

// eras returns those of a recording, oldest first, or why an earlier hierarchy is not
// known any more.
//
// The state keeps the path of every leaf, numbered in the order of the first file, and then
// in that in which the leaves were added. So the first file is known with its order, by
// which the leaves of a quasi-identifier are compared; so is the newest, which is
// configured. Of those between them the state knows the leaves, and that is enough for the
// sensitive attribute, whose values stand in an order of their own in buckets.
func (r *Recording) eras() (out []era, obstacle string) {
	hierarchies := r.meta.Hierarchies
	out = []era{{}}
	for _, list := range hierarchies {
		for _, v := range list {
			out = append(out, era{records: v.Records, releases: v.Release})
		}
	}
	slices.SortFunc(out, func(x, y era) int {
		return cmp.Or(cmp.Compare(x.records, y.records), cmp.Compare(x.releases, y.releases))
	})
	out = slices.CompactFunc(out, func(x, y era) bool { return x.records == y.records && (x.records == 0 || x.releases == y.releases) })
	versions := map[int]int{} // by attribute
	for i := range out {
		for a, list := range hierarchies {
			for n, v := range list {
				if v.Records < out[i].records || v.Records == out[i].records && v.Release <= out[i].releases {
					versions[a] = max(versions[a], n)
				}
			}
		}
		for _, n := range versions {
			out[i].changes += uint32(n)
		}
		if out[i].options, obstacle = r.optionsOf(versions); obstacle != "" {
			return nil, obstacle
		}
	}
	for _, a := range r.attempts {
		if !slices.ContainsFunc(out, func(e era) bool { return e.changes == a.Changes }) {
			return nil, fmt.Sprintf("hierarchies changed more than once over the same %d records, and a cut came between", a.Records)
		}
	}
	return out, ""
}

// optionsOf are those with which the daemon ran under such versions of the hierarchies.
func (r *Recording) optionsOf(versions map[int]int) (o incremental.Options, obstacle string) {
	o = r.options
	o.Settings = maps.Clone(o.Settings)
	attributes := slices.Clone(o.Schema.Attributes())
	old := false
	for _, a := range slices.Sorted(maps.Keys(r.meta.Hierarchies)) {
		list := r.meta.Hierarchies[a]
		if versions[a] == len(list)-1 {
			continue
		}
		tree, why := r.tree(a, versions[a])
		if why != "" {
			return o, fmt.Sprintf("the hierarchy of %q has changed, and %s", attributes[a].Name, why)
		}
		attributes[a].Hierarchy, old = tree, true
		for key, of := range o.Hierarchies {
			if of == a {
				o.Settings[key] = list[versions[a]].SHA256
			}
		}
	}
	if !old {
		return r.options, ""
	}
	schema, err := equivclass.NewSchema(attributes, o.Schema.Missing())
	if err != nil {
		return o, "an earlier hierarchy does not fit the schema"
	}
	o.Schema = schema
	return o, ""
}

// tree is an earlier version of a hierarchy.
func (r *Recording) tree(attribute, version int) (h *equivclass.Hierarchy, why string) {
	v, schema := r.meta.Hierarchies[attribute][version], r.options.Schema
	paths, apart := r.paths[len(schema.Attributes())+attribute] // of an attribute with histories
	if !apart {
		paths = r.paths[attribute]
	}
	seen := map[string]bool{}
	for _, path := range paths {
		leaf, alive := state.LeafOf(path)
		if !alive || seen[leaf] {
			return nil, "a leaf was moved or removed before release 1"
		}
		seen[leaf] = true
	}
	switch {
	case v.Leaves == 0 || int(v.Leaves) > len(paths):
		return nil, "the state does not hold its earlier paths"
	case version > 0 && !slices.Contains(schema.Sensitive(), attribute):
		return nil, fmt.Sprintf("the state does not hold the order of lines of version %d of %d", version+1, len(r.meta.Hierarchies[attribute]))
	}
	text := strings.Join(paths[:v.Leaves], "\n")
	h, err := schema.Attributes()[attribute].Text.ParseHierarchy("state", strings.NewReader(text))
	if err != nil {
		return nil, "its earlier paths do not make a tree"
	}
	return h, ""
}
