package config

import (
	"fmt"
	"strings"

	"anond/equivclass"
)

// checkRecoding checks what each recoding needs of other settings: lgb is the
// only one for semi-sensitive attributes, and its classes never change (rule A,
// frozen classes); slicing needs slices.
func (c *Config) checkRecoding(r *reader) {
	of, _ := c.byRole(r)
	recoding := c.Release.Recoding
	if recoding != LGB && c.Policy.Level != L2 && r.sound("release.recoding") {
		for _, i := range of[equivclass.Semi] {
			r.fault(fmt.Sprintf("schema.attributes[%d].role", i), fmt.Sprintf("is semi, but release.recoding is %s: only lgb keeps a separate "+
				"promise for an attribute", recoding),
				"set release.recoding to lgb; or use quasi if an adversary may know the value, sensitive if it must be protected, or drop")
		}
	}
	if recoding == LGB && c.Policy.Level != L2 {
		if r.set("policy.republication") && c.Policy.Republication == Regroup {
			r.fault("policy.republication", "is regroup, but release.recoding is lgb, whose classes and buckets never change",
				"write append, or remove the key")
		}
		c.Policy.Republication = Append
	}
	c.checkSlices(r, of)
}

// checkSlices checks release.slices: each quasi-identifier in exactly one, the
// sensitive attribute in none with others. Its own list may be left out.
func (c *Config) checkSlices(r *reader, of map[equivclass.Role][]int) {
	const full = "release.slices"
	switch {
	case c.Release.Recoding != Slicing && r.set(full):
		r.fault(full, fmt.Sprintf("does not belong to recoding %s", c.Release.Recoding), "remove it, or set release.recoding to slicing")
		return
	case c.Release.Recoding != Slicing || !r.sound(full, "release.recoding"):
		return
	case len(c.Release.Slices) == 0:
		r.fault(full, "is missing, but release.recoding is slicing",
			"write for instance [[age, sex], [postcode]]: attributes whose values stay together")
		return
	}
	seen, role := map[string]bool{}, map[string]equivclass.Role{}
	for _, a := range c.Attributes {
		role[a.Name] = a.Role
	}
	var kept [][]string
	for i, slice := range c.Release.Slices {
		r.checkSlice(fmt.Sprintf("%s[%d]", full, i), slice, role, seen)
		if len(slice) != 1 || role[slice[0]] != equivclass.Sensitive {
			kept = append(kept, slice)
		}
	}
	c.Release.Slices = kept
	var lacking []string
	for _, i := range of[equivclass.Quasi] {
		if name := c.Attributes[i].Name; !seen[name] {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) > 0 {
		r.fault(full, "lacks "+strings.Join(lacking, ", "), "put each quasi-identifier into one slice")
	}
}

// checkSlice checks one slice; seen gathers the names that are in one.
func (r *reader) checkSlice(at string, slice []string, role map[string]equivclass.Role, seen map[string]bool) {
	if len(slice) == 0 {
		r.fault(at, "is empty", "remove it")
	}
	for _, name := range slice {
		switch {
		case role[name] == equivclass.Sensitive && len(slice) > 1:
			r.fault(at, fmt.Sprintf("has the sensitive attribute %q together with others: rows would then show which of their values go with a "+
				"sensitive value", shortened(name)), "remove it; it is alone in its slice")
		case role[name] != equivclass.Quasi && role[name] != equivclass.Sensitive:
			r.fault(at, fmt.Sprintf("has %q, which is not a quasi-identifier", shortened(name)), "list quasi-identifiers")
		case seen[name]:
			r.fault(at, fmt.Sprintf("has %q, which is already in a slice", shortened(name)), "keep it in one")
		}
		seen[name] = true
	}
}
